import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Lab, nodeOf, PODS, refused } from '../support/lab.ts';

let lab: Lab;

beforeEach(async () => {
  lab = await new Lab({ cacher: { indexedField: { name: 'spec.nodeName', valueOf: nodeOf } } }).start();
});
afterEach(() => lab.stop());

describe('where a watch starts', () => {
  it.each(['', '0'])('"%s": the state as ADDED in key order, then live', async (rv) => {
    await lab.create('b');
    await lab.create('a');
    await lab.update('b', { note: '1' });
    await lab.clock.turn();
    const log = await lab.watch(rv);
    expect(log.take()).toEqual(['ADDED a@102', 'ADDED b@103']);
    await lab.delete('a');
    await lab.clock.turn();
    expect(log.take()).toEqual(['DELETED a@104']);
  });

  it('N: what came after N, nothing twice', async () => {
    const rv = await lab.create('a');
    await lab.update('a', { note: '1' });
    await lab.clock.turn();
    const log = await lab.watch(rv);
    await lab.update('a', { note: '2' });
    await lab.clock.turn();
    expect(log.lines).toEqual(['MODIFIED a@102', 'MODIFIED a@103']);
  });

  it('a future N: accepted, silent until it is passed', async () => {
    const log = await lab.watch(103);
    for (const name of ['a', 'b', 'c', 'd']) await lab.create(name);
    await lab.clock.turn();
    expect(log.lines).toEqual(['ADDED d@104']);
  });

  it('0 with sendInitialEvents=false: from now', async () => {
    await lab.create('a');
    await lab.clock.turn();
    const log = await lab.watch('0', { sendInitialEvents: false });
    await lab.update('a', { note: '1' });
    await lab.clock.turn();
    expect(log.lines).toEqual(['MODIFIED a@102']);
  });

  it('"" with sendInitialEvents=false: from the store’s present revision, which the cache need not have', async () => {
    await lab.store.put('/registry/elsewhere', new Uint8Array(1));
    const log = await lab.watch('', { sendInitialEvents: false });
    await lab.create('a');
    await lab.clock.turn();
    expect(log.lines).toEqual(['ADDED a@102']);
  });

  it('with an empty store events that are still under way may come though the state is newer (a defect of 1.30.3, kept)', async () => {
    const log = await lab.watch(0);
    await lab.create('a');
    await lab.clock.turn();
    expect(log.lines).toEqual(['ADDED a@101']);
  });
});

describe('failures after acceptance travel in the stream', () => {
  it('410: one ERROR event with its cause, then the end', async () => {
    lab.stop();
    lab = await new Lab({ cacher: { capacity: 10 } }).start();
    await lab.create('a');
    await lab.burst('a', 20);
    const log = await lab.watch(101);
    expect(log.lines).toEqual(['ERROR 410 too old resource version: 101 (111)']);
    expect(log.events[0]).toMatchObject({ cause: { refusedBy: 'watch-cache', because: 'ring', floor: 111 } });
    expect(log.ended).toBe(true);
    expect((await lab.watch(111)).lines).toHaveLength(10);
  });

  it('a read of the present revision that fails: 500 with the raw text and a reason', async () => {
    lab.store.revision = () => Promise.reject(new Error('not a store error'));
    await expect(lab.cacher.watch(PODS, lab.params('', { sendInitialEvents: true }))).rejects.toThrow('not a store');
    const { StoreError } = await import('../../src/store/storage.ts');
    lab.store.revision = () => Promise.reject(new StoreError('unavailable', 'etcdserver: no leader'));
    const log = await lab.watch('', { sendInitialEvents: true });
    expect(log.lines).toEqual(['ERROR 500 etcdserver: no leader']);
    expect(log.events[0]).toMatchObject({ status: { reason: 'InternalError' } });
    expect(log.events[0]).not.toHaveProperty('status.details');
  });

  it('but an RV that is no number rejects before anything else: 500 without a reason', async () => {
    const { status } = await refused(lab.cacher.watch(PODS, lab.params('abc')));
    expect(status).toMatchObject({
      code: 500,
      message: 'resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax',
    });
    expect(status.reason).toBeUndefined();
  });
});

describe('what a watch sees', () => {
  it('selector transitions, live as from the ring', async () => {
    const live = await lab.watch(100, { labels: 'app=x' });
    await lab.create('a');
    await lab.update('a', { labels: { app: 'x' }, note: 'in' });
    await lab.update('a', { labels: { app: 'x' }, note: 'still in' });
    await lab.update('a', { labels: { app: 'y' } });
    await lab.delete('a');
    await lab.clock.turn();
    const expected = ['ADDED a@102', 'MODIFIED a@103', 'DELETED a@104'];
    expect(live.lines).toEqual(expected);
    expect((await lab.watch(100, { labels: 'app=x' })).lines).toEqual(expected);
    expect(live.events[2]).toMatchObject({ object: { object: { status: { note: 'still in' } } } });
  });

  it('a real delete: the last stored state under the RV of the deletion', async () => {
    await lab.create('a', { note: 'last' });
    const log = await lab.watch(101);
    await lab.delete('a');
    await lab.clock.turn();
    expect(log.events).toMatchObject([
      {
        type: 'DELETED',
        object: { rv: 102, object: { status: { note: 'last' }, metadata: { resourceVersion: '102' } } },
      },
    ]);
  });

  it('its namespace, by path or by selector, and its name alone', async () => {
    const logs = {
      path: await lab.watch(100, { scope: { namespace: 'ns' }, key: `${PODS}ns/` }),
      selector: await lab.watch(100, { fields: 'metadata.namespace=ns' }),
      name: await lab.watch(100, { fields: 'metadata.name=a' }),
      both: await lab.watch(100, { scope: { namespace: 'ns' }, fields: 'metadata.name=a', key: `${PODS}ns/` }),
      all: await lab.watch(100),
    };
    await lab.create('a');
    await lab.create('a', { namespace: 'other' });
    await lab.create('aa');
    await lab.clock.turn();
    const seen = Object.fromEntries(Object.entries(logs).map(([name, log]) => [name, log.lines]));
    const replayed = await lab.watch(100, { scope: { namespace: 'ns' }, key: `${PODS}ns/` });
    expect(replayed.lines).toEqual(seen.path);
    expect(seen).toEqual({
      path: ['ADDED a@101', 'ADDED aa@103'],
      selector: ['ADDED a@101', 'ADDED aa@103'],
      name: ['ADDED a@101', 'ADDED a@102'],
      both: ['ADDED a@101'],
      all: ['ADDED a@101', 'ADDED a@102', 'ADDED aa@103'],
    });
  });

  it('filed under a namespace that its events do not carry: the initial state alone (1.30.3’s watch of one namespace object)', async () => {
    lab.stop();
    lab = new Lab({ namespaced: false });
    await lab.storage.create(`${PODS}kube`, { kind: 'Namespace', metadata: { name: 'kube' } });
    await lab.start();
    const asked = { fields: 'metadata.name=kube' };
    const legacy = await lab.watch('0', { ...asked, scope: { namespace: 'kube', name: 'kube' } });
    const usual = await lab.watch('0', asked);
    await lab.storage.guaranteedUpdate(`${PODS}kube`, {}, (now) => ({ ...now!.object, spec: {} }));
    await lab.clock.turn();
    expect(legacy.lines).toEqual(['ADDED kube@101']);
    expect(usual.lines).toEqual(['ADDED kube@101', 'MODIFIED kube@102']);
  });

  it('by the indexed field, an object that comes and one that goes', async () => {
    const n1 = await lab.watch(100, { fields: 'spec.nodeName=n1' });
    const unbound = await lab.watch(100, { fields: 'spec.nodeName=' });
    await lab.create('a');
    await lab.update('a', { node: 'n1' });
    await lab.update('a', { node: 'n1', note: '1' });
    await lab.update('a', { node: 'n2' });
    await lab.delete('a');
    await lab.clock.turn();
    expect(n1.lines).toEqual(['ADDED a@102', 'MODIFIED a@103', 'DELETED a@104']);
    expect(unbound.lines).toEqual(['ADDED a@101', 'DELETED a@102']);
  });
});

describe('state', () => {
  it('shows ring, RVs and watchers, for the machine room', async () => {
    await lab.create('a');
    await lab.clock.turn();
    const watcher = await lab.cacher.watch(`${PODS}ns/`, {
      ...lab.params(100, { scope: { namespace: 'ns' }, bookmarks: true }),
      auditId: 'audit-7',
    });
    await lab.clock.turn();
    expect(lab.cacher.state()).toEqual({
      groupResource: 'pods',
      ready: true,
      generation: 1,
      capacity: 100,
      pinned: false,
      size: 1,
      oldest: 101,
      newest: 101,
      floor: 100,
      resourceVersion: 101,
      listResourceVersion: 100,
      incoming: 0,
      watchers: [
        {
          id: 1,
          auditId: 'audit-7',
          scope: { namespace: 'ns' },
          requestedRv: '100',
          input: 0,
          result: 1,
          channelSize: 10,
          lastSentRv: 101,
          initialized: true,
          waitsFor: 'client',
          bookmarks: true,
          deadline: lab.clock.now() + 3_600_000,
        },
      ],
      waiting: [],
    });
    watcher.poll();
    void watcher.next();
    expect(lab.cacher.state().watchers).toMatchObject([{ result: 0, waitsFor: 'event' }]);
    watcher.stop();
    expect(lab.cacher.state().watchers).toEqual([]);
  });

  it('names who waits for an answer, and for what', async () => {
    lab.stop();
    lab = new Lab();
    void lab.cacher.watch(PODS, { ...lab.params(100), auditId: 'audit-1' });
    expect(lab.cacher.state()).toMatchObject({
      watchers: [],
      waiting: [{ auditId: 'audit-1', requestedRv: '100', waitsFor: 'ready' }],
    });
    await lab.start();
    expect(lab.cacher.state()).toMatchObject({ watchers: [{ auditId: 'audit-1' }], waiting: [] });
    void lab.cacher.watch(PODS, { ...lab.params(500, { sendInitialEvents: true }), auditId: 'audit-2' });
    await lab.clock.turn();
    expect(lab.cacher.state().waiting).toEqual([{ auditId: 'audit-2', requestedRv: '500', waitsFor: 'freshness' }]);
    await lab.clock.advance(3_000);
    expect(lab.cacher.state().waiting).toEqual([]);
  });

  it('sizes the queues by capacity and trigger', async () => {
    lab.stop();
    const indexedField = { name: 'spec.nodeName', valueOf: nodeOf };
    lab = await new Lab({ cacher: { capacity: 12_800, indexedField } }).start();
    await lab.watch(100);
    await lab.watch(100, { fields: 'spec.nodeName=n1' });
    expect(lab.cacher.state().watchers.map((one) => one.channelSize)).toEqual([171, 10]);
    lab.stop();
    lab = await new Lab({ cacher: { capacity: 12_800 } }).start();
    await lab.watch(100, { fields: 'metadata.name=a' });
    expect(lab.cacher.state().watchers.map((one) => one.channelSize)).toEqual([100]);
  });
});

describe('the end of a watch', () => {
  it('comes with its signal, and leaves nothing behind', async () => {
    const abort = new AbortController();
    const log = await lab.watch(100, { signal: abort.signal });
    abort.abort();
    await lab.clock.turn();
    expect(log.ended).toBe(true);
    expect(lab.cacher.state().watchers).toEqual([]);
    expect((await lab.watch(100, { signal: abort.signal })).ended).toBe(true);
  });

  it('while it still replays: what was handed over is a consistent prefix', async () => {
    await lab.create('a');
    await lab.burst('a', 60);
    const abort = new AbortController();
    const watcher = await lab.cacher.watch(PODS, lab.params(100, { signal: abort.signal }));
    await lab.clock.turn();
    abort.abort();
    const rvs: number[] = [];
    for (let event = await watcher.next(); event; event = await watcher.next()) {
      if (event.type === 'ADDED' || event.type === 'MODIFIED') rvs.push(event.object.rv);
    }
    expect(rvs).toEqual(Array.from({ length: rvs.length }, (_, i) => 101 + i));
    expect(rvs.length).toBeLessThan(61);
  });

  it('where the ring overwrote what it still had to replay: no ERROR, and the retry gets the 410', async () => {
    lab.stop();
    lab = await new Lab({ cacher: { capacity: 200 } }).start();
    await lab.create('a');
    await lab.burst('a', 150);
    await lab.create('b');
    // Filed under its name: what happens to b does not fill its queues, but it does fill the ring.
    const watcher = await lab.cacher.watch(PODS, lab.params(100, { fields: 'metadata.name=a' }));
    await lab.clock.turn();
    await lab.burst('b', 250);
    const rvs: number[] = [];
    for (let event = await watcher.next(); event; event = await watcher.next()) {
      if (event.type === 'ADDED' || event.type === 'MODIFIED') rvs.push(event.object.rv);
      else throw new Error(event.type);
    }
    expect(rvs).toEqual(Array.from({ length: 100 }, (_, i) => 101 + i));
    expect((await lab.watch(200)).lines[0]).toMatch(/^ERROR 410 too old resource version: 200 \(\d+\)$/);
  });

  it('tells flow control once that the initial events are handed over', async () => {
    await lab.create('a');
    await lab.clock.turn();
    let told = 0;
    const params = {
      ...lab.params(0),
      onInitialized: () => {
        told += 1;
      },
    };
    await lab.cacher.watch(PODS, params);
    await lab.clock.turn();
    await lab.update('a', { note: '1' });
    await lab.clock.turn();
    expect(told).toBe(1);
    expect(lab.metric('apiserver_init_events_total')).toBe(1);
  });
});
