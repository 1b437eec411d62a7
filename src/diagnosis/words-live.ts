import { compareRv } from '../protocol/resource-version.ts';
import type { LiveAnswer } from './live-answer.ts';
import { quote } from './quote.ts';

const RELIST = 'list again without resourceVersion, and watch from the RV of the new list';

/** What the cluster's answer means: title ≤ 120, text ≤ 900 characters, at most 5 next steps (contract §2). */
export function liveWords(live: LiveAnswer): { title: string; text: string; next: string[] } {
  const { title, text, next } = byWatch(live);
  const seen = [text, ...replicas(live), ...unseen(live)].filter((part) => part !== '');
  return { title: quote(title, 120), text: quote(seen.join(' '), 900), next };
}

function byWatch(live: LiveAnswer): { title: string; text: string; next: string[] } {
  switch (live.watch) {
    case 'served':
      return live.uncached ? servedByEtcd(live) : served(live);
    case 'ahead':
      return ahead(live);
    case 'gone':
      return live.refusedBy === 'etcd' || live.uncached ? goneInEtcd(live) : goneInCache(live);
    case 'rejected':
    case 'no-answer':
      return notAnswered(live);
  }
}

function served({ rv, floors, apart, cacheRv }: LiveAnswer): { title: string; text: string; next: string[] } {
  const above = floors && compareRv(rv, floors.high) !== -1;
  const reach = above ? `: the window still reaches it, and ${grouped(apart)} revisions further back` : '';
  const now =
    cacheRv === undefined
      ? ''
      : compareRv(cacheRv, rv) === -1
        ? ` The cache of this idle resource is at ${cacheRv}; etcd has reached ${rv}, and so will the cache.`
        : ` The cache is at ${cacheRv} now: what lies between, of all resources together, is replayed.`;
  return {
    title: `RV ${rv} is still served${reach}`,
    text: `A watch from ${rv} was accepted and stays open. Whoever resumes from it loses nothing, no relist is needed.${now} If a 410 said otherwise, it came from another apiserver: each has a window of its own.`,
    next: [
      'resume from it soon: the window moves on with every write',
      'kwatch tail RESOURCE --rv N: watch from there',
    ],
  };
}

/** Without a watch cache etcd itself answers: there is no window, and every apiserver says the same. `cacheRv` is etcd's then. */
function servedByEtcd({ rv, cacheRv }: LiveAnswer): { title: string; text: string; next: string[] } {
  const now =
    cacheRv === undefined
      ? ''
      : ` etcd is at ${cacheRv} now: what lies between, of all resources together, is replayed.`;
  return {
    title: `RV ${rv} is still served: etcd has it`,
    text: `A watch from ${rv} was accepted and stays open. Whoever resumes from it loses nothing, no relist is needed. This resource is served without a watch cache, so etcd itself answers, until it is compacted past ${rv}.${now}`,
    next: [
      'resume from it soon: by default etcd is compacted every 5 min, and holds 5 to 10 min',
      'kwatch tail RESOURCE --rv N: watch from there',
    ],
  };
}

function ahead({ rv, cacheRv, uncached }: LiveAnswer): { title: string; text: string; next: string[] } {
  const by = cacheRv === undefined ? '' : ` by ${grouped(difference(rv, cacheRv))} revisions`;
  const who = uncached ? 'etcd' : 'the cache';
  const lags = uncached ? '' : ' A replica that lags gets there in seconds.';
  return {
    title: `RV ${rv} lies ahead of this apiserver${by}: ${uncached ? 'etcd' : 'its cache'} is at ${cacheRv}`,
    text: `The watch was accepted, and is silent until ${who} comes to ${rv}.${lags} An RV of another cluster, or from before etcd was restored from a backup, does not come: then every client has to list again.`,
    next: [
      `ask again in ten seconds: has ${who} moved?`,
      'resourceVersion: list without it, and compare its RV',
      'was etcd restored from a backup, or is this another cluster?',
    ],
  };
}

function goneInCache({ rv, floors, apart, etcd, unseen: hidden }: LiveAnswer): {
  title: string;
  text: string;
  next: string[];
} {
  const below =
    apart === undefined ? 'is older than the watch cache' : `is ${grouped(apart)} revisions below the floor`;
  const from = floors
    ? `${rv} was refused by the watch cache, whose history begins at ${floors.high}: its window has moved on, or it was rebuilt since. `
    : '';
  if (etcd === 'compacted') {
    return {
      title: `${rv} ${below}, etcd has compacted it too; relisting is the only way`,
      text: `${from}A list at exactly this revision is refused as well: nothing still knows what happened since.`,
      next: [RELIST],
    };
  }
  if (etcd === 'holds') {
    return {
      title: `${rv} ${below}; only etcd still has it: list again`,
      text: `${from}etcd has not compacted it: a list at exactly this revision is answered, a watch is not, since watches are served from the cache. A compaction was not what took it.`,
      next: [RELIST, 'resourceVersionMatch=Exact: the state as it was at that revision, until the next compaction'],
    };
  }
  return {
    title: `${rv} ${below}: list again`,
    text: `${from}${hidden.length > 0 ? '' : 'Whether etcd still has it was not answered in time. '}The remedy does not depend on it.`,
    next: [RELIST],
  };
}

function goneInEtcd({ rv }: LiveAnswer): { title: string; text: string; next: string[] } {
  return {
    title: `etcd has compacted RV ${rv}; relisting is the only way`,
    text: `etcd itself refused a watch from ${rv}: this resource is served without a watch cache, as events are. 5 to 10 min of history are there by default.`,
    next: [RELIST, '--etcd-compaction-interval (5m by default): how long an absence may last at least'],
  };
}

function notAnswered({ rv, watch, finding }: LiveAnswer): { title: string; text: string; next: string[] } {
  if (!finding) {
    return {
      title: `The cluster did not say whether RV ${rv} is still served`,
      text:
        watch === 'no-answer'
          ? 'The watch had no answer within the time given.'
          : 'The watch was refused, and the answer says nothing about the RV.',
      next: ['kwatch tail RESOURCE: watch it live, and let it explain what happens'],
    };
  }
  return {
    title: finding.title,
    // The question ends here, a run would go on.
    text: `Whether RV ${rv} is still served could not be seen. ${finding.text.replace(' We go on waiting.', '')}`,
    next: finding.next,
  };
}

function replicas({ floors, rv }: LiveAnswer): string[] {
  if (!floors || floors.low === floors.high) return [];
  const between = compareRv(floors.low, rv) !== 1 && compareRv(rv, floors.high) === -1;
  return [
    between
      ? `Floors of ${floors.low} and ${floors.high} were told: at least two apiservers answer, and one of them still serves it.`
      : `Floors from ${floors.low} to ${floors.high} were told: the window is moving, or several apiservers answer.`,
  ];
}

/** By reason, since one refusal usually has them all. */
function unseen({ unseen: hidden, watch, finding }: LiveAnswer): string[] {
  // Nothing answered at all: that is told already.
  if (hidden.length === 0 || (watch === 'no-answer' && finding?.class === 'unreachable')) return [];
  const byReason = new Map<string, string[]>();
  for (const { what, why } of hidden) byReason.set(why, [...(byReason.get(why) ?? []), what]);
  return [`Not seen: ${[...byReason].map(([why, whats]) => `${whats.join(', ')} (${why})`).join('; ')}.`];
}

function difference(a: string, b: string): string {
  return compareRv(a, b) === undefined ? '?' : String(BigInt(a) - BigInt(b));
}

/** `54,337`. */
function grouped(digits: string | undefined): string {
  return (digits ?? '?').replace(/\B(?=(\d{3})+$)/g, ',');
}
