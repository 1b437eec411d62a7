import { once } from 'node:events';
import { connect, createServer, type Server } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { type LocalServer, type LocalServerOptions, startLocalServer } from '../../src/cli/local-server.ts';
import { seededRandom } from '../../src/util/random.ts';
import { UsageError } from '../../src/util/usage-error.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { outcomeOf, recordsOf, startKwatch } from '../support/kwatch.ts';
import { call, openWatch } from '../support/test-server.ts';

const clock = new FakeClock();
let server: LocalServer | undefined;
let blocker: Server | undefined;

afterEach(async () => {
  const closed = server?.close();
  await clock.advance(2_000);
  await closed;
  blocker?.close();
  server = undefined;
  blocker = undefined;
});

async function start(options: Partial<LocalServerOptions> = {}): Promise<LocalServer> {
  server = await startLocalServer({
    clock,
    budgetClock: clock,
    random: seededRandom(1),
    cacheSize: 'auto',
    port: 0,
    compactEveryMs: undefined,
    progressNotifyMs: 5_000,
    trace: () => undefined,
    ...options,
  });
  return server;
}

/** Takes a port; nothing where somebody else has it already. */
async function occupy(port: number): Promise<number> {
  const taking = createServer();
  blocker = taking;
  await new Promise<void>((resolve) => {
    taking.once('listening', resolve).once('error', () => resolve());
    taking.listen(port, '127.0.0.1');
  });
  const address = taking.address();
  return typeof address === 'object' && address !== null ? address.port : port;
}

/** Whether anybody answers there. */
function isTaken(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true)).once('error', () => resolve(false));
    socket.unref();
    socket.once('connect', () => socket.destroy());
  });
}

describe('ports of the local server', () => {
  it('passes over those in use where none was asked for, and says which', async () => {
    await occupy(7410);
    const { replicas, passedOver, control } = await start({ port: undefined, replicas: 2 });
    const [first, second] = replicas;
    expect(passedOver).toContain(7410);
    expect(first.port).toBeGreaterThan(7410);
    expect(second?.port).toBeGreaterThan(first.port);
    expect(Number(new URL(control).port)).toBeGreaterThan(second?.port ?? 0);
  });

  it('refuses one that was asked for and is in use, and leaves nothing running', async () => {
    const port = await occupy(0);
    await expect(start({ port })).rejects.toThrow(
      new UsageError(`port ${port} is in use or not allowed; --port 0 takes any free one`),
    );
    // The second of two has no port; the first one's is free again afterwards, unless it was somebody else's before.
    await expect(start({ port: port - 1, replicas: 2 })).rejects.toBeInstanceOf(UsageError);
    const again = await start({ port: port - 1 }).catch((error: unknown) => error);
    if (again instanceof UsageError) expect(await isTaken(port - 1)).toBe(true);
    else expect((again as LocalServer).replicas[0].port).toBe(port - 1);
  });
});

describe('replicas of the local server', () => {
  it('are apiservers of their own on one store', async () => {
    const { replicas, writer, store } = await start({ replicas: 3 });
    expect(new Set(replicas.map(({ port }) => port)).size).toBe(3);
    const { rv } = await writer('configmaps').create('/registry/configmaps/default/a', {
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: { name: 'a', namespace: 'default' },
    });
    expect(store.state().revision).toBe(rv);
    for (const { url } of replicas) {
      const { body } = await call(url, 'GET', '/api/v1/namespaces/default/configmaps/a');
      expect(body.metadata.resourceVersion).toBe(String(rv));
    }
  });

  it('write as which resource it is, and no other name', async () => {
    const { writer } = await start();
    expect(writer('deployments.apps').groupResource).toBe('deployments.apps');
    expect(() => writer('foos')).toThrow('no such resource: foos');
    expect(() => writer('componentstatuses')).toThrow('nothing is stored of componentstatuses');
  });

  it('take feature gates', async () => {
    const path =
      '/api/v1/configmaps?watch=1&resourceVersion=0&sendInitialEvents=true&resourceVersionMatch=NotOlderThan';
    const { replicas } = await start({ featureGates: { watchList: true } });
    const watch = await openWatch(replicas[0].url, path);
    expect(watch.response.statusCode).toBe(200);
    watch.leave();
  });
});

describe('kwatch local --no-story', () => {
  const run = async (...flags: string[]) => {
    const child = startKwatch(['local', '--no-story', '--port', '0', '-o', 'json', ...flags]);
    const [first] = await once(child.stdout.setEncoding('utf8'), 'data');
    const listening = JSON.parse(String(first).split('\n')[0] ?? '');
    const pods = async () => {
      const { body } = await call(listening.servers[0], 'GET', '/api/v1/namespaces/default/pods');
      return body.items.length;
    };
    return { child, listening, pods };
  };

  it('lists every replica, and has no objects', async () => {
    const { child, listening, pods } = await run('--replicas', '2');
    const outcome = outcomeOf(child);
    expect(listening.servers).toHaveLength(2);
    expect(await pods()).toBe(0);
    child.kill('SIGTERM');
    expect((await outcome).code).toBe(143);
  });

  it.each([['1'], ['20']])('ends at once when it is told to, however much of --for is left, at ×%s', async (speed) => {
    const { child } = await run('--for', '10h', '--speed', speed);
    const outcome = outcomeOf(child);
    child.kill('SIGTERM');
    expect((await outcome).code).toBe(143);
  });

  it('has as many as --objects says', async () => {
    const { child, listening, pods } = await run('--objects', '3');
    const outcome = outcomeOf(child);
    const path = '/api/v1/namespaces/default/pods?watch=1&resourceVersion=0';
    const watch = await openWatch(listening.servers[0], path);
    for (let i = 0; i < 3; i++) expect((await watch.event()).type).toBe('ADDED');
    expect(await pods()).toBe(3);
    watch.leave();
    child.kill('SIGTERM');
    const records = recordsOf(await outcome);
    expect(records.filter(({ record }) => record === 'summary')).toHaveLength(1);
  });
});
