import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BROKEN, JsonScanner, UNFINISHED } from '../../src/protocol/json-scanner.ts';
import { blanks, members, nested, write } from './event-documents.ts';

function scan(bytes: Uint8Array, cuts: readonly number[] = []): number {
  const scanner = new JsonScanner();
  let from = 0;
  for (const cut of [...cuts].sort((a, b) => a - b)) {
    if (cut <= from || cut >= bytes.length) continue;
    const end = scanner.feed(bytes.subarray(from, cut), 0);
    if (end !== UNFINISHED) return end === BROKEN ? BROKEN : from + end;
    from = cut;
  }
  const end = scanner.feed(bytes.subarray(from), 0);
  return end < 0 ? end : from + end;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const object = fc.dictionary(fc.string(), nested, { maxKeys: 4 });

describe('JsonScanner', () => {
  it('finds the end of any object, however it is written and cut', () => {
    fc.assert(
      fc.property(object, blanks, fc.array(fc.nat(400)), fc.string(), (value, blank, cuts, behind) => {
        const text = write(members(value), blank());
        JSON.parse(text);
        const length = Buffer.byteLength(text);
        expect(scan(Buffer.from(text + behind), cuts)).toBe(length);
        expect(scan(Buffer.from(text).subarray(0, length - 1), cuts)).toBe(UNFINISHED);
      }),
      { numRuns: 500 },
    );
  });

  it('refuses nothing that JSON.parse takes', () => {
    const inserted = fc.constantFrom('', ' ', '"', '{', '}', '[', ']', ',', ':', '\\', '1', 'n', '\n', '-');
    fc.assert(
      fc.property(object, fc.nat(300), inserted, (value, place, insert) => {
        const text = JSON.stringify(value);
        const at = place % text.length;
        const spoilt = `{${text.slice(1, at)}${insert}${text.slice(at + (insert === '' ? 1 : 0))}`;
        fc.pre(isJson(spoilt));
        expect(scan(Buffer.from(spoilt))).toBe(Buffer.byteLength(spoilt.trimEnd()));
      }),
      { numRuns: 500 },
    );
  });

  it('passes exactly what JSON.parse takes, where only structure can be wrong', () => {
    const tokens = fc.array(fc.constantFrom('{', '}', '[', ']', ',', ':', '"a"', '1', ' ', '\n'), { maxLength: 8 });
    fc.assert(
      fc.property(tokens, fc.array(fc.nat(20)), (soup, cuts) => {
        const text = `{${soup.join('')}`;
        const whole = scan(Buffer.from(text), cuts) === text.trimEnd().length;
        expect(whole).toBe(isJson(text));
      }),
      { numRuns: 5000 },
    );
  });

  it.each([
    ['{}', 2],
    ['{"a":tru}', 9],
    ['{"a":"\\x"}', 10],
    ['{"a":[[],{}]}', 13],
    ['{"a":1}}', 7],
    ['{"a":"é\\"}"}', 13],
    ['{"a":"', UNFINISHED],
    ['{"a":"\\', UNFINISHED],
    ['{"a":1', UNFINISHED],
    ['', UNFINISHED],
    ['[', BROKEN],
    ['{1', BROKEN],
    ['{,', BROKEN],
    ['{"a"}', BROKEN],
    ['{"a","b"', BROKEN],
    ['{"a":}', BROKEN],
    ['{"a":1,}', BROKEN],
    ['{"a":1 2', BROKEN],
    ['{"a":1"', BROKEN],
    ['{"a":{}{', BROKEN],
    ['{"a":[1}', BROKEN],
    ['{"a":[,', BROKEN],
    ['{"a":[1,]', BROKEN],
    ['{"a":{]', BROKEN],
    ['{"a":1]', BROKEN],
    ['{"a":x', BROKEN],
    ['{"a"\u00a0:', BROKEN],
    ['{"a":"\n', BROKEN],
    ['{"a":"\t', BROKEN],
    ['{"a":"\\\n', BROKEN],
    ['{"a\n', BROKEN],
    ['{"a":1\f', BROKEN],
  ])('%j: %i', (text, end) => {
    expect(scan(Buffer.from(text))).toBe(end);
    expect(scan(Buffer.from(text), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10])).toBe(end);
  });

  it('follows 10,000 levels', () => {
    const nest = (levels: number) => Buffer.from(`${'{"a":'.repeat(levels - 1)}{${'}'.repeat(levels)}`);
    expect(scan(nest(10_000))).toBe(nest(10_000).length);
    expect(scan(nest(10_001))).toBe(BROKEN);
  });

  it('remembers the last line end outside strings, over pieces', () => {
    const scanner = new JsonScanner();
    expect(scanner.lastNewline).toBe(-1);
    scanner.feed(Buffer.from('xx{"a":\n'), 2);
    expect(scanner.lastNewline).toBe(5);
    scanner.feed(Buffer.from('1\n,'), 0);
    expect(scanner.lastNewline).toBe(7);
    scanner.feed(Buffer.from('"\\n'), 0);
    expect(scanner.lastNewline).toBe(7);
    scanner.reset();
    expect(scanner.lastNewline).toBe(-1);
    expect(scanner.feed(Buffer.from('{}'), 0)).toBe(2);
  });

  it('begins anew after a break inside an escape', () => {
    const scanner = new JsonScanner();
    expect(scanner.feed(Buffer.from('{"a":"\\\n'), 0)).toBe(BROKEN);
    scanner.reset();
    expect(scanner.feed(Buffer.from('{"":1}'), 0)).toBe(6);
  });
});
