import { describe, expect, it } from 'vitest';
import { diagnose } from '../../src/diagnosis/diagnose.ts';
import type { Finding } from '../../src/diagnosis/finding.ts';
import { FactsBuilder, INITIALIZATIONS, seconds } from './facts-builder.ts';

/** A bookmark at 52020 after `quietS` s without an event, 2 s before the planned end; the resume is refused 0.4 s later. */
function afterQuiet(quietS: number, options: { head?: string; changed?: number; origin?: 'bookmark' | 'event' } = {}) {
  const { head = '52190', changed = 0, origin = 'bookmark' } = options;
  const b = new FactsBuilder();
  const target = b.target('services');
  const lastEventAt = seconds(200 - quietS);
  b.stream(target, {
    at: 0,
    end: 'eof',
    until: 202,
    rv: '52000',
    timeout: 202,
    last: ['52020', 200, origin],
    bookmarks: [60, 120, 180, 200],
    events: 3,
    facts: { lastEventAt },
  });
  b.goneA(target, 202.1, '52020', '52066', 200, { origin });
  b.list(target, 202.5, head, {
    why: '410',
    gap: {
      created: { count: changed, names: [] },
      changed: { count: 0, names: [] },
      deleted: { count: 0, names: [] },
    },
  });
  return { b, target };
}

function gone(b: FactsBuilder): Finding {
  const found = diagnose(b.run(260)).find(({ facts }) => facts.refused_by);
  if (!found) throw new Error('no 410 was found');
  return found;
}

describe('a young RV, refused after a burst that followed a quiet time', () => {
  it('is one of the candidates where a bookmark gave the RV, and what was seen of it is said', () => {
    const { b } = afterQuiet(140, { changed: 130 });
    const { class: name, confidence, text, evidence } = gone(b);
    expect([name, confidence]).toEqual(['cache-rebuilt', 'low']);
    expect(text).toContain('A ring below its bound keeps every change for 75 s.');
    expect(text).toContain('a burst of 100 or more pushed out the last change before 52020');
    expect(text).toContain(
      'That fits here: no event for 140 s before that RV came; 130 objects changed since; 170 revisions of all resources since.',
    );
    expect(evidence).toContain(
      'no event for 140 s before that RV came; 130 objects changed since; 170 revisions of all resources since',
    );
  });

  it('is said to fit where the floor lies just above the RV, far below the head: a rebuild leaves that by chance only', () => {
    expect(gone(afterQuiet(20, { head: '53300' }).b).text).toContain('the floor lies only 46 above it');
    expect(gone(afterQuiet(20, { head: '52900' }).b).text).not.toContain('That fits here');
  });

  it('is no more than a candidate where the stream does not show it', () => {
    for (const { b } of [afterQuiet(20, { changed: 130 }), afterQuiet(140, { changed: 4 })]) {
      expect(gone(b).text).toContain('a burst of 100 or more');
      expect(gone(b).text).not.toContain('That fits here');
    }
  });

  it.each([
    ['the RV is that of a change just made: it is as young as itself', { origin: 'event' }],
    ['fewer revisions were written since than the smallest ring holds', { head: '52110' }],
  ] as const)('is no candidate where %s', (_, options) => {
    expect(gone(afterQuiet(0.2, options).b).text).not.toContain('burst');
  });

  it('is named beside a pinned ring where a rebuild is ruled out', () => {
    const { b, target } = afterQuiet(140, { changed: 130 });
    b.metrics(target, 0.1, { [INITIALIZATIONS]: 1, watch_cache_capacity: 100 });
    b.metrics(target, 202.3, { [INITIALIZATIONS]: 1, watch_cache_capacity: 100 });
    const { sub, text, lines } = gone(b);
    expect(sub).toBe('overrun');
    expect(text).toContain('pinned (this one holds 100 events)');
    expect(text).toContain('an RV goes with the last change before it');
    expect(lines.why).toContain('a burst after a quiet time');
  });

  it('is what it was where /metrics show that the ring has grown, below its bound', () => {
    const { b, target } = afterQuiet(0.2);
    const events = 'apiserver_watch_cache_events_received_total';
    b.metrics(target, 0.1, { [INITIALIZATIONS]: 1, watch_cache_capacity: 100, [events]: 50 });
    b.metrics(target, 202.3, { [INITIALIZATIONS]: 1, watch_cache_capacity: 200, [events]: 190 });
    const { sub, text, evidence, next } = gone(b);
    expect(sub).toBe('overrun');
    expect(text).toContain('This ring is not pinned: it has grown from 100 to 200 events.');
    expect(text).not.toContain('is pinned');
    expect(evidence).toContain(
      '140 changes between two readings of /metrics; ring grown from 100 to 200; 170 revisions of all resources since',
    );
    expect(next[0]).toContain('list again');
  });

  it('is not named where the ring is at its bound: it loses young changes as well', () => {
    const { b, target } = afterQuiet(140, { head: '200000', changed: 130 });
    b.metrics(target, 0.1, { [INITIALIZATIONS]: 1, watch_cache_capacity: 102_400 });
    b.metrics(target, 202.3, { [INITIALIZATIONS]: 1, watch_cache_capacity: 102_400 });
    expect(gone(b).text).toContain('it is at 102400, its maximum');
    expect(gone(b).text).not.toContain('burst');
  });
});
