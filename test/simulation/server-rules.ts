import type { Played } from './play.ts';

/** How long after its headers a watch of the store may still be told that its history is gone, ms. */
const ACCEPTED_AFTER_MS = 500;

/**
 * Where the servers broke a rule of their own: the truth that verdicts are held against must be true itself. Compacted at C, a
 * read at X fails if X < C, and a watch from N if N + 1 < C (facts/server §4.1); a cache refuses what lies below the floor that
 * it names.
 */
export function brokenRules(played: Played): string[] {
  return [...refusedWrongly(played), ...acceptedWrongly(played), ...readWrongly(played)];
}

function compactedAt({ trace }: Played, at: number): number {
  return trace.reduce((last, event) => (event.what === 'compact' && event.at <= at ? event.rv : last), 0);
}

function refusedWrongly(played: Played): string[] {
  const watches = new Set(played.facts.streams.map(({ headers }) => headers['audit-id']));
  return played.trace.flatMap((event) => {
    if (event.what !== 'refuse') return [];
    const { requested, refusedBy, floor = 0, auditId, at } = event;
    if (refusedBy === 'watch-cache') return Number(requested) < floor ? [] : [`${requested} is not below ${floor}`];
    const compacted = compactedAt(played, at);
    if (!watches.has(auditId) || Number(requested) + 1 < compacted) return [];
    return [`a watch from ${requested} was refused, compacted at ${compacted}`];
  });
}

function acceptedWrongly(played: Played): string[] {
  return played.facts.streams.flatMap((stream) => {
    const { target, requestedRv, openedAt, endedAt, errorStatus, httpStatus } = stream;
    if (target.resource !== 'events' || httpStatus !== 200 || requestedRv === undefined || errorStatus) return [];
    const lived = (endedAt ?? played.facts.now) - (openedAt ?? 0) - stream.readStalledMs;
    const compacted = compactedAt(played, stream.askedAt);
    if (lived < ACCEPTED_AFTER_MS || Number(requestedRv) + 1 >= compacted) return [];
    // What is cut off from its store was not yet heard.
    if (played.trace.some(({ what }) => what === 'cut')) return [];
    return [`a watch from ${requestedRv} was accepted, compacted at ${compacted}`];
  });
}

function readWrongly(played: Played): string[] {
  return played.facts.probes.flatMap(({ outcome, asked, askedAt, answeredAt }) => {
    const rv = Number(/[?&]resourceVersion=(\d+)/.exec(asked)?.[1]);
    const [before, after] = [compactedAt(played, askedAt), compactedAt(played, answeredAt)];
    // The answer is of some time in between.
    if (outcome.kind === 'alive' && rv < before) return [`a read at ${rv} was answered, compacted at ${before}`];
    if (outcome.kind === 'compacted' && asked.includes('Exact') && rv >= after) {
      return [`a read at ${rv} was refused, compacted at ${after}`];
    }
    return [];
  });
}
