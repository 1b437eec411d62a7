import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type Harm, recognise } from '../../src/explain/explain.ts';
import { mayTell } from '../../src/explain/hints.ts';
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

const logs = readdirSync(FOLDER).filter((name) => name.endsWith('.expected.json'));

const least = (want: number | [number, number]) => (Array.isArray(want) ? want[0] : want);
const most = (want: number | [number, number]) => (Array.isArray(want) ? want[1] : want);
/** Both without a year, to whole seconds. */
const second = (time: string) => time.replace(/^\d{4}-(?=\d\d-)/, '').slice(0, 'MM-DDThh:mm:ss'.length);

describe('logs of several programs', () => {
  it.each(logs)('%s', (name) => {
    const expected = JSON.parse(readFileSync(FOLDER + name, 'utf8')) as Expected;
    const intake = new LogIntake({ mayTell, recognise }, true);
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
      expect(group.refusedBy, group.class).toBe(want.refused_by);
    }
    expect(groups.map((group) => group.class).filter((extra) => !expected.allowed_extra.includes(extra))).toEqual([]);
  });
});
