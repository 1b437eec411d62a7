import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ControlDoor, ControlRefusal, compactVerb, startControlDoor } from '../../src/apiserver/control.ts';
import { controlState } from '../../src/apiserver/control-state.ts';
import { StoreLink } from '../../src/store/store-link.ts';
import { seededRandom } from '../../src/util/random.ts';
import { call, type TestServer, testServer } from '../support/test-server.ts';

const HEADER = { 'X-Kwatch-Control': '1' };
let lab: TestServer;
let door: ControlDoor;
let faults: unknown[];

beforeEach(async () => {
  lab = await testServer({ cacheSize: 5 });
  faults = [];
  const link = new StoreLink({ store: lab.store, clock: lab.clock, random: seededRandom(2) });
  door = await startControlDoor({
    port: 0,
    clock: lab.clock,
    random: seededRandom(1),
    verbs: {
      compact: compactVerb(lab.store),
      refuse: () => Promise.reject(new ControlRefusal(409, 'not now')),
      break: () => Promise.reject(new Error('broken')),
    },
    state: async () => controlState(lab.store, [{ url: lab.url, cachers: lab.server.cachers, state: 'serving', link }]),
    onFault: (error) => faults.push(error),
  });
});
afterEach(async () => {
  const closed = door.close();
  await lab.close();
  await closed;
});

const ask = (method: string, path: string, headers: Record<string, string> = HEADER) =>
  call(door.url, method, path, { headers });

describe('the control door', () => {
  it('stands beside the apiserver, at a path of its own', () => {
    expect(door.url).toBe(`http://127.0.0.1:${door.port}/kwatch`);
    expect(door.port).not.toBe(lab.server.port);
  });

  it('compacts at a revision or at the present one, and once more is done already', async () => {
    const head = lab.store.state().revision;
    expect((await ask('POST', `/compact?rev=${head - 1}`)).body).toEqual({ compactRevision: head - 1 });
    for (let i = 0; i < 2; i++) {
      const answer = await ask('POST', '/compact?rev=head');
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({ compactRevision: head });
    }
    expect(lab.store.state().compactedRevision).toBe(head);
    expect(lab.trace.filter((event) => event.what === 'compact').map((event) => event.rv)).toEqual([head - 1, head]);
  });

  it.each(['', 'rev=', 'rev=abc', 'rev=0', 'rev=-1', 'rev=1.5', 'rev=999999999', 'rev=1e99'])(
    'refuses compact?%s',
    async (query) => {
      const { status, body } = await ask('POST', `/compact?${query}`);
      expect(status).toBe(400);
      expect(body).toEqual({ error: expect.any(String) });
    },
  );

  it('refuses to compact to what lies before the last compaction', async () => {
    await ask('POST', '/compact?rev=head');
    const { status, body } = await ask('POST', '/compact?rev=1');
    expect(status).toBe(400);
    expect(body.error).toContain('has been compacted');
  });

  it.each([
    ['POST', '/nosuch', 404],
    ['POST', '/constructor', 404],
    ['POST', '', 404],
    ['GET', '/compact?rev=head', 405],
    ['POST', '/state', 405],
    ['POST', '/refuse', 409],
    ['POST', '/break', 500],
  ])('%s %s is %d with an error', async (method, path, code) => {
    const { status, body } = await ask(method, path);
    expect(status).toBe(code);
    expect(body).toEqual({ error: expect.any(String) });
    expect(faults).toHaveLength(code === 500 ? 1 : 0);
  });

  it('needs its header and a loopback Host, on every request', async () => {
    for (const [method, path] of [
      ['POST', '/compact?rev=head'],
      ['GET', '/state'],
    ] as const) {
      expect((await ask(method, path, {})).status).toBe(403);
      expect((await ask(method, path, { 'X-Kwatch-Control': 'yes' })).status).toBe(403);
      expect((await ask(method, path, { ...HEADER, Host: 'evil.example' })).status).toBe(403);
    }
    expect(lab.store.state().compactedRevision).toBe(0);
  });

  it('shows the machine room', async () => {
    const watch = await lab.watch('/api/v1/namespaces/default/pods?watch=1&allowWatchBookmarks=true&timeoutSeconds=60');
    const { body } = await ask('GET', '/state');
    expect(body).toMatchObject({ revision: 1004, compactedRevision: 0 });
    expect(body.apiservers).toHaveLength(1);
    expect(body.apiservers[0].url).toBe(lab.url);
    const pods = body.apiservers[0].resources.find((one: { groupResource: string }) => one.groupResource === 'pods');
    expect(pods).toMatchObject({ ready: true, generation: 1, capacity: 5, pinned: true, size: 0 });
    expect(pods.watchers).toEqual([
      expect.objectContaining({ scope: { namespace: 'default' }, input: 0, result: 0, bookmarks: true }),
    ]);
    const names = body.apiservers[0].resources.map((one: { groupResource: string }) => one.groupResource);
    expect(names).toEqual(
      expect.arrayContaining(['configmaps', 'deployments.apps', 'leases.coordination.k8s.io', 'namespaces']),
    );
    expect(names).not.toContain('events');
    watch.leave();
  });
});
