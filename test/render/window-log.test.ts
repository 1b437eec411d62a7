import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ProbeAnswer, ProbeOutcome } from '../../src/client/facts.ts';
import { rv } from '../../src/protocol/resource-version.ts';
import { FloorChains } from '../../src/render/floor-chains.ts';
import { lineText } from '../../src/render/spans.ts';
import { StreamLedger } from '../../src/render/stream-ledger.ts';
import { ageWords, windowAlarm, windowForms, windowSentence } from '../../src/render/window-words.ts';
import { eventItem, listItem, openItem, PODS, probeItem, START } from '../support/feed-items.ts';

const at = (seconds: number) => START + seconds * 1000;

/** A list at RV 1000 at 0 s, and the stream that follows it. */
function ledger(): StreamLedger {
  const made = new StreamLedger(PODS);
  made.take(listItem(START, { rv: rv('1000') }));
  made.take(openItem(START, { requestedRv: '1000' }));
  return made;
}

function writes(to: StreamLedger, from: number, until: number, perSecond: number): void {
  for (let s = from; s <= until; s++) {
    to.take(eventItem(at(s), { type: 'MODIFIED', rv: String(1000 + Math.round(s * perSecond)) }));
  }
}

function floor(to: StreamLedger, seconds: number, text: string, connection = 7): void {
  to.take(probeItem(at(seconds), { kind: 'floor', floor: rv(text) }, connection));
}

function answer(outcome: ProbeOutcome, httpStatus?: number): ProbeAnswer {
  const answered = { kind: 'window', target: PODS, askedAt: at(29), answeredAt: at(30), asked: '/…', outcome } as const;
  return httpStatus === undefined ? answered : { ...answered, httpStatus };
}

const longest = (of: StreamLedger, seconds: number) =>
  lineText(windowForms(of, { now: at(seconds), probing: true })[0] ?? []);

describe('a floor that rises', () => {
  it('once and beyond all that was known is a cache that began anew: no time of slack is told', () => {
    const told = ledger();
    floor(told, 1, '1');
    told.take(eventItem(at(9), { type: 'MODIFIED', rv: '1202' }));
    floor(told, 10, '1203');
    told.take(eventItem(at(20), { type: 'BOOKMARK', rv: '1215' }));
    floor(told, 40, '1203');
    const known = told.window.estimate(at(41))!;
    expect(known.slackRevisions).toBe(12);
    expect(known.slack?.atLeast).not.toBe(false);
    expect(windowAlarm(known)).toBe('none');
    expect(windowSentence(known)).toContain('12 revisions above it');
    expect(windowSentence({ ...known, slackRevisions: 1 })).toContain('1 revision above it');
    expect(windowSentence({ ...known, slackRevisions: -1 })).toContain('passed 1 revision ago');
  });

  it('to what went by before is a ring that slides, and so is one that leaps time and again', () => {
    const slides = ledger();
    writes(slides, 1, 40, 10);
    floor(slides, 10, '1001');
    floor(slides, 40, '1090');
    expect(slides.window.estimate(at(41))?.slack).toMatchObject({ atLeast: false });
    const leaps = ledger();
    writes(leaps, 1, 10, 10);
    floor(leaps, 10, '1050');
    writes(leaps, 11, 40, 10);
    floor(leaps, 40, '1300');
    expect(leaps.window.estimate(at(41))?.slack?.atLeast).not.toBe(false);
    writes(leaps, 41, 70, 10);
    floor(leaps, 70, '1600');
    expect(leaps.window.estimate(at(71))?.slack).toMatchObject({ atLeast: false });
  });
});

describe('the age of the floor', () => {
  it('is a bound in the first minute, which grows, and exact once the floor was seen to pass by', () => {
    const told = ledger();
    writes(told, 1, 12, 10);
    floor(told, 1, '400');
    const ageAt = (s: number) => ageWords(told.window.estimate(at(s))!);
    expect(ageAt(12)).toBe('at least 12 s');
    writes(told, 13, 60, 10);
    floor(told, 31, '700');
    expect(ageAt(59)).toBe('at least 31 s');
    writes(told, 61, 120, 10);
    // 1200 went by at 20 s; it was told at 100 s.
    floor(told, 100, '1200');
    expect(ageAt(101)).toBe('80 s');
  });

  it('is a range where little went by', () => {
    const told = ledger();
    told.take(eventItem(at(60), { type: 'BOOKMARK', rv: '1500' }));
    told.take(eventItem(at(120), { type: 'BOOKMARK', rv: '2000' }));
    floor(told, 121, '1700');
    floor(told, 150, '1701');
    expect(ageWords(told.window.estimate(at(150))!)).toBe('30 s … 90 s');
  });

  it('is not told of a floor that nothing has passed, nor of RVs without an order', () => {
    const told = ledger();
    floor(told, 1, '5000');
    expect(told.window.estimate(at(2))).toMatchObject({ floor: '5000', slackRevisions: -4000 });
    expect(told.window.estimate(at(2))).not.toHaveProperty('age');
    floor(told, 3, 'opaque');
    expect(told.window.estimate(at(4))).toEqual({
      floor: 'opaque',
      lowest: 'opaque',
      replicas: 1,
      told: [{ rv: 'opaque', askedAt: at(3) - 3, at: at(3), connection: 7, present: '1000' }],
      sampledAt: at(3),
    });
  });
});

describe('slack', () => {
  it('is what the present write rate leaves of a floor that moves', () => {
    const told = ledger();
    writes(told, 1, 200, 10);
    floor(told, 150, '1700');
    floor(told, 180, '2000');
    // 1000 above at 200 s, 10 a second; the floor has gone on for 20 s since.
    const estimate = told.window.estimate(at(200))!;
    expect(estimate.slack?.atLeast).toBe(false);
    expect(Math.round((estimate.slack?.ms ?? 0) / 1000)).toBe(80);
    expect(windowAlarm(estimate)).toBe('none');
    expect(longest(told, 200)).toMatch(/^window floor 2000, 80 s old ▕\S+▏ slack ~80 s$/);
  });

  it('falls at once when the writes become many, is short below 20 s, and lost below the floor', () => {
    const told = ledger();
    writes(told, 1, 100, 10);
    floor(told, 70, '1800');
    floor(told, 100, '1950');
    expect(windowAlarm(told.window.estimate(at(101))!)).toBe('short');
    expect(windowForms(told, { now: at(101), probing: true })[0]?.at(-1)?.style).toBe('warning');
    floor(told, 130, '2100');
    expect(windowAlarm(told.window.estimate(at(131))!)).toBe('lost');
    expect(windowForms(told, { now: at(131), probing: true })[0]?.at(-1)).toEqual({
      text: 'passed 100 revisions ago',
      style: 'alarm',
    });
  });

  it('is a bound while nobody knows whether the floor moves; one that stands still leaves its age', () => {
    const told = ledger();
    writes(told, 1, 10, 1);
    floor(told, 1, '100');
    expect(told.window.estimate(at(10))!.slack).toMatchObject({ atLeast: true });
    writes(told, 11, 130, 1);
    for (const s of [31, 61, 91, 121]) floor(told, s, '100');
    const estimate = told.window.estimate(at(131))!;
    expect(ageWords(estimate)).toBe('at least 121 s');
    expect(estimate.slack).toEqual({ ms: 120_000, atLeast: true });
    expect(windowSentence(estimate)).toBe('floor 100, at least 121 s old; resume RV slack > 120 s');
  });
});

describe('several apiservers', () => {
  it('are none where the floor merely crept, however fast and on whichever connection', () => {
    const told = ledger();
    for (const s of [1, 2, 3, 33, 63]) floor(told, s, String(100 + s * 10), s);
    expect(told.window.estimate(at(64))).toMatchObject({ replicas: 1, floor: '730', lowest: '730' });
  });

  it('are two where a later answer is lower: a range with both ends, each on its connection', () => {
    const told = ledger();
    writes(told, 1, 60, 10);
    floor(told, 1, '900', 1);
    floor(told, 31, '600', 2);
    expect(told.window.estimate(at(32))).toMatchObject({
      replicas: 2,
      floor: '900',
      lowest: '600',
      told: [
        { rv: '900', connection: 1 },
        { rv: '600', connection: 2 },
      ],
    });
    expect(longest(told, 32)).toMatch(/^window floor 600 … 900, ≥ 2 replicas/);
    // The younger one goes on, and is still another than the older.
    floor(told, 61, '700', 3);
    expect(told.window.estimate(at(62))).toMatchObject({ replicas: 2, floor: '900', lowest: '700' });
    // For five minutes nobody saw the older one: whether it is still there is not known.
    floor(told, 302, '800', 4);
    expect(told.window.estimate(at(303))).toMatchObject({ replicas: 1, floor: '800' });
  });

  it('are not proven by two questions that were under way together', () => {
    const chains = new FloorChains();
    chains.add({ rv: '500', askedAt: 0, at: 100 });
    chains.add({ rv: '499', askedAt: 50, at: 60 });
    expect(chains.at(200)).toMatchObject({ replicas: 1, highest: { rv: '500' } });
    chains.add({ rv: '499', askedAt: 101, at: 110 });
    expect(chains.at(200)).toMatchObject({ replicas: 2 });
  });

  it('are never more than the answers need: what n caches tell, however mixed, needs n at most', () => {
    const step = fc.record({ of: fc.nat(2), by: fc.nat(50) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const floors = [100, 900, 5000];
        const chains = new FloorChains();
        steps.forEach(({ of, by }, index) => {
          floors[of] = (floors[of] ?? 0) + by;
          chains.add({ rv: String(floors[of]), askedAt: index * 1000, at: index * 1000 + 5 });
        });
        expect(chains.at(steps.length * 1000)?.replicas ?? 0).toBeLessThanOrEqual(3);
      }),
    );
  });

  it('are bounded, whatever is told', () => {
    const chains = new FloorChains();
    for (let i = 0; i < 500; i++) chains.add({ rv: String(100_000 - i), askedAt: i * 10, at: i * 10 + 1 });
    expect(chains.at(5_000)?.replicas).toBe(16);
  });
});

describe('where no floor is known', () => {
  it.each<[ProbeOutcome, number | undefined, string]>([
    [{ kind: 'failed', detail: 'HTTP 403: …' }, 403, 'window: probes refused (403)'],
    [{ kind: 'failed', detail: 'HTTP 429' }, 429, 'window: probes refused (429)'],
    [{ kind: 'failed', detail: 'no answer' }, undefined, 'window: probes unanswered'],
    [{ kind: 'failed', detail: 'the stream broke off' }, 200, 'window: probes broken off'],
    [{ kind: 'compacted' }, 200, 'window: etcd’s (no watch cache)'],
  ])('%o is said in a word', (outcome, httpStatus, words) => {
    const told = ledger();
    told.take({ kind: 'probe', at: at(30), answer: answer(outcome, httpStatus) });
    expect(longest(told, 31)).toBe(words);
  });

  it('a history that reaches back to 1 is whole', () => {
    const told = ledger();
    told.take({ kind: 'probe', at: at(30), answer: answer({ kind: 'open' }, 200) });
    expect(longest(told, 31)).toContain('window floor 1, at least 31 s old');
  });

  it('without probes says what one would settle; without an answer yet, nothing', () => {
    expect(windowForms(ledger(), { now: at(1), probing: false }).map(lineText)).toEqual([
      'window unknown: --no-probe (a probe would tell how far back it reaches)',
      'window unknown: --no-probe',
    ]);
    expect(windowForms(ledger(), { now: at(1), probing: true })).toEqual([]);
  });

  it('a floor that was known is kept a minute when probes begin to fail, then the failure is said', () => {
    const told = ledger();
    floor(told, 1, '900');
    told.take({ kind: 'probe', at: at(30), answer: answer({ kind: 'failed', detail: 'HTTP 429' }, 429) });
    expect(longest(told, 31)).toContain('floor 900');
    expect(longest(told, 62)).toBe('window: probes refused (429)');
    floor(told, 91, '950');
    expect(longest(told, 92)).toContain('floor 950');
  });
});
