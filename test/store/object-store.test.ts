import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/protocol/object.ts';
import * as status from '../../src/protocol/status.ts';
import { StoreError } from '../../src/store/storage.ts';
import { key, Lab, PODS, pod, refused } from '../support/lab.ts';

let lab: Lab;

beforeEach(() => {
  lab = new Lab();
});
afterEach(() => lab.stop());

const list = (asked: Parameters<Lab['list']>[0] = {}) => lab.list(asked, lab.storage);
const get = (name: string, resourceVersion = '') => lab.storage.get(key(name), { resourceVersion });

describe('get', () => {
  it('gives the newest state with its revision as resourceVersion', async () => {
    await lab.create('a');
    const rv = await lab.update('a', { note: 'x' });
    const found = await get('a');
    expect(found.rv).toBe(rv);
    expect(found.object.metadata.resourceVersion).toBe(String(rv));
    expect(JSON.parse(Buffer.from(found.json).toString())).toEqual(found.object);
  });

  it('of nothing is 404, in upstream’s words', async () => {
    const { status } = await refused(get('none'));
    expect(status).toMatchObject({
      code: 404,
      reason: 'NotFound',
      message: 'pods "none" not found',
      details: { name: 'none', kind: 'pods' },
    });
  });

  it('at an RV is refused where the store has not reached it, before the object is looked for', async () => {
    expect(await get('a', '0').catch(() => undefined)).toBeUndefined();
    const { status } = await refused(get('none', '1000'));
    expect(status).toMatchObject({ code: 504, message: 'Timeout: Too large resource version: 1000, current: 100' });
    expect(status.details).toEqual({
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    });
  });

  it('at an RV that is no number is 400', async () => {
    await lab.create('a');
    expect((await refused(get('a', 'abc'))).status).toMatchObject({
      code: 400,
      reason: 'BadRequest',
      message:
        'invalid resource version: resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax',
    });
  });
});

describe('create', () => {
  it('refuses a second one of a name', async () => {
    await lab.create('a');
    expect((await refused(lab.create('a'))).status).toMatchObject({
      code: 409,
      reason: 'AlreadyExists',
      message: 'pods "a" already exists',
      details: { name: 'a', kind: 'pods' },
    });
  });

  it('says so where the one in the way is being deleted', async () => {
    const dying = pod('a');
    dying.metadata.deletionTimestamp = '2026-01-01T00:00:00Z';
    await lab.storage.create(key('a'), dying);
    expect((await refused(lab.create('a'))).message).toBe('object is being deleted: pods "a" already exists');
  });

  it('refuses an object with a resourceVersion: 500 without a reason', async () => {
    const set = pod('a');
    set.metadata.resourceVersion = '5';
    const { status } = await refused(lab.storage.create(key('a'), set));
    expect(status).toMatchObject({ code: 500, message: 'resourceVersion should not be set on objects to be created' });
    expect(status.reason).toBeUndefined();
  });

  it('tells the store’s own refusal raw', async () => {
    lab.stop();
    lab = new Lab({ store: { quotaBytes: 1_000 } });
    const { status } = await refused(lab.create('a', { note: 'x'.repeat(1_000) }));
    expect(status).toMatchObject({ code: 500, message: 'etcdserver: mvcc: database space exceeded' });
    expect(status.reason).toBeUndefined();
  });

  it('names group and resource apart', async () => {
    const { ObjectStore } = await import('../../src/store/object-store.ts');
    const { store, clock } = lab;
    const options = { store, clock, random: () => 0, resourcePrefix: '/registry/deployments', namespaced: true };
    const deployments = new ObjectStore({ ...options, groupResource: 'deployments.apps' });
    const { status } = await refused(deployments.get('/registry/deployments/ns/a', { resourceVersion: '' }));
    expect(status).toMatchObject({
      message: 'deployments.apps "a" not found',
      details: { name: 'a', group: 'apps', kind: 'deployments' },
    });
  });
});

describe('guaranteedUpdate', () => {
  it('writes what tryUpdate makes of the present state', async () => {
    const created = await lab.create('a', { note: '1' });
    const seen: unknown[] = [];
    const updated = await lab.storage.guaranteedUpdate(key('a'), {}, (current) => {
      seen.push(current?.rv, current?.object.status);
      return { ...current!.object, status: { note: '2' } };
    });
    expect(seen).toEqual([created, { note: '1' }]);
    expect(updated).toMatchObject({ rv: created + 1, object: { status: { note: '2' } } });
  });

  it('writes nothing where nothing is new: no revision, no event', async () => {
    const created = await lab.create('a', { note: '1' });
    const watching = await lab.watch(created, {}, lab.storage);
    const same = await lab.storage.guaranteedUpdate(key('a'), {}, (current) => structuredClone(current!.object));
    expect(same.rv).toBe(created);
    expect(await lab.store.revision()).toBe(created);
    expect(watching.lines).toEqual([]);
  });

  it('starts over with the newer state where it lost a race', async () => {
    await lab.create('a', { note: '0' });
    const tries: string[] = [];
    const racing = lab.storage.guaranteedUpdate(key('a'), {}, (current) => {
      const { note } = current!.object.status as { note: string };
      tries.push(note);
      if (tries.length === 1) void lab.store.put(key('a'), Buffer.from(JSON.stringify(pod('a', { note: 'rival' }))));
      return { ...current!.object, status: { note: `${note}+` } };
    });
    expect((await racing).object.status).toEqual({ note: 'rival+' });
    expect(tries).toEqual(['0', 'rival']);
  });

  it('of nothing is 404, or a create where that is allowed', async () => {
    expect((await refused(lab.update('a'))).status).toMatchObject({ code: 404 });
    const made = await lab.storage.guaranteedUpdate(key('a'), { ignoreNotFound: true }, () => pod('a'));
    expect(made.rv).toBe(101);
    expect(lab.trace).toMatchObject([{ what: 'write', verb: 'create', key: key('a'), rv: 101 }]);
  });

  it('lets tryUpdate refuse', async () => {
    await lab.create('a');
    const refuse = () => {
      throw new Error('no');
    };
    await expect(lab.storage.guaranteedUpdate(key('a'), {}, refuse)).rejects.toThrow('no');
    expect(await lab.store.revision()).toBe(101);
  });
});

describe('delete', () => {
  it('gives the last state under the revision of the deletion', async () => {
    await lab.create('a', { note: 'last' });
    const deleted = await lab.storage.delete(key('a'), () => {});
    expect(deleted).toMatchObject({
      rv: 102,
      object: { metadata: { resourceVersion: '102' }, status: { note: 'last' } },
    });
    expect(JSON.parse(Buffer.from(deleted.json).toString()).metadata.resourceVersion).toBe('102');
    expect((await refused(get('a'))).status.code).toBe(404);
    expect((await refused(lab.delete('a'))).status.code).toBe(404);
  });

  it('validates the state that it deletes, also after a lost race', async () => {
    await lab.create('a', { note: '1' });
    const validated: unknown[] = [];
    await lab.storage.delete(key('a'), (current) => {
      validated.push(current.object.status);
      if (validated.length === 1) void lab.store.put(key('a'), Buffer.from(JSON.stringify(pod('a', { note: '2' }))));
    });
    expect(validated).toEqual([{ note: '1' }, { note: '2' }]);
  });
});

describe('a store that is away', () => {
  it('is told raw, whatever was asked: 500 without a reason', async () => {
    await lab.create('a');
    const away = () => Promise.reject(new StoreError('unavailable', 'etcdserver: no leader'));
    const { put, range } = lab.store;
    lab.store.put = away;
    lab.store.delete = away;
    const outcomes = [lab.create('b'), lab.update('a', { note: '1' }), lab.delete('a')].map(refused);
    lab.store.revision = away;
    outcomes.push(refused(lab.storage.watch(PODS, lab.params(0, { sendInitialEvents: false }))));
    await Promise.all(outcomes);
    lab.store.range = away;
    outcomes.push(refused(get('a')), refused(list()));
    for (const one of await Promise.all(outcomes)) {
      expect(one.status).toEqual(status.unrecognisedError('etcdserver: no leader'));
    }
    Object.assign(lab.store, { put, range });
  });

  it('in whose place a defect of ours goes on as it is', async () => {
    lab.store.range = () => Promise.reject(new TypeError('a defect'));
    await expect(get('a')).rejects.toThrow(TypeError);
    await expect(list()).rejects.toThrow(TypeError);
  });
});

describe('what is stored and sent', () => {
  it('stands in the order in which Go writes it, without resourceVersion in the store', async () => {
    const odd: KubeObject = {
      spec: { z: 1, a: '<&>' },
      metadata: { labels: { b: '1' }, uid: 'u', namespace: 'ns', name: 'a', creationTimestamp: '2026-01-01T00:00:00Z' },
      apiVersion: 'v1',
      kind: 'Pod',
    };
    const { json } = await lab.storage.create(key('a'), odd);
    const { kvs } = await lab.store.range({ start: key('a'), end: `${key('a')}\0` });
    const stored = (rv: string) =>
      `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","namespace":"ns","uid":"u"${rv},` +
      '"creationTimestamp":"2026-01-01T00:00:00Z","labels":{"b":"1"}},"spec":{"z":1,"a":"\\u003c\\u0026\\u003e"}}';
    expect(Buffer.from(kvs[0]!.value).toString()).toBe(stored(''));
    expect(Buffer.from(json).toString()).toBe(stored(',"resourceVersion":"101"'));
  });

  it('is the stored bytes with the resourceVersion in its place', async () => {
    await lab.create('a');
    const state = await get('a');
    expect(Buffer.from(state.json).toString()).toBe(JSON.stringify(state.object));
    expect(await get('a')).toBe(state);
  });

  it('is read from foreign bytes as well, in whatever order they are', async () => {
    const foreign = '{"metadata":{"resourceVersion":"7","name":"a","namespace":"ns"},"kind":"Pod","apiVersion":"v1"}';
    await lab.store.put(key('a'), Buffer.from(foreign));
    const { json } = await get('a');
    expect(Buffer.from(json).toString()).toBe(
      '{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","namespace":"ns","resourceVersion":"101"}}',
    );
  });
});

describe('what is counted', () => {
  it('lists by what they read, tested and returned; events; progress notifies', async () => {
    for (const name of ['a', 'b', 'c']) await lab.create(name, { labels: { app: name } });
    await list({ labels: 'app=b', limit: 1 });
    await lab.storage.watch(PODS, { ...lab.params(102), progressNotify: true });
    await lab.clock.advance(10_000);
    expect(lab.metric('apiserver_storage_list_total')).toBe(1);
    expect(lab.metric('apiserver_storage_list_fetched_objects_total')).toBe(3);
    expect(lab.metric('apiserver_storage_list_evaluated_objects_total')).toBe(2);
    expect(lab.metric('apiserver_storage_list_returned_objects_total')).toBe(1);
    expect(lab.metric('apiserver_storage_events_received_total')).toBe(1);
    expect(lab.metric('etcd_bookmark_counts')).toBe(1);
  });
});
