import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { goJson, goJsonBytes } from '../../src/protocol/go-json.ts';

const text = (value: object) => Buffer.from(goJsonBytes(value)).toString();

describe('goJsonBytes', () => {
  it('is the text of goJson, as bytes', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' })), (strings) => {
        expect(text({ strings })).toBe(Buffer.from(goJson({ strings })).toString());
      }),
    );
  });

  it.each(['<', '>', '&', '\u2028', '\u2029', '\u20ac', 'é', '🙂', ''])('is so with %j', (character) => {
    expect(text({ character })).toBe(goJson({ character }));
  });

  it('is so for an object of any size', () => {
    const large = { large: `${'é'.repeat(600_000)}<` };
    expect(text(large)).toBe(goJson(large));
  });

  it('gives bytes of their own each time', () => {
    const first = goJsonBytes({ a: 1 });
    goJsonBytes({ b: 2 });
    expect(Buffer.from(first).toString()).toBe('{"a":1}');
  });
});
