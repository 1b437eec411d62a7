import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Recognised } from '../../src/explain/explain.ts';
import { type Intake, LogIntake } from '../../src/explain/log-intake.ts';
import type { LogGroup, LogReport, Recogniser } from '../../src/explain/log-survey.ts';

/** Knows five sentences. The real one is tested where it is. */
const recogniser: Recogniser = {
  mayTell: (text) => /too old|compacted|refused|lost|Too large|forbidden|Terminating/.test(text),
  recognise(text) {
    const base: Recognised = {
      class: 'unknown',
      confidence: 'high',
      others: [],
      refusedBy: null,
      harm: 'depends',
      client: 'other',
      loop: false,
      ordinary: false,
      facts: {},
    };
    const old = /too old resource version: (\d+) \((\d+)\)/.exec(text);
    if (old) {
      const facts = { requested_rv: old[1] as string, oldest_startable_rv: old[2] as string, revisions_apart: '1' };
      return { ...base, class: 'ring-buffer-expiry', refusedBy: 'watch-cache', harm: 'harmless-once', facts };
    }
    const large = /Too large resource version: (\d+), current: (\d+)/.exec(text);
    if (large)
      return {
        ...base,
        class: 'rv-too-large',
        facts: { requested_rv: large[1] as string, current_rv: large[2] as string },
      };
    if (/refused/.test(text)) return { ...base, class: 'unreachable' };
    if (/lost/.test(text)) return { ...base, class: 'connection-lost' };
    if (/forbidden/.test(text)) return { ...base, class: 'forbidden', harm: 'act' };
    if (/Terminating/.test(text)) return { ...base, class: 'cache-rebuilt' };
    return base;
  },
};

function intakeOf(log: string, file = true): Intake {
  const intake = new LogIntake(recogniser, file);
  intake.push(log);
  return intake.end();
}

function surveyed(lines: readonly string[]): LogReport {
  const intake = intakeOf(`${lines.join('\n')}\n`);
  if (intake.kind !== 'log') throw new Error('a file is a log');
  return intake.report;
}

function groupOf(lines: readonly string[]): LogGroup {
  const { groups } = surveyed(lines);
  expect(groups).toHaveLength(1);
  return groups[0] as LogGroup;
}

/** `seconds` after 04:00:00, as klog writes it. */
function at(seconds: number, severity = 'W'): string {
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0');
  const ms = String(Math.round((seconds % 1) * 1e6)).padStart(6, '0');
  return `${severity}0611 ${two(4 + seconds / 3600)}:${two((seconds / 60) % 60)}:${two(seconds % 60)}.${ms} 1 reflector.go:470]`;
}
const gone = (seconds: number, rv: number, type = 'Pod') =>
  `${at(seconds)} a.go:1: watch of *v1.${type} ended with: too old resource version: ${rv} (${rv + 5})`;

describe('a question or a log', () => {
  it('takes up to 50 lines that are no file for one question', () => {
    expect(intakeOf('x\n'.repeat(50), false)).toMatchObject({ kind: 'question', lines: 50 });
    expect(intakeOf('x\n'.repeat(51), false)).toMatchObject({ kind: 'log', lines: 51 });
    expect(intakeOf('x\n', true)).toMatchObject({ kind: 'log', lines: 1 });
    expect(intakeOf('a\r\nb', false)).toMatchObject({ kind: 'question', text: 'a\nb' });
  });

  it('bounds a question of long lines', () => {
    const intake = intakeOf(`${'x'.repeat(200_000)}\n`.repeat(50), false);
    expect(intake.longLines).toBe(50);
    expect(intake.kind === 'question' && intake.text.length).toBeLessThan(300_000);
  });

  it('counts the first 50 lines of a log too', () => {
    const lines = Array.from({ length: 60 }, (_, n) => gone(n * 600, n));
    const intake = intakeOf(lines.join('\n'), false);
    expect(intake.kind === 'log' && intake.report.matched).toBe(60);
  });
});

describe('groups of a log', () => {
  it('counts, spans and names', () => {
    const report = surveyed([`${at(0)} started`, gone(10, 100), gone(700.5, 200, 'Node'), `${at(900)} done`]);
    expect(report.groups).toMatchObject([
      { class: 'ring-buffer-expiry', count: 2, distinctReflectors: 2, refusedBy: 'watch-cache', harm: 'harmless-once' },
    ]);
    const times = [report.from, report.groups[0]?.first, report.groups[0]?.last, report.to];
    expect(times.map((time) => time && new Date(time.ms).toISOString().slice(11))).toEqual([
      '04:00:00.000Z',
      '04:00:10.000Z',
      '04:11:40.500Z',
      '04:15:00.000Z',
    ]);
    expect(report).toMatchObject({ matched: 2, harm: 'harmless-once' });
  });

  it('has nothing to say of a log without trouble', () => {
    expect(surveyed([`${at(0)} Reconciled`, `${at(1)} blob is 410 Gone`])).toMatchObject({
      groups: [],
      matched: 0,
      harm: undefined,
    });
    expect(surveyed([])).toMatchObject({ groups: [], from: undefined });
  });

  it('counts a list that failed once, though two lines tell of it', () => {
    const twins = (seconds: number) => [
      `${at(seconds)} a.go:1: failed to list *v1.Pod: pods is forbidden`,
      `${at(seconds + 0.0001, 'E')} a.go:1: Failed to watch *v1.Pod: failed to list *v1.Pod: pods is forbidden`,
    ];
    expect(groupOf([...twins(0), ...twins(30), ...twins(60)])).toMatchObject({
      count: 3,
      distinctReflectors: 1,
      harm: 'act',
    });
    expect(groupOf([twins(0)[0] as string, twins(10)[1] as string])).toMatchObject({ count: 2 });
  });

  it('puts the most serious first', () => {
    const { groups, harm } = surveyed([gone(0, 1), `${at(5)} pods is forbidden`, `${at(6)} connection refused`]);
    expect(groups.map((group) => group.class)).toEqual(['forbidden', 'unreachable', 'ring-buffer-expiry']);
    expect(harm).toBe('act');
  });

  it('says of a kind what came in the same minutes', () => {
    const { groups } = surveyed([`${at(0)} Terminating all watchers from cacher pods`, gone(1, 1), gone(2, 1, 'Node')]);
    expect(groups.map(({ text }) => text).join('\n')).toMatch(
      /^In the same minutes: ring-buffer-expiry .*^It came in the minutes of cache-rebuilt/ms,
    );
  });
});

describe('harm over time', () => {
  it('is none where single 410s heal', () => {
    const lines = Array.from({ length: 14 }, (_, n) => gone(n * 1500, n, ['Pod', 'Node', 'Secret'][n % 3]));
    expect(groupOf(lines)).toMatchObject({ count: 14, harm: 'harmless-once' });
  });

  it('is none where a rebuilt cache meets every reflector once', () => {
    const lines = Array.from({ length: 30 }, (_, n) => gone(n * 0.01, 77, `Kind${n}`));
    expect(groupOf(lines)).toMatchObject({ count: 30, distinctReflectors: 30, harm: 'harmless-once' });
  });

  it('asks for somebody where the same RV is refused again and again', () => {
    const group = groupOf(Array.from({ length: 300 }, (_, n) => gone(n, 57711904)));
    expect(group.harm).toBe('act');
    expect(group.text).toContain('57711904 was refused 300 times in a row');
    const among = groupOf([gone(0, 5, 'Node'), ...Array.from({ length: 5 }, (_, n) => gone(n + 1, 57711904))]);
    expect(among.facts.requested_rv).toBe('57711904');
    expect(among.sample).toContain('57711904');
  });

  it('asks for somebody where a watcher loses its place three times in five minutes', () => {
    const lines = Array.from({ length: 37 }, (_, n) => gone(n * 10, n, `Kind${n % 12}`));
    const group = groupOf(lines);
    expect(group).toMatchObject({ harm: 'act', distinctReflectors: 12 });
    expect(group.title).toContain('37 × in 6 min, 12 reflectors: not harmless');
  });

  it('does not take one failure that three layers tell of for a loop', () => {
    expect(groupOf([gone(0, 5), gone(0.001, 5), gone(0.002, 5)]).harm).toBe('harmless-once');
  });

  it('asks for a look where many come and the lines do not say whose they are', () => {
    const lines = Array.from({ length: 20 }, (_, n) => `${at(n)} too old resource version: ${n} (${n + 1})`);
    expect(groupOf(lines)).toMatchObject({ harm: 'depends', distinctReflectors: 0 });
  });

  it('knows loops without times', () => {
    const line = 'a.go:1: watch of *v1.Pod ended with: too old resource version: 1 (2)';
    expect(groupOf(Array(5).fill(line)).harm).toBe('act');
    expect(groupOf(Array(3).fill(line)).harm).toBe('harmless-once');
  });

  it('asks for somebody where what should pass does not', () => {
    const refused = (seconds: number) => `${at(seconds)} dial tcp 192.0.2.1:6443: connection refused`;
    expect(groupOf([0, 1, 2, 8].map(refused)).harm).toBe('depends');
    expect(groupOf(Array.from({ length: 12 }, (_, n) => refused(n * 30))).harm).toBe('act');
    expect(groupOf(Array.from({ length: 12 }, (_, n) => refused(n * 600)))).toMatchObject({ harm: 'depends' });
  });

  it('does not make one long outage of files that go back in time', () => {
    const refused = (seconds: number) => `${at(seconds)} connection refused`;
    expect(groupOf([refused(7200), refused(7201), refused(0), refused(1)])).toMatchObject({
      harm: 'depends',
      count: 4,
    });
  });

  it('sees that one connection carried them all', () => {
    const lines = Array.from(
      { length: 8 },
      (_, n) => `${at(n / 1e5)} a.go:1: watch of *v1.K${n} ended with: client connection lost`,
    );
    expect(groupOf(lines)).toMatchObject({ harm: 'depends', distinctReflectors: 8 });
    expect(groupOf(lines).text).toMatch(/^All ended within 1 ms: they shared one connection/);
  });

  it('sees a timer in cuts that come with a rhythm', () => {
    const lines = Array.from({ length: 8 }, (_, n) => `${at(n * 60 + (n % 3) * 0.2)} connection lost`);
    expect(groupOf(lines).text).toContain('every 60 s');
  });

  it('sees a server that stands still', () => {
    const large = (seconds: number, rv: number) =>
      `${at(seconds)} a.go:1: failed to list *v1.Pod: Too large resource version: 900, current: ${rv}`;
    expect(groupOf([0, 30, 60, 90].map((s) => large(s, 700)))).toMatchObject({ harm: 'act' });
    expect(groupOf([0, 30, 60, 90].map((s) => large(s, 700 + s)))).toMatchObject({ harm: 'depends' });
  });
});

describe('bounds', () => {
  it('tells so many watchers apart and no more', () => {
    const group = groupOf(Array.from({ length: 3000 }, (_, n) => gone(n, n, `Kind${n}`)));
    expect(group).toMatchObject({ count: 3000, distinctReflectors: 1000, capped: true });
    expect(group.title).toContain('more than 1000 reflectors');
  });

  it('keeps titles and texts within their lengths, and the example without tokens', () => {
    const { title, text, sample } = groupOf([`${gone(0, 1)} Authorization: Bearer abcdefghijkl ${'x'.repeat(9000)}`]);
    expect(title.length).toBeLessThanOrEqual(120);
    expect(text.length).toBeLessThanOrEqual(900);
    expect(sample).not.toContain('abcdefghijkl');
    expect(sample.length).toBeLessThanOrEqual(2000);
  });

  it('reads through colours and NULs', () => {
    expect(groupOf(['\u001b[33mWARN\u001b[0m too \u001b[1mold\u001b[0m resource version: 1 (2)\0'])).toMatchObject({
      count: 1,
    });
  });

  it('goes on over New Year', () => {
    const lines = [
      'W1231 23:59:59.000000 1 a.go:1] connection refused',
      'W0101 00:00:01.000000 1 a.go:1] connection refused',
    ];
    const { first, last } = groupOf(lines);
    expect((last?.ms ?? 0) - (first?.ms ?? 0)).toBe(2000);
  });

  const piece = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom(
      '\n',
      '\r\n',
      'too old resource version: 7 (9)',
      'W0611 04:12:09.118000 1 a.go:1] ',
      '{"log":"',
      '"}',
      '2026-09-03T06:00:00.000620082Z stderr P ',
      'web-0 app ',
      'Traceback (most recent call last):',
      '\tat x',
      'HTTP/1.1 410 Gone',
    ),
  );

  it('takes whatever comes, and the same however it is cut', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const whole = intakeOf(pieces.join(''));
        const intake = new LogIntake(recogniser, true);
        for (const each of pieces) intake.push(each);
        expect(intake.end()).toEqual(whole);
      }),
    );
  });
});
