import type { Episode } from './episode.ts';
import type { FindingClass } from './finding.ts';
import type { Observation } from './rules.ts';
import type { Place } from './scene.ts';
import { gotNoAnswer, outageAfter } from './signs.ts';

/** Refusals that tell why the stream before them had been ended. */
const TELLS_WHY: readonly FindingClass[] = [
  'watch-cache-not-ready',
  'conversion-webhook-failed',
  'storage-error',
  'apiserver-shutdown',
];
/** Ends after which a refused connection belongs to what ended the stream. */
const ENDS_OF_OUTAGES: readonly FindingClass[] = [
  'connection-lost',
  'apiserver-shutdown',
  'ambiguous-end',
  'idle-cut-by-proxy',
  'age-cut-by-proxy',
];

/**
 * Marks what another finding of the same target explains: the early end that a 410 belongs to, the 410 that an edited CRD
 * explains, the refused connections after a stream that broke. Such a finding keeps its class and competes no longer.
 */
export function linkExplained(episodes: readonly Episode[]): void {
  for (const episode of episodes) {
    // Places count within one target's line of attempts: what happened to another target explains nothing here.
    const own = episodes.filter(({ main }) => main.place.line === episode.main.place.line);
    const explanation = explanationOf(episode, own);
    if (explanation && explanation !== episode) episode.explainedBy = explanation;
  }
}

function explanationOf(episode: Episode, all: readonly Episode[]): Episode | undefined {
  const { main } = episode;
  const { decision, end, gone } = main;
  const find = (place: Place | undefined, slot: string) =>
    place && all.find(({ members }) => members.some((one) => isAt(one, place, slot)));
  if (decision.class === 'ambiguous-end' && end?.earlyByServer) {
    if (end.gone?.verdict.row.startsWith('rebuilt')) return find(end.gone.place, 'refusal');
    return all.find((other) => TELLS_WHY.includes(other.main.decision.class) && follows(other, main));
  }
  if (decision.class === 'connection-lost' && end?.gone?.verdict.class === 'ring-buffer-expiry') {
    // The cut made the absence, the 410 is what it came to, and tells of the cut.
    return find(end.gone.place, 'refusal');
  }
  if (gone && decision.class === 'cache-rebuilt') {
    return all.find(
      (other) => other.main.decision.rule === 'crd changed' && other.main.end?.gone?.place.index === main.place.index,
    );
  }
  if (decision.rule === 'resource gone') {
    return all.find(({ main: other }) => other.decision.rule === 'crd removed' && follows(episode, other));
  }
  if (decision.class === 'watch-cache-not-ready') {
    return all.find(({ main: other }) => isRebuildGone(other) && comesSoonAfter(episode, other));
  }
  if (decision.rule === 'no headers' || decision.rule === 'held back again') {
    return all.find(({ main: other, members }) => isHeldBack(other) && members.some((one) => mayExplain(one, episode)));
  }
  if (decision.class === 'unreachable' && gotNoAnswer(main.place)) return outageCause(episode, all);
  return undefined;
}

/** A refusal that healed belongs to the end just before it; one that lasts is a finding of its own. */
function outageCause({ members }: Episode, all: readonly Episode[]): Episode | undefined {
  const first = members[0]?.place;
  const cause = all.findLast(
    ({ main }) =>
      first !== undefined &&
      main.end !== undefined &&
      main.place.index < first.index &&
      ENDS_OF_OUTAGES.includes(main.decision.class),
  );
  if (!cause || !first) return undefined;
  const lastEnd = cause.members.at(-1)!.place;
  const outage = outageAfter(lastEnd);
  return lastEnd.index + 1 === first.index && outage?.healed ? cause : undefined;
}

function isAt({ key, place }: Observation, other: Place, slot: string): boolean {
  return place.index === other.index && key.endsWith(`:${slot}`);
}

/** The first attempt after the end. */
function follows({ members }: Episode, { place }: Observation): boolean {
  return members[0]?.place.index === place.index + 1;
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

function comesSoonAfter({ members }: Episode, { place }: Observation): boolean {
  return members.at(-1)!.place.index + 1 === place.index;
}
