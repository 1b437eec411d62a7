import { describe, expect, it } from 'vitest';
import { isAboutUnwatched, type TraceNames, traceItem } from '../../src/cli/trace-item.ts';
import { RecordMaker, recordLine } from '../../src/render/json.ts';
import { toRow } from '../../src/render/row.ts';
import type { TraceEvent } from '../../src/store/trace.ts';
import { START } from '../support/feed-items.ts';

const one: TraceNames = { server: () => undefined, watcher: (id) => (id === 'audit-c' ? 'C' : undefined) };
const several: TraceNames = { ...one, server: (index) => `:741${index}` };
const words = (event: TraceEvent, names = one) => toRow(traceItem(event, names))?.what;

describe('what the server traces, as rows', () => {
  const closed: TraceEvent = { what: 'terminate', at: START, resource: 'pods', watcher: 3, auditId: 'audit-c' };

  it('names the watcher that was closed, in everybody’s view', () => {
    expect(words(closed)).toBe('server closes C of pods: too slow');
    expect(toRow(traceItem(closed, one))?.watcher).toBeUndefined();
    expect(words({ ...closed, auditId: 'somebody else' })).toBe('server closes a watcher of pods: too slow');
  });

  it('keeps the number that the cache has for it out of the field for labels', () => {
    const record = new RecordMaker({ object: false }).record(traceItem(closed, one));
    expect(JSON.parse(recordLine(record as never))).toMatchObject({ what: 'terminate', watcher: 'C', watcher_id: 3 });
  });

  it.each<[TraceEvent, string]>([
    [{ what: 'cut', at: START, how: 'cut', apiserver: 1 }, ':7411 upstream cut'],
    [
      { what: 'cut', at: START, how: 'blackholed', resource: 'pods', apiserver: 0 },
      ':7410 upstream of pods falls silent: no byte passes, and nobody is told',
    ],
    [{ what: 'restore', at: START, apiserver: 1 }, ':7411 upstream restored'],
    [{ what: 'restart', at: START, how: 'killed', apiserver: 1 }, ':7411 apiserver dies and starts anew'],
    [{ what: 'compact', at: START, rv: 7, why: 'asked' }, 'store compacted at 7 (asked)'],
    [{ what: 'resize', at: START, resource: 'pods', from: 100, to: 50, apiserver: 0 }, ':7410 pods ring 100 → 50'],
  ])('of several apiservers %j is “%s”', (event, text) => {
    expect(words(event, several)).toBe(text);
  });

  it('leaves out the caches that nobody watches, unless nothing is watched at all', () => {
    const ready: TraceEvent = { what: 'ready', at: START, resource: 'leases', generation: 2, rv: 9 };
    expect(isAboutUnwatched(ready, new Set(['pods']))).toBe(true);
    expect(isAboutUnwatched({ ...ready, resource: 'pods' }, new Set(['pods']))).toBe(false);
    expect(isAboutUnwatched(ready, new Set())).toBe(false);
    expect(isAboutUnwatched({ what: 'compact', at: START, rv: 7, why: 'asked' }, new Set(['pods']))).toBe(false);
  });
});
