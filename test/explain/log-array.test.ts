import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ListedEntries } from '../../src/explain/log-array.ts';

function through(text: string, cuts: readonly number[] = []): string {
  const listed = new ListedEntries();
  const at = [0, ...cuts, text.length].map((cut) => Math.min(cut, text.length)).sort((a, b) => a - b);
  const pieces = at.slice(1).map((cut, index) => listed.take(text.slice(at[index], cut)));
  return pieces.join('') + listed.end();
}

const ENTRIES = [
  { message: 'too old resource version: 1 (2)', nested: { list: [{ a: '}' }, ']'] } },
  { message: 'a "quoted" \\ {brace', timestamp: '2026-11-03T04:05:06Z' },
];
const LINES = ENTRIES.map((entry) => JSON.stringify(entry));

describe('a log that is one JSON list', () => {
  it.each([
    ['in one line', JSON.stringify(ENTRIES)],
    ['of an object', JSON.stringify({ events: ENTRIES, nextToken: null })],
    ['over many lines', JSON.stringify(ENTRIES, null, 2)],
    ['of an object, over many lines', JSON.stringify({ events: ENTRIES }, null, 4).replaceAll('\n', '\r\n')],
  ])('%s: an entry a line', (_, text) => {
    const told = through(text).split('\n').slice(0, ENTRIES.length);
    expect(told.map((line) => JSON.parse(line))).toEqual(ENTRIES);
  });

  it('cut anywhere: the same', () => {
    const text = JSON.stringify(ENTRIES);
    fc.assert(
      fc.property(fc.array(fc.nat(text.length), { maxLength: 9 }), (cuts) => {
        expect(through(text, cuts)).toBe(`${LINES.join('\n')}\n`);
      }),
    );
  });

  it('any other text goes through as it is, however it is cut', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.constantFrom(
            '',
            '[',
            '{"a',
            '{"message":"x"}\n{"message":"y"}\n',
            '[2026-11-03] watch of *v1.Pod',
            '{"items": {}}',
          ),
        ),
        fc.array(fc.nat(60), { maxLength: 5 }),
        (text, cuts) => {
          fc.pre(!/^\s*(?:\{\s*"\w+":\s*)?\[\s*\{\s*"/.test(text));
          expect(through(text, cuts)).toBe(text);
        },
      ),
    );
  });
});
