import { isObjectsOwnRv, listBefore } from './age-of-rv.ts';
import { type GoneSigns, healingOf } from './gone-signs.ts';
import { span } from './quantity.ts';
import { ageMs } from './signs.ts';
import { probeViaCommand } from './tail-command.ts';
import {
  ageEvidence,
  ageWords,
  awayPhrase,
  etcdPhrase,
  type OwnWords,
  oldWords,
  refusedSentence,
  relistSteps,
  replicaSentence,
  ruledOutSentence,
  type Told,
  unreadWords,
  whereShort,
} from './words-gone-phrases.ts';
import { burstEvidence, overrunAdvice, overrunReason, overrunSentence } from './words-overrun.ts';

/** Words for a 410 of the watch cache whose ring no longer reaches back to R: the window slid, or was overrun. */

export function ringWords(told: Told): OwnWords {
  const { signs, R, M, episode } = told;
  const { rule } = episode.main.decision;
  const replica = signs.floors.differ;
  const age = oldWords(signs);
  const only = ageWords(signs, 'only ');
  const base = {
    who: `watch cache, ${whereShort(signs)}: ${R} < floor ${M}`,
    evidence: ageEvidence(told),
    do: 'nothing if it comes once: it heals by a relist. Nobody has to be woken.',
  };
  const ruledOut = ruledOutSentence(signs);
  if (replica) {
    const probe = probeViaCommand(told.place.target, 'https://ADDRESS:PORT');
    return {
      ...base,
      title: `410: another apiserver answered, whose watch cache does not reach back to RV ${R}`,
      text: [refusedSentence(told), replicaSentence(told), ruledOut],
      why: `floors ${replica.low} and ${replica.high} at one moment: two apiservers, the one that refused is younger`,
      next: [
        'kubectl get endpoints kubernetes -n default: the apiservers behind this address, where they are in the cluster',
        ...(probe === undefined ? [] : [`${probe}, for each of them: which floor has it?`]),
        ...relistSteps(told),
      ],
    };
  }
  if (rule === 'overrun') {
    return {
      ...base,
      title: `410: the ring was overrun, RV ${R} was ${only} old`,
      text: [
        refusedSentence(told),
        `${R} had been handed out ${ageWords(signs)} before${unreadWords(signs)}. ${overrunSentence(told)}`,
        ruledOut,
      ],
      evidence: [...base.evidence, ...burstEvidence(signs)],
      why: overrunReason(told, only ?? ''),
      ...overrunAdvice(told),
    };
  }
  if (rule === 'from outside' || age === undefined) return unknownAgeWords(told, base);
  return slidWords(told, base, age, ruledOut);
}

/** Where R came from, if not by a frame or list of its moment: then its age is unknown. */
function unknownAgeWords(told: Told, base: Base): OwnWords {
  const { signs, R } = told;
  const { origin, why, next } = unknownAge(told);
  return {
    ...base,
    title: `410: the apiserver's watch cache no longer reaches back to RV ${R}`,
    text: [
      refusedSentence(told),
      `${origin} A window that has moved on since is by far the usual reason, a rebuild of the cache the second.`,
      etcdPhrase(signs),
    ],
    why: `${why}; the window has most likely moved on`,
    next: [...relistSteps(told), ...next],
  };
}

function unknownAge({ signs: { giver }, place, R }: Told): { origin: string; why: string; next: string[] } {
  if (giver && isObjectsOwnRv(giver)) {
    return {
      origin: `${R} is the RV of an object of the initial state, the highest of them: that object may have been changed last long before the watch began, so how old the RV is cannot be known.`,
      why: `${R} is an old object's own RV, its age is unknown`,
      next: [
        giver.allowWatchBookmarks
          ? 'list, then watch from the RV of the list: that is of now, an RV of the initial state is not'
          : 'allowWatchBookmarks=true: the first bookmark brings an RV that is of now',
      ],
    };
  }
  if (place.stream?.requestedRvOrigin === 'none') {
    return {
      origin: `The request carried no resourceVersion: ${R} is one that the server had chosen itself, and how old it was is not known.`,
      why: `the server chose ${R} itself for a watch without an RV, its age is unknown`,
      next: [],
    };
  }
  return {
    origin: `${R} came from outside with the first request, so how old it is cannot be known.`,
    why: `${R} came from outside, its age is unknown`,
    next: ['do not store an RV for later: after about 75 s nobody promises it'],
  };
}

type Base = Pick<OwnWords, 'who' | 'evidence' | 'do'>;

/** A stream so long, ms, gets bookmarks where the server sends any: one a minute (facts/server §3.11). */
const LONG_ENOUGH_MS = 75_000;

/** Bookmarks were asked for, and none came: so nothing kept R young. */
function withoutBookmarks({ giver, rebuild }: GoneSigns): string {
  if (!giver?.allowWatchBookmarks || giver.bookmarks > 0 || rebuild.seen) return '';
  const age = ageMs(giver, giver.endedAt ?? 0);
  return age < LONG_ENOUGH_MS
    ? ''
    : ` Bookmarks were asked for, but none came in ${span(age)}: nothing kept the RV young, and this server seems to send none.`;
}

/** Our absence explains the age of R where it makes a good part of it; a moment of it does not. */
function mostlyAway({ awayMs = 0, age }: GoneSigns): boolean {
  return awayMs * 4 >= (age?.atLeastMs ?? 0);
}

/** ` (…)`: R is of a list that took most of the time itself. Empty where it did not. */
function slowList({ place, signs: { age } }: Told): string {
  const { stream } = place;
  if (stream?.requestedRvOrigin !== 'list' || age === undefined) return '';
  const list = listBefore(place, stream.requestedRv);
  const took = list === undefined ? 0 : list.endedAt - list.askedAt;
  if (list === undefined || took * 2 < age.atLeastMs) return '';
  const pages = list.pages > 1 ? `, in ${list.pages} pages; the RV of a paged list is that of its first page` : '';
  return ` (a list that took ${span(took)}${pages})`;
}

function slidWords(told: Told, base: Base, age: string, ruledOut: string): OwnWords {
  const { signs, R } = told;
  const filtered = signs.idleFiltered
    ? ' Few events pass its selector or name, and without allowWatchBookmarks no bookmark kept the RV young.'
    : '';
  const unmarked = withoutBookmarks(signs);
  const away = mostlyAway(signs) ? awayPhrase(told.place, signs) : '';
  const slow = slowList(told);
  return {
    ...base,
    title: `410: the apiserver's watch cache no longer reaches back to RV ${R}, which was ${age} old`,
    text: [
      refusedSentence(told),
      `${R} was ${age} old by ${slow ? 'our own' : "this stream's own"} clock${slow}${away ? `: ${away}` : ''}; a ring promises no more than about 75 s.${filtered}${unmarked}`,
      ruledOut === '' ? unchangedSentence(told) : ruledOut,
      etcdPhrase(signs),
    ],
    why: `${R} was ${age} old${away ? `: ${away}` : ''}; the window slid past it`,
    next: [...youngerRv(signs, slow !== '', unmarked !== ''), ...relistSteps(told)],
  };
}

/** All objects are watched, the list shows each as it was, and yet the ring has turned. */
function unchangedSentence({ signs: { giver }, place }: Told): string {
  const { namespace, name } = place.target;
  const gap = healingOf(place).list?.gap;
  if (!gap || giver?.hasSelector !== false || namespace !== undefined || name !== undefined) return '';
  if (gap.created.count + gap.changed.count + gap.deleted.count > 0) return '';
  return 'But the list shows no object changed since, and only changes of this resource turn its ring: either objects came and went unseen, or the cache began anew meanwhile.';
}

/** What would have kept R young, or used it sooner. */
function youngerRv(signs: GoneSigns, slowList: boolean, noBookmarks: boolean): string[] {
  if (slowList)
    return ['limit: larger pages, or a list that is read faster: the RV of a list is as old as its first page'];
  if (signs.idleFiltered || signs.giver?.allowWatchBookmarks === false) {
    return [
      'allowWatchBookmarks=true: a bookmark a minute keeps the resume RV young, also where the selector lets nothing through',
    ];
  }
  if (mostlyAway(signs)) return ['reconnect back-off: come back within 75 s, for so long a ring keeps every change'];
  return noBookmarks && signs.custom
    ? ['kubectl get apiservice: who serves this group? It was asked for bookmarks and sent none']
    : [];
}
