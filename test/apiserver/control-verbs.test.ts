import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ControlDoor, startControlDoor } from '../../src/apiserver/control.ts';
import { burstVerb } from '../../src/apiserver/control-burst.ts';
import { controlState } from '../../src/apiserver/control-state.ts';
import { replicaVerbs } from '../../src/apiserver/control-verbs.ts';
import { groupResource, type Resource } from '../../src/apiserver/resource.ts';
import { RESOURCES } from '../../src/apiserver/resources.ts';
import { ObjectStore } from '../../src/store/object-store.ts';
import { seededRandom } from '../../src/util/random.ts';
import { type TestReplicas, testReplicas } from '../support/test-replica.ts';
import { call, turnsUntil } from '../support/test-server.ts';

let lab: TestReplicas;
let door: ControlDoor;
let faults: unknown[];

beforeEach(async () => {
  lab = await testReplicas(2);
  faults = [];
  const { clock, replicas, store } = lab;
  const random = seededRandom(1);
  const writer = (resource: Resource) =>
    new ObjectStore({
      store,
      clock,
      random,
      resourcePrefix: resource.prefix ?? '',
      namespaced: resource.namespaced,
      groupResource: groupResource(resource),
    });
  door = await startControlDoor({
    port: 0,
    clock,
    random,
    verbs: {
      ...replicaVerbs({ replicas, resources: RESOURCES, clock }),
      burst: burstVerb({ resources: RESOURCES, writer, clock, random }),
    },
    state: async () => controlState(store, replicas),
    onFault: (error) => faults.push(error),
  });
});
afterEach(async () => {
  const closed = door.close();
  await lab.close();
  await closed;
  expect([...faults, ...lab.faults]).toEqual([]);
});

const HEADERS = { 'X-Kwatch-Control': '1' };
const post = (verb: string) => call(door.url, 'POST', `/${verb}`, { headers: HEADERS });
const state = async () => (await call(door.url, 'GET', '/state', { headers: HEADERS })).body;

describe('cut, blackhole, restore', () => {
  it.each([
    ['cut', 'cut'],
    ['blackhole', 'blackholed'],
  ])('%s one apiserver, and restore', async (verb, link) => {
    const answer = await post(`${verb}?apiserver=1`);
    expect([answer.status, answer.body]).toEqual([200, { apiserver: 1, link }]);
    expect((await state()).apiservers.map((one: { link: string }) => one.link)).toEqual(['connected', link]);
    expect((await post('restore?apiserver=1')).body).toEqual({ apiserver: 1, link: 'connected' });
  });

  it.each([
    ['deployments', 'deployments.apps'],
    ['deployments.apps', 'deployments.apps'],
    ['endpoints', 'endpoints'],
    ['events', 'events'],
  ])('takes the resource %s as %s, of the first apiserver where none is named', async (given, resource) => {
    const answer = await post(`cut?resource=${given}`);
    expect(answer.body).toEqual({ apiserver: 0, resource, link: 'cut' });
    const [first, second] = (await state()).apiservers;
    expect([first.link, first.cutOff, second.cutOff]).toEqual(['connected', { [resource]: 'cut' }, {}]);
    expect((await post(`restore?resource=${given}`)).body).toEqual({ apiserver: 0, resource, link: 'connected' });
    expect((await state()).apiservers[0].cutOff).toEqual({});
  });

  it.each([
    ['cut?apiserver=2', 'apiserver must be a whole number from 0 to 1, not "2"'],
    ['cut?apiserver=-1', 'apiserver must be a whole number from 0 to 1, not "-1"'],
    ['cut?apiserver=', 'apiserver must be a whole number from 0 to 1, not ""'],
    ['cut?apiserver=0&apiserver=1', 'apiserver is given 2 times'],
    ['blackhole?resource=foos', /^no resource "foos"; there are: .*configmaps/],
    ['cut?resource=', /^no resource ""; there are: /],
    [`cut?resource=${'x'.repeat(5000)}`, /^no resource "x{60}…"; there are: /],
    ['cut?resource=%1b%5b31m', /^no resource "\\u001b\[31m"; there are: /],
    ['restore?apisever=1', 'no parameter "apisever" here; there are: apiserver, resource'],
    ['restart-apiserver?resource=pods', 'no parameter "resource" here; there are: apiserver'],
    ['kill-apiserver?apiserver=x', 'apiserver must be a whole number from 0 to 1, not "x"'],
  ])('refuses %s', async (request, error) => {
    const { status, body } = await post(request);
    expect(status).toBe(400);
    expect(body.error).toEqual(typeof error === 'string' ? error : expect.stringMatching(error));
    expect((await state()).apiservers.every((one: { link: string }) => one.link === 'connected')).toBe(true);
  });
});

describe('restart and kill', () => {
  it('answers when it is ready again', async () => {
    const answer = await post('kill-apiserver?apiserver=1');
    expect([answer.status, answer.body]).toEqual([
      200,
      { apiserver: 1, url: lab.replicas[1]?.url, tookMs: expect.any(Number) },
    ]);
    expect((await lab.call('GET', '/readyz', { replica: 1 })).status).toBe(200);
  });

  it('refuses a second one meanwhile, and shows how it stands', async () => {
    const watch = await lab.watch('/api/v1/pods?watch=1');
    const first = post('restart-apiserver');
    await turnsUntil(lab.clock, () => lab.replicas[0]?.state === 'shutting-down');
    const second = await post('kill-apiserver');
    expect([second.status, second.body]).toEqual([409, { error: 'apiserver 0 is shutting-down already' }]);
    expect((await state()).apiservers[0].state).toBe('shutting-down');
    watch.leave();
    await turnsUntil(lab.clock, () => lab.replicas[0]?.watches.size === 0);
    await lab.clock.advance(61_000);
    expect((await first).status).toBe(200);
  });

  it('gives up waiting for one that cannot start, which goes on trying', async () => {
    await post('cut');
    const killed = post('kill-apiserver');
    await turnsUntil(lab.clock, () => lab.replicas[0]?.state === 'starting');
    await lab.clock.advance(120_000);
    const answer = await killed;
    expect(answer.status).toBe(409);
    expect(answer.body.error).toBe(
      'apiserver 0 is not ready after 120 s; its link to the store is cut; it goes on trying',
    );
    await post('restore');
    await lab.clock.advance(150_000);
    expect(lab.replicas[0]?.state).toBe('serving');
  });
});

describe('burst', () => {
  it('writes to the store, past an apiserver that is cut off', async () => {
    await post('cut?apiserver=0');
    const before = lab.store.state().revision;
    const { status, body } = await post('burst?resource=secrets&count=25&size=100&namespace=kube-system');
    expect([status, body]).toEqual([
      200,
      { writes: 25, firstRv: before + 1, lastRv: before + 25, tookMs: expect.any(Number) },
    ]);
    const { body: list } = await lab.call('GET', '/api/v1/namespaces/kube-system/secrets', { replica: 1 });
    expect(list.items).toHaveLength(10);
    const [first] = list.items;
    expect(first.metadata).toMatchObject({ name: 'burst-0', annotations: { 'kwatch/write': '21' } });
    expect(first.metadata.annotations['kwatch/padding']).toHaveLength(100);
    expect(first.metadata.uid).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('is seen by watchers: the first writes of a name create, the others change', async () => {
    const watch = await lab.watch('/api/v1/namespaces/default/configmaps?watch=1&resourceVersion=0');
    await post('burst?count=12');
    const types: string[] = [];
    for (let i = 0; i < 12; i++) types.push((await watch.event()).type);
    expect(types.filter((type) => type === 'ADDED')).toHaveLength(10);
    expect(types.slice(10)).toEqual(['MODIFIED', 'MODIFIED']);
    watch.leave();
  });

  it('changes something with every write, also in a second burst', async () => {
    const before = lab.store.state().revision;
    await post('burst?count=3');
    expect((await post('burst?count=3')).body).toMatchObject({ firstRv: before + 4, lastRv: before + 6 });
  });

  it('keeps to its rate', async () => {
    const before = lab.store.state().revision;
    const answer = post('burst?count=10&rate=2');
    await turnsUntil(lab.clock, () => lab.store.state().revision > before);
    await lab.clock.advance(2_000);
    expect(lab.store.state().revision).toBe(before + 5);
    await lab.clock.advance(2_500);
    expect((await answer).body).toMatchObject({ writes: 10, tookMs: 4_500 });
  });

  it('writes a resource without namespaces', async () => {
    await post('burst?resource=namespaces&count=1&namespace=nowhere');
    expect((await lab.call('GET', '/api/v1/namespaces/burst-0')).status).toBe(200);
  });

  it('ends with its client', async () => {
    const before = lab.store.state().revision;
    const gone = new AbortController();
    const asked = fetch(`${door.url}/burst?count=1000&rate=10`, {
      method: 'POST',
      headers: HEADERS,
      signal: gone.signal,
    }).catch((error: Error) => error.name);
    await turnsUntil(lab.clock, () => lab.store.state().revision > before);
    gone.abort();
    expect(await asked).toBe('AbortError');
    await turnsUntil(lab.clock, () => false, 50);
    await lab.clock.advance(60_000);
    expect(lab.store.state().revision).toBeLessThan(before + 3);
  });

  it.each([
    ['count=0', 400, 'count must be a whole number from 1 to 100000, not "0"'],
    ['count=1e3', 400, 'count must be a whole number from 1 to 100000, not "1e3"'],
    ['count=100001', 400, 'count must be a whole number from 1 to 100000, not "100001"'],
    ['rate=-1', 400, 'rate must be a whole number from 0 to 100000, not "-1"'],
    ['size=2000000', 400, 'size must be a whole number from 0 to 1048576, not "2000000"'],
    ['count=100000&rate=1', 400, '100000 writes at 1 a second take longer than 600 s'],
    ['namespace=Nope_', 400, '"Nope_" is no name of a namespace'],
    ['namespace=nowhere', 404, 'there is no namespace "nowhere"'],
    ['resource=componentstatuses', 400, expect.stringMatching(/^no resource/)],
    ['objects=5', 400, 'no parameter "objects" here; there are: resource, count, rate, size, namespace'],
  ])('refuses burst?%s', async (query, status, error) => {
    const before = lab.store.state().revision;
    const answer = await post(`burst?${query}`);
    expect([answer.status, answer.body]).toEqual([status, { error }]);
    expect(lab.store.state().revision).toBe(before);
  });
});
