import { describe, expect, it } from 'vitest';
import { diagnose } from '../../src/diagnosis/diagnose.ts';
import type { Finding } from '../../src/diagnosis/finding.ts';
import { verdictOf } from '../../src/diagnosis/verdict.ts';
import { FactsBuilder, INITIALIZATIONS, type StreamStory, seconds, TERMINATED } from './facts-builder.ts';

/** How streams ended: for each class what it looks like, and what looks like it but is not. */
function diagnosed(build: (b: FactsBuilder) => number): Finding[] {
  const b = new FactsBuilder();
  return diagnose(b.run(build(b)));
}

/** The same, looked at `now` seconds after the start. */
function lookedAt(now: number, build: (b: FactsBuilder) => unknown): Finding[] {
  const b = new FactsBuilder();
  build(b);
  return diagnose(b.run(now));
}

function summary(findings: readonly Finding[]): [string, string, string?][] {
  return findings.map((one) => (one.sub ? [one.class, one.confidence, one.sub] : [one.class, one.confidence]));
}

/** Cuts of one target: [age, silence before the cut] in seconds, one after the other. */
function cuts(
  b: FactsBuilder,
  pairs: readonly [number, number][],
  end: 'truncated' | 'reset' = 'truncated',
  timeout = 3000,
): number {
  const target = b.target('secrets');
  let at = 0;
  for (const [age, idle] of pairs) {
    const byteAt = at + age - idle;
    b.stream(target, { at, end, until: at + age, rv: '7', timeout, ...(idle < age ? { byteAt, events: 1 } : {}) });
    at += age + 1;
  }
  return at;
}

describe('planned ends', () => {
  it('is server-timeout at timeoutSeconds, high with the last chunk', () => {
    const findings = diagnosed((b) => {
      b.stream(b.target('pods'), { at: 0, end: 'eof', until: 45, timeout: 45, last: ['9', 43], bookmarks: [43] });
      return 50;
    });
    expect(summary(findings)).toEqual([['server-timeout', 'high']]);
    expect(findings[0]?.severity).toBe('info');
  });

  it('counts from the request where headers came late, if the end is a proper one', () => {
    const held = (end: 'eof' | 'truncated') =>
      diagnosed((b) => {
        const facts = { openedAt: seconds(8) };
        b.stream(b.target('pods'), { at: 0, end, until: 60, timeout: 60, events: 1, byteAt: 8, facts });
        return 65;
      });
    expect(summary(held('eof'))).toEqual([['server-timeout', 'high']]);
    expect(summary(held('truncated'))).not.toEqual([['server-timeout', 'high']]);
  });

  it('is buffering where brief watches come whole with their time over, again and again', () => {
    const brief = (count: number, openedAfter: number, until = 8.1) =>
      diagnosed((b) => {
        const target = b.target('endpoints');
        for (let i = 0; i < count; i++) {
          const at = i * 10;
          const facts = { openedAt: seconds(at + openedAfter) };
          b.stream(target, {
            at,
            rv: '6',
            end: 'eof',
            until: at + until,
            timeout: 8,
            events: 2,
            byteAt: at + 8.05,
            facts,
          });
        }
        return count * 10;
      });
    const [once] = brief(1, 8);
    expect(once).toMatchObject({ class: 'server-timeout', confidence: 'high' });
    expect(once?.text).toContain('8.1 s after the request (its headers had come only 0.10 s before)');
    expect(summary(brief(2, 8))).toContainEqual(['proxy-buffering', 'medium']);
    // Its headers came some seconds late, and then it lived.
    expect(summary(brief(2, 4))).toEqual([['server-timeout', 'high']]);
  });

  it('is server-timeout also without the last chunk, but surer the second time', () => {
    const build = (count: number) => (b: FactsBuilder) => cuts(b, Array(count).fill([300, 188]), 'truncated', 300);
    expect(summary(diagnosed(build(1)))).toEqual([['server-timeout', 'medium']]);
    expect(summary(diagnosed(build(2)))).toEqual([['server-timeout', 'high']]);
  });

  it('is the server’s own limit at 30 to 60 min where none was asked for', () => {
    const at = (age: number) =>
      diagnosed((b) => {
        b.stream(b.target('pods'), { at: 0, end: 'eof', until: age, last: ['9', age - 60], bookmarks: [60] });
        return age + 5;
      })[0]?.class;
    expect([at(1_700), at(1_900), at(3_590), at(3_800)]).toEqual([
      'ambiguous-end',
      'server-timeout',
      'server-timeout',
      'ambiguous-end',
    ]);
  });

  it('is no limit of the server where all ends come at one age: that is drawn anew for each watch', () => {
    const at = (...ages: number[]) =>
      diagnosed((b) => {
        const target = b.target('pods');
        let from = 0;
        for (const age of ages) {
          b.stream(target, { at: from, end: 'eof', until: from + age, last: ['9', from + age - 20], bookmarks: [] });
          from += age + 1;
        }
        return from;
      }).map((one) => [one.class, one.confidence]);
    expect(at(2_400)).toEqual([['server-timeout', 'medium']]);
    expect(at(2_400, 2_401)).toEqual([['server-timeout', 'low']]);
    expect(at(2_400, 2_401, 2_400)).toEqual([['age-cut-by-proxy', 'medium']]);
    expect(at(2_400, 3_100, 1_950)).toEqual([['server-timeout', 'medium']]);
  });

  it('is none at another age', () => {
    const findings = diagnosed((b) => {
      b.stream(b.target('pods'), { at: 0, end: 'eof', until: 95, timeout: 540, last: ['9', 60] });
      return 100;
    });
    expect(summary(findings)).toEqual([['ambiguous-end', 'low']]);
  });
});

describe('half an event at the end', () => {
  const ended = (facts: { end: 'eof' | 'eof-unframed' | 'truncated'; timeout?: number }) =>
    diagnosed((b) => {
      b.stream(b.target('pods'), {
        at: 0,
        until: 45,
        ...facts,
        last: ['9', 43],
        events: 1,
        facts: { tailBytes: 170, tailText: '{"type":"ADDED","obj' },
      });
      return 50;
    });

  it('is truncated-event, also where the answer ended properly; less sure then', () => {
    expect(summary(ended({ end: 'truncated' }))).toEqual([['connection-lost', 'high', 'truncated-event']]);
    expect(summary(ended({ end: 'eof-unframed' }))).toEqual([['connection-lost', 'high', 'truncated-event']]);
    const proper = ended({ end: 'eof' });
    expect(summary(proper)).toEqual([['connection-lost', 'medium', 'truncated-event']]);
    expect(proper[0]?.text).toMatch(/half an event.*proper last chunk/);
    expect(proper[0]?.text).not.toMatch(/without a last chunk/);
  });

  it('is told of a planned end, too', () => {
    const [planned] = ended({ end: 'eof', timeout: 45 });
    expect(planned).toMatchObject({ class: 'server-timeout' });
    expect(planned?.text).toMatch(/half an event/);
  });
});

describe('cuts by a timer in between', () => {
  it('is idle-cut-by-proxy when the silence repeats and the ages differ: low, medium, high', () => {
    const build = (count: number) => (b: FactsBuilder) =>
      cuts(
        b,
        (
          [
            [53, 50],
            [70, 50],
            [50, 50],
          ] as [number, number][]
        ).slice(0, count),
      );
    expect(summary(diagnosed(build(1)))).toEqual([['ambiguous-end', 'low']]);
    expect(summary(diagnosed(build(2)))).toEqual([['idle-cut-by-proxy', 'medium']]);
    const three = diagnosed(build(3));
    expect(summary(three)).toEqual([['idle-cut-by-proxy', 'high']]);
    expect(three[0]).toMatchObject({ stream: 1, streams: [1, 2, 3], facts: { idle_ms: 50_000, connections: 3 } });
    expect(three[0]?.text).not.toMatch(/bookmarks will prevent|AWS|Azure/);
  });

  const three: [number, number][] = [
    [53, 50],
    [70, 50],
    [90, 50],
  ];

  it('is no idle timer where a longer silence was lived through before', () => {
    const findings = diagnosed((b) => {
      const now = cuts(b, three);
      b.streams[1]!.longestSilenceMs = 80_000;
      return now;
    });
    expect(findings.map((one) => one.class)).toEqual(['connection-lost']);
    expect(findings[0]?.candidates.map((one) => one.class)).not.toContain('idle-cut-by-proxy');
  });

  it('is less sure where a longer silence was lived through since: the timer may have been raised', () => {
    const findings = diagnosed((b) => {
      const now = cuts(b, three);
      b.stream(b.streams[0]!.target, { at: now, rv: '7', timeout: 3000 });
      return now + 120;
    });
    expect(summary(findings)).toEqual([['idle-cut-by-proxy', 'medium']]);
    expect(findings[0]?.evidence.join()).toMatch(/survived/);
  });

  it('is less sure where a cut came after another silence, and no timer where most did', () => {
    expect(summary(diagnosed((b) => cuts(b, [...three, [40, 7]])))[0]).toEqual(['idle-cut-by-proxy', 'medium']);
    const mixed: [number, number][] = [
      [53, 50],
      [70, 50],
      [30, 9],
      [44, 20],
    ];
    expect(diagnosed((b) => cuts(b, mixed)).map((one) => one.class)).not.toContain('idle-cut-by-proxy');
  });

  it('is no cap of the age where a stream grew older', () => {
    const pairs: [number, number][] = [
      [30, 25],
      [30, 12],
      [300, 4],
      [30, 4],
    ];
    expect(diagnosed((b) => cuts(b, pairs)).map((one) => one.class)).not.toContain('age-cut-by-proxy');
  });

  it('is never high where the silence was the whole age', () => {
    expect(
      summary(
        diagnosed((b) =>
          cuts(b, [
            [60, 60],
            [60, 60],
            [60, 60],
          ]),
        ),
      ),
    ).toEqual([['idle-cut-by-proxy', 'medium']]);
  });

  it('is age-cut-by-proxy when the age repeats and the silences differ', () => {
    expect(
      summary(
        diagnosed((b) =>
          cuts(b, [
            [30, 25],
            [30, 12],
            [30, 4],
          ]),
        ),
      ),
    ).toEqual([['age-cut-by-proxy', 'high']]);
  });

  it('is age-cut-by-proxy when the silences are alike too, but frames had come', () => {
    expect(
      summary(
        diagnosed((b) =>
          cuts(b, [
            [1800, 30],
            [1800, 30],
            [1800, 30],
          ]),
        ),
      ),
    ).toEqual([['age-cut-by-proxy', 'high']]);
  });

  it('is neither when nothing repeats', () => {
    const findings = diagnosed((b) =>
      cuts(
        b,
        [
          [60, 4],
          [200, 11],
          [33, 1],
        ],
        'reset',
      ),
    );
    expect(new Set(findings.map((one) => one.class))).toEqual(new Set(['connection-lost']));
  });

  it('finds no pattern in two short silences', () => {
    expect(
      diagnosed((b) =>
        cuts(b, [
          [60, 7],
          [200, 7],
        ]),
      )[0]?.class,
    ).toBe('connection-lost');
  });

  it('is self-inflicted where the URL carries a shorter timeout=', () => {
    const build = (count: number) => (b: FactsBuilder) => {
      const target = b.target('pods');
      for (let i = 0; i < count; i++) {
        const facts = { clientTimeoutMs: 20_000, methodPath: '/api/v1/pods?watch=1&timeoutSeconds=400&timeout=20s' };
        b.stream(target, {
          at: i * 21,
          end: 'truncated',
          until: i * 21 + 20,
          timeout: 400,
          byteAt: i * 21 + 3 + i * 4,
          events: 1,
          facts,
        });
      }
      return 100;
    };
    expect(summary(diagnosed(build(1)))).toEqual([['self-inflicted', 'medium']]);
    const findings = diagnosed(build(3));
    expect(summary(findings)).toEqual([['self-inflicted', 'high']]);
    expect(findings[0]?.text).toContain('timeout=20s');
  });
});

describe('connections that broke', () => {
  it('is connection-lost with sub truncated-event at half a line', () => {
    const findings = diagnosed((b) => {
      b.stream(b.target('pods'), {
        at: 0,
        end: 'truncated',
        until: 661,
        timeout: 1620,
        last: ['395', 660.9, 'event'],
        events: 1,
        facts: { tailBytes: 174 },
      });
      return 700;
    });
    expect(summary(findings)).toEqual([['connection-lost', 'high', 'truncated-event']]);
    expect(findings[0]?.text).toContain('395');
  });

  it('is connection-lost, and the refused connections after it belong to it once they are over', () => {
    const build = (healed: boolean) => (b: FactsBuilder) => {
      const target = b.target('pods');
      b.stream(target, { at: 0, end: 'reset', until: 65, timeout: 590, last: ['2260', 60], bookmarks: [60] });
      b.stream(target, { at: 65.1, rv: '2260', rvAt: 60, end: 'no-response' });
      b.stream(target, { at: 66, rv: '2260', rvAt: 60, end: 'refused', facts: { endDetail: 'ECONNREFUSED' } });
      if (healed) b.stream(target, { at: 80, rv: '2260', rvAt: 60 });
      return 90;
    };
    const lasting = diagnosed(build(false));
    expect(lasting.map((one) => [one.class, one.severity, one.explainedBy])).toEqual([
      ['connection-lost', 'note', undefined],
      ['unreachable', 'error', undefined],
    ]);
    const healed = diagnosed(build(true));
    expect(healed.map((one) => [one.class, one.severity, one.explainedBy])).toEqual([
      ['connection-lost', 'note', undefined],
      ['unreachable', 'note', 'f1'],
    ]);
  });

  it.each([
    { how: 'eof', ended: 'apiserver-shutdown' },
    { how: 'truncated', ended: 'connection-lost' },
  ] as const)('leaves a refusal that began only just now to the end before it ($how)', ({ how, ended }) => {
    const build = (now: number) => (b: FactsBuilder) => {
      const target = b.target('pods');
      b.stream(target, { at: 0, end: how, until: 65, timeout: 590, last: ['2260', 60], bookmarks: [60] });
      b.stream(target, { at: 65.1, rv: '2260', rvAt: 60, end: 'refused', facts: { endDetail: 'ECONNREFUSED' } });
      return now;
    };
    const seen = (now: number) => diagnosed(build(now)).map((one) => [one.class, one.severity, one.explainedBy]);
    expect(seen(65.2)).toEqual([
      [ended, 'note', undefined],
      ['unreachable', 'note', 'f1'],
    ]);
    expect(seen(75.2)).toEqual([
      [ended, 'note', undefined],
      ['unreachable', 'error', undefined],
    ]);
  });

  it('stays ambiguous after one long silence, and never says it is sure', () => {
    const findings = diagnosed((b) => cuts(b, [[253, 247]], 'reset'));
    expect(summary(findings)).toEqual([['ambiguous-end', 'low']]);
    expect(findings[0]?.candidates.map((one) => one.class).slice(1, 3)).toEqual([
      'idle-cut-by-proxy',
      'connection-lost',
    ]);
  });

  it('cannot tell an unframed end from a proper one', () => {
    const findings = diagnosed((b) => {
      b.stream(b.target('pods'), { at: 0, end: 'eof-unframed', until: 100, timeout: 500, last: ['5', 60] });
      return 120;
    });
    expect(summary(findings)).toEqual([['ambiguous-end', 'low']]);
  });
});

describe('early proper ends', () => {
  const slow = (b: FactsBuilder, more: object = {}) => {
    const target = b.target('pods');
    const facts = {
      peakPerSecond: 300,
      peakAt: seconds(4),
      readStalledMs: 4_000,
      readStallEndedAt: seconds(4),
      ...more,
    };
    b.stream(target, {
      at: 0,
      end: 'eof',
      until: 8.2,
      rv: '5',
      timeout: 480,
      last: ['5300', 4.2, 'event'],
      events: 300,
      facts,
    });
    return target;
  };

  it('is slow-watcher-terminated after a burst with an unread socket, and the repetition belongs to it', () => {
    const findings = diagnosed((b) => {
      const target = slow(b);
      const backlog = { peakPerSecond: 400, peakAt: seconds(8.4), eventsInFirstSecond: 400 };
      b.stream(target, {
        at: 8.3,
        end: 'eof',
        until: 12.2,
        rv: '5300',
        rvAt: 4.2,
        timeout: 480,
        last: ['5700', 8.5, 'event'],
        events: 400,
        facts: backlog,
      });
      return 20;
    });
    expect(summary(findings)).toEqual([['slow-watcher-terminated', 'medium']]);
    expect(findings[0]).toMatchObject({ streams: [1, 2], severity: 'warning' });
  });

  it('is low with the rebuild beside it where nothing but our stall speaks for it, and the resume met a new cache', () => {
    const findings = diagnosed((b) => {
      const target = b.target('pods');
      const facts = { readStalledMs: 3_000, readStallEndedAt: seconds(4) };
      b.stream(target, {
        at: 0.3,
        end: 'eof',
        until: 15.4,
        rv: '5',
        timeout: 480,
        last: ['53', 4, 'event'],
        events: 5,
        facts,
      });
      b.goneA(target, 15.45, '53', '558', 4);
      return 60;
    });
    const slowOne = findings.find((one) => one.class === 'slow-watcher-terminated');
    expect(slowOne?.confidence).toBe('low');
    expect(slowOne?.title).toBe('Perhaps closed by the watch cache: we read too slowly');
    expect(slowOne?.text).toContain('unless a rebuild ended the stream');
    expect(slowOne?.text).not.toContain('burst');
    expect(slowOne?.candidates.map((one) => one.class)).toContain('cache-rebuilt');
  });

  it('stays ambiguous without the unread time, with this cause first', () => {
    const findings = diagnosed((b) => {
      slow(b, { readStalledMs: 0 });
      return 20;
    });
    expect(summary(findings)).toEqual([['ambiguous-end', 'low']]);
    expect(findings[0]?.candidates[1]?.class).toBe('slow-watcher-terminated');
  });

  it('is a rebuild, and no slow watcher again, where a sibling ended with it after a silence', () => {
    const findings = diagnosed((b) => {
      const target = slow(b);
      const burst = { peakPerSecond: 400, peakAt: seconds(8.4), eventsInFirstSecond: 400 };
      const rest: Omit<StreamStory, 'at'> = {
        end: 'eof',
        until: 17,
        timeout: 480,
        last: ['5700', 14, 'event'],
        events: 400,
      };
      b.stream(target, { at: 8.3, rv: '5300', rvAt: 4.2, ...rest, facts: burst });
      const other = b.target('pods', { namespace: 'x' });
      b.stream(other, { at: 0, rv: '5', ...rest, facts: { ...burst, eventsInFirstSecond: 0 } });
      for (const one of [target, other]) b.goneA(one, 17.1, '5700', '5900', 14);
      return 60;
    });
    const slowOnes = findings.filter((one) => one.class === 'slow-watcher-terminated');
    expect(slowOnes.map(({ streams }) => streams)).toEqual([[1]]);
    expect(findings.map((one) => one.class)).toContain('cache-rebuilt');
  });

  it('blames no slow reader by a counter of everybody where the cache was rebuilt', () => {
    const findings = diagnosed((b) => {
      const target = b.target('pods');
      const facts = { peakPerSecond: 300, peakAt: seconds(4) };
      b.stream(target, {
        at: 0.3,
        end: 'eof',
        until: 8.2,
        rv: '5',
        timeout: 480,
        last: ['5300', 8.1, 'event'],
        events: 300,
        facts,
      });
      b.goneA(target, 8.25, '5300', '5580', 8.1);
      b.metrics(target, 0.2, { [TERMINATED]: 0, [INITIALIZATIONS]: 1 });
      b.metrics(target, 8.5, { [TERMINATED]: 1, [INITIALIZATIONS]: 2 });
      return 60;
    });
    expect(findings.map((one) => one.class)).toEqual(['ambiguous-end', 'cache-rebuilt']);
  });

  it('calls no stream dead that we do not read ourselves: its end may lie unread', () => {
    const findings = diagnosed((b) => {
      const facts = { readPausedAt: seconds(31) };
      b.stream(b.target('pods'), { at: 0, rv: '5', timeout: 32, last: ['53', 3], events: 9, facts });
      return 60;
    });
    expect(findings.map(({ class: name }) => name)).not.toContain('silent-stall');
  });

  it('is no slow watcher where the stall was over long before the end', () => {
    const findings = diagnosed((b) => {
      const facts = { readStalledMs: 4_000, readStallEndedAt: seconds(4) };
      b.stream(b.target('pods'), {
        at: 0,
        end: 'eof',
        until: 200,
        rv: '5',
        timeout: 480,
        last: ['53', 199],
        events: 9,
        facts,
      });
      return 220;
    });
    expect(summary(findings)).toEqual([['ambiguous-end', 'low']]);
  });

  it('keeps slow-watcher-terminated as the verdict where the resume met a ring that rolled over', () => {
    const b = new FactsBuilder();
    const target = slow(b);
    b.goneA(target, 8.25, '5300', '5580', 4.2);
    b.stream(b.target('pods', { namespace: 'x' }), { at: 0, rv: '1', timeout: 500, byteAt: 40, events: 20 });
    b.metrics(target, 0.2, { [TERMINATED]: 0 });
    b.metrics(target, 8.5, { [TERMINATED]: 1 });
    for (const at of [8.5, 10.5]) b.floor(target, at, '5580');
    const run = b.run(60);
    const findings = diagnose(run);
    expect(summary(findings)).toEqual([
      ['slow-watcher-terminated', 'medium'],
      ['ring-buffer-expiry', 'high', 'overrun'],
    ]);
    expect(verdictOf(findings, run).text).toMatch(/5580.*sibling|sibling.*5580/s);
  });

  it('is apiserver-shutdown where refused connections follow that soon end', () => {
    const findings = diagnosed((b) => {
      const target = b.target('pods');
      b.stream(target, { at: 0, end: 'eof', until: 82, rv: '1', timeout: 500, last: ['95', 60], bookmarks: [60] });
      b.stream(target, { at: 82.1, end: 'refused', rv: '95', rvAt: 60 });
      b.stream(target, { at: 88, rv: '95', rvAt: 60 });
      return 100;
    });
    expect(summary(findings)[0]).toEqual(['apiserver-shutdown', 'medium']);
    expect(findings[1]).toMatchObject({ class: 'unreachable', severity: 'note', explainedBy: 'f1' });
  });

  it('is apiserver-shutdown where connections were refused while the stream lived on', () => {
    const findings = diagnosed((b) => {
      const target = b.target('pods');
      b.stream(target, { at: 0, end: 'eof', until: 82, rv: '1', timeout: 500, last: ['95', 60], bookmarks: [60] });
      b.probe(target, 50, { kind: 'failed', detail: 'no answer: ECONNREFUSED: connect ECONNREFUSED' });
      delete b.probes[0]!.httpStatus;
      b.stream(target, { at: 82.1, rv: '95', rvAt: 60 });
      return 100;
    });
    expect(summary(findings)).toEqual([['apiserver-shutdown', 'medium']]);
    expect(findings[0]?.title).toBe('An apiserver stopped in order');
    expect(findings[0]?.text).toContain('While it still lived, 1 new connection had been refused.');
  });

  it('is not told as a shutdown where a later connection was taken, or where the name was not found', () => {
    for (const [detail, later] of [
      ['no answer: ECONNREFUSED: connect ECONNREFUSED', true],
      ['no answer: ENOTFOUND: getaddrinfo ENOTFOUND', false],
    ] as const) {
      const findings = diagnosed((b) => {
        const target = b.target('pods');
        b.stream(target, { at: 0, end: 'eof', until: 82, rv: '1', timeout: 500, last: ['95', 60], bookmarks: [60] });
        b.probe(target, 50, { kind: 'failed', detail });
        delete b.probes[0]!.httpStatus;
        if (later) b.floor(target, 70, '1');
        b.stream(target, { at: 82.1, rv: '95', rvAt: 60 });
        return 100;
      });
      expect(summary(findings)).toEqual([['ambiguous-end', 'low']]);
    }
  });

  it('is apiserver-shutdown beside the 410 of the process that started after it', () => {
    const findings = diagnosed((b) => {
      const target = b.target('pods');
      b.stream(target, { at: 0, end: 'eof', until: 82, rv: '1', timeout: 500, last: ['95', 60], bookmarks: [60] });
      b.goneA(target, 86, '95', '700', 60);
      b.metrics(target, 0.2, { process_start_time_seconds: seconds(-900) / 1000 });
      b.metrics(target, 86.2, { process_start_time_seconds: seconds(84) / 1000 });
      return 100;
    });
    expect(summary(findings)).toEqual([
      ['apiserver-shutdown', 'medium'],
      ['cache-rebuilt', 'medium'],
    ]);
    expect(findings[0]?.text).not.toContain('Resume from');
    expect(findings[1]?.text).toContain('the apiserver was started anew');
    expect(findings[1]?.text).not.toContain('None of them is shown');
  });

  it('finds the connections refused after an end also where the LIST before it was asked for in the same moment', () => {
    const findings = diagnosed((b) => {
      const target = b.target('pods');
      b.stream(target, { at: 0, end: 'eof', until: 61, rv: '95', rvAt: 0, origin: 'list', timeout: 500 });
      b.list(target, 0, '95', { endedAt: seconds(0) });
      b.stream(target, { at: 61.1, end: 'refused', rv: '95', rvAt: 0, origin: 'list' });
      b.stream(target, { at: 66, rv: '95', rvAt: 0, origin: 'list' });
      return 100;
    });
    expect(summary(findings)[0]).toEqual(['apiserver-shutdown', 'medium']);
  });

  it('is ambiguous where it was empty, with compaction first on events, and repeats are one finding', () => {
    const empty = (resource: string) =>
      diagnosed((b) => {
        const target = b.target(resource);
        for (const at of [0, 1, 3]) b.stream(target, { at, end: 'eof', until: at + 0.02, rv: '61200' });
        return 10;
      });
    const events = empty('events.events.k8s.io');
    expect(summary(events)).toEqual([['ambiguous-end', 'low']]);
    expect(events[0]?.candidates[1]?.class).toBe('upstream-compaction');
    expect(events[0]?.streams).toEqual([1, 2, 3]);
    expect(empty('pods')[0]?.candidates[1]?.class).toBe('cache-rebuilt');
  });

  it('is crd-changed where a custom resource answers 404 after it, and one finding explains the other', () => {
    const findings = diagnosed((b) => {
      const target = b.target('widgets.stable.example.io');
      b.stream(target, { at: 0, end: 'eof', until: 82, rv: '1', timeout: 500, last: ['95', 60], bookmarks: [60] });
      b.stream(target, { at: 82.1, end: 'rejected', status: 404, rv: '95', rvAt: 60 });
      return 100;
    });
    expect(findings.map((one) => [one.class, one.explainedBy])).toEqual([
      ['crd-changed', undefined],
      ['crd-changed', 'f1'],
    ]);
  });

  it('is nothing at all where we stopped it', () => {
    expect(lookedAt(9, (b) => b.stream(b.target('pods'), { at: 0, end: 'stopped', until: 8, timeout: 500 }))).toEqual(
      [],
    );
  });
});

describe('silence', () => {
  const bookmarked = (b: FactsBuilder, more: object = {}) =>
    b.stream(b.target('deployments.apps'), {
      at: 0,
      rv: '1',
      timeout: 600,
      last: ['301', 180],
      bookmarks: [60, 120, 180],
      events: 1,
      ...more,
    });

  it('is no stall where the server goes on after timeoutSeconds: it does not keep to it, and is quiet now and then', () => {
    const at = (byteAt: number) =>
      lookedAt(100, (b) =>
        b.stream(b.target('pods'), { at: 0, rv: '1', timeout: 60, events: 4, byteAt, noBookmarksAsked: true }),
      ).map((one) => one.class);
    expect(at(50)).toEqual(['silent-stall']);
    expect(at(75)).toEqual([]);
  });

  it('is less sure of a custom resource whose server was never seen to keep to timeoutSeconds', () => {
    const at = (build: (b: FactsBuilder, target: ReturnType<FactsBuilder['target']>) => number) => {
      const b = new FactsBuilder();
      const target = b.target('widgets.stable.example.io');
      const from = build(b, target);
      b.stream(target, { at: from, rv: '1', timeout: 60, events: 1, byteAt: from + 5, noBookmarksAsked: true });
      return diagnose(b.run(from + 100)).filter((one) => one.class === 'silent-stall')[0]?.confidence;
    };
    expect(at(() => 0)).toBe('medium');
    const kept = (b: FactsBuilder, target: ReturnType<FactsBuilder['target']>) => {
      b.stream(target, { at: 0, rv: '1', timeout: 60, end: 'eof', until: 60, noBookmarksAsked: true });
      return 61;
    };
    expect(at(kept)).toBe('high');
  });

  it('is silent-stall after three missing bookmarks: medium, high once timeoutSeconds is outlived', () => {
    const at = (now: number) => summary(lookedAt(now, (b) => bookmarked(b)));
    expect(at(300)).toEqual([]);
    expect(at(380)).toEqual([['silent-stall', 'medium']]);
    expect(at(613)).toEqual([['silent-stall', 'high']]);
  });

  it('says nothing of bookmarks that never came every minute', () => {
    const slow = { timeout: 3000, last: ['301', 600], bookmarks: [100, 350, 600] };
    expect(summary(lookedAt(830, (b) => bookmarked(b, slow)))).toEqual([]);
  });

  it('is high at once where a side probe gets what this stream does not', () => {
    const findings = diagnosed((b) => {
      const { target } = bookmarked(b);
      b.probe(target, 250, { kind: 'side', frames: 3, waitedMs: 5_000 });
      return 260;
    });
    expect(summary(findings)).toEqual([['silent-stall', 'high']]);
  });

  it('is none without bookmarks, however long, nor after one bookmark only', () => {
    expect(lookedAt(900, (b) => bookmarked(b, { bookmarks: [], noBookmarksAsked: true, timeout: 1800 }))).toEqual([]);
    expect(lookedAt(900, (b) => bookmarked(b, { bookmarks: [180], timeout: 1800 }))).toEqual([]);
  });

  it('is none where we did not read ourselves: that is self-inflicted', () => {
    const findings = diagnosed((b) => {
      bookmarked(b, { facts: { readStalledMs: 190_000, readStallEndedAt: seconds(378) } });
      return 380;
    });
    expect(summary(findings)).toEqual([['self-inflicted', 'high']]);
  });

  it('stays a stall when the dead connection is reset at last', () => {
    const findings = lookedAt(540, (b) => bookmarked(b, { end: 'reset', until: 530 }));
    expect(summary(findings)).toEqual([['silent-stall', 'medium']]);
  });

  it('is self-inflicted, and harmless, where a stream lives through our own stall', () => {
    const b = new FactsBuilder();
    b.stream(b.target('pods'), {
      at: 0,
      rv: '1',
      timeout: 500,
      last: ['17040', 95],
      bookmarks: [91, 92],
      events: 25,
      facts: { readStalledMs: 90_000, readStallEndedAt: seconds(91) },
    });
    const run = b.run(170);
    expect(verdictOf(diagnose(run), run)).toMatchObject({
      class: 'self-inflicted',
      confidence: 'high',
      severity: 'note',
    });
  });
});

describe('several targets', () => {
  it('are explained by what happened to themselves: a restart under each of them is one fault a target', () => {
    const findings = diagnosed((b) => {
      for (const resource of ['secrets', 'replicasets.apps', 'endpoints']) {
        const target = b.target(resource);
        b.stream(target, {
          at: 0,
          end: 'reset',
          until: 65,
          rv: '2200',
          timeout: 590,
          last: ['2260', 60],
          bookmarks: [60],
        });
        b.stream(target, { at: 66, rv: '2260', rvAt: 60, end: 'refused' });
        b.stream(target, { at: 70, rv: '2260', rvAt: 60, timeout: 590, last: ['2270', 80], bookmarks: [80] });
      }
      return 120;
    });
    const own = findings.flatMap(({ class: name, target, explainedBy }) => {
      const explanation = findings.find(({ id }) => id === explainedBy);
      return name === 'unreachable' ? [[target, explanation?.target, explanation?.class]] : [];
    });
    expect(own).toEqual([
      [0, 0, 'connection-lost'],
      [1, 1, 'connection-lost'],
      [2, 2, 'connection-lost'],
    ]);
  });
});

describe('ends of HTTP/2 streams', () => {
  const ended = (end: 'goaway' | 'h2-reset' | 'eof', endDetail: string, refusedAfter = false) =>
    diagnosed((b) => {
      const target = b.target('nodes');
      const facts = { endDetail };
      b.stream(target, {
        at: 0,
        rv: '5',
        timeout: 540,
        end,
        until: 187,
        last: ['9', 180],
        bookmarks: [60, 120, 180],
        facts,
      });
      if (refusedAfter) b.stream(target, { at: 213, rv: '9', rvAt: 180, end: 'refused' });
      b.stream(target, { at: 215, rv: '9', rvAt: 180, byteAt: 220, events: 1 });
      return 260;
    });

  it('is apiserver-shutdown for a GOAWAY without an error, surer with refused connections after it', () => {
    const said = 'GOAWAY NO_ERROR, last stream 1';
    expect(summary(ended('goaway', said))[0]).toEqual(['apiserver-shutdown', 'medium']);
    expect(summary(ended('goaway', said, true))[0]).toEqual(['apiserver-shutdown', 'high']);
    const after = ended('eof', `after ${said}`);
    expect(summary(after)[0]).toEqual(['apiserver-shutdown', 'medium']);
    expect(after[0]?.text).toMatch(/GOAWAY.*then ended properly/);
  });

  it('is connection-lost for a GOAWAY with an error, and for a stream that was reset', () => {
    expect(summary(ended('goaway', 'GOAWAY ENHANCE_YOUR_CALM, last stream 1'))[0]).toEqual([
      'connection-lost',
      'medium',
    ]);
    const [reset] = ended('h2-reset', 'RST_STREAM INTERNAL_ERROR');
    expect(reset).toMatchObject({ class: 'connection-lost', confidence: 'medium' });
    expect(`${reset?.text} ${reset?.evidence.join()}`).toMatch(/RST_STREAM INTERNAL_ERROR/);
    expect(reset?.text).toMatch(/^The stream was reset .*fault on the other side/);
    expect(reset?.text).not.toMatch(/last chunk/);
  });
});
