import { type Answer, answerOf } from './answer.ts';
import { type Decision, decide } from './decision.ts';
import { type EndSigns, endSigns } from './end-signs.ts';
import { decideGone } from './gone.ts';
import { type GoneSigns, goneSigns, isGone } from './gone-signs.ts';
import { END_RULES } from './rules-ends.ts';
import { REFUSED_RULES } from './rules-refused.ts';
import { SHOWN_RULES, type ShownSigns } from './rules-stream.ts';
import type { Place } from './scene.ts';
import { wasLive } from './signs.ts';

/**
 * Which question is asked of which attempt, in this order:
 *
 * 1. a 410, as HTTP status or as ERROR in the stream: gone.ts, the truth table;
 * 2. any other refusal, connection failure or ERROR: rules-refused.ts;
 * 3. a live stream's end, or its silence: rules-ends.ts;
 * 4. beside these, what it showed: rules-stream.ts.
 */
export interface Observation {
  /** `s3:end`, `s3:refusal`, `l1700000000000:refusal`. */
  key: string;
  place: Place;
  decision: Decision;
  /** Of a repeated thing: what has to be the same too (the RV of a 410). */
  group: string;
  /** When it was seen first. */
  at: number;
  gone?: GoneSigns;
  answer?: Answer;
  end?: EndSigns;
}

/** Everything that is seen at one attempt. `before`: what the same line gave so far. */
export function observe(place: Place, before: readonly Observation[]): Observation[] {
  const found: Observation[] = [];
  const answer = answerOf(place);
  if (answer) found.push(observeRefusal(place, answer));
  const end = place.stream && wasLive(place.stream) ? observeEnd(place, before) : undefined;
  if (end) found.push(end);
  found.push(...observeShown(place, end));
  return found;
}

function observeRefusal(place: Place, answer: Answer): Observation {
  const { stream, list } = place;
  const at = stream?.errorAt ?? (stream ?? list)?.noAnswerAt ?? (stream ?? list)?.endedAt ?? place.at;
  const key = keyOf(place, 'refusal');
  if (!isGone(answer)) {
    const decision = decide(REFUSED_RULES, { place, answer }) ?? NOTHING;
    const group = answer.inStream ? answer.message : '';
    return { key, place, answer, at, decision, group };
  }
  const gone = goneSigns(place, answer);
  const { row, ...verdict } = decideGone(gone);
  const decision: Decision = { rule: row, repeats: 'adjacent', ...verdict };
  return { key, place, answer, at, decision, gone, group: gone.requested ?? '' };
}

/** An ERROR has been told already; it ended the stream. */
function observeEnd(place: Place, before: readonly Observation[]): Observation | undefined {
  const { stream } = place;
  if (!stream || stream.errorStatus || stream.end === 'rejected') return undefined;
  const last = before.findLast(({ key }) => key.endsWith(':end'));
  const end = endSigns(place, stream, last?.decision.class === 'slow-watcher-terminated');
  const decision = decide(END_RULES, end);
  if (!decision) return undefined;
  const group = decision.rule === 'empty' ? (stream.requestedRv ?? '') : '';
  return { key: keyOf(place, 'end'), place, at: stream.endedAt ?? place.scene.run.now, decision, group, end };
}

function observeShown(place: Place, end: Observation | undefined): Observation[] {
  const { stream, list } = place;
  const now = place.scene.run.now;
  const signs: ShownSigns = { place, now, ...(stream ? { stream } : {}), ...(list ? { list } : {}) };
  return SHOWN_RULES.flatMap(({ slot, rules }) => {
    const decision = decide(rules, signs);
    if (!decision || isToldBy(end, decision)) return [];
    const at = shownAt(signs, decision.rule);
    return [{ key: keyOf(place, slot), place, at, decision, group: '' }];
  });
}

/** Our stalled read is a part of what the slow-watcher finding says. */
function isToldBy(end: Observation | undefined, { rule }: Decision): boolean {
  return rule === 'we did not read' && end?.decision.class === 'slow-watcher-terminated';
}

function shownAt({ place, stream, list, now }: ShownSigns, rule: string): number {
  if (rule === 'we did not read') return stream?.readStallEndedAt ?? now;
  if (list) return list.endedAt;
  return stream?.lastByteAt ?? stream?.openedAt ?? place.at;
}

function keyOf({ stream, at, target, line, index }: Place, slot: string): string {
  if (stream) return `s${stream.stream}:${slot}`;
  let before = 0;
  for (let i = index - 1; i >= 0 && line[i]!.at === at; i--) if (line[i]!.list) before++;
  return `t${target.index}l${Math.round(at)}${before > 0 ? `.${before}` : ''}:${slot}`;
}

/** Never used while the refusal rules end with one for everything. */
const NOTHING: Decision = {
  rule: 'none',
  class: 'ambiguous-end',
  confidence: 'low',
  candidates: [{ class: 'ambiguous-end', confidence: 'low' }],
  repeats: 'never',
};
