import type { Episode } from './episode.ts';
import type { FindingClass } from './finding.ts';
import type { Observation } from './rules.ts';
import { gotNoAnswer, outageFrom, passes } from './signs.ts';

/** Refusals that tell why the stream before them had been ended. */
const TELLS_WHY: readonly FindingClass[] = [
  'watch-cache-not-ready',
  'conversion-webhook-failed',
  'storage-error',
  'apiserver-shutdown',
];
/**
 * Marks what another finding of the same target explains: the early end that a 410 belongs to, the 410 that an edited CRD
 * explains, the refused connections after a stream that broke. Such a finding keeps its class and competes no longer.
 */
export function linkExplained(episodes: readonly Episode[]): void {
  // Places count within one target's line of attempts: what happened to another target explains nothing here.
  const lines = new Map<unknown, Episode[]>();
  for (const episode of episodes) {
    const own = lines.get(episode.main.place.line);
    if (own) own.push(episode);
    else lines.set(episode.main.place.line, [episode]);
  }
  for (const own of lines.values()) {
    const told = toldOf(own);
    for (const episode of own) {
      const explanation = explanationOf(episode, told);
      if (explanation && explanation !== episode) episode.explainedBy = explanation;
    }
  }
}

/** What one target's findings are, by what is asked for. */
interface Told {
  /** By index of the attempt: the finding that its refusal is a part of. */
  refusals: ReadonlyMap<number, Episode>;
  /** By index of the first attempt, those that tell why the stream before had been ended. */
  tellingWhy: ReadonlyMap<number, Episode>;
  changedCrds: readonly Episode[];
  removedCrds: readonly Episode[];
  heldBack: readonly Episode[];
  /** By index of the attempt: the finding about the end of its stream. */
  ends: ReadonlyMap<number, Episode>;
}

function toldOf(all: readonly Episode[]): Told {
  const refusals = new Map<number, Episode>();
  const ends = new Map<number, Episode>();
  const tellingWhy = new Map<number, Episode>();
  for (const episode of all) {
    for (const { key, place } of episode.members) {
      if (key.endsWith(':refusal')) refusals.set(place.index, episode);
      if (key.endsWith(':end')) ends.set(place.index, episode);
    }
    const first = episode.members[0]!.place.index;
    if (TELLS_WHY.includes(episode.main.decision.class) && !tellingWhy.has(first)) tellingWhy.set(first, episode);
  }
  const of = (fits: (main: Observation) => boolean) => all.filter(({ main }) => fits(main));
  return {
    refusals,
    tellingWhy,
    changedCrds: of(({ decision }) => decision.rule === 'crd changed'),
    removedCrds: of(({ decision }) => decision.rule === 'crd removed'),
    heldBack: of(isHeldBack),
    ends,
  };
}

function explanationOf(episode: Episode, told: Told): Episode | undefined {
  const { main } = episode;
  const { decision, end, gone } = main;
  if (decision.class === 'ambiguous-end' && end?.earlyByServer) {
    if (end.gone?.verdict.row.startsWith('rebuilt')) return told.refusals.get(end.gone.place.index);
    return told.tellingWhy.get(main.place.index + 1);
  }
  if (decision.class === 'connection-lost' && end?.gone?.verdict.class === 'ring-buffer-expiry') {
    // The cut made the absence, the 410 is what it came to, and tells of the cut.
    return told.refusals.get(end.gone.place.index);
  }
  if (gone && decision.class === 'cache-rebuilt') {
    return told.changedCrds.find((other) => other.main.end?.gone?.place.index === main.place.index);
  }
  if (decision.rule === 'resource gone') {
    return told.removedCrds.find(({ main: { place } }) => episode.members[0]?.place.index === place.index + 1);
  }
  if (decision.class === 'watch-cache-not-ready') {
    const next = episode.members.at(-1)!.place.index + 1;
    const other = told.refusals.get(next);
    return other && other.main.place.index === next && isRebuildGone(other.main) ? other : undefined;
  }
  if (decision.rule === 'no headers' || decision.rule === 'held back again') {
    return told.heldBack.find(({ members }) => members.some((one) => mayExplain(one, episode)));
  }
  if (decision.class === 'unreachable' && gotNoAnswer(main.place)) {
    return goneAfter(episode, told.refusals) ?? outageCause(episode, told.ends);
  }
  return undefined;
}

/**
 * A refusal that healed belongs to the end just before it, and so does one that began only just now: nobody can say yet that it
 * lasts. One that does is a finding of its own.
 */
function outageCause({ members }: Episode, ends: ReadonlyMap<number, Episode>): Episode | undefined {
  const first = members[0]!.place;
  return passes(outageFrom(first)) ? ends.get(first.index - 1) : undefined;
}

/** The absence is over, and what it came to is a 410: that tells of it, and of an RV that had been live before. */
function goneAfter({ members }: Episode, refusals: ReadonlyMap<number, Episode>): Episode | undefined {
  const other = refusals.get(members.at(-1)!.place.index + 1);
  const gone = other?.main.gone;
  return gone?.text.refusedBy === 'watch-cache' && gone.giver !== undefined ? other : undefined;
}

function isHeldBack({ decision }: Observation): boolean {
  return decision.rule === 'held back to its end';
}

/** Late headers belong to the stream that they opened; those that are still waited for, to the held back ones before. */
function mayExplain({ place }: Observation, { members, main }: Episode): boolean {
  if (main.decision.rule === 'held back again') return place.index < members[0]!.place.index;
  return members.every((one) => one.place.index === place.index);
}

function isRebuildGone({ gone, decision }: Observation): boolean {
  return gone !== undefined && decision.rule.startsWith('rebuilt');
}
