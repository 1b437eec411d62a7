import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { goSyntaxError } from '../../src/protocol/go-json-error.ts';

const said = (text: string) => goSyntaxError(Buffer.from(text), new Error('none'));

describe('goSyntaxError', () => {
  it.each([
    ['', 'unexpected end of JSON input'],
    [' \n', 'unexpected end of JSON input'],
    ['{', 'unexpected end of JSON input'],
    ['{"a":"b', 'unexpected end of JSON input'],
    ['[1,', 'unexpected end of JSON input'],
    ['tru', 'unexpected end of JSON input'],
    ['-', 'unexpected end of JSON input'],
    ['x', "invalid character 'x' looking for beginning of value"],
    ['{"a":}', "invalid character '}' looking for beginning of value"],
    ['[1,]', "invalid character ']' looking for beginning of value"],
    ['{a:1}', "invalid character 'a' looking for beginning of object key string"],
    ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
    ['{"a" 1}', "invalid character '1' after object key"],
    ['{"a":01}', "invalid character '1' after object key:value pair"],
    ['[1 2]', "invalid character '2' after array element"],
    ['{"a":[{}]]', "invalid character ']' after object key:value pair"],
    ['{"a":1} x', "invalid character 'x' after top-level value"],
    ['{"a":tru}', "invalid character '}' in literal true (expecting 'e')"],
    ['nul1', "invalid character '1' in literal null (expecting 'l')"],
    ['"a\nb"', "invalid character '\\n' in string literal"],
    ['"\\x"', "invalid character 'x' in string escape code"],
    ['"\\u12g4"', "invalid character 'g' in \\u hexadecimal character escape"],
    ['-a', "invalid character 'a' in numeric literal"],
    ['1.x', "invalid character 'x' after decimal point in numeric literal"],
    ['1e+', 'unexpected end of JSON input'],
    ['1ex', "invalid character 'x' in exponent of numeric literal"],
  ])('of %j', (text, message) => {
    expect(said(text)).toBe(message);
  });

  it('has nothing to say of what is JSON', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(said(text)).toBe('none');
      }),
    );
  });

  it('has something to say of everything else', () => {
    const broken = fc.tuple(fc.json(), fc.nat(), fc.string({ maxLength: 2 })).map(([text, at, more]) => {
      const cut = at % (text.length + 1);
      return text.slice(0, cut) + more + text.slice(cut + 1);
    });
    fc.assert(
      fc.property(broken, (text) => {
        let isJson = true;
        try {
          JSON.parse(text);
        } catch {
          isJson = false;
        }
        expect(said(text) === 'none').toBe(isJson);
      }),
    );
  });

  it('does not care how deep a text nests', () => {
    expect(said('['.repeat(100_000))).toBe('unexpected end of JSON input');
  });
});
