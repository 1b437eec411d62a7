import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { everything, fieldSelector, parseFieldSelector } from '../../src/protocol/field-selector.ts';
import { SelectorError } from '../../src/protocol/selector-error.ts';

describe('parseFieldSelector refuses', () => {
  it.each([
    ['metadata.name', "invalid selector: 'metadata.name'; can't understand 'metadata.name'"],
    ['metadata.name>a', "invalid selector: 'metadata.name>a'; can't understand 'metadata.name>a'"],
    ['b=c,a', "invalid selector: 'b=c,a'; can't understand 'a'"],
    ['z,y', "invalid selector: 'z,y'; can't understand 'y'"],
    ['a\\=b', undefined],
    ['a\\,b', "invalid selector: 'a\\,b'; can't understand 'a\\,b'"],
    ['a=b\\x', 'invalid field selector: invalid escape sequence: \\x'],
    ['a=b\\', 'invalid field selector: invalid escape sequence: \\'],
    ['a=b\\😀', 'invalid field selector: invalid escape sequence: \\😀'],
    ['a=b=c', 'invalid field selector: unescaped character in value: 61'],
    ['a!==c', 'invalid field selector: unescaped character in value: 61'],
    ['\u{10000},\uffff', "invalid selector: '\u{10000},\uffff'; can't understand '\uffff'"],
  ])('%s', (text, message) => {
    if (message === undefined) {
      expect(parseFieldSelector(text).requirements).toEqual([{ field: 'a\\', operator: '=', value: 'b' }]);
      return;
    }
    expect(() => parseFieldSelector(text)).toThrow(new SelectorError(message));
  });
});

describe('parseFieldSelector selects', () => {
  it.each<[string, Record<string, string>, boolean]>([
    ['', {}, true],
    [',,', {}, true],
    ['a=b', { a: 'b' }, true],
    ['a==b', { a: 'b' }, true],
    ['a=b', { a: 'c' }, false],
    ['a=b', {}, false],
    ['a=', {}, true],
    ['a!=', {}, false],
    ['a!=b', {}, true],
    ['a!=b', { a: 'b' }, false],
    ['a=b,c!=d', { a: 'b', c: 'e' }, true],
    ['a=b,c!=d', { a: 'b', c: 'd' }, false],
    ['a= b', { a: 'b' }, false],
    ['a= b', { a: ' b' }, true],
    ['a=b\\,c\\=d\\\\', { a: 'b,c=d\\' }, true],
    ['toString=', {}, true],
  ])('%s of %o: %s', (text, fields, matches) => {
    expect(parseFieldSelector(text).matches(fields)).toBe(matches);
  });

  it('knows the value that a field must have', () => {
    const selector = parseFieldSelector('metadata.name==x,b!=y,c=');
    expect(selector.requiresExactMatch('metadata.name')).toBe('x');
    expect(selector.requiresExactMatch('b')).toBeUndefined();
    expect(selector.requiresExactMatch('c')).toBe('');
    expect(selector.requiresExactMatch('d')).toBeUndefined();
  });

  it('gives its requirements sorted by their text', () => {
    expect(parseFieldSelector('b=1,,a!=2').requirements).toEqual([
      { field: 'a', operator: '!=', value: '2' },
      { field: 'b', operator: '=', value: '1' },
    ]);
  });

  it('says whether it is empty', () => {
    expect(parseFieldSelector('')).toBe(everything);
    expect(everything.empty).toBe(true);
    expect(parseFieldSelector('a=').empty).toBe(false);
    expect(
      fieldSelector([{ field: 'metadata.name', operator: '=', value: 'x' }]).requiresExactMatch('metadata.name'),
    ).toBe('x');
  });

  it('takes any value that is escaped', () => {
    const escaped = (value: string) => value.replace(/[\\,=]/g, '\\$&');
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', '\\', ',', '=', '!', ' ', '😀', '\n') }),
        fc.boolean(),
        (value, not) => {
          const selector = parseFieldSelector(`x=1,f${not ? '!=' : '='}${escaped(value)}`);
          expect(selector.requirements.find((one) => one.field === 'f')?.value).toBe(value);
          expect(selector.matches({ x: '1', f: value })).toBe(!not);
        },
      ),
    );
  });

  it('never fails but with a SelectorError', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', '\\', ',', '=', '!', ' ', '😀') }), (text) => {
        try {
          parseFieldSelector(text).matches({ a: 'a' });
        } catch (error) {
          expect(error).toBeInstanceOf(SelectorError);
        }
      }),
      { numRuns: 1000 },
    );
  });
});
