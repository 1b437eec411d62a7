import { describe, expect, it } from 'vitest';
import { SecondValueHints } from '../../src/protocol/second-value-hints.ts';

describe('SecondValueHints', () => {
  it.each([
    ['{"a":1}', false],
    ['{"a":{"b":"} x {"}}', false],
    ['{"a":" {"}', false],
    ['{}{}', true],
    ['{} {}', true],
    ['{}    {}', true],
    ['{}\t{}', true],
    ['{}\r{}', true],
    ['{}\t\t{}', true],
    ['{"a":"}{"}', true],
  ])('%j: %s', (line, hint) => {
    expect(new SecondValueHints(Buffer.from(line)).within(0, line.length)).toBe(hint);
  });

  it('tells lines apart', () => {
    const lines = ['{}', '{}{}', '{} {}', '{ }', '{}\t', '{}\r{}', '{}', '{}  {}', '" {"'];
    const bytes = Buffer.from(lines.join('\n'));
    const hints = new SecondValueHints(bytes);
    let from = 0;
    const found = lines.map((line) => {
      const hint = hints.within(from, from + line.length);
      from += line.length + 1;
      return hint;
    });
    expect(found).toEqual([false, true, true, false, true, true, false, true, false]);
  });
});
