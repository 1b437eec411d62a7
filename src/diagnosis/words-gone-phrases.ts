import { revisionsApart } from '../protocol/resource-version.ts';
import { isWide } from './age-of-rv.ts';
import type { Episode } from './episode.ts';
import type { FindingClass } from './finding.ts';
import type { GoneSigns, Healing } from './gone-signs.ts';
import { plural, span } from './quantity.ts';
import { quote } from './quote.ts';
import type { RuledOutBy } from './rebuild-signs.ts';
import { attemptsSince, type Place } from './scene.ts';
import { ageMs, gotNoAnswer, timeoutMs } from './signs.ts';
import { tailCommand } from './tail-command.ts';
import type { Words } from './words.ts';

/** Half sentences about a 410 that several classes need. */

/** A 410 that is to be put into words. */
export interface Told {
  episode: Episode;
  signs: GoneSigns;
  place: Place;
  R: string;
  M: string;
  /** The ring is known to be pinned to so many events. */
  pinned: number | undefined;
}

export type OwnWords = Omit<Words, 'facts' | 'ruledOut'>;

/** ` (this one holds 100 events)`, as far as that is known. */
export function capacityWords({ signs, pinned }: Told): string {
  if (pinned !== undefined) return ` (this one is pinned to ${pinned})`;
  const { capacity } = signs;
  if (capacity === undefined) return '';
  return capacity >= 102_400 ? ` (it is at ${capacity}, its maximum)` : ` (this one holds ${capacity} events)`;
}

export function relistSteps({ place }: Told): string[] {
  return [
    `${tailCommand(place.target, 'list')}: list again without resourceVersion, then watch from the new list's RV (informers relist by themselves)`,
  ];
}

export function refusedSentence({ signs, R, M }: Told): string {
  const apart = revisionsApart(R, M);
  const distance =
    apart === undefined ? '' : ` (${plural(Number(apart), 'revision')} above, of all resources together)`;
  return `The watch cache refused RV ${R}: its history starts at ${M}${distance}. ${whereRefused(signs)}.`;
}

export function replicaSentence({ signs }: Told): string {
  const { differ } = signs.floors;
  if (!differ) return '';
  return `Within one moment the floor was told as ${differ.high} and as ${differ.low}. A floor never falls in one cache, so more than one apiserver (replica) answers here: the one that refused started its history later, the other would have taken the RV.`;
}

/** `2.6 s`, with `only` before it where that surprises; `at most 4.5 s` where R may have been handed out long before we read it. */
export function ageWords({ age }: GoneSigns, only = ''): string | undefined {
  if (age === undefined) return undefined;
  return isWide(age)
    ? `at most ${span(age.atMostMs ?? age.atLeastMs)}`
    : `${only}${span(age.atMostMs ?? age.atLeastMs)}`;
}

/** `2.6 s`, or `at least 80 s`: where it is the length of the age that tells. */
export function oldWords({ age }: GoneSigns): string | undefined {
  if (age === undefined) return undefined;
  return isWide(age) || age.atMostMs === undefined ? `at least ${span(age.atLeastMs)}` : span(age.atMostMs);
}

/** Why only a range is known. */
export function unreadWords({ age, readLate }: GoneSigns): string {
  return age && isWide(age) && readLate ? ' (it lay in our socket unread)' : '';
}

export function ageEvidence({ signs, R }: Told): string[] {
  const { age } = signs;
  if (!age) return [];
  if (age.atMostMs === undefined) return [`RV ${R} was at least ${span(age.atLeastMs)} old when it was refused`];
  if (!isWide(age)) return [`RV ${R} was ${ageWords(signs)} old when it was refused`];
  const { atLeastMs, atMostMs } = age;
  return [`RV ${R} was read ${span(atLeastMs)} before it was refused, and handed out up to ${span(atMostMs)} before`];
}

export function said({ answer }: GoneSigns): string {
  return answer.message.trim() === '' ? 'nothing' : `"${quote(answer.message, 120)}"`;
}

export function whereShort({ answer }: GoneSigns): string {
  return answer.inStream ? 'in the stream (HTTP 200)' : `HTTP ${answer.httpStatus ?? '?'}`;
}

/** How the refusal travelled: after acceptance errors are ERROR events in a 200 stream (facts/server §0.2). */
export function whereRefused({ answer }: GoneSigns): string {
  return answer.inStream
    ? 'It said so in an ERROR event inside an HTTP 200 stream, as watches do'
    : `It said so with HTTP ${answer.httpStatus ?? 410}${answer.isList ? '' : rewritten(answer.headers)}`;
}

/** No kube-apiserver refuses a watch so (facts/server §0.2). */
function rewritten(headers: GoneSigns['answer']['headers']): string {
  const name = headers.via ?? headers.server;
  const by = name === undefined ? '' : ` (${quote(name, 40)})`;
  return `, where a kube-apiserver accepts the watch and then sends an ERROR event: something in between${by} rewrote it, or it is another kind of server`;
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
  const how = rebuild.goaway
    ? 'by a GOAWAY (NO_ERROR), as an apiserver that stops does'
    : 'properly and without an ERROR';
  return `The server had ended the stream that held it (stream ${giver.stream}) after ${span(ageMs(giver, 0))}${of}, ${how}, and ${wait} met a floor above it.`;
}

/** Why R was not used for so long. Empty where it was used at once. */
export function awayPhrase(place: Place, { giver, awayMs }: GoneSigns): string {
  if (!giver || awayMs === undefined || awayMs < 1_000) return '';
  const between = attemptsSince(place, giver.endedAt ?? Infinity);
  const unanswered = between.filter(gotNoAnswer);
  if (giver.end === 'stopped') return `we were away for ${span(awayMs)}`;
  const met = between.flatMap(({ stream, list }) => (stream ?? list)?.httpStatus ?? []).filter((code) => code >= 400);
  const all = unanswered.every(({ stream }) => stream?.end === 'refused') ? 'refused connections' : 'no answer';
  const then = [...new Set(met)].slice(0, 3).map((code) => `HTTP ${code}`);
  if (unanswered.length > 0) then.push(all);
  if (then.length > 0) return `not connected for ${span(awayMs)} (${endWord(giver.end)}, then ${then.join(' and ')})`;
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
export function etcdPhrase(signs: GoneSigns): string {
  const { etcdHasR, requested } = signs;
  if (etcdHasR === undefined) return '';
  if (etcdHasR && !rulesCompactionOut(signs)) return '';
  return etcdHasR
    ? `etcd still has ${requested}: that it was compacted is not the reason.`
    : `That etcd no longer has ${requested} either proves nothing: it compacts every 5 min, and the watch cache refuses without asking it.`;
}

/** Where the cache itself had not come to R, its own watch may have been refused below it. */
export function rulesCompactionOut({ cacheHadR, rebuild, fromOutside }: GoneSigns): boolean {
  return cacheHadR || fromOutside || rebuild.ruledOut.length > 0;
}

/** Phrases for the line `ruled out`. */
export function ruledOutPhrases(signs: GoneSigns, decided: FindingClass): string[] {
  const phrases: string[] = [];
  if (signs.etcdHasR && decided !== 'upstream-compaction' && rulesCompactionOut(signs))
    phrases.push(`compaction (etcd still has ${signs.requested})`);
  const { ruledOut } = signs.rebuild;
  if (ruledOut.length > 0) phrases.push(`rebuild of the cache (${ruledOut.map(shortReason).join('; ')})`);
  return phrases;
}

/** A reason in a few words, for the line `ruled out`. */
export function shortReason(by: RuledOutBy): string {
  switch (by.by) {
    case 'sibling':
      return `stream ${by.stream} lived on`;
    case 'counter':
      return 'the counter of initializations stands still';
    case 'moving floor':
      return 'the floor crept with the writes';
    case 'floor had passed':
      return `the floor had passed it before (${by.floor})`;
    case 'floor below known head':
      return `the floor lies below ${by.head}, known before`;
  }
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
