import { fork } from 'node:child_process';
import { once } from 'node:events';
import { compiled } from './compiled.ts';
import { median } from './side-by-side.ts';
import { configMap, Writer } from './writer.ts';

const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';
const CONNECTIONS = 16;
const OBJECT_BYTES = 3000;
const OBJECTS = 2000;
const ROUNDS = 5;
const ROUND_MS = 2000;

interface Contestant {
  name: string;
  writer: Writer;
  put(writer: Writer, n: number, change: number): Promise<{ status: number; text: string }>;
  rates: number[];
}

/**
 * K1: writes of 3 KB a second over 16 connections, each answered before the next. Base: a real etcd (KWATCH_BENCH_ETCD, an
 * `http://127.0.0.1:PORT`), written to through its JSON gateway by the same client; skipped without one. The embedded apiserver does
 * more for a write: it reads, validates and serialises an object, and keeps its cache.
 */
export async function run(): Promise<void> {
  const server = fork(await compiled('apiserver-process'), ['plain']);
  const [{ port }] = (await once(server, 'message')) as [{ port: number }];
  const contestants = [kwatch(port)];
  const etcd = process.env.KWATCH_BENCH_ETCD;
  if (etcd) contestants.push(gateway(Number(new URL(etcd).port)));
  try {
    for (let n = 0; n < OBJECTS; n++) await contestants[0]?.writer.call('POST', CONFIGMAPS, object(n, 0));
    for (let round = -1; round < ROUNDS; round++) {
      const order = round % 2 === 0 ? contestants : contestants.toReversed();
      for (const contestant of order) {
        const rate = await play(contestant);
        if (round >= 0) contestant.rates.push(rate);
      }
    }
    report(contestants);
  } finally {
    for (const { writer } of contestants) writer.close();
    server.disconnect();
  }
}

function report([kwatch, etcd]: Contestant[]): void {
  if (!kwatch) throw new Error('no contestant');
  const ours = median(kwatch.rates);
  const base = etcd
    ? `etcd ${Math.round(median(etcd.rates))}, ratio ${(ours / median(etcd.rates)).toFixed(2)} (must ≥ 1.5)`
    : 'no KWATCH_BENCH_ETCD to compare with';
  console.log(`K1: ${Math.round(ours)} PUT/s over ${CONNECTIONS} connections, ${base}`);
}

function object(n: number, change: number): object {
  return configMap(`put-${n}`, OBJECT_BYTES, String(change));
}

function kwatch(port: number): Contestant {
  const writer = new Writer({ port, tls: false, headers: {} }, CONNECTIONS);
  return {
    name: 'kwatch',
    writer,
    put: (to, n, change) => to.call('PUT', `${CONFIGMAPS}/put-${n}`, object(n, change)),
    rates: [],
  };
}

function gateway(port: number): Contestant {
  const writer = new Writer({ port, tls: false, headers: {} }, CONNECTIONS);
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const put: Contestant['put'] = (to, n, change) => {
    const value = base64(JSON.stringify(object(n, change)));
    return to.call('POST', '/v3/kv/put', { key: base64(`/kwatch-bench/put-${n}`), value });
  };
  return { name: 'etcd', writer, put, rates: [] };
}

async function play({ name, writer, put }: Contestant): Promise<number> {
  const until = performance.now() + ROUND_MS;
  let writes = 0;
  const one = async () => {
    while (performance.now() < until) {
      writes += 1;
      // A stride that is coprime to the number of objects, so that neighbours in time are none in the store.
      const { status, text } = await put(writer, (writes * 7919) % OBJECTS, writes);
      if (status !== 200) throw new Error(`${name}: ${status} ${text}`);
    }
  };
  const began = performance.now();
  await Promise.all(Array.from({ length: CONNECTIONS }, one));
  return (writes * 1000) / (performance.now() - began);
}
