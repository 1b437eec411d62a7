import type { FindingClass } from './finding.ts';
import type { GoneSigns, Healing } from './gone-signs.ts';
import { plural, span } from './quantity.ts';
import type { RuledOutBy } from './rebuild-signs.ts';
import type { Place } from './scene.ts';
import { ageMs, gotNoAnswer, timeoutMs } from './signs.ts';

/** Half sentences about a 410 that several classes need. */

/** How the refusal travelled: after acceptance errors are ERROR events in a 200 stream (facts/server §0.2). */
export function whereRefused({ answer }: GoneSigns): string {
  return answer.inStream
    ? 'It said so in an ERROR event inside an HTTP 200 stream, as watches do'
    : `It said so with HTTP ${answer.httpStatus ?? 410}`;
}

/** `stream 1 ended … properly, without an ERROR, and the resume at once was refused`. */
export function howEnded({ giver, awayMs, rebuild }: GoneSigns): string {
  if (!giver) return '';
  const asked = timeoutMs(giver);
  const of = asked === undefined ? '' : ` of the ${asked / 1000} s asked for`;
  const wait =
    rebuild.refusedBetween > 0
      ? `the first resume that got through, ${span(awayMs ?? 0)} later,`
      : 'the resume at once';
  return `The server had ended the stream that held it (stream ${giver.stream}) after ${span(ageMs(giver, 0))}${of}, properly and without an ERROR, and ${wait} met a floor above it.`;
}

/** Why R was not used for so long. Empty where it was used at once. */
export function awayPhrase(place: Place, { giver, awayMs }: GoneSigns): string {
  if (!giver || awayMs === undefined || awayMs < 1_000) return '';
  const refused = place.line
    .slice(0, place.index)
    .filter((one) => one.at >= (giver.endedAt ?? Infinity) && gotNoAnswer(one)).length;
  if (giver.end === 'stopped') return `we were away for ${span(awayMs)}`;
  if (refused > 0) return `not connected for ${span(awayMs)} (${endWord(giver.end)}, then refused connections)`;
  return `not connected for ${span(awayMs)} after ${endWord(giver.end)}`;
}

function endWord(end: string | undefined): string {
  switch (end) {
    case 'reset':
      return 'a reset';
    case 'truncated':
      return 'a broken connection';
    case 'stalled':
      return 'a stall';
    default:
      return 'the end of the stream';
  }
}

/** What etcd says of R, where the watch cache refused: it settles nothing by itself, and that is said. */
export function etcdPhrase({ etcdHasR, requested }: GoneSigns): string {
  if (etcdHasR === undefined) return '';
  return etcdHasR
    ? `etcd still has ${requested}: a compaction has no part in this.`
    : `That etcd no longer has ${requested} either follows from its age (it compacts every 5 min) and did not make this refusal.`;
}

/** Phrases for the line `ruled out`. */
export function ruledOutPhrases(signs: GoneSigns, decided: FindingClass): string[] {
  const phrases: string[] = [];
  if (signs.etcdHasR && decided !== 'upstream-compaction')
    phrases.push(`compaction (etcd still has ${signs.requested})`);
  const { ruledOut } = signs.rebuild;
  if (ruledOut.length > 0) phrases.push(`rebuild of the cache (${ruledOut.map(reason).join('; ')})`);
  return phrases;
}

export function ruledOutSentence({ rebuild }: GoneSigns): string {
  if (rebuild.ruledOut.length === 0) return '';
  return `A rebuild of the cache is ruled out: ${rebuild.ruledOut.map(reason).join('; ')}.`;
}

export function reason(by: RuledOutBy): string {
  switch (by.by) {
    case 'sibling':
      return `the sibling stream ${by.stream} on the same resource lived on`;
    case 'counter':
      return `the counter of initializations stands still at ${by.value}`;
    case 'moving floor':
      return `the floor moves with the writes (${by.floors.slice(0, 4).join(', ')})`;
    case 'floor had passed':
      return `the floor ${by.floor} had passed it while the stream still lived`;
    case 'floor below known head':
      return `the floor lies below ${by.head}, which was known before`;
  }
}

/** How it was healed, or what has to be done. Always names the relist. */
export function relistSentence({ list, relistRefused, resumed }: Healing, loop: boolean): string {
  if (loop && !list) {
    const status = relistRefused?.httpStatus;
    return `It loops${status === undefined ? '' : `, and the relist was refused with HTTP ${status} as well`}: list again without resourceVersion, and keep that list's RV.`;
  }
  if (!list) return 'Remedy: list again (relist) without a resourceVersion and watch from the RV of the new list.';
  const healed = resumed ? ', and the watch goes on from there' : '';
  const again = loop ? ' This was the third 410 within 5 minutes: something keeps handing out old RVs.' : '';
  return `Relisted at ${list.rv}${healed}${gapWords(list.gap)}.${again}`;
}

function gapWords(gap: NonNullable<Healing['list']>['gap']): string {
  if (!gap) return '; what happened in between was not seen';
  const { created, changed, deleted } = gap;
  return `; in between, unseen: ${plural(created.count, 'created', 'created')}, ${changed.count} changed, ${deleted.count} deleted`;
}
