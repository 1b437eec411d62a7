import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { median } from './side-by-side.ts';

const SERVER = fileURLToPath(new URL('./fan-out-server.ts', import.meta.url));
const BURST = 100;
const ROUNDS = 5;
const EVENT = Buffer.from('"type":"MODIFIED"');
/** A burst that takes longer than this has lost watchers. */
const GIVE_UP_MS = 60_000;

/** S1: deliveries of bursts of 100 writes to N watchers on real sockets, closed loop, against a naive server. */
export async function run(): Promise<void> {
  for (const watchers of [100, 1000]) {
    const naive = await deliveries('naive', watchers);
    const kwatch = await deliveries('kwatch', watchers);
    console.log(
      `S1 N=${watchers}: kwatch ${kwatch.toLocaleString('en')} deliveries/s, naive ${naive.toLocaleString('en')}, ratio ${(kwatch / naive).toFixed(1)} (must ≥ 20)`,
    );
  }
}

async function deliveries(kind: 'naive' | 'kwatch', watchers: number): Promise<number> {
  const server = fork(SERVER, [kind], { execArgv: ['--import', 'tsx'] });
  const sockets: Socket[] = [];
  try {
    const [{ port }] = (await once(server, 'message')) as [{ port: number }];
    const counter = new Counter();
    for (let n = 0; n < watchers; n++) sockets.push(await watch(port, counter));
    const rates: number[] = [];
    for (let round = -1; round < ROUNDS; round++) {
      const start = performance.now();
      await counter.burst(server, BURST * watchers);
      if (round >= 0) rates.push((BURST * watchers * 1000) / (performance.now() - start));
    }
    return Math.round(median(rates));
  } finally {
    for (const socket of sockets) socket.destroy();
    server.disconnect();
  }
}

/** Counts events over all sockets. */
class Counter {
  #seen = 0;
  #wanted = Number.POSITIVE_INFINITY;
  #done: () => void = () => {};

  add(count: number): void {
    this.#seen += count;
    if (this.#seen >= this.#wanted) this.#done();
  }

  async burst(server: ChildProcess, expected: number): Promise<void> {
    this.#seen = 0;
    this.#wanted = expected;
    const arrived = new Promise<void>((resolve) => {
      this.#done = resolve;
    });
    server.send({ burst: BURST });
    const late = new Promise<never>((_resolve, reject) => {
      setTimeout(() => reject(new Error(`only ${this.#seen} of ${expected} deliveries arrived`)), GIVE_UP_MS).unref();
    });
    await Promise.race([arrived, late]);
  }
}

async function watch(port: number, counter: Counter): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write(
    'GET /api/v1/namespaces/default/pods?watch=1&resourceVersion=0&timeoutSeconds=3600 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n',
  );
  let tail = Buffer.alloc(0);
  socket.on('data', (bytes: Buffer) => {
    // The marker may be cut by a read: its beginning is kept for the next one.
    const data = tail.length === 0 ? bytes : Buffer.concat([tail, bytes]);
    let count = 0;
    let from = 0;
    for (let at = data.indexOf(EVENT); at >= 0; at = data.indexOf(EVENT, from)) {
      count++;
      from = at + EVENT.length;
    }
    tail = Buffer.from(data.subarray(Math.max(from, data.length - EVENT.length + 1)));
    if (count > 0) counter.add(count);
  });
  await once(socket, 'data');
  return socket;
}
