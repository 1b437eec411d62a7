import { recogniseExpired } from '../protocol/expired-text.ts';
import { compareRv, type ResourceVersion, revisionsApart, rv } from '../protocol/resource-version.ts';
import { type Answer, noStream, refusalOf } from './ask.ts';
import type { Said } from './check.ts';
import type { Measured } from './measured.ts';
import { plural } from './plural.ts';
import { measured as words } from './times.ts';

const GONE = 410;

/** What the refusal of a watch from RV 1 says of the cache: its floor (facts/server §6.3 P1). */
export function readWindow(answer: Answer, into: Measured): void {
  const { status, askedAt, answeredAt, head, end } = answer;
  // Some refuse with the HTTP status instead; the words are the same.
  if ((head?.status !== 200 && head?.status !== GONE) || noStream(answer) !== undefined) return;
  const expired = status?.code === GONE ? recogniseExpired(status.message ?? '') : undefined;
  if (expired?.floor !== undefined) {
    into.cached = true;
    into.floors.push({ floor: rv(expired.floor), askedAt, answeredAt });
  } else if (expired?.refusedBy === 'etcd') into.cached = false;
  // It opened: history reaches back to the beginning, whoever keeps it.
  else if (head.status === 200 && !status && end === 'eof') into.floors.push({ floor: rv('1'), askedAt, answeredAt });
}

/** Is there a watch cache? By who refused, or else by a list that a cache answers whole although it is asked for one object. */
export function cachedOrNot(measured: Measured, list: Answer | undefined): Said {
  if (measured.cached !== undefined) return cachedWords(measured.cached, 'by the words of its refusal');
  if (measured.samples) {
    measured.cached = measured.samples.watch_cache_capacity !== undefined;
    return cachedWords(
      measured.cached,
      measured.cached ? 'by its ring in /metrics' : 'by /metrics, where no ring of it is',
    );
  }
  const { items, metadata } = (list?.document ?? {}) as { items?: unknown; metadata?: { continue?: unknown } };
  const count = Array.isArray(items) ? items.length : 0;
  // A cache that is asked for one object at RV 0 sends them all (up to 1.34); etcd sends one, and a token for the next.
  if (count > 1) measured.cached = true;
  else if (count === 1 && typeof metadata?.continue === 'string' && metadata.continue !== '') measured.cached = false;
  if (measured.cached !== undefined) return cachedWords(measured.cached, 'by how it pages a list at RV 0');
  const why = list?.head && list.head.status !== 200 ? refusalOf(list) : 'too few objects, and no refusal that tells';
  return { result: 'skip', answer: `not told: ${why}`, facts: {} };
}

function cachedWords(cached: boolean, how: string): Said {
  return cached
    ? { result: 'info', answer: `a watch cache serves it (${how})`, facts: { cached } }
    : { result: 'info', answer: `no watch cache: etcd itself serves it (${how})`, facts: { cached } };
}

/** How far back a watch may begin, on several connections: behind a balancer each may meet another apiserver. */
export function windowFloor(measured: Measured, head: ResourceVersion | undefined, asked?: Answer): Said {
  if (measured.cached === false) return { result: 'info', answer: 'none: there is no watch cache', facts: {} };
  const { floors } = measured;
  const [first] = floors;
  if (!first) {
    const why = asked
      ? `: ${noStream(asked) ?? (asked.head?.status === 200 ? 'no refusal came' : refusalOf(asked))}`
      : '';
    return { result: 'skip', answer: `no floor was told${why}`, facts: {} };
  }
  const sorted = [...floors].sort((one, other) => compareRv(one.floor, other.floor) ?? 0).map(({ floor }) => floor);
  const [lowest, highest] = [sorted[0] as ResourceVersion, sorted.at(-1) as ResourceVersion];
  const behind = head === undefined ? undefined : revisionsApart(highest, head);
  // Under a burst the floor may have passed what was the newest when we asked.
  const reach = behind === undefined || behind < 0 ? '' : `, ${plural(behind, 'revision')} back`;
  const facts = { floor: highest, lowest_floor: lowest, connections: floors.length };
  if (lowest === highest) {
    const on = floors.length === 1 ? 'asked once' : `the same on ${floors.length} connections`;
    return { result: 'info', answer: `RV ${highest}${reach}; ${on}`, facts };
  }
  return {
    result: 'info',
    answer: `RV ${lowest} to ${highest} by connection${reach === '' ? '' : `: the highest${reach.slice(1)}`}`,
    detail: hasFallen(floors)
      ? 'A floor that falls is another apiserver’s: several of them answer, each with a window of its own. The highest floor counts, since a client may come back to any of them.'
      : 'It moves with each write, or several apiservers answer.',
    facts: { ...facts, replicas: hasFallen(floors) ? '2 or more' : 'unknown' },
  };
}

/** One cache's floor only rises: where a later answer is lower, several apiservers answer. */
export function hasFallen(floors: Measured['floors']): boolean {
  return floors.some(({ floor }, index) => index > 0 && compareRv(floor, floors[index - 1]?.floor ?? floor) === -1);
}

export function isSame(floors: Measured['floors']): boolean {
  return floors.every(({ floor }) => floor === floors[0]?.floor);
}

/** Is the cache behind etcd? */
export function cacheLag({ heads, newest, cached }: Measured): Said {
  if (cached === false) return { result: 'info', answer: 'none: there is no watch cache', facts: {} };
  const [head, cache] = [heads.at(-1), newest.at(-1)];
  if (!head || !cache) return { result: 'skip', answer: 'one of the two RVs could not be read', facts: {} };
  const behind = revisionsApart(cache.rv, head.rv);
  const facts = { cache_rv: cache.rv, etcd_rv: head.rv };
  if (behind === undefined) return { result: 'warn', answer: 'RVs that are no numbers: they have no order', facts };
  if (behind <= 0) return { result: 'pass', answer: `it has come as far as etcd (RV ${cache.rv})`, facts };
  return {
    result: 'info',
    answer: `RV ${cache.rv}, ${plural(behind, 'revision')} behind etcd at ${head.rv}`,
    detail: `Asked ${words(Math.abs(head.askedAt - cache.askedAt))} apart. A cache whose resource is quiet follows only with etcd’s progress notifies (each 5 s in kubeadm clusters, else each 10 m).`,
    facts: { ...facts, behind },
  };
}
