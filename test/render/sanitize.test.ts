import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escapeJson, sanitize, sanitizeLines } from '../../src/render/sanitize.ts';

/** Whatever moves, hides, recolours or reorders text in a terminal. */
const HARMFUL = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{DI}]/u;

/** Any text, with what an attacker would use much more often than chance has it. */
const hostile = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom(
        '\x1b[2J',
        '\x1b]0;title\x07',
        '\x9b31m',
        '\u202e',
        '\u2066',
        '\u200b',
        '\ufeff',
        '\r',
        '\n',
        '\t',
        '\x7f',
      ),
      fc.constantFrom(
        '\u{e0041}',
        '\ud800',
        '\u2028',
        'é\u0301\u0301\u0301\u0301',
        '日本',
        '\ufe0f',
        '\u115f',
        '\u00ad',
      ),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''));

describe('sanitize', () => {
  it.each([
    ['web-0', 'web-0'],
    ['über 日本 🙂', 'über 日本 🙂'],
    ['a\x1b[31mred', 'a\\x1b[31mred'],
    ['bell\x07 null\x00 del\x7f', 'bell\\x07 null\\x00 del\\x7f'],
    ['c1\x9b', 'c1\\x9b'],
    ['two\nlines\r\n', 'two\\nlines\\r\\n'],
    ['tab\there', 'tab\\there'],
    ['evil\u202egnp.exe', 'evil\\u202egnp.exe'],
    ['zero\u200bwidth', 'zero\\u200bwidth'],
    ['line\u2028sep', 'line\\u2028sep'],
    ['tag\u{e0041}', 'tag\\u{e0041}'],
    ['half \ud800', 'half \\ud800'],
    ['tower a\u0301\u0302\u0303\u0304', 'tower a\u0301\u0302\\u0303\\u0304'],
  ])('%j becomes %j', (text, safe) => {
    expect(sanitize(text)).toBe(safe);
  });

  it('lets no harmful character out, whatever goes in', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(sanitize(text)).not.toMatch(HARMFUL);
      }),
      { numRuns: 500 },
    );
  });

  it('changes nothing a second time', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(sanitize(sanitize(text))).toBe(sanitize(text));
      }),
    );
  });

  it('is bounded: at most ten characters come of one, and a cut is marked', () => {
    fc.assert(
      fc.property(hostile, fc.integer({ min: 1, max: 40 }), (text, max) => {
        const safe = sanitize(text, max);
        expect(safe.length).toBeLessThanOrEqual(max * 10 + 1);
        if (text.length > max) expect(safe.endsWith('…')).toBe(true);
      }),
    );
  });

  it('never cuts a character in half', () => {
    expect(sanitize('a🙂b', 2)).toBe('a…');
  });
});

describe('sanitizeLines', () => {
  it('keeps lines apart, spreads tabs, and says when it stops', () => {
    expect(sanitizeLines('a\n\tb\r\nc\x1b', 10)).toEqual(['a', '  b', 'c\\x1b']);
    expect(sanitizeLines('1\n2\n3', 2)).toEqual(['1', '2', '… more than 2 lines']);
  });
});

describe('escapeJson', () => {
  it('spells the same value without a harmful character', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const line = escapeJson(JSON.stringify({ text }));
        expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
        expect(JSON.parse(line)).toEqual(JSON.parse(JSON.stringify({ text })));
      }),
      { numRuns: 500 },
    );
  });
});
