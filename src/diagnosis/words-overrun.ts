import { type BurstSigns, wasSeen } from './burst-signs.ts';
import { counterGap } from './counter-signs.ts';
import type { GoneSigns } from './gone-signs.ts';
import { plural, span } from './quantity.ts';
import { timeoutMs } from './signs.ts';
import { ageWords, capacityWords, type OwnWords, relistSteps, type Told, unreadWords } from './words-gone-phrases.ts';

/** Words for a young RV that the ring itself has lost: at its bound, pinned, or by a burst after a quiet time. */

/** A dynamic ring of this size can grow no more (`watch_cache.go` `defaultUpperBoundCapacity`). */
const LARGEST_RING = 102_400;

/** A silence of less is none, ms. */
const WORTH_TELLING_MS = 10_000;

/** `after a quiet time here, a burst … before` (it was quiet for 75 s less R's age, at least) + R. */
const BURST = 'after a quiet time here, a burst of 100 or more pushed out the last change before';

export function overrunSentence(told: Told): string {
  const { signs, R } = told;
  if (isBounded(told)) {
    return `A ring keeps 75 s unless it is pinned or at its upper bound of 102400 events${capacityWords(told)}: it was full, and the writes overran it.`;
  }
  const { burst } = signs;
  const grew = burst?.readings.grew;
  const rule = 'A ring below its bound keeps every change for 75 s, but an RV goes with the last change before it.';
  if (burst && grew) {
    return `${rule} This ring is not pinned: it has grown from ${grew.from} to ${grew.to} events. So ${BURST} ${R}, when it was full.${burstSeen(signs)}`;
  }
  const size = signs.capacity === undefined ? ' or at its upper bound of 102400 events' : '';
  const pinned = `the ring is pinned${capacityWords(told)}${size}, and the writes overran it`;
  if (!burst) return `A ring below its bound keeps every change for 75 s. So ${pinned}.`;
  return `${rule} So ${pinned}, or ${BURST} ${R}.${burstSeen(signs)}`;
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

export function overrunAdvice(told: Told): Pick<OwnWords, 'next' | 'do'> {
  const { signs, pinned } = told;
  const writes =
    'write less to this resource: a narrower watch does not help, the ring holds the changes of all its objects';
  if (pinned !== undefined) {
    return {
      next: [`--cache-size ${pinned * 10}: a larger pinned ring, or --cache-size auto`, writes, ...relistSteps(told)],
      do: `in a cluster: nothing if once. Here: try --cache-size ${pinned * 10}`,
    };
  }
  if (signs.burst?.readings.grew) {
    return {
      next: [
        ...relistSteps(told),
        'spread bursts of writes over minutes: a quiet resource survives 99 changes in any case',
      ],
      do: 'nothing: a relist heals it. Nobody has to be woken.',
    };
  }
  if (signs.capacity !== undefined && !signs.burst) {
    return {
      next: [writes, ...relistSteps(told)],
      do: 'nothing if once. If it repeats: fewer writes to this resource, or a larger ring',
    };
  }
  return {
    next: [
      'kubectl get --raw /metrics | grep watch_cache_capacity: at 102400, its bound? If less: pinned, or a burst after a quiet time',
      writes,
      ...relistSteps(told),
    ],
    do: 'nothing if once. If it repeats: fewer writes to this resource, or a ring that is not pinned',
  };
}

/** What the stream, the list after it and /metrics show of such a burst. Empty where they do not. */
function burstSeen({ burst }: GoneSigns): string {
  if (!burst || !wasSeen(burst)) return '';
  return ` That fits here: ${seenWords(burst)}.`;
}

export function burstEvidence({ burst }: GoneSigns): string[] {
  const words = burst && seenWords(burst);
  return words ? [words] : [];
}

function seenWords({ quietMs = 0, objects, revisions, floorAbove, readings: { changes, grew } }: BurstSigns): string {
  return [
    ...(quietMs >= WORTH_TELLING_MS ? [`no event for ${span(quietMs)} before that RV came`] : []),
    ...(changes === undefined ? [] : [`${plural(changes, 'change')} between two readings of /metrics`]),
    ...(grew ? [`ring grown from ${grew.from} to ${grew.to}`] : []),
    ...(objects && changes === undefined ? [`${plural(objects, 'object')} changed since`] : []),
    ...(revisions === undefined ? [] : [`${plural(revisions, 'revision')} of all resources since`]),
    ...(floorAbove === undefined ? [] : [`the floor lies only ${floorAbove} above it`]),
  ].join('; ');
}

/** It is known to be pinned, or at its bound: then it needs no burst. */
function isBounded({ signs, pinned }: Told): boolean {
  return pinned !== undefined || (signs.capacity ?? 0) >= LARGEST_RING;
}

/** Nothing is known of what lies between the handing out of R and its refusal: every reason is named. */
export function youngWords(
  told: Told,
  refused: string,
  evidence: readonly string[],
): Pick<OwnWords, 'title' | 'text' | 'evidence' | 'why'> {
  const { signs, R } = told;
  const age = ageWords(signs) ?? 'not long';
  const only = ageWords(signs, 'only ') ?? 'not long';
  const burst = signs.burst ? `, or ${BURST} ${R}` : '';
  const ownSize = signs.burst?.readings.grew ? '' : ', or the ring is pinned or at its bound (102400 events)';
  const between =
    signs.rebuild.refusedBetween > 0
      ? 'Connections were refused in between, as while an apiserver restarts; the way to it may have been cut as well.'
      : 'Nothing decides between them.';
  return {
    title: `410: RV ${R} is refused though it was ${only} old`,
    text: [
      refused,
      `${R} had been handed out ${only} before${unreadWords(signs)}, ${cameBy(told)}. A ring below its bound keeps every change for 75 s. So the cache was rebuilt meanwhile, or another, younger apiserver answered${ownSize}${burst}.${burstSeen(signs)}`,
      listedAgain(told) ?? `${between} ${missingReading(told)}`,
    ],
    evidence: [...evidence, ...burstEvidence(signs)],
    why: `${R} was ${age} old: cache rebuilt, a younger replica, a ring at its bound${signs.burst ? ', or a burst after a quiet time' : ''}`,
  };
}

/** A cache never lists an RV below its own floor: where each list hands it out anew, another one answers them. */
function listedAgain({ episode, signs, place, R, M }: Told): string | undefined {
  if (episode.members.length < 2 || place.stream?.requestedRvOrigin !== 'list' || signs.floor === undefined)
    return undefined;
  return `The lists hand out ${R} again and again, and no cache lists an RV below its own floor (${M}): so another, stale apiserver, or a stale cache on the way, answers the lists.`;
}

/** What would have decided, and why it is not there. */
function missingReading({ place }: Told): string {
  const sibling = 'a sibling watch of the same resource';
  switch (counterGap(place)) {
    case 'not asked':
      return `The counter of initializations would (/metrics, before and after; no probe asked for it), or ${sibling} that lives on.`;
    case 'refused':
      return `The counter of initializations would, but /metrics told nothing of it (refused, or no such name); or ${sibling}.`;
    case 'none before':
      return `The counter of initializations would, but it was not read before the refusal, only after; or ${sibling}.`;
    case 'none after':
      return `The counter of initializations would, but it was read before the refusal only, and not yet after; or ${sibling}.`;
    case 'other process':
      return `The counter of initializations would, but two processes told it, one before and one after; or ${sibling}.`;
    default:
      return `The counter of initializations would, had it been read before ${place.stream?.requestedRv ?? 'that RV'} was given; or ${sibling}.`;
  }
}

function cameBy({ signs, place }: Told): string {
  const { giver } = signs;
  if (place.stream?.cameTo) return 'by this stream itself';
  if (!giver) return 'by a list';
  if (giver.end === 'stopped') return 'and then we left';
  const planned = timeoutMs(giver) !== undefined && giver.end === 'eof';
  return planned ? 'and the stream ended as planned' : 'and then the stream broke off';
}
