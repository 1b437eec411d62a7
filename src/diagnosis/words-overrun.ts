import { type BurstSigns, wasSeen } from './burst-signs.ts';
import type { GoneSigns } from './gone-signs.ts';
import { span } from './quantity.ts';
import { capacityWords, type Told } from './words-gone-phrases.ts';

/** Words for a young RV that the ring itself has lost: at its bound, pinned, or by a burst after a quiet time. */

/** A dynamic ring of this size can grow no more (`watch_cache.go` `defaultUpperBoundCapacity`). */
const LARGEST_RING = 102_400;

/** `after 75 s without a change here, a burst … before` + R. */
export const BURST = 'after 75 s without a change here, a burst of 100 or more pushed out the last change before';

export function overrunSentence(told: Told): string {
  const { signs, R } = told;
  if (isBounded(told)) {
    return `A ring keeps 75 s unless it is pinned or at its upper bound of 102400 events${capacityWords(told)}: it was full, and the writes overran it.`;
  }
  const pinned = `the ring is pinned${capacityWords(told)} or at its upper bound of 102400 events, and the writes overran it`;
  if (!signs.burst) return `A ring below its bound keeps every change for 75 s. So ${pinned}.`;
  return `A ring below its bound keeps every change for 75 s, but an RV goes with the last change before it. So ${pinned}, or ${BURST} ${R}.${burstSeen(signs)}`;
}

export function overrunReason(told: Told, only: string): string {
  const { signs, R } = told;
  const overran = `${R} was ${only} old: the writes overran the ring${capacityWords(told)}`;
  if (isBounded(told)) return `${overran}, which keeps 75 s below its bound`;
  if (!signs.burst) return `${overran}: it is pinned, or at its bound`;
  return wasSeen(signs.burst)
    ? `${overran}: a burst after a quiet time`
    : `${overran}: pinned, or a burst after a quiet time`;
}

/** What the stream and the list after it show of such a burst. Empty where they do not. */
export function burstSeen({ burst }: GoneSigns): string {
  if (!burst || !wasSeen(burst)) return '';
  return ` That fits here: ${seenWords(burst)}.`;
}

export function burstEvidence({ burst }: GoneSigns): string[] {
  return burst?.quietMs !== undefined && burst.revisions !== undefined ? [seenWords(burst)] : [];
}

function seenWords({ quietMs = 0, changes, revisions }: BurstSigns): string {
  const since = changes ? `at least ${changes} changes since` : `at most ${revisions ?? '?'} changes since`;
  return `no event for ${span(quietMs)} before that RV came, ${since}`;
}

/** It is known to be pinned, or at its bound: then it needs no burst. */
function isBounded({ signs, pinned }: Told): boolean {
  return pinned !== undefined || (signs.capacity ?? 0) >= LARGEST_RING;
}
