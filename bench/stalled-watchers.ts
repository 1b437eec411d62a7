import { fork } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { compiled } from './compiled.ts';
import { rssKibOf } from './process-usage.ts';
import { Reader } from './reader.ts';

const PODS = '/api/v1/namespaces/default/pods?watch=1&resourceVersion=0&timeoutSeconds=3600';
const HEALTHY = 100;
const STALLED = 200;
/** Writes of the latency run, and how far apart they are, ms. */
const WRITES = 300;
const APART_MS = 10;
/** Bursts that fill the sockets' buffers of who does not read, and then more than their queues hold. */
const FILLING = 24;
const BURST = 100;

type Server = ReturnType<typeof fork>;

/**
 * S8: p99 from a write to the last of 100 healthy watchers, with and without one among them that reads nothing. S9: what watchers that
 * read nothing cost the server in memory, each, beyond the kernel's buffers: they are stalled while bursts go out to them until they are
 * closed as slow; base: the same writes without them.
 */
export async function run(): Promise<void> {
  const without = await p99(0);
  const with1 = await p99(1);
  console.log(
    `S8: p99 of ${HEALTHY} healthy watchers ${with1.toFixed(2)} ms with a stalled one, ${without.toFixed(2)} ms without, ratio ${(with1 / without).toFixed(2)} (must ≤ 1.2)`,
  );
  const [none, some] = [await memory(0), await memory(STALLED)];
  const each = some.map((size, n) => (size - (none[n] as number)) / STALLED);
  const last = each.at(-1) as number;
  console.log(
    `S9: ${Math.max(...each).toFixed(1)} KiB per stalled watcher at the most (must ≤ 64), ${last.toFixed(1)} when it had been closed as slow`,
  );
}

async function started(): Promise<{ server: Server; port: number }> {
  const server = fork(await compiled('fan-out-server'), ['kwatch'], { execArgv: ['--expose-gc'] });
  const [{ port }] = (await once(server, 'message')) as [{ port: number }];
  return { server, port };
}

async function p99(stalled: number): Promise<number> {
  const { server, port } = await started();
  const reader = new Reader();
  const sleepers = await sleeping(port, stalled);
  try {
    await reader.open({ port, path: PODS, watchers: HEALTHY });
    const times: number[] = [];
    for (let n = 0; n < WRITES; n++) {
      const mark = `mark-${String(n).padStart(6, '0')}`;
      times.push(await reader.burst(mark, () => server.send({ writes: 1, mark })));
      await new Promise((resolve) => setTimeout(resolve, APART_MS));
    }
    times.sort((a, b) => a - b);
    return times[Math.floor(times.length * 0.99)] as number;
  } finally {
    reader.close();
    for (const socket of sleepers) socket.destroy();
    server.disconnect();
  }
}

/** The server's memory after each burst, KiB, with so many watchers that read nothing. */
async function memory(stalled: number): Promise<number[]> {
  const { server, port } = await started();
  const reader = new Reader();
  await reader.open({ port, path: PODS, watchers: 1 });
  const sleepers = await sleeping(port, stalled);
  const sizes: number[] = [];
  for (let n = 0; n < FILLING; n++) {
    const mark = `mark-${String(n).padStart(6, '0')}`;
    await reader.burst(mark, () => server.send({ writes: BURST, mark }));
    sizes.push(await settled(server));
  }
  for (const socket of sleepers) socket.destroy();
  reader.close();
  server.disconnect();
  return sizes;
}

/** Watchers that never read. */
async function sleeping(port: number, count: number): Promise<Socket[]> {
  const sockets: Socket[] = [];
  for (let n = 0; n < count; n++) {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    socket.write(
      `GET ${PODS.replace('resourceVersion=0', 'resourceVersion=1000000500')} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`,
    );
    sockets.push(socket);
  }
  await new Promise((resolve) => setTimeout(resolve, 300));
  return sockets;
}

async function settled(server: Server): Promise<number> {
  server.send({ collect: true });
  await once(server, 'message');
  return rssKibOf(server.pid as number);
}
