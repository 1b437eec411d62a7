import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { key, Lab, nodeOf, PODS, refused } from '../support/lab.ts';

let lab: Lab;

/**
 * The cache is at 103 and knows a@101, b@102, c@103; the store is at 104. Whoever reads 103 was served by the cache, who
 * reads 104 by the store.
 */
beforeEach(async () => {
  lab = await new Lab({ store: { progressNotifyMs: 3_600_000 } }).start();
  for (const name of ['a', 'b', 'c']) await lab.create(name, { labels: { app: name } });
  await lab.clock.turn();
  await lab.store.put('/registry/elsewhere', new Uint8Array(1));
});
afterEach(() => lab.stop());

function lists(name = 'apiserver_cache_list_total'): object[] {
  const family = lab.metrics.families().find((one) => one.name === name);
  return [...(family?.samples.values() ?? [])].map(({ labels, value }) => ({ ...labels, value }));
}

describe('list: who serves it', () => {
  it.each([
    ['"" ', {}, 'store'],
    ['"" with limit', { limit: 1 }, 'store, paged'],
    ['"0"', { resourceVersion: '0' }, 'cache'],
    ['"0" with limit: the limit is ignored', { resourceVersion: '0', limit: 1 }, 'cache'],
    ['"0" NotOlderThan', { resourceVersion: '0', resourceVersionMatch: 'NotOlderThan' as const }, 'cache'],
    ['N', { resourceVersion: '102' }, 'cache'],
    ['N NotOlderThan', { resourceVersion: '103', resourceVersionMatch: 'NotOlderThan' as const }, 'cache'],
    [
      'N NotOlderThan with limit',
      { resourceVersion: '102', resourceVersionMatch: 'NotOlderThan' as const, limit: 1 },
      'store, paged',
    ],
    ['N Exact', { resourceVersion: '104', resourceVersionMatch: 'Exact' as const }, 'store'],
    ['N with limit: exactly N', { resourceVersion: '104', limit: 1 }, 'store, paged'],
  ])('%s', async (_request, asked, by) => {
    const found = await lab.list(asked);
    expect(found.resourceVersion).toBe(by === 'cache' ? '103' : '104');
    expect(found.names).toHaveLength(by === 'store, paged' ? 1 : 3);
    expect(found.continue !== undefined).toBe(by === 'store, paged');
  });

  it('a continuation is the store’s', async () => {
    const first = await lab.list({ limit: 2 });
    expect((await lab.list({ limit: 2, continue: first.continue!, resourceVersion: '0' })).names).toEqual(['c@103']);
  });

  it('by label, by namespace, by name', async () => {
    const rv = { resourceVersion: '0' };
    expect((await lab.list({ ...rv, labels: 'app in (a,c)' })).names).toEqual(['a@101', 'c@103']);
    expect((await lab.list({ ...rv, key: `${PODS}other/` })).names).toEqual([]);
    expect((await lab.list({ ...rv, key: `${PODS}ns/`, fields: 'metadata.name=b' })).names).toEqual(['b@102']);
    expect((await lab.list({ ...rv, fields: 'metadata.name=b' })).names).toEqual(['b@102']);
    expect((await lab.list({ ...rv, key: `${PODS}ns/`, fields: 'metadata.name=b', labels: 'app=a' })).names).toEqual(
      [],
    );
  });

  it('an RV that is no number: 400 from the store, 500 from the cache', async () => {
    const text = 'resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax';
    expect((await refused(lab.list({ resourceVersion: 'abc' }))).status).toMatchObject({ code: 500, message: text });
    const exact = refused(lab.list({ resourceVersion: 'abc', resourceVersionMatch: 'Exact' }));
    expect((await exact).status).toMatchObject({ code: 400, message: `invalid resource version: ${text}` });
  });

  it('an RV that the cache does not reach in 3 s: 504 with a hint', async () => {
    const waiting = refused(lab.list({ resourceVersion: '104' }));
    await lab.clock.advance(3_000);
    const { message, status } = await waiting;
    expect(message).toBe('Timeout: Too large resource version: 104, current: 103');
    expect(status.details).toMatchObject({ retryAfterSeconds: 1 });
  });

  it('is counted', async () => {
    await lab.list({ resourceVersion: '0', labels: 'app=a' });
    expect(lab.metric('apiserver_cache_list_total')).toBe(1);
    expect(lab.metric('apiserver_cache_list_fetched_objects_total')).toBe(3);
    expect(lab.metric('apiserver_cache_list_returned_objects_total')).toBe(1);
    expect(lists()).toEqual([{ index: '', resource_prefix: '/pods', value: 1 }]);
  });

  it('is counted as reading the whole cache, whatever namespace is asked for; one name reads one key', async () => {
    await lab.list({ resourceVersion: '0', key: `${PODS}other/` });
    expect(lab.metric('apiserver_cache_list_fetched_objects_total')).toBe(3);
    await lab.list({ resourceVersion: '0', key: `${PODS}ns/`, fields: 'metadata.name=b' });
    expect(lab.metric('apiserver_cache_list_fetched_objects_total')).toBe(4);
  });

  it('is counted by the index that it is found by, where the type has one', async () => {
    lab.stop();
    const indexedField = { name: 'spec.nodeName', valueOf: nodeOf };
    lab = await new Lab({ cacher: { indexedField } }).start();
    for (const namespace of ['ns', 'other']) await lab.create('a', { node: 'n1', namespace });
    await lab.create('b');
    await lab.clock.turn();
    for (const asked of [{}, { key: `${PODS}ns/` }, { key: `${PODS}ns/`, fields: 'spec.nodeName=n1' }]) {
      await lab.list({ resourceVersion: '0', ...asked });
    }
    const fetched = 'apiserver_cache_list_fetched_objects_total';
    expect(lists(fetched)).toEqual([
      { index: '', resource_prefix: '/pods', value: 3 },
      { index: 'f:metadata.namespace', resource_prefix: '/pods', value: 2 },
      { index: 'f:spec.nodeName', resource_prefix: '/pods', value: 2 },
    ]);
  });
});

describe('get', () => {
  const get = (name: string, resourceVersion: string) => lab.cacher.get(key(name), { resourceVersion });

  it('"" is the store’s, "0" and N the cache’s', async () => {
    await lab.store.put(key('late'), Buffer.from('{"metadata":{"name":"late","namespace":"ns"}}'));
    expect((await get('late', '')).rv).toBe(105);
    await lab.clock.turn();
    expect((await get('late', '0')).rv).toBe(105);
    expect((await get('a', '105')).rv).toBe(101);
  });

  it('waits 3 s for N, then 504; of nothing 404', async () => {
    const waiting = refused(get('a', '500'));
    await lab.clock.advance(3_000);
    expect((await waiting).status).toMatchObject({ code: 504 });
    expect((await refused(get('none', '0'))).message).toBe('pods "none" not found');
    expect((await refused(get('a', 'abc'))).status.code).toBe(500);
  });
});

describe('writes', () => {
  it('go to the store, and come back through its watch', async () => {
    await lab.cacher.guaranteedUpdate(key('a'), {}, (now) => ({ ...now!.object, status: { note: 'x' } }));
    const gone = await lab.cacher.delete(key('b'), () => {});
    await lab.cacher.create(key('d'), { kind: 'Pod', metadata: { name: 'd', namespace: 'ns' } });
    await lab.clock.turn();
    expect(gone.rv).toBe(106);
    expect(await lab.list({ resourceVersion: '0' })).toMatchObject({
      names: ['a@105', 'c@103', 'd@107'],
      resourceVersion: '107',
    });
  });
});
