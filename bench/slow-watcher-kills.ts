import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { startApiServer } from '../src/apiserver/apiserver.ts';
import { MvccStore } from '../src/store/mvcc-store.ts';
import { ObjectStore } from '../src/store/object-store.ts';
import { SystemClock } from '../src/util/clock.ts';
import { Metrics } from '../src/util/metrics.ts';
import { seededRandom } from '../src/util/random.ts';

const READERS = fileURLToPath(new URL('./reading-process.ts', import.meta.url));
const PATH = '/api/v1/namespaces/default/pods?watch=1&resourceVersion=0&timeoutSeconds=3600';
const WATCHERS = 50;
const BURST = 500;
const OBJECT_BYTES = 12 * 1024;
const FRAMES_PER_SECOND = 15;
/** What a full frame of the screen takes, ms: Ink needs 22 to 25 for 40 rows. */
const FRAME_MS = 25;
const PACED_RUNS = 100;
const UNPACED_RUNS = 20;
const clock = new SystemClock();

/**
 * On one thread with the screen, healthy watchers must not be taken for slow ones: 50 of them, a burst of 500 events of 12 KiB, a
 * screen that takes 25 ms fifteen times a second. Each run has an apiserver that has just started (queues of 10, no time budget
 * yet). Printed: watchers that were terminated; 0 is the only good answer for the pace of the lab.
 */
export async function run(): Promise<void> {
  const readers = fork(READERS, [], { execArgv: ['--import', 'tsx'] });
  try {
    const paced = await kills(readers, PACED_RUNS, 1000);
    console.log(
      `terminated at 1,000 writes/s (the lab writes 250): ${paced} of ${PACED_RUNS * WATCHERS} watchers in ${PACED_RUNS} runs (must be 0)`,
    );
    const unpaced = await kills(readers, UNPACED_RUNS, undefined);
    console.log(
      `terminated with all writes at once: ${unpaced} of ${UNPACED_RUNS * WATCHERS} watchers in ${UNPACED_RUNS} runs`,
    );
  } finally {
    readers.disconnect();
  }
}

async function kills(readers: ChildProcess, runs: number, perSecond: number | undefined): Promise<number> {
  let terminated = 0;
  for (let n = 0; n < runs; n++) terminated += await oneRun(readers, perSecond);
  return terminated;
}

async function oneRun(readers: ChildProcess, perSecond: number | undefined): Promise<number> {
  const metrics = new Metrics();
  const random = seededRandom(1);
  const store = new MvccStore({ clock });
  const server = await startApiServer({ store, clock, random, cacheSize: 'auto', port: 0, metrics });
  const options = { store, clock, random, resourcePrefix: '/registry/pods', namespaced: true, groupResource: 'pods' };
  const pods = new ObjectStore(options);
  await pods.create('/registry/pods/default/web-0', pod(0));
  readers.send({ port: server.port, path: PATH, watchers: WATCHERS });
  await once(readers, 'message');
  const frames = setInterval(paint, 1000 / FRAMES_PER_SECOND);
  const read = once(readers, 'message');
  readers.send({ mark: `change-${BURST}-end` });
  const began = performance.now();
  for (let n = 1; n <= BURST; n++) {
    while (perSecond !== undefined && performance.now() < began + (n * 1000) / perSecond) await clock.turn();
    await pods.guaranteedUpdate('/registry/pods/default/web-0', {}, () => pod(n));
  }
  await Promise.race([read, clock.sleep(5_000)]);
  clearInterval(frames);
  readers.send({ close: true });
  await server.close();
  return terminatedIn(metrics);
}

/** As busy as a frame. */
function paint(): void {
  const until = performance.now() + FRAME_MS;
  while (performance.now() < until) JSON.stringify({ rows: until });
}

function pod(n: number) {
  return {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: { name: 'web-0', namespace: 'default', uid: 'u' },
    status: { message: `${'x'.repeat(OBJECT_BYTES)}change-${n}-end` },
  };
}

function terminatedIn(metrics: Metrics): number {
  const family = metrics.families().find(({ name }) => name === 'apiserver_terminated_watchers_total');
  return [...(family?.samples.values() ?? [])].reduce((sum, { value }) => sum + value, 0);
}
