import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { compiled } from './compiled.ts';
import { cpuMsOf } from './process-usage.ts';
import { Reader } from './reader.ts';
import { median } from './side-by-side.ts';
import { configMap, type Target, Writer } from './writer.ts';

const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';
const OBJECT_BYTES = 3000;
const OBJECTS = 10;
const CONNECTIONS = 4;
const ROUNDS = 5;
/** Writes of a round, by the number of watchers: 200,000 and 100,000 deliveries. */
const WRITES = new Map([
  [1000, 200],
  [100, 1000],
]);

interface Contestant extends Target {
  name: 'real, TLS' | 'kwatch, TLS' | 'kwatch, plain HTTP';
  pid: number;
  rates: number[];
  cpuUs: number[];
  server?: ChildProcess;
}

/**
 * S10: fan-out against a real kube-apiserver: N watchers, configmaps of 3 KB written by PUT over four connections. Deliveries a second
 * from the first write to the last event that the last watcher reads; CPU of the server a delivery, its writes included. The real one is
 * named by KWATCH_BENCH_APISERVER (https://127.0.0.1:PORT), KWATCH_BENCH_TOKEN and KWATCH_BENCH_PID; without it the bench is skipped.
 */
export async function run(): Promise<void> {
  const { KWATCH_BENCH_APISERVER: url, KWATCH_BENCH_TOKEN: token, KWATCH_BENCH_PID: pid } = process.env;
  if (!url || !token || !pid) {
    console.log('S10 skipped: KWATCH_BENCH_APISERVER, KWATCH_BENCH_TOKEN and KWATCH_BENCH_PID name no kube-apiserver');
    return;
  }
  const real = { name: 'real, TLS', port: Number(new URL(url).port), tls: true, pid: Number(pid) } as const;
  const headers = { Accept: 'application/json', Authorization: `Bearer ${token}` };
  const base: Contestant = { ...real, headers, rates: [], cpuUs: [] };
  const contestants = [base, await own('tls'), await own('plain')];
  try {
    for (const contestant of contestants) await createObjects(contestant);
    for (const watchers of WRITES.keys()) await contest(contestants, watchers);
  } finally {
    for (const { server } of contestants) server?.disconnect();
  }
}

async function own(kind: 'tls' | 'plain'): Promise<Contestant> {
  const server = fork(await compiled('apiserver-process'), [kind]);
  const [{ port }] = (await once(server, 'message')) as [{ port: number }];
  const name = kind === 'tls' ? 'kwatch, TLS' : 'kwatch, plain HTTP';
  const headers = { Accept: 'application/json' };
  return { name, port, tls: kind === 'tls', pid: server.pid as number, headers, rates: [], cpuUs: [], server };
}

async function createObjects(target: Contestant): Promise<void> {
  const writer = new Writer(target, CONNECTIONS);
  for (let n = 0; n < OBJECTS; n++) {
    const { status, text } = await writer.call('POST', CONFIGMAPS, configMap(`fan-${n}`, OBJECT_BYTES, '0'));
    if (status !== 201 && status !== 409) throw new Error(`${target.name}: ${status} ${text}`);
  }
  writer.close();
}

async function contest(contestants: Contestant[], watchers: number): Promise<void> {
  for (const contestant of contestants) Object.assign(contestant, { rates: [], cpuUs: [] });
  for (let round = -1; round < ROUNDS; round++) {
    const order = round % 2 === 0 ? contestants : contestants.toReversed();
    for (const contestant of order) await play(contestant, watchers, round);
  }
  const [real, ...ours] = contestants as [Contestant, ...Contestant[]];
  const say = ({ name, rates, cpuUs }: Contestant, rest = '') =>
    console.log(
      `S10 N=${watchers} ${name}: ${Math.round(median(rates))} deliveries/s, ${median(cpuUs).toFixed(1)} µs CPU each${rest}`,
    );
  say(real);
  for (const one of ours) {
    const rate = (median(one.rates) / median(real.rates)).toFixed(2);
    const cpu = (median(one.cpuUs) / median(real.cpuUs)).toFixed(2);
    say(one, `: ${rate} × deliveries, ${cpu} × CPU (must ${one.tls ? '≥ 1, ≤ 1' : '≥ 3, ≤ 0.33'})`);
  }
}

/** One round: everything is written, and then a mark, which the last watcher has to read. */
async function play(target: Contestant, watchers: number, round: number): Promise<void> {
  const writes = WRITES.get(watchers) as number;
  const writer = new Writer(target, CONNECTIONS);
  const { text } = await writer.call('GET', `${CONFIGMAPS}?limit=1`);
  const { resourceVersion } = (JSON.parse(text) as { metadata: { resourceVersion: string } }).metadata;
  const path = `${CONFIGMAPS}?watch=1&resourceVersion=${resourceVersion}&timeoutSeconds=600`;
  const reader = new Reader();
  await reader.open({ port: target.port, tls: target.tls, headers: target.headers, path, watchers });
  const cpuBefore = cpuMsOf(target.pid);
  const mark = `mark-${process.pid}-${watchers}-${round}-end`;
  let written: Promise<void> | undefined;
  const ms = await reader.burst(mark, () => {
    written = writeAll(writer, writes, mark);
  });
  await written;
  if (round >= 0) {
    target.rates.push((writes * watchers * 1000) / ms);
    target.cpuUs.push(((cpuMsOf(target.pid) - cpuBefore) * 1000) / (writes * watchers));
  }
  if (reader.closed > 0) throw new Error(`${target.name} closed ${reader.closed} watchers`);
  reader.close();
  writer.close();
}

async function writeAll(writer: Writer, writes: number, mark: string): Promise<void> {
  let next = 0;
  const put = async (n: number, text: string) => {
    const name = `fan-${n % OBJECTS}`;
    const { status } = await writer.call('PUT', `${CONFIGMAPS}/${name}`, configMap(name, OBJECT_BYTES, text));
    if (status !== 200) throw new Error(`PUT was answered with ${status}`);
  };
  const one = async () => {
    while (next < writes - 1) {
      next += 1;
      await put(next, `write-${next}-of-${mark.slice(5)}`);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, one));
  await put(0, mark);
}
