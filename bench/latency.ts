import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { compiled } from './compiled.ts';
import type { BurstRequest } from './fan-out-server.ts';
import { Reader } from './reader.ts';
import { median } from './side-by-side.ts';

const PATH = '/api/v1/namespaces/default/pods?watch=1&resourceVersion=1000000500&timeoutSeconds=3600';
const WATCHERS = 1000;
const ROUNDS = 3;
/** The churn up to which Kubernetes itself gives guarantees (perf: its SLOs). */
const WRITES_PER_SECOND = 20;
const WRITES = 100;
/** How long one writes after the other, ms. */
const CLOSED_MS = 1500;
const KINDS = ['naive', 'kwatch', 'floor'] as const;

interface Contestant {
  kind: (typeof KINDS)[number];
  server: ChildProcess;
  reader: Reader;
  writes: number;
  latencies: number[];
  rates: number[];
}

/**
 * S7: ms from a write to the last of 1000 watchers at 20 writes a second, against a naive server. S5: single writes, the next one when
 * the last watcher has read the one before, against what loopback itself takes. Nothing can be gathered in either.
 */
export async function run(): Promise<void> {
  const contestants = await Promise.all(KINDS.map(start));
  try {
    for (let round = -1; round < ROUNDS; round++) {
      for (const one of round % 2 === 0 ? contestants : contestants.toReversed()) {
        const latencies = await paced(one);
        const rate = await closedLoop(one);
        if (round < 0) continue;
        one.latencies.push(...latencies);
        one.rates.push(rate);
      }
    }
    report(contestants);
  } finally {
    for (const { reader, server } of contestants) {
      reader.close();
      server.disconnect();
    }
  }
}

function report([naive, kwatch, floor]: Contestant[]): void {
  if (!naive || !kwatch || !floor) throw new Error('three contestants');
  for (const { kind, latencies, rates } of [naive, kwatch, floor]) {
    const ms = `p50 ${quantile(latencies, 0.5).toFixed(1)} ms, p99 ${quantile(latencies, 0.99).toFixed(1)} ms`;
    console.log(`N=${WATCHERS} ${kind}: ${ms}; single writes ${Math.round(median(rates))} deliveries/s`);
  }
  const against = (one: Contestant, p: number) =>
    (quantile(one.latencies, p) / quantile(naive.latencies, p)).toFixed(2);
  console.log(
    `S7: p99 ${against(kwatch, 0.99)} × naive (must ≤ 0.4; floor ${against(floor, 0.99)}), p50 ${against(kwatch, 0.5)} (floor ${against(floor, 0.5)})`,
  );
  console.log(`S5: ${(median(kwatch.rates) / median(floor.rates)).toFixed(2)} × floor (must ≥ 0.9)`);
}

async function start(kind: Contestant['kind']): Promise<Contestant> {
  const server = fork(await compiled('fan-out-server'), [kind]);
  const [{ port }] = (await once(server, 'message')) as [{ port: number }];
  const reader = new Reader();
  await reader.open({ port, path: PATH, watchers: WATCHERS });
  return { kind, server, reader, writes: 0, latencies: [], rates: [] };
}

async function paced(one: Contestant): Promise<number[]> {
  const latencies: number[] = [];
  const began = performance.now();
  for (let n = 1; n <= WRITES; n++) {
    latencies.push(await write(one));
    await sleep(Math.max(began + (n * 1000) / WRITES_PER_SECOND - performance.now(), 0));
  }
  return latencies;
}

/** Deliveries a second. */
async function closedLoop(one: Contestant): Promise<number> {
  const began = performance.now();
  let writes = 0;
  for (; performance.now() - began < CLOSED_MS; writes++) await write(one);
  return (writes * WATCHERS * 1000) / (performance.now() - began);
}

function write(one: Contestant): Promise<number> {
  one.writes += 1;
  const request: BurstRequest = { writes: 1, mark: `mark-${String(one.writes).padStart(6, '0')}` };
  return one.reader.burst(request.mark, () => one.server.send(request));
}

function quantile(values: readonly number[], p: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * p)] ?? Number.NaN;
}
