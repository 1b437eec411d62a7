import { createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Replica, ReplicaBusyError } from '../../src/apiserver/replica.ts';
import { type TestReplicas, testReplicas } from '../support/test-replica.ts';
import { type TestWatch, turnsUntil } from '../support/test-server.ts';

const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';
const EVENTS = '/api/v1/namespaces/default/events';
const MERGE = { 'Content-Type': 'application/merge-patch+json' };

let lab: TestReplicas;
let replica: Replica;
beforeEach(async () => {
  lab = await testReplicas(2);
  replica = lab.replicas[0] as Replica;
});
afterEach(async () => {
  await lab.close();
  expect(lab.faults).toEqual([]);
});

const create = async (name: string, options: { replica?: number; path?: string } = {}) => {
  const { path = CONFIGMAPS, ...more } = options;
  const answer = await lab.call('POST', path, { body: { metadata: { name, namespace: 'default' } }, ...more });
  expect(answer.status).toBe(201);
  return Number(answer.body.metadata.resourceVersion);
};

/** Each write one revision, by the second apiserver. */
const change = async (name: string, v: string) => {
  const answer = await lab.call('PATCH', `${CONFIGMAPS}/${name}`, {
    body: { data: { v } },
    headers: MERGE,
    replica: 1,
  });
  return Number(answer.body.metadata.resourceVersion);
};

const refused = async () => {
  await expect(lab.call('GET', '/readyz')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
};

/** Moves time on, step by step, until `work` is done; so many ms at most. */
async function finish(work: Promise<unknown>, ms: number): Promise<void> {
  let done = false;
  void work.finally(() => {
    done = true;
  });
  for (let passed = 0; passed <= ms && !done; passed += 100) await lab.clock.advance(100);
  await work;
}

/** Lines of a watch, as they come; `end` once it is over. */
async function nextOf(watch: TestWatch): Promise<string> {
  const event = await watch.event();
  if (event === undefined) return watch.complete ? 'end' : 'cut off';
  if (event.type === 'ERROR') return `ERROR ${event.object.message}`;
  return `${event.type} ${event.object.metadata.name}`;
}

describe('an orderly restart', () => {
  it('lets open watches live on and deliver for 60 s, ends them properly, and starts anew on the same port', async () => {
    const before = await create('a');
    const cached = await lab.watch(`${CONFIGMAPS}?watch=1&resourceVersion=${before}`);
    const uncached = await lab.watch(`${EVENTS}?watch=1&resourceVersion=${before}`);
    const { url } = replica;
    const restarted = replica.restart();
    expect(replica.state).toBe('shutting-down');
    await lab.clock.advance(59_000);
    await refused();
    await create('b', { replica: 1 });
    await create('e', { replica: 1, path: EVENTS });
    expect([await nextOf(cached), await nextOf(uncached)]).toEqual(['ADDED b', 'ADDED e']);
    await finish(restarted, 2_000);
    expect([await nextOf(cached), await nextOf(uncached)]).toEqual(['end', 'end']);
    expect([replica.state, replica.url]).toEqual(['serving', url]);
    const again = await lab.watch(`${CONFIGMAPS}?watch=1&resourceVersion=${before}`);
    expect(await nextOf(again)).toMatch(/^ERROR too old resource version: \d+ \(\d+\)$/);
    const other = await lab.watch(`${CONFIGMAPS}?watch=1&resourceVersion=${before}`, 1);
    expect(await nextOf(other)).toBe('ADDED b');
    other.leave();
  });

  it('is over as soon as the last watch is: nobody waits for the rest of the 60 s', async () => {
    const watch = await lab.watch(`${CONFIGMAPS}?watch=1&resourceVersion=0&timeoutSeconds=5`);
    const restarted = replica.restart();
    await finish(restarted, 6_000);
    expect(await nextOf(watch)).toBe('end');
  });

  it('answers what is under way, and says that the connection ends with it', async () => {
    replica.cut();
    const waiting = lab.call('GET', CONFIGMAPS, { headers: { Connection: 'keep-alive' } });
    await turnsUntil(lab.clock, () => false, 50);
    const restarted = replica.restart();
    await lab.clock.advance(900);
    replica.restore();
    await finish(restarted, 2_000);
    const answer = await waiting;
    expect([answer.status, answer.headers.connection]).toEqual([200, 'close']);
  });

  it('takes so long that the last RV from before is too old', async () => {
    const last = await create('a');
    await lab.watch(`${CONFIGMAPS}?watch=1&resourceVersion=${last}`);
    await finish(replica.restart(), 61_000);
    const again = await lab.watch(`${CONFIGMAPS}?watch=1&resourceVersion=${last}`);
    expect(await nextOf(again)).toBe(`ERROR too old resource version: ${last} (${last + 1})`);
  });

  it('tells of it, with the number of the apiserver', async () => {
    await finish(replica.restart(), 10_000);
    const told = lab.trace.filter((event) => event.what === 'restart');
    expect(told).toEqual([{ what: 'restart', at: expect.any(Number), how: 'orderly', apiserver: 0 }]);
    const ready = lab.trace.filter((event) => event.what === 'ready').filter(({ resource }) => resource === 'pods');
    expect(ready.map(({ apiserver, generation }) => [apiserver, generation])).toEqual([
      [0, 1],
      [1, 1],
      [0, 1],
    ]);
  });

  it('is cut short by a close: watches end properly at once, and nothing starts any more', async () => {
    const watch = await lab.watch(`${CONFIGMAPS}?watch=1`);
    const restarted = replica.restart();
    await turnsUntil(lab.clock, () => replica.state === 'shutting-down');
    await finish(replica.close(), 2_000);
    expect(await nextOf(watch)).toBe('end');
    await finish(restarted, 2_000);
    await refused();
  });

  it('is not begun twice', async () => {
    const watch = await lab.watch(`${CONFIGMAPS}?watch=1`);
    const restarted = replica.restart();
    await expect(replica.restart()).rejects.toBeInstanceOf(ReplicaBusyError);
    await expect(replica.kill()).rejects.toThrow('apiserver 0 is shutting-down already');
    watch.leave();
    await finish(restarted, 61_000);
  });
});

describe('a killed apiserver', () => {
  it('breaks off its connections, and is back with empty caches', async () => {
    const before = await create('a');
    await create('b');
    const cached = await lab.watch(`${CONFIGMAPS}?watch=1&resourceVersion=${before}`);
    const uncached = await lab.watch(`${EVENTS}?watch=1`);
    const other = await lab.watch(`${CONFIGMAPS}?watch=1&resourceVersion=${before}`, 1);
    expect(await nextOf(cached)).toBe('ADDED b');
    await replica.kill();
    expect([await nextOf(cached), await nextOf(uncached)]).toEqual(['cut off', 'cut off']);
    expect(await nextOf(other)).toBe('ADDED b');
    expect((await lab.call('GET', '/readyz')).text).toBe('ok');
    const again = await lab.watch(`${CONFIGMAPS}?watch=1&resourceVersion=${before}`);
    expect(await nextOf(again)).toMatch(/^ERROR too old/);
    other.leave();
  });

  it('writes of itself once its caches are filled: the last RV from before is good', async () => {
    const last = await create('a');
    await replica.kill();
    const watch = await lab.watch(`${CONFIGMAPS}?watch=1&resourceVersion=${last}`);
    await create('b');
    expect(await nextOf(watch)).toBe('ADDED b');
    watch.leave();
    const { body } = await lab.call('GET', '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/apiserver-0');
    expect(body.metadata.resourceVersion).toBe(String(last + 1));
    expect(body.spec).toMatchObject({
      holderIdentity: expect.stringMatching(/^apiserver-0_/),
      leaseDurationSeconds: 3600,
    });
  });

  it('waits for its port where somebody took it', async () => {
    const watch = await lab.watch(`${CONFIGMAPS}?watch=1`);
    const restarted = replica.restart();
    await turnsUntil(lab.clock, () => replica.state === 'shutting-down');
    const thief = createServer();
    await turnsUntil(lab.clock, () => false, 20);
    await new Promise<void>((resolve) => thief.listen(replica.port, '127.0.0.1', resolve));
    watch.leave();
    await lab.clock.advance(70_000);
    expect(replica.state).toBe('starting');
    await new Promise((resolve) => thief.close(resolve));
    await finish(restarted, 2_000);
    expect((await lab.call('GET', '/readyz')).status).toBe(200);
  });

  it('is given up for good by a close, also while it starts', async () => {
    replica.cut();
    const killed = replica.kill();
    await lab.clock.advance(1_000);
    await replica.close();
    await finish(killed, 2_000);
    expect(replica.state).toBe('starting');
  });

  it('does not come back while it does not reach the store', async () => {
    replica.cut();
    const killed = replica.kill();
    await lab.clock.advance(60_000);
    expect(replica.state).toBe('starting');
    await refused();
    replica.restore();
    await finish(killed, 60_000);
    expect((await lab.call('GET', '/readyz')).status).toBe(200);
  });

  it('comes back without the resource that is cut: its watches wait, its reads fail', async () => {
    const before = await create('a');
    replica.cut('configmaps');
    await replica.kill();
    expect((await lab.call('GET', '/readyz')).status).toBe(200);
    const list = await lab.call('GET', `${CONFIGMAPS}?resourceVersion=0`);
    expect([list.status, list.body.message]).toEqual([
      500,
      'rpc error: code = Unavailable desc = error reading from server: EOF',
    ]);
    expect((await lab.call('GET', EVENTS)).status).toBe(200);
    const waiting = lab.watch(`${CONFIGMAPS}?watch=1&resourceVersion=${before - 1}`);
    const open = await lab.watch(`${CONFIGMAPS}?watch=1&resourceVersion=${before - 1}`, 1);
    replica.restore();
    await finish(waiting, 5_000);
    expect(await nextOf(await waiting)).toMatch(/^ERROR too old/);
    open.leave();
  });
});

describe('an apiserver that is cut off', () => {
  it('answers from its caches, late by what it does not hear', async () => {
    const rv = await create('a');
    const watch = await lab.watch(`${CONFIGMAPS}?watch=1&resourceVersion=${rv}`);
    replica.cut();
    await change('a', '2');
    const list = await lab.call('GET', `${CONFIGMAPS}?resourceVersion=${rv}`);
    expect(list.body.items[0].metadata.resourceVersion).toBe(String(rv));
    await lab.clock.advance(900);
    expect(watch.waiting).toBe(0);
    replica.restore();
    await lab.clock.advance(100);
    expect(await nextOf(watch)).toBe('MODIFIED a');
    watch.leave();
  });

  it('lets reads wait until their time is over', async () => {
    replica.cut();
    const list = lab.call('GET', `${CONFIGMAPS}?timeout=2s`);
    await finish(list, 3_000);
    const { status, text } = await list;
    expect([status, text]).toEqual([504, expect.stringContaining('allotted timeout')]);
  });

  it('gives a write 34 s, and does not do it later', async () => {
    const rv = await create('a');
    replica.cut();
    const patch = lab.call('PATCH', `${CONFIGMAPS}/a`, { body: { data: { v: 'late' } }, headers: MERGE });
    await finish(patch, 40_000);
    const { status, body, headers } = await patch;
    expect([status, headers['content-type'], body]).toEqual([
      504,
      'application/json',
      {
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message: 'Timeout: request did not complete within requested timeout - context deadline exceeded',
        reason: 'Timeout',
        details: {},
        code: 504,
      },
    ]);
    replica.restore();
    await lab.clock.advance(120_000);
    const { body: now } = await lab.call('GET', `${CONFIGMAPS}/a`);
    expect(now.metadata.resourceVersion).toBe(String(rv));
  });

  it('does not do what its client has left', async () => {
    replica.cut();
    const gone = new AbortController();
    const left = fetch(`${replica.url}${CONFIGMAPS}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ metadata: { name: 'left' } }),
      signal: gone.signal,
    }).catch((error: Error) => error.name);
    await turnsUntil(lab.clock, () => false, 100);
    gone.abort();
    expect(await left).toBe('AbortError');
    await turnsUntil(lab.clock, () => false, 100);
    replica.restore();
    await lab.clock.advance(10_000);
    expect((await lab.call('GET', `${CONFIGMAPS}/left`)).status).toBe(404);
  });

  it('opens a streaming list of the newest state when its time is over, with an ERROR that says so', async () => {
    await lab.close();
    lab = await testReplicas(1, { featureGates: { watchList: true } });
    lab.replicas[0]?.cut();
    const query = 'watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&timeoutSeconds=3';
    const opening = lab.watch(`${CONFIGMAPS}?${query}`);
    await finish(opening, 4_000);
    const event = await (await opening).event();
    const { code, reason, message } = event.object;
    expect([event.type, code, reason, message]).toEqual(['ERROR', 500, 'InternalError', 'context deadline exceeded']);
  });

  it('fails its health checks, as long as it is', async () => {
    replica.cut();
    const readyz = lab.call('GET', '/readyz');
    await finish(readyz, 5_000);
    expect((await readyz).text).toContain(
      '[-]etcd failed: reason withheld\n[-]etcd-readiness failed: reason withheld\n',
    );
    replica.restore();
    await lab.clock.advance(10_000);
    expect((await lab.call('GET', '/readyz')).text).toBe('ok');
  });

  it('rebuilds every cache, idle ones too, where a compaction fell into the cut', async () => {
    const rv = await create('a');
    const watches = [
      await lab.watch(`${CONFIGMAPS}?watch=1&resourceVersion=${rv}`),
      await lab.watch(`/api/v1/namespaces/default/secrets?watch=1&resourceVersion=${rv}`),
    ];
    const other = await lab.watch(`${CONFIGMAPS}?watch=1&resourceVersion=${rv}`, 1);
    replica.cut();
    await change('a', '2');
    await change('a', '3');
    await lab.store.compact(lab.store.state().revision);
    replica.restore();
    await lab.clock.advance(3_000);
    expect([await nextOf(watches[0] as TestWatch), await nextOf(watches[1] as TestWatch)]).toEqual(['end', 'end']);
    const rebuilt = lab.trace.filter((event) => event.what === 'reinit');
    expect(rebuilt.map(({ because }) => because)).toEqual(rebuilt.map(() => 'compacted'));
    expect(new Set(rebuilt.map(({ apiserver }) => apiserver))).toEqual(new Set([0]));
    expect(new Set(rebuilt.map(({ resource }) => resource))).toEqual(new Set(replica.cachers.keys()));
    expect([await nextOf(other), await nextOf(other)]).toEqual(['MODIFIED a', 'MODIFIED a']);
    other.leave();
  });

  it('tells of cut and restore', () => {
    replica.cut();
    replica.blackhole('configmaps');
    replica.restore('configmaps');
    replica.restore();
    const told = lab.trace.filter(({ what }) => what === 'cut' || what === 'restore');
    expect(told).toEqual([
      { what: 'cut', at: lab.clock.now(), how: 'cut', apiserver: 0 },
      { what: 'cut', at: lab.clock.now(), how: 'blackholed', resource: 'configmaps', apiserver: 0 },
      { what: 'restore', at: lab.clock.now(), resource: 'configmaps', apiserver: 0 },
      { what: 'restore', at: lab.clock.now(), apiserver: 0 },
    ]);
  });
});

describe('compaction by the apiservers', () => {
  it('is done by one of them, and by none that is cut off', async () => {
    await lab.close();
    lab = await testReplicas(2, { compactEveryMs: 60_000 });
    const compactions = () => lab.trace.filter(({ what }) => what === 'compact').length;
    await lab.clock.advance(180_000);
    expect(compactions()).toBe(2);
    lab.replicas[0]?.cut();
    await lab.clock.advance(180_000);
    expect(compactions()).toBeGreaterThan(2);
    const before = compactions();
    lab.replicas[1]?.cut();
    await lab.clock.advance(600_000);
    expect(compactions()).toBe(before);
  });
});
