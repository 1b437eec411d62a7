import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Explanation, explainText, recognise } from '../../src/explain/explain.ts';
import { mayTell } from '../../src/explain/hints.ts';

/** A text and what somebody who knows would say of it. Several values: each is right, the best comes first. */
interface Line {
  text: string;
  class: string | string[];
  refused_by?: string | null;
  harm?: string | string[];
  facts?: Record<string, string>;
  /** Words that title, text or next steps have to hold, whatever their case. */
  says?: string[];
  origin: string;
}

const folder = fileURLToPath(new URL('../../fixtures/explain/', import.meta.url));
const files = readdirSync(folder).filter((name) => /^lines-.*\.json$/.test(name));
const corpus = new Map(files.map((name) => [name, JSON.parse(readFileSync(folder + name, 'utf8')) as Line[]]));
const lines = [...corpus.values()].flat();

const list = (value: string | string[]) => (Array.isArray(value) ? value : [value]);
const said = ({ title, text, next }: Explanation) => [title, text, ...next].join('\n').toLowerCase();

describe.each([...corpus])('%s', (_name, entries) => {
  it.each(entries.map((entry) => [entry.text.slice(0, 100), entry] as const))('%j', (_text, entry) => {
    const told = explainText(entry.text);
    expect(list(entry.class)).toContain(told.class);
    if (entry.refused_by !== undefined) expect(told.refusedBy).toBe(entry.refused_by);
    if (entry.harm !== undefined) expect(list(entry.harm)).toContain(told.harm);
    expect(told.facts).toMatchObject(entry.facts ?? {});
    for (const words of entry.says ?? []) expect(said(told)).toContain(words.toLowerCase());
    if (told.class !== 'unknown' && !recognise(entry.text).ordinary) expect(mayTell(entry.text)).toBe(true);
  });
});

/** As texts come to a terminal: behind a logger's head, quoted, in JSON, in a stack of other lines, cut. */
const DRESSES: readonly ((text: string) => string)[] = [
  (text) => `2026-06-10T21:45:45.337563Z stderr F ${text}`,
  (text) => `Jun 10 21:45:45 cp-1 orchard[1187]: ${text}`,
  (text) => `time="2026-06-10T21:45:45Z" level=error msg=${JSON.stringify(text)}`,
  (text) => JSON.stringify({ level: 'error', ts: '2026-06-10T21:45:45Z', msg: text }),
  (text) => text.replaceAll('\n', '\r\n'),
  (text) => `\u001b[31m${text}\u001b[0m`,
];

describe('any text of the corpus, however it comes', () => {
  it('is explained within the bounds of an explanation, the same each time', () => {
    fc.assert(
      fc.property(fc.constantFrom(...lines), fc.constantFrom(...DRESSES), fc.nat(), fc.nat(), (line, dress, a, b) => {
        const [from, to] = [a % (line.text.length + 1), b % (line.text.length + 1)].sort((x, y) => x - y);
        const text = dress(line.text.slice(from, to));
        const told = explainText(text);
        expect(told).toEqual(explainText(text));
        expect(told.title.length).toBeLessThanOrEqual(120);
        expect(told.text.length).toBeLessThanOrEqual(900);
        expect(told.next.length).toBeGreaterThan(0);
        expect(told.next.length).toBeLessThanOrEqual(5);
        expect(told.candidates[0]).toEqual({ class: told.class, confidence: told.confidence });
        if (/^(?:ambiguous-|unknown)/.test(told.class)) expect(told.confidence).not.toBe('high');
        expect(JSON.stringify(told)).not.toMatch(/\\u00[01]|[\u0000-\u0008\u000b-\u001f\u202e]/);
      }),
      { numRuns: 1000 },
    );
  });

  it('keeps its class behind the head of a logger, and in JSON', () => {
    const single = lines.filter(
      ({ text }) => !text.includes('\n') && !/^\s*(?:HTTP\/\d|<|upstream |error code|{"message":"Endpoint)/i.test(text),
    );
    fc.assert(
      fc.property(fc.constantFrom(...single), fc.constantFrom(...DRESSES.slice(0, 4)), (line, dress) => {
        expect(explainText(dress(line.text)).class).toBe(explainText(line.text).class);
      }),
      { numRuns: 500 },
    );
  });
});
