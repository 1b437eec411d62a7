import { describe, expect, it } from 'vitest';
import type { Audience } from '../../src/cacher/audience.ts';
import type { CacheWatcher } from '../../src/cacher/cache-watcher.ts';
import type { WatchCacheEvent } from '../../src/cacher/watch-cache-event.ts';
import { type EventAddress, type Filing, WatcherIndex } from '../../src/cacher/watcher-index.ts';
import { predicate } from '../support/lab.ts';

interface Offered {
  id: number;
  offers: number;
}

/** Counts what it is offered. */
const watcher = (id: number) =>
  ({ id, keyPrefix: '', predicate: predicate(), offers: 0, nonblockingAdd }) as unknown as CacheWatcher & Offered;
function nonblockingAdd(this: Offered): boolean {
  this.offers += 1;
  return true;
}
const event = { key: '' } as WatchCacheEvent;
const scope = (namespace?: string, name?: string): Filing => ({
  scope: { ...(namespace && { namespace }), ...(name && { name }) },
  triggerValue: undefined,
});
const trigger = (value: string): Filing => ({ scope: {}, triggerValue: value });

const FILINGS = [
  scope(), // 0
  scope('ns'), // 1
  scope('ns', 'a'), // 2
  scope(undefined, 'a'), // 3
  scope('other'), // 4
  scope('ns', 'b'), // 5
  trigger('n1'), // 6
  trigger('n2'), // 7
  trigger(''), // 8
];

function filled() {
  const index = new WatcherIndex(() => {});
  const watchers = FILINGS.map((filing, id) => {
    const one = watcher(id);
    index.add(one, filing);
    return one;
  });
  const found = (namespace?: string, name?: string, ...triggerValues: string[]) => {
    const into: Audience[] = [];
    for (const one of watchers) one.offers = 0;
    index.collect({ namespace, name, triggerValues } satisfies EventAddress, into);
    for (const audience of into) audience.offer(event, []);
    return watchers.flatMap((one) => Array<number>(one.offers).fill(one.id)).sort();
  };
  return { index, watchers, found };
}

describe('WatcherIndex', () => {
  it('offers an event to {ns, name}, {ns}, {name} and {} and to nobody else', () => {
    const { found } = filled();
    expect(found('ns', 'a')).toEqual([0, 1, 2, 3]);
    expect(found('ns', 'c')).toEqual([0, 1]);
    expect(found('x', 'a')).toEqual([0, 3]);
    expect(found(undefined, 'a')).toEqual([0, 3]);
    expect(found()).toEqual([0]);
  });

  it('and by the values of the indexed field, the empty one among them', () => {
    const { found } = filled();
    expect(found('x', 'y', 'n1')).toEqual([0, 6]);
    expect(found('x', 'y', 'n2', 'n1')).toEqual([0, 6, 7]);
    expect(found('x', 'y', '')).toEqual([0, 8]);
    expect(found('x', 'y', 'n3')).toEqual([0]);
  });

  it('forgets who is taken out, twice if need be', () => {
    const { index, watchers, found } = filled();
    for (const id of [1, 1, 6]) index.delete(watchers[id]!);
    expect(found('ns', 'a', 'n1')).toEqual([0, 2, 3]);
    expect(index.all().map(([one]) => one.id)).toEqual([0, 2, 3, 4, 5, 7, 8]);
    for (const one of watchers) index.delete(one);
    expect([index.all(), found('ns', 'a', 'n1', '')]).toEqual([[], []]);
  });
});
