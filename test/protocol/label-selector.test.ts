import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { everything, parseLabelSelector } from '../../src/protocol/label-selector.ts';
import { SelectorError } from '../../src/protocol/selector-error.ts';

function refusal(text: string): string {
  try {
    parseLabelSelector(text);
  } catch (error) {
    expect(error).toBeInstanceOf(SelectorError);
    return (error as SelectorError).message;
  }
  throw new Error(`accepted: ${text}`);
}

const NAME_RULE =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const VALUE_RULE =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const SUBDOMAIN_RULE =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const PREFIX = 'unable to parse requirement: ';

describe('parseLabelSelector refuses in the words of v1.30.3', () => {
  it.each([
    // Seen on a real server (facts/server §1.4).
    ['a in (', `${PREFIX}found '', expected: ',', ')' or identifier`],
    ['a in', `${PREFIX}found '' expected: '('`],
    ['a notin', `${PREFIX}found '' expected: '('`],
    ['a in x', `${PREFIX}found 'x' expected: '('`],
    ['a b', `${PREFIX}found 'b', expected: in, notin, =, ==, !=, gt, lt`],
    ['!', `${PREFIX}found '', expected: identifier`],
    ['a=!', `${PREFIX}found '!', expected: identifier`],
    ['a>b', `${PREFIX}values[0]: Invalid value: "b": for 'Gt', 'Lt' operators, the value must be an integer`],
    ['-a', `${PREFIX}<nil>: Invalid value: "-a": name part ${NAME_RULE}`],
    ['=x', "found '=', expected: !, identifier, or 'end of string'"],
    ['==', "found '==', expected: !, identifier, or 'end of string'"],
    ['a=b=c', "found '=', expected: ',' or 'end of string'"],
    ['a,,b', "found ',', expected: identifier after ','"],
    // By the grammar of apimachinery pkg/labels/selector.go.
    ['a,', "found '', expected: identifier after ','"],
    ['a,=', "found '=', expected: identifier after ','"],
    ['a!b', `${PREFIX}found '!', expected: in, notin, =, ==, !=, gt, lt`],
    ['!a b', "found 'b', expected: ',' or 'end of string'"],
    ['!a=b', "found '=', expected: ',' or 'end of string'"],
    ['!!a', `${PREFIX}found '!', expected: identifier`],
    ['a=(b)', `${PREFIX}found '(', expected: identifier`],
    ['a in (b', `${PREFIX}found '', expected: ',' or ')'`],
    ['a in (b c)', `${PREFIX}found 'c', expected: ',' or ')'`],
    ['a in (b,', `${PREFIX}found '', expected: ',', or identifier`],
    ['a in (b,,)', `${PREFIX}found ')', expected: ',', or identifier`],
    ['a in (,,)', `${PREFIX}found ')', expected: ',', or identifier`],
    ['a in (b,=)', `${PREFIX}found '=', expected: ',', or identifier`],
    ['a in (=)', `${PREFIX}found '=', expected: ',', ')' or identifier`],
    ['a in (b))', "found ')', expected: ',' or 'end of string'"],
    ['a=b-', `${PREFIX}values[0][a]: Invalid value: "b-": ${VALUE_RULE}`],
    ['a in (ok,-b)', `${PREFIX}values[0][a]: Invalid value: "-b": ${VALUE_RULE}`],
    ['a in (x-,b)', `${PREFIX}values[1][a]: Invalid value: "x-": ${VALUE_RULE}`],
    [
      'a in (x-,y-)',
      `${PREFIX}[values[0][a]: Invalid value: "x-": ${VALUE_RULE}, values[1][a]: Invalid value: "y-": ${VALUE_RULE}]`,
    ],
    [
      'a<b-',
      `${PREFIX}[values[0]: Invalid value: "b-": for 'Gt', 'Lt' operators, the value must be an integer, values[0][a]: Invalid value: "b-": ${VALUE_RULE}]`,
    ],
    [
      `a=${'v'.repeat(64)}`,
      `${PREFIX}values[0][a]: Invalid value: "${'v'.repeat(64)}": must be no more than 63 characters`,
    ],
    [
      `${'k'.repeat(64)}`,
      `${PREFIX}<nil>: Invalid value: "${'k'.repeat(64)}": name part must be no more than 63 characters`,
    ],
    ['/a', `${PREFIX}<nil>: Invalid value: "/a": prefix part must be non-empty`],
    ['x/', `${PREFIX}<nil>: Invalid value: "x/": name part must be non-empty; name part ${NAME_RULE}`],
    ['X/a', `${PREFIX}<nil>: Invalid value: "X/a": prefix part ${SUBDOMAIN_RULE}`],
    [
      `${'p'.repeat(254)}/a`,
      `${PREFIX}<nil>: Invalid value: "${'p'.repeat(254)}/a": prefix part must be no more than 253 characters`,
    ],
    [
      'a/b/c',
      `${PREFIX}<nil>: Invalid value: "a/b/c": a qualified name ${NAME_RULE} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ],
    ['a=é"', `${PREFIX}values[0][a]: Invalid value: "é\\"": ${VALUE_RULE}`],
  ])('%s', (text, message) => {
    expect(refusal(text)).toBe(message);
  });
});

describe('parseLabelSelector selects', () => {
  const none = undefined;
  it.each<[string, Record<string, string> | undefined, boolean]>([
    ['', none, true],
    [' \t\n', { a: 'b' }, true],
    ['a=b', { a: 'b' }, true],
    ['a==b', { a: 'b' }, true],
    [' a = b ', { a: 'b' }, true],
    ['a=b', { a: 'c' }, false],
    ['a=b', none, false],
    ['a=', { a: '' }, true],
    ['a=', none, false],
    ['a=,b', { a: '', b: 'x' }, true],
    ['a!=b', { a: 'c' }, true],
    ['a!=b', { a: 'b' }, false],
    ['a!=b', none, true],
    ['a', { a: '' }, true],
    ['a', none, false],
    ['!a', none, true],
    ['!a', { a: '' }, false],
    ['! a', { b: '' }, true],
    ['a in (b,c)', { a: 'c' }, true],
    ['a in (b,c)', { a: 'd' }, false],
    ['a in (b,c)', none, false],
    ['a in ()', { a: '' }, true],
    ['a in ()', { a: 'x' }, false],
    ['a in (b,)', { a: '' }, true],
    ['a in (,b)', { a: '' }, true],
    ['a in (b,,c)', { a: '' }, true],
    ['a notin (b,c)', { a: 'b' }, false],
    ['a notin (b,c)', { a: 'd' }, true],
    ['a notin (b,c)', none, true],
    ['a>1', { a: '2' }, true],
    ['a>1', { a: '1' }, false],
    ['a>1', { a: 'x' }, false],
    ['a>1', none, false],
    ['a<1', { a: '0' }, true],
    ['a<1', { a: '1' }, false],
    ['a>9007199254740992', { a: '9007199254740993' }, true],
    ['a,b', { a: '', b: '' }, true],
    ['a,b', { a: '' }, false],
    ['a=b,c!=d', { a: 'b', c: 'd' }, false],
    ['in', { in: '' }, true],
    ['in in (in,notin)', { in: 'notin' }, true],
    ['notin=in', { notin: 'in' }, true],
    ['example.com/a=b', { 'example.com/a': 'b' }, true],
    [`a=${'v'.repeat(63)}`, { a: 'v'.repeat(63) }, true],
    [`${'p'.repeat(253)}/${'k'.repeat(63)}`, { [`${'p'.repeat(253)}/${'k'.repeat(63)}`]: '' }, true],
    ['toString', {}, false],
    ['!constructor', {}, true],
    // Upstream's lexer takes a NUL for its end mark.
    ['a=b\0,c', { a: 'b', c: '' }, true],
    ['a=b,\0c', { a: 'b', c: '' }, true],
    ['a=b\0\0,c', { a: 'b' }, true],
  ])('%s of %o: %s', (text, labels, matches) => {
    expect(parseLabelSelector(text).matches(labels)).toBe(matches);
  });

  it('says whether it is empty', () => {
    expect(parseLabelSelector('')).toBe(everything);
    expect(everything).toMatchObject({ empty: true });
    expect(everything.matches(undefined)).toBe(true);
    expect(parseLabelSelector('a').empty).toBe(false);
  });

  const word = fc.stringMatching(/^[a-z][a-z0-9]{0,4}$/);

  it('in and notin divide all objects that have the label', () => {
    fc.assert(
      fc.property(word, fc.array(word, { minLength: 1, maxLength: 4 }), word, (key, values, actual) => {
        const set = values.join(' ,\t');
        const labels = { [key]: actual };
        expect(parseLabelSelector(`${key} in (${set})`).matches(labels)).toBe(values.includes(actual));
        expect(parseLabelSelector(`${key} notin (${set})`).matches(labels)).toBe(!values.includes(actual));
      }),
    );
  });

  it('never fails but with a SelectorError', () => {
    const piece = fc.constantFrom(
      'a',
      'in',
      'notin',
      '(',
      ')',
      ',',
      '=',
      '==',
      '!=',
      '!',
      '>',
      '<',
      ' ',
      '5',
      '-',
      '\0',
      '/',
      'é',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        try {
          parseLabelSelector(pieces.join('')).matches({ a: '5' });
        } catch (error) {
          expect(error).toBeInstanceOf(SelectorError);
        }
      }),
      { numRuns: 2000 },
    );
  });
});
