import { describe, expect, it } from 'vitest';
import { type ChangeType, WatchCacheEvent } from '../../src/cacher/watch-cache-event.ts';
import { line, type PodFields, predicate, stored } from '../support/lab.ts';

const event = (type: ChangeType, now: PodFields, before?: PodFields) => {
  const prevObject = before && stored('a', 5, before);
  return new WatchCacheEvent({ type, object: stored('a', 9, now), prevObject, key: 'a', rv: 9, recordTime: 0 });
};
const yes: PodFields = { labels: { app: 'x' } };
const no: PodFields = { labels: { app: 'y' } };
const selected = predicate({ labels: 'app=x' });

describe('selector transitions', () => {
  it.each([
    ['new and first', event('ADDED', yes), 'ADDED a@9'],
    ['new, old did not match', event('MODIFIED', yes, no), 'ADDED a@9'],
    ['new and old', event('MODIFIED', yes, yes), 'MODIFIED a@9'],
    ['old only', event('MODIFIED', no, yes), 'DELETED a@9'],
    ['deleted, old matched', event('DELETED', yes, yes), 'DELETED a@9'],
    ['deleted, old did not match', event('DELETED', no, no), undefined],
    ['neither', event('MODIFIED', no, no), undefined],
    ['deleted, the cache never had it', event('DELETED', yes), undefined],
  ])('%s', (_situation, one, expected) => {
    const delivery = one.deliveryFor(selected);
    expect(delivery && line(delivery)).toBe(expected);
  });

  it('by field, with fields worked out once', () => {
    let asked = 0;
    const byNode = predicate({ fields: 'spec.nodeName=n1' });
    const counting = {
      ...byNode,
      fieldsOf: (object: Parameters<typeof byNode.fieldsOf>[0]) => {
        asked += 1;
        return byNode.fieldsOf(object);
      },
    };
    const moved = event('MODIFIED', { node: 'n2' }, { node: 'n1' });
    for (let i = 0; i < 5; i += 1) expect(line(moved.deliveryFor(counting)!)).toBe('DELETED a@9');
    expect(asked).toBe(2);
  });

  it('leaving shows the content before, under the RV of the change', () => {
    const left = event('MODIFIED', { ...no, note: 'after' }, { ...yes, note: 'before' }).deliveryFor(selected);
    expect(left?.object.object).toMatchObject({ metadata: { resourceVersion: '9' }, status: { note: 'before' } });
    expect(Buffer.from(left!.object.json).toString()).toContain('"resourceVersion":"9"');
  });

  it('gives the same delivery to all who are sent the same', () => {
    const one = event('MODIFIED', { ...yes, note: 'x' }, yes);
    const everything = predicate();
    expect(one.deliveryFor(everything)).toBe(one.deliveryFor(selected));
    const left = event('MODIFIED', no, yes);
    expect(left.deliveryFor(selected)).toBe(left.deliveryFor(predicate({ labels: 'app=x' })));
  });
});
