import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type Harm, type Recognised, recognise } from '../../src/explain/explain.ts';
import { LogIntake } from '../../src/explain/log-intake.ts';
import { logTime } from '../../src/render/explanation-groups.ts';

const FOLDER = fileURLToPath(new URL('../../fixtures/explain/', import.meta.url));

interface Expected {
  file: string;
  lines: number;
  groups: {
    class: string[];
    harm: Harm[];
    refused_by: string | null;
    count: number | [number, number];
    first: string;
    last: string;
    distinct_reflectors: number | [number, number];
  }[];
  allowed_extra: string[];
}

/** Sentences of these logs, so that this is about records, times, counts and harm, whatever is recognised beyond them. */
const SENTENCES: readonly [RegExp, Recognised['class'], Harm][] = [
  [/io\.fabric8.*too old resource version/s, 'ring-buffer-expiry', 'depends'],
  [/too old resource version/, 'ring-buffer-expiry', 'harmless-once'],
  [/storage is \(re\)initializing/, 'watch-cache-not-ready', 'depends'],
  [/is forbidden/, 'forbidden', 'act'],
  [/ApiError: Unauthorized|x509: certificate has expired/, 'auth-expired', 'act'],
  [/client connection lost/, 'silent-stall', 'depends'],
  [/ConnectionRefusedError/, 'unreachable', 'depends'],
];

const recogniser = {
  mayTell: (text: string) => SENTENCES.some(([sentence]) => sentence.test(text)),
  recognise(text: string): Recognised {
    const found = recognise(text);
    const known = SENTENCES.find(([sentence]) => sentence.test(text));
    return known ? { ...found, class: known[1], harm: known[2] } : { ...found, class: 'unknown' };
  },
};

const logs = readdirSync(FOLDER).filter((name) => name.endsWith('.expected.json'));

const least = (want: number | [number, number]) => (Array.isArray(want) ? want[0] : want);
const most = (want: number | [number, number]) => (Array.isArray(want) ? want[1] : want);
/** Both without a year, to whole seconds. */
const second = (time: string) => time.replace(/^\d{4}-(?=\d\d-)/, '').slice(0, 'MM-DDThh:mm:ss'.length);

describe('logs of several programs', () => {
  it.each(logs)('%s', (name) => {
    const expected = JSON.parse(readFileSync(FOLDER + name, 'utf8')) as Expected;
    const intake = new LogIntake(recogniser, true);
    intake.push(readFileSync(FOLDER + expected.file, 'utf8'));
    const told = intake.end();
    if (told.kind !== 'log') throw new Error('a file is a log');
    expect(told.lines).toBe(expected.lines);
    const groups = [...told.report.groups];
    for (const want of expected.groups) {
      const at = groups.findIndex((group) => want.class.includes(group.class));
      expect(at, `${want.class} among ${groups.map((group) => group.class)}`).toBeGreaterThanOrEqual(0);
      const group = groups.splice(at, 1)[0];
      if (!group?.first || !group.last) throw new Error(`${want.class}: no times`);
      expect(group.count, group.class).toBeGreaterThanOrEqual(least(want.count));
      expect(group.count, group.class).toBeLessThanOrEqual(most(want.count));
      expect(group.distinctReflectors, group.class).toBeGreaterThanOrEqual(least(want.distinct_reflectors));
      expect(group.distinctReflectors, group.class).toBeLessThanOrEqual(most(want.distinct_reflectors));
      expect([second(logTime(group.first)), second(logTime(group.last))], group.class).toEqual([
        second(want.first),
        second(want.last),
      ]);
      expect(want.harm, group.class).toContain(group.harm);
      if (want.refused_by !== null) expect(group.refusedBy, group.class).toBe(want.refused_by);
    }
    expect(groups.map((group) => group.class).filter((extra) => !expected.allowed_extra.includes(extra))).toEqual([]);
  });
});
