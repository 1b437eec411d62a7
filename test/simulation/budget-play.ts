import type { Cacher } from '../../src/cacher/cacher.ts';
import { type Bound, type Budget, type BudgetInput, budgetOf } from '../../src/probe/budget.ts';
import { clumping, rateRange } from '../../src/probe/count-range.ts';
import { type Floor, floorMoves, type Newest, windowAge } from '../../src/probe/window-age.ts';
import { rv } from '../../src/protocol/resource-version.ts';
import { Compactor } from '../../src/store/compactor.ts';
import type { ObjectStore } from '../../src/store/object-store.ts';
import { type Random, seededRandom } from '../../src/util/random.ts';
import { Lab, type WatchLog } from '../support/lab.ts';
import type { Workload } from './budget-workload.ts';

/** How long is measured, s: as the deep half does. */
const MEASURE_S = 300;
/** Between two looks at the floor, s. */
const SAMPLE_S = 10;
/** Clients that leave, and within how many s after the measurement. */
const LEAVERS = 4;
const LEAVE_WITHIN_S = 90;
/** Bounds further away than this are not waited for, s. */
const PATIENCE_S = 1_500;
/** How near to a bound a client comes back. */
const BELOW = 0.98;
const ABOVE = 1.02;
const CLUMP = 8;
/** Selected ones, and as many others. */
const OBJECTS = 20;

type Kind = keyof Budget['away'];

/** One client that came back: what it was told, and what the budget had said. */
export interface Return {
  kind: Kind;
  bound: 'guaranteed' | 'at least' | 'at most';
  awayMs: number;
  /** undefined: it may resume. Else who refused. */
  refused: 'watch-cache' | 'etcd' | undefined;
  /** A refusal's cause by the server's own trace. */
  because: string | undefined;
}

export interface Played {
  budget: Budget;
  input: BudgetInput;
  returns: Return[];
}

/** Measures an embedded apiserver under a workload, and lets clients be away just below and just above what the budget says. */
export async function playBudget(workload: Workload): Promise<Played> {
  const { cacheSize, progressNotifyMs, cached, compactEveryMs } = workload;
  const lab = new Lab({ store: { progressNotifyMs }, cacher: { capacity: cacheSize } });
  try {
    for (let i = 0; i < OBJECTS; i += 1) {
      await lab.create(`x${i}`, { labels: { app: 'x' } });
      await lab.create(`y${i}`, { labels: { app: 'y' } });
    }
    if (cached) await lab.start();
    if (compactEveryMs !== undefined) {
      void new Compactor({ store: lab.store, clock: lab.clock, everyMs: compactEveryMs }).run(lab.abort.signal);
    }
    const random = seededRandom(workload.seed);
    void writes(lab, workload, random);
    void others(lab, workload, random);
    const clients = await openClients(lab, workload);
    const input = await measure(lab, workload, clients);
    const budget = budgetOf(input);
    return { budget, input, returns: await comeBack(lab, workload, { budget, clients, random }) };
  } finally {
    lab.stop();
  }
}

interface Clients {
  bookmarks: WatchLog;
  noBookmarks: WatchLog;
  startedAt: number;
}

const storageOf = (lab: Lab, { cached }: Workload): Cacher | ObjectStore => (cached ? lab.cacher : lab.storage);

async function openClients(lab: Lab, workload: Workload): Promise<Clients> {
  const head = lab.store.state().revision;
  const asked = { labels: 'app=x', timeoutMs: 3_600_000 };
  const open = (bookmarks: boolean) => lab.watch(head, { ...asked, bookmarks }, storageOf(lab, workload));
  return { bookmarks: await open(true), noBookmarks: await open(false), startedAt: head };
}

/** Changes of the resource until the lab stops. */
async function writes(lab: Lab, workload: Workload, random: Random): Promise<void> {
  const { arrivals, perSecond, selectedOneIn } = workload;
  const size = arrivals === 'clumps' ? CLUMP : 1;
  const mean = (1000 * size) / perSecond;
  for (let nth = 0; ; ) {
    await lab.clock.sleep(arrivals === 'even' ? mean : -mean * Math.log(1 - random()), lab.abort.signal);
    if (lab.abort.signal.aborted) return;
    for (let i = 0; i < size; i += 1, nth += 1) {
      const selected = nth % selectedOneIn === selectedOneIn - 1;
      await lab.update(`${selected ? 'x' : 'y'}${nth % OBJECTS}`, {
        labels: { app: selected ? 'x' : 'y' },
        note: `${nth}`,
      });
    }
  }
}

async function others(lab: Lab, { othersPerSecond }: Workload, random: Random): Promise<void> {
  for (let nth = 0; othersPerSecond > 0; nth += 1) {
    await lab.clock.sleep((-1000 * Math.log(1 - random())) / othersPerSecond, lab.abort.signal);
    if (lab.abort.signal.aborted) return;
    const key = `/registry/leases/${nth % 5}`;
    const [found] = (await lab.store.range({ start: key, end: `${key}\0` })).kvs;
    await lab.store.put(key, new TextEncoder().encode(String(nth)), found?.modRevision ?? 0);
  }
}

async function measure(lab: Lab, workload: Workload, clients: Clients): Promise<BudgetInput> {
  const newest: Newest[] = [];
  const floors: Floor[] = [];
  const marks: { rv: number; at: number }[] = [];
  const revisions: number[] = [];
  const counts: number[] = [];
  for (let second = 0; second < MEASURE_S; second += SAMPLE_S) {
    const now = lab.clock.now();
    const at = { askedAt: now, answeredAt: now };
    marks.push({ rv: lab.store.state().revision, at: now });
    if (workload.cached) {
      const { floor, resourceVersion } = lab.cacher.state();
      newest.push({ rv: rv(String(resourceVersion)), ...at });
      if (floor !== undefined) floors.push({ floor: rv(String(floor)), ...at });
    }
    const before = received(lab);
    const { revision } = lab.store.state();
    await lab.clock.advance(SAMPLE_S * 1000);
    counts.push(received(lab) - before);
    revisions.push(lab.store.state().revision - revision);
  }
  const { capacity, resourceVersion, floor } = lab.cacher.state();
  const moves = floorMoves(floors);
  const { cached, knows, compactEveryMs } = workload;
  return {
    cached,
    events: rateOf(counts),
    revisions: rateOf(revisions),
    ...(cached && knows.capacity ? { capacity } : {}),
    ...(moves ? { windowAge: windowAge(newest, floors), ringSpan: resourceVersion - (floor ?? 0) } : {}),
    ...(cached ? { bookmarks: { come: clients.bookmarks.events.some(({ type }) => type === 'BOOKMARK') } } : {}),
    ...(knows.interval && compactEveryMs !== undefined ? { compactEveryMs } : {}),
    etcdAge: etcdAge(lab, marks),
  };
}

function rateOf(counts: readonly number[]) {
  const all = counts.reduce((sum, count) => sum + count, 0);
  return rateRange(all, MEASURE_S * 1000, clumping(counts));
}

/** Changes of the resource so far, as the cache counts them; those of a resource without cache nobody counts. */
function received(lab: Lab): number {
  return lab.metric('apiserver_watch_cache_events_received_total') ?? 0;
}

/** How old the marks are that the store still has, and those that it has compacted. */
function etcdAge(lab: Lab, marks: readonly { rv: number; at: number }[]) {
  const { compactedRevision } = lab.store.state();
  const now = lab.clock.now();
  const held = marks.filter((mark) => mark.rv >= compactedRevision).map(({ at }) => now - at);
  const gone = marks.filter((mark) => mark.rv < compactedRevision).map(({ at }) => now - at);
  return {
    ...(held.length > 0 ? { atLeastMs: Math.max(...held) } : {}),
    ...(gone.length > 0 ? { atMostMs: Math.min(...gone) } : {}),
  };
}

/** Who leaves when with which RV, and comes back when. */
interface Visit {
  at: number;
  leftAt: number;
  rv: number;
  kind: Kind;
  bound: Return['bound'];
}

async function comeBack(
  lab: Lab,
  workload: Workload,
  { budget, clients, random }: { budget: Budget; clients: Clients; random: Random },
): Promise<Return[]> {
  const start = lab.clock.now();
  const end = start + PATIENCE_S * 1000;
  const leaving = Array.from({ length: LEAVERS }, () => start + random() * LEAVE_WITHIN_S * 1000);
  const visits: Visit[] = [];
  const returns: Return[] = [];
  for (;;) {
    const nextVisit = Math.min(...visits.map(({ at }) => at));
    const nextLeave = Math.min(...leaving);
    const at = Math.min(nextVisit, nextLeave);
    if (at > end) return returns;
    await lab.clock.advance(at - lab.clock.now());
    if (at === nextLeave) {
      leaving.splice(leaving.indexOf(at), 1);
      visits.push(...leave(lab, workload, budget, clients));
    } else {
      const [visit] = visits.splice(
        visits.findIndex((one) => one.at === at),
        1,
      );
      returns.push(await resumeAt(lab, workload, visit!));
    }
  }
}

/** One client of each kind leaves; each comes back just below and just above what the budget says. */
function leave(lab: Lab, workload: Workload, budget: Budget, clients: Clients): Visit[] {
  const leftAt = lab.clock.now();
  const resume = {
    current: workload.cached ? lab.cacher.state().resourceVersion : lab.store.state().revision,
    bookmarks: resumeRv(clients.bookmarks, clients.startedAt),
    noBookmarks: resumeRv(clients.noBookmarks, clients.startedAt),
  };
  const kinds = ['current', 'bookmarks', 'noBookmarks'] as const;
  return kinds.flatMap((kind) =>
    edges(budget.away[kind]).map(({ bound, ms }) => ({ at: leftAt + ms, leftAt, rv: resume[kind], kind, bound })),
  );
}

function edges({ guaranteedMs, atLeastMs, atMostMs }: Bound): { bound: Return['bound']; ms: number }[] {
  return [
    ...(guaranteedMs > 0 ? [{ bound: 'guaranteed' as const, ms: guaranteedMs * BELOW }] : []),
    ...(atLeastMs > 0 ? [{ bound: 'at least' as const, ms: atLeastMs * BELOW }] : []),
    ...(atMostMs === undefined ? [] : [{ bound: 'at most' as const, ms: atMostMs * ABOVE }]),
  ];
}

function resumeRv({ events }: WatchLog, startedAt: number): number {
  const last = events.at(-1);
  if (last === undefined) return startedAt;
  if (last.type === 'ERROR') throw new Error(`a client lost its stream: ${last.status.message}`);
  return last.type === 'BOOKMARK' ? last.rv : last.object.rv;
}

async function resumeAt(lab: Lab, workload: Workload, visit: Visit): Promise<Return> {
  const log = await lab.watch(visit.rv, { labels: 'app=x' }, storageOf(lab, workload));
  // A store's watch is told after its headers (facts/server §4.1): at once here, but not in the same turn.
  await lab.clock.turn();
  const [first] = log.events;
  log.watcher.stop();
  const cause = first?.type === 'ERROR' ? first.cause : undefined;
  const { kind, bound, leftAt } = visit;
  return { kind, bound, awayMs: lab.clock.now() - leftAt, refused: cause?.refusedBy, because: cause?.because };
}
