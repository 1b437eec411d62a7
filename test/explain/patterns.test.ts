import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const FOLDER = new URL('../../src/explain/', import.meta.url);
/** Of the whole line, or asked at its beginning only: they cannot begin anew at each character. */
const ANCHORED = ['log-continuation.ts', 'log-header.ts', 'log-prefix.ts', 'log-mask.ts'];
/** `.*`, `\S+`, `[^x]*`: as far as the text goes, from each place where the pattern begins. Quadratic, where that is everywhere. */
const WITHOUT_END = /(?:\\S|(?<![\\\])\w}])\.|\[\^[^\]]*\])[*+]/g;
/** Runs of blanks are disjoint. */
const BLANKS = '[^\\S\\n]*';

describe('patterns that are looked for anywhere in a text', () => {
  const files = readdirSync(FOLDER).filter((name) => !ANCHORED.includes(name));
  it.each(files)('%s: each has an end', (name) => {
    const code = readFileSync(new URL(name, FOLDER), 'utf8')
      .split('\n')
      .filter((line) => !/^\s*(?:\*|\/\/|\/\*)/.test(line));
    const found = code.flatMap((line) => [...line.matchAll(WITHOUT_END)].map(([text]) => text));
    expect(found.filter((text) => text !== BLANKS)).toEqual([]);
  });
});
