import type { ProbeKind } from '../client/facts.ts';
import { sameResource } from './scene.ts';
import type { Told } from './words-gone-phrases.ts';

/**
 * What would have decided a 410 of the watch cache and was not seen: a verdict that is less than sure says whether it could not
 * look, or did and found nothing. Empty where all of it was answered, or the answer is still awaited.
 */
export function notSeenSentence({ signs, place, R, episode }: Told, toldBefore: string): string {
  if (signs.text.refusedBy !== 'watch-cache' || episode.main.decision.confidence === 'high') return '';
  const etcd = signs.etcdHasR === undefined && !toldBefore.includes('etcd whether it') && !toldBefore.includes(EXACT);
  const counted = signs.rebuild.counterRose !== undefined || signs.rebuild.ruledOut.some(({ by }) => by === 'counter');
  const counters = !counted && !toldBefore.includes('counter of initializations');
  const open: { what: string; kind: ProbeKind }[] = [
    ...(etcd ? [{ what: `whether etcd still has ${R}`, kind: 'exact' as const }] : []),
    ...(counters
      ? [{ what: 'the counters of /metrics, which show when a cache began anew', kind: 'metrics' as const }]
      : []),
  ];
  const { run } = place.scene;
  if (!run.probing) return open.length === 0 ? '' : `Not asked, without probes: ${list(open.map(({ what }) => what))}.`;
  const failed = open.flatMap(({ what, kind }) => {
    const answers = run.probes.filter(
      (one) => one.kind === kind && one.answeredAt >= place.at && sameResource(one.target, place.target),
    );
    const last = answers.at(-1);
    if (last === undefined || answers.some(({ outcome }) => outcome.kind !== 'failed')) return [];
    return [`${what} (${last.httpStatus === undefined ? 'no answer' : `HTTP ${last.httpStatus}`})`];
  });
  return failed.length === 0 ? '' : `Not seen, since the question was refused or not answered: ${list(failed)}.`;
}

/** How the words of a rebuilt cache begin to say it (words-rebuilt.ts). */
const EXACT = 'an Exact list at it';

function list(parts: readonly string[]): string {
  return parts.join(', and ');
}
