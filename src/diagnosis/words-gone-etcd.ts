import type { GoneSigns } from './gone-signs.ts';
import { quote } from './quote.ts';
import { isUncached } from './scene.ts';
import {
  ageEvidence,
  ageWords,
  type OwnWords,
  oldWords,
  relistSteps,
  said,
  type Told,
  unreadWords,
  whereRefused,
  whereShort,
} from './words-gone-phrases.ts';

/** Words for a 410 of etcd itself, and for one that nobody can read. */

export function directWords(told: Told): OwnWords {
  const { signs, R, place } = told;
  if (place.stream?.cameTo) return midStreamWords(told);
  const what = signs.requested === undefined ? 'what was asked for' : `RV ${R}`;
  const young =
    signs.age?.atMostMs !== undefined && signs.age.atMostMs < 300_000 ? ageWords(signs, 'only ') : undefined;
  return {
    title: `410: etcd has compacted ${what}`,
    text: [
      `etcd itself refused ${what}: it was compacted. ${whereRefused(signs)}. ${inBetween(told)}`,
      young === undefined
        ? 'By default the apiserver compacts every 5 min, so 5 to 10 min of history are there. This is by design and harms nobody who is connected.'
        : `${R} was ${young} old, though by default (every 5 min, by the apiserver) 5 to 10 min of history are there: it was compacted by hand, by etcd's own --auto-compaction, or by an apiserver with a shorter --etcd-compaction-interval. It harms nobody who is connected.`,
    ],
    evidence: ageEvidence(told),
    who: `etcd, ${whereShort(signs)}: ${signs.requested === undefined ? 'the history' : R} is compacted`,
    why: directReason(signs, R, young),
    next: ['--etcd-compaction-interval (5m by default) is how long an absence may last at least', ...relistSteps(told)],
    do: 'nothing if it comes once: a relist heals it. Nobody has to be woken.',
  };
}

/**
 * The stream had lived. A compaction ends no watch that keeps up, so what broke off was the apiserver's own watch of etcd: it was
 * taken up again (or served again) below what had been compacted meanwhile.
 */
function midStreamWords(told: Told): OwnWords {
  const { signs, R } = told;
  return {
    title: `410: etcd has compacted what came after RV ${R}`,
    text: [
      `The stream had come to RV ${R} when etcd refused to go on from there: it was compacted. ${whereRefused(signs)}. ${inBetween(told)}`,
      `A compaction harms nobody who keeps up: so the apiserver's own watch of etcd was interrupted, or far behind, and what it needed next was compacted meanwhile (by default every 5 min). ${R} had been handed out ${ageWords(signs)} before${unreadWords(signs)}.`,
    ],
    evidence: ageEvidence(told),
    who: `etcd, ${whereShort(signs)}: what came after ${R} is compacted`,
    why: `the stream lived until ${R}; the apiserver's own watch of etcd broke off or fell behind, and etcd compacted meanwhile`,
    next: ['apiserver log: was etcd unreachable or slow at that moment?', ...relistSteps(told)],
    do: 'nothing if it comes once: a relist heals it. Nobody has to be woken.',
  };
}

function inBetween({ place }: Told): string {
  return isUncached(place.target) ? 'Events have no watch cache, so etcd answers.' : 'No watch cache was in between.';
}

export function continueWords(told: Told): OwnWords {
  const { signs } = told;
  const token = signs.answer.tokenRv ?? signs.requested;
  const offered = signs.answer.status?.metadata?.continue !== undefined;
  return {
    title: '410: the continue token of a paged LIST is too old, its snapshot was compacted',
    text: [
      `The continue token${token ? ` (a snapshot at RV ${token})` : ''} was used after etcd had compacted that revision: the pages were read too slowly for what etcd keeps (5 to 10 min of history by default), or it was compacted early (by hand, by etcd's own --auto-compaction, or by a shorter --etcd-compaction-interval). It is a real HTTP 410, on a LIST.`,
      offered
        ? 'Either start over with a new list without continue, or take the token in metadata.continue: then the rest is read at the newest state and the list is inconsistent, mixed of two moments.'
        : 'Start over with a new list without continue. No other token is given here; pages of two moments would be inconsistent anyway.',
    ],
    evidence: [`page asked for with continue${token ? `, token RV ${token}` : ''}`],
    who: `etcd, HTTP 410 on a page of a LIST${token ? `: snapshot ${token} is compacted` : ''}`,
    why: 'etcd compacted that snapshot before its last page was read',
    next: [
      'limit: larger pages, or read them faster: by default 5 min are certain for the whole list',
      'restart the list from the first page, without continue',
    ],
    do: 'restart the list; nobody has to be woken',
  };
}

/** Text G: the watch cache's words without its floor, as of an exact LIST that no snapshot of the cache reaches back to. */
function withoutFloorWords(told: Told): OwnWords {
  const { signs, R } = told;
  const { isList } = signs.answer;
  return {
    title: `410 for RV ${R} in the watch cache's words, but without its floor: the cause cannot be told`,
    text: [
      `${isList ? 'A LIST at' : 'A watch from'} RV ${R} was refused with ${said(signs)}. These are the words of the watch cache, but the second number, in brackets, is missing: where its history starts is not said.`,
      isList
        ? 'A LIST at an exact RV is answered from snapshots of the cache, or by etcd: the snapshots no longer reach back, etcd has compacted it, or the cache was rebuilt. There is no way to tell which of them.'
        : 'So there is no way to tell whether the window slid or the cache was rebuilt.',
    ],
    evidence: [`message: ${said(signs)}`],
    who: `the watch cache by its words, ${whereShort(signs)}; no floor`,
    why: 'the number in brackets is missing',
    next: [
      ...relistSteps(told),
      ...(isList
        ? ['resourceVersionMatch=Exact: only for an RV of the last minutes; NotOlderThan takes any newer state']
        : []),
    ],
    do: 'relist; the remedy is the same for every cause',
  };
}

export function undecidedWords(told: Told): OwnWords {
  const { signs, R } = told;
  if (signs.text.letter === 'G') return withoutFloorWords(told);
  const bare = signs.text.letter === 'none';
  const status = signs.answer.status !== undefined;
  const what = !bare
    ? 'words that are not of Kubernetes'
    : status
      ? 'a Status without a message'
      : 'no body and no Status';
  const foreign = !signs.answer.inStream && !signs.answer.fromApiserver;
  const asked = signs.requested === undefined ? 'a request without an RV' : `RV ${R}`;
  const via = signs.answer.headers.via ?? signs.answer.headers.server;
  return {
    title: `410 for ${asked} with ${bare ? 'no message' : 'foreign words'}: the cause cannot be told`,
    text: [
      `${signs.requested === undefined ? 'A request without a resourceVersion' : `RV ${R}`} was refused with 410 and ${what}. The sentence that tells the watch cache from etcd is missing, so there is no way to tell whether the window slid, the cache was rebuilt or etcd compacted: each is possible.`,
      signs.requested === undefined
        ? 'No history was asked for, so none can be too old: whoever answers means something else by 410, such as a resource that is gone for good.'
        : '',
      foreign
        ? `An apiserver answers an expired watch with HTTP 200 and an ERROR event; something in between${via ? ` (${quote(via, 40)})` : ''} rewrote this, or it is another kind of server.`
        : '',
    ],
    evidence: [
      bare ? (status ? 'a Status, no message' : 'empty body, no message') : `message: ${said(signs)}`,
      ...(foreign ? ['no Audit-Id: the answer did not come from an apiserver as it is'] : []),
    ],
    who: `not known: ${whereShort(signs)}, ${bare ? 'no message' : 'foreign words'}`,
    why: 'the message that tells the causes apart is missing',
    next: [
      ...(signs.requested === undefined ? [] : relistSteps(told)),
      'ask the apiserver directly, past whatever is in between, and read the message',
    ],
    do:
      signs.requested === undefined
        ? 'find out who answers: no history was asked for'
        : 'relist; the remedy is the same for every cause',
  };
}

function directReason(signs: GoneSigns, R: string, young: string | undefined): string {
  if (young !== undefined)
    return `etcd compacted ${R} though it was ${young} old: by hand, by its own --auto-compaction, or a shorter --etcd-compaction-interval`;
  return signs.age
    ? `${R} was ${oldWords(signs)} old; by default 5 to 10 min are kept in etcd`
    : 'the words are etcd’s own: the revision was compacted';
}
