import { ListBody } from '../src/apiserver/list-body.ts';
import { PIECE_BYTES } from '../src/apiserver/pieces.ts';
import { Presentation } from '../src/apiserver/presentation.ts';
import { RESOURCES } from '../src/apiserver/resources.ts';
import { everything as everyField } from '../src/protocol/field-selector.ts';
import { everything as everyLabel } from '../src/protocol/label-selector.ts';
import { MvccStore } from '../src/store/mvcc-store.ts';
import { ObjectStore } from '../src/store/object-store.ts';
import { SystemClock } from '../src/util/clock.ts';
import { seededRandom } from '../src/util/random.ts';
import { podEvent } from './pod-event.ts';
import { median } from './side-by-side.ts';

const OBJECTS = 10_000;
const ROUNDS = 15;
/** Through which an answer is sent. */
const block = Buffer.alloc(PIECE_BYTES);

/** The contest of list-body.ts, in a process of its own. */
async function contest(): Promise<void> {
  const { storage, list } = await filled();
  const naive: number[] = [];
  const kwatch: number[] = [];
  for (let round = -1; round < ROUNDS; round++) {
    const slow = timed(() => naiveBody(list));
    const fast = await timedAsync(() => body(storage));
    if (round < 0) continue;
    naive.push(slow);
    kwatch.push(fast);
  }
  const [slow, fast] = [median(naive), median(kwatch)];
  console.log(
    `K4: body of ${OBJECTS} objects ${fast.toFixed(1)} ms, parse and stringify ${slow.toFixed(0)} ms, ratio ${(slow / fast).toFixed(0)} (must ≥ 50)`,
  );
}

async function filled() {
  const clock = new SystemClock();
  const random = seededRandom(5);
  const options = {
    store: new MvccStore({ clock }),
    clock,
    random,
    resourcePrefix: '/registry/pods',
    namespaced: true,
    groupResource: 'pods',
  };
  const storage = new ObjectStore(options);
  const list: string[] = [];
  for (let n = 0; n < OBJECTS; n++) {
    const { object } = JSON.parse(podEvent(n, '1', random)) as {
      object: { kind: string; metadata: Record<string, unknown> };
    };
    Object.assign(object.metadata, { name: `web-${n}`, namespace: 'default' });
    delete object.metadata.resourceVersion;
    await storage.create(`/registry/pods/default/web-${n}`, object);
    list.push(JSON.stringify(object));
  }
  return { storage, list };
}

function naiveBody(list: readonly string[]): number {
  const items = list.map((text) => JSON.parse(text) as object);
  return Buffer.from(JSON.stringify({ kind: 'PodList', apiVersion: 'v1', metadata: { resourceVersion: '1' }, items }))
    .length;
}

async function body(storage: ObjectStore): Promise<void> {
  const predicate = { label: everyLabel, field: everyField, fieldsOf: () => ({}) };
  const all = { resourceVersion: '', resourceVersionMatch: '' as const, limit: 0, continue: '', predicate };
  const pods = RESOURCES.find(({ name }) => name === 'pods');
  if (!pods) throw new Error('no pods');
  const presentation = new Presentation(
    pods,
    { format: 'json', transform: undefined, version: 'v1' } as never,
    new Map() as never,
  );
  const list = presentation.list(await storage.getList('/registry/pods/', all), 0);
  if (!(list instanceof ListBody)) throw new Error('no list');
  let bytes = 0;
  for (const piece of list.pieces(block)) bytes += piece.length;
  if (bytes !== list.length) throw new Error('another length than was promised');
}

function timed(work: () => void): number {
  const began = performance.now();
  work();
  return performance.now() - began;
}

async function timedAsync(work: () => Promise<void>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

await contest();
