import { revisionsApart } from '../protocol/resource-version.ts';
import type { Episode } from './episode.ts';
import { type GoneSigns, healingOf } from './gone-signs.ts';
import { plural, span } from './quantity.ts';
import { quote } from './quote.ts';
import { isUncached, type Place, resourceName } from './scene.ts';
import { isLoop } from './severity.ts';
import { ageMs, timeoutMs } from './signs.ts';
import type { Words } from './words.ts';
import {
  awayPhrase,
  etcdPhrase,
  howEnded,
  relistSentence,
  ruledOutPhrases,
  ruledOutSentence,
  whereRefused,
} from './words-gone-phrases.ts';

/** Words for each row of the truth table. What is decided stands in gone.ts; here is only how it is said. */
export function goneWords(episode: Episode, signs: GoneSigns, pinned?: number): Words {
  const { main } = episode;
  const told = { episode, signs, place: main.place, R: signs.requested ?? 'the RV', M: signs.floor ?? '?', pinned };
  const words = byClass(told);
  const loop = isLoop(episode);
  const repeats = episode.members.length;
  const facts = goneFacts(told);
  return {
    ...words,
    text: [
      ...words.text,
      relistSentence(healingOf(episode.members.at(-1)!.place), loop),
      ...(repeats > 1 ? [`It was refused ${repeats} times with the same RV.`] : []),
    ],
    evidence: [...words.evidence, `the server said: ${said(signs)}`, ...etcdEvidence(signs)],
    ruledOut: ruledOutPhrases(signs, main.decision.class),
    facts,
    do: loop ? 'stop the loop: list again without resourceVersion, and mend what keeps the old RV' : words.do,
  };
}

interface Told {
  episode: Episode;
  signs: GoneSigns;
  place: Place;
  R: string;
  M: string;
  /** The ring is known to be pinned to so many events. */
  pinned: number | undefined;
}

type OwnWords = Omit<Words, 'facts' | 'ruledOut'>;

function byClass(told: Told): OwnWords {
  switch (told.episode.main.decision.class) {
    case 'ring-buffer-expiry':
      return ringWords(told);
    case 'cache-rebuilt':
      return rebuiltWords(told);
    case 'upstream-compaction':
      return told.episode.main.decision.sub === 'through-cache' ? throughCacheWords(told) : directWords(told);
    case 'continue-token-expired':
      return continueWords(told);
    default:
      return undecidedWords(told);
  }
}

function refusedSentence({ signs, R, M }: Told): string {
  const apart = revisionsApart(R, M);
  const distance = apart === undefined ? '' : ` (${apart} revisions above, of all resources together)`;
  return `The watch cache refused RV ${R}: its history starts at ${M}${distance}. ${whereRefused(signs)}.`;
}

function ringWords(told: Told): OwnWords {
  const { signs, R, M, episode } = told;
  const { rule } = episode.main.decision;
  const replica = signs.floors.differ;
  const age = signs.age ? span(signs.age.atLeastMs) : undefined;
  const base = {
    who: `watch cache, ${whereShort(signs)}: ${R} < floor ${M}`,
    evidence: ageEvidence(told),
    do: 'nothing if it comes once: it heals by a relist. Nobody has to be woken.',
  };
  const ruledOut = ruledOutSentence(signs);
  if (replica) {
    return {
      ...base,
      title: `410: another apiserver answered, whose watch cache does not reach back to RV ${R}`,
      text: [refusedSentence(told), replicaSentence(told), ruledOut],
      why: `floors ${replica.low} and ${replica.high} at one moment: two apiservers, the one that refused is younger`,
      next: ['kubectl get endpoints kubernetes: ask each apiserver (--server) for its floor', ...relistSteps(told)],
    };
  }
  if (rule === 'overrun') {
    return {
      ...base,
      title: `410: the ring was overrun, RV ${R} was only ${age} old`,
      text: [
        refusedSentence(told),
        `${R} had been handed out ${age} before. A ring keeps 75 s unless it is pinned or at its upper bound of 102400 events${capacityWords(told)}: it was full, and the writes overran it.`,
        ruledOut,
      ],
      why: `${R} was ${age} old, younger than the 75 s that a ring keeps below its bound: it was overrun by writes`,
      next: [
        told.pinned === undefined
          ? 'kubectl get --raw /metrics | grep watch_cache_capacity: pinned, or at 102400?'
          : `--cache-size ${told.pinned * 10}: a larger pinned ring, or --cache-size auto`,
        'watch less: a narrower namespace or selector does not help the ring, fewer writes do',
        ...relistSteps(told),
      ],
      do: 'nothing if once. If it repeats: fewer writes to this resource, or a ring that is not pinned',
    };
  }
  if (rule === 'from outside' || age === undefined) {
    return {
      ...base,
      title: `410: the apiserver's watch cache no longer reaches back to RV ${R}`,
      text: [
        refusedSentence(told),
        `${R} came from outside with the first request, so how old it is cannot be known: a window that has moved on since is by far the usual reason, a rebuild of the cache the second.`,
        etcdPhrase(signs),
      ],
      why: `${R} came from outside, its age is unknown; the window has most likely moved on`,
      next: [...relistSteps(told), 'do not store an RV for later: after about 75 s nobody promises it'],
    };
  }
  return slidWords(told, base, age, ruledOut);
}

type Base = Pick<OwnWords, 'who' | 'evidence' | 'do'>;

function slidWords(told: Told, base: Base, age: string, ruledOut: string): OwnWords {
  const { signs, R } = told;
  const filtered = signs.idleFiltered
    ? ' Few events pass its selector or name, and without allowWatchBookmarks no bookmark kept the RV young.'
    : '';
  const away = awayPhrase(told.place, signs);
  return {
    ...base,
    title: `410: the apiserver's watch cache no longer reaches back to RV ${R}, which was ${age} old`,
    text: [
      refusedSentence(told),
      `${R} was ${age} old by this stream's own clock${away ? `: ${away}` : ''}; a ring promises no more than about 75 s.${filtered}`,
      ruledOut,
      etcdPhrase(signs),
    ],
    why: `${R} was ${age} old${away ? `: ${away}` : ''}; the window slid past it`,
    next: [
      signs.idleFiltered || signs.giver?.allowWatchBookmarks === false
        ? 'allowWatchBookmarks=true: a bookmark a minute keeps the resume RV young, also where the selector lets nothing through'
        : 'reconnect back-off: come back within 75 s, then the same RV is still in the window',
      ...relistSteps(told),
    ],
  };
}

function rebuiltWords(told: Told): OwnWords {
  const { signs, R, M, episode } = told;
  const { rule } = episode.main.decision;
  const base = {
    who: `watch cache, ${whereShort(signs)}: ${R} < floor ${M}`,
    evidence: [...rebuildEvidence(told), ...ageEvidence(told)],
    next: [
      `kubectl get --raw /metrics | grep watch_cache_initializations_total: +1 at that moment proves it`,
      `apiserver log: "Terminating all watchers from cacher ${resourceName(told.place.target)}", and why just before it`,
      ...relistSteps(told),
    ],
    do: 'relist heals the client; find out why the cache began anew if it happens again',
  };
  if (rule === 'young, nothing known') {
    const age = signs.age ? span(signs.age.atLeastMs) : 'not long';
    return {
      ...base,
      title: `410: RV ${R} is refused though it was only ${age} old`,
      text: [
        refusedSentence(told),
        `${R} had been handed out only ${age} before${signs.readLate ? ' (or earlier: we read late)' : ''}, ${cameBy(told)}. A ring below its upper bound keeps 75 s. So the cache was rebuilt meanwhile, or another, younger apiserver answered, or the ring is pinned or at its bound (102400 events) and was overrun.`,
        'Nothing decides between them: a sibling watch of the same resource, or the counter of initializations, would.',
      ],
      why: `${R} was ${age} old and a ring keeps 75 s: cache rebuilt, a younger replica, or a ring at its bound`,
    };
  }
  const counter = signs.rebuild.counterRose;
  const ended = rule === 'rebuilt while away' ? '' : howEnded(signs);
  const cause = signs.etcdHasR
    ? `etcd still has ${R}, so a compaction of it is ruled out as the reason: a restart of the apiserver, etcd trouble (the cache lost its watch), or the like.`
    : `Why is open: a restart of the apiserver, etcd trouble, ${signs.custom ? 'an edited CRD, ' : ''}or a compaction that the cache's own etcd watch ran into. None of them is shown.`;
  return {
    ...base,
    title: `410: ${counter ? '' : 'by all signs '}the watch cache was re-initialised, it starts above RV ${R}`,
    text: [
      refusedSentence(told),
      ended,
      counter
        ? `The counter of initializations went from ${counter.from} to ${counter.to}: the cache was rebuilt.`
        : '',
      ended && !counter ? 'These are the signs of a rebuilt cache.' : '',
      cause,
      signs.floors.differ ? replicaSentence(told) : '',
    ],
    why: counter
      ? `initializations counter ${counter.from} → ${counter.to}: rebuilt; ${signs.etcdHasR ? 'etcd still has the RV' : 'the reason is open'}`
      : `the server ended the stream early without ERROR, and its resume met a floor above ${R}`,
  };
}

function throughCacheWords(told: Told): OwnWords {
  const { signs, R, M } = told;
  const counter = signs.rebuild.counterRose;
  return {
    title: `410: the watch cache was ${counter ? '' : 'most likely '}rebuilt after an etcd compaction, RV ${R} lies before it`,
    text: [
      refusedSentence(told),
      howEnded(signs),
      counter
        ? `The counter of initializations went from ${counter.from} to ${counter.to}: the cache was rebuilt.`
        : 'These are the signs of a rebuilt cache.',
      `etcd has compacted ${R} as well, which fits a cache whose own etcd watch was cut off, ran into the compaction and had to list again.`,
      counter ? '' : 'A restart just after a compaction would look the same.',
    ],
    evidence: [...rebuildEvidence(told), ...ageEvidence(told)],
    who: `watch cache, ${whereShort(signs)}: ${R} < floor ${M}; behind it etcd, which has compacted ${R}`,
    why: `${counter ? `initializations counter ${counter.from} → ${counter.to}` : 'ended early without ERROR, resume refused'}, and etcd has compacted ${R}`,
    next: [
      'kubectl get --raw /metrics | grep watch_cache_initializations_total: did other resources begin anew as well?',
      'apiserver log: "required revision has been compacted", "Terminating all watchers from cacher"',
      'etcd: was the apiserver cut off from it, or is it slow?',
      ...relistSteps(told),
    ],
    do: 'relist heals the client; look why the apiserver lost etcd for so long',
  };
}

function directWords(told: Told): OwnWords {
  const { signs, R, place } = told;
  const what = signs.requested === undefined ? 'what was asked for' : `RV ${R}`;
  const uncached = isUncached(place.target)
    ? 'Events have no watch cache, so etcd answers.'
    : 'No watch cache was in between.';
  return {
    title: `410: etcd has compacted ${what}`,
    text: [
      `etcd itself refused ${what}: it was compacted. ${whereRefused(signs)}. ${uncached}`,
      'By default the apiserver compacts every 5 min, so 5 to 10 min of history are there. This is by design and harms nobody who is connected.',
    ],
    evidence: ageEvidence(told),
    who: `etcd, ${whereShort(signs)}: ${signs.requested === undefined ? 'the history' : R} is compacted`,
    why: signs.age
      ? `${R} was ${span(signs.age.atLeastMs)} old; etcd keeps 5 to 10 min`
      : 'the words are etcd’s own: the revision was compacted',
    next: ['--etcd-compaction-interval (5m by default) is how long an absence may last at least', ...relistSteps(told)],
    do: 'nothing if it comes once: a relist heals it. Nobody has to be woken.',
  };
}

function continueWords(told: Told): OwnWords {
  const { signs } = told;
  const token = signs.answer.tokenRv ?? signs.requested;
  const offered = signs.answer.status?.metadata?.continue !== undefined;
  return {
    title: '410: the continue token of a paged LIST is too old, its snapshot was compacted',
    text: [
      `The continue token${token ? ` (a snapshot at RV ${token})` : ''} was used after etcd had compacted that revision: reading the pages took longer than etcd keeps history (5 to 10 min by default). It is a real HTTP 410, on a LIST.`,
      `Either start over with a new list without continue${offered ? ', or take the token in metadata.continue: then the rest is read at the newest state and the list is inconsistent, mixed of two moments' : '; going on from a fresh token would make the list inconsistent'}.`,
    ],
    evidence: [`page asked for with continue${token ? `, token RV ${token}` : ''}`],
    who: `etcd, HTTP 410 on a page of a LIST${token ? `: snapshot ${token} is compacted` : ''}`,
    why: 'the pages were read more slowly than etcd keeps history',
    next: [
      'limit: larger pages, or read them faster; the whole list has to take less than 5 min',
      'restart the list from the first page, without continue',
    ],
    do: 'restart the list; nobody has to be woken',
  };
}

function undecidedWords(told: Told): OwnWords {
  const { signs, R } = told;
  const bare = signs.text.letter === 'none';
  const what = bare ? 'no body and no Status' : 'words that are not of Kubernetes';
  const foreign = !signs.answer.inStream && !signs.answer.fromApiserver;
  const via = signs.answer.headers.via ?? signs.answer.headers.server;
  return {
    title: `410 for RV ${R} with ${bare ? 'no message' : 'foreign words'}: the cause cannot be told`,
    text: [
      `RV ${R} was refused with 410 and ${what}. The sentence that tells the watch cache from etcd is missing, so there is no way to tell whether the window slid, the cache was rebuilt or etcd compacted: either is possible.`,
      foreign
        ? `An apiserver answers an expired watch with HTTP 200 and an ERROR event; something in between${via ? ` (${quote(via, 40)})` : ''} rewrote this, or it is another kind of server.`
        : '',
    ],
    evidence: [
      bare ? 'empty body, no message' : `message: ${said(signs)}`,
      ...(foreign ? ['no Audit-Id: the answer did not come from an apiserver as it is'] : []),
    ],
    who: `not known: ${whereShort(signs)}, ${bare ? 'no body' : 'foreign words'}`,
    why: 'the message that tells the causes apart is missing',
    next: [...relistSteps(told), 'ask the apiserver directly, past whatever is in between, and read the message'],
    do: 'relist; the remedy is the same for every cause',
  };
}

function relistSteps({ place }: Told): string[] {
  return [
    `kwatch tail ${place.target.resource ? resourceName(place.target) : `--raw '${quote(place.target.path, 80)}'`} --rv list: list again without resourceVersion, then watch from the new list's RV (informers relist by themselves)`,
  ];
}

function replicaSentence({ signs }: Told): string {
  const { differ } = signs.floors;
  if (!differ) return '';
  return `Within one moment the floor was told as ${differ.high} and as ${differ.low}. A floor never falls in one cache, so more than one apiserver (replica) answers here: the one that refused started its history later, the other would have taken the RV.`;
}

function capacityWords({ signs, pinned }: Told): string {
  if (pinned !== undefined) return ` (this one is pinned to ${pinned})`;
  const { capacity } = signs;
  if (capacity === undefined) return '';
  return capacity >= 102_400 ? ` (it is at ${capacity}, its maximum)` : ` (this one holds ${capacity} events)`;
}

function cameBy({ signs }: Told): string {
  const { giver } = signs;
  if (!giver) return 'by a list';
  if (giver.end === 'stopped') return 'and then we left';
  const planned = timeoutMs(giver) !== undefined && giver.end === 'eof';
  return planned ? 'and the stream ended as planned' : 'and then the stream broke off';
}

function ageEvidence({ signs, R }: Told): string[] {
  if (!signs.age) return [];
  const late = signs.readLate ? ' or more: we read late' : '';
  return [`RV ${R} was ${span(signs.age.atLeastMs)} old${late} when it was refused`];
}

function rebuildEvidence({ signs }: Told): string[] {
  const { giver, rebuild } = signs;
  const found: string[] = [];
  if (rebuild.seen && giver) {
    found.push(
      `stream ${giver.stream} ended properly, without ERROR, after ${span(ageMs(giver, 0))}; resumed ${span(signs.awayMs ?? 0)} later`,
    );
  }
  if (rebuild.counterRose) {
    found.push(`initializations counter: ${rebuild.counterRose.from} before, ${rebuild.counterRose.to} after`);
  }
  if (rebuild.restartedAt !== undefined) found.push('process_start_time_seconds: the apiserver started meanwhile');
  if (rebuild.refusedBetween > 0) {
    found.push(`${plural(rebuild.refusedBetween, 'connection')} refused in between: the apiserver restarted`);
  }
  return found;
}

function etcdEvidence(signs: GoneSigns): string[] {
  if (signs.text.refusedBy === 'etcd' || signs.etcdHasR === undefined) return [];
  return [
    signs.etcdHasR
      ? `etcd still has RV ${signs.requested} (Exact list: 200)`
      : `etcd has compacted RV ${signs.requested} (Exact list: 410)`,
  ];
}

function said({ answer }: GoneSigns): string {
  return answer.message.trim() === '' ? 'nothing' : `"${quote(answer.message, 120)}"`;
}

function whereShort({ answer }: GoneSigns): string {
  return answer.inStream ? 'in the stream (HTTP 200)' : `HTTP ${answer.httpStatus ?? '?'}`;
}

function goneFacts({ signs, place }: Told): Words['facts'] {
  const { answer, giver } = signs;
  return {
    refused_by: signs.text.refusedBy,
    requested_rv: answer.hadContinue ? undefined : signs.requested,
    oldest_startable_rv: signs.floor,
    token_rv: answer.tokenRv,
    http_status: answer.httpStatus,
    status_code: answer.code,
    last_rv: giver?.lastRv ?? place.stream?.lastRv,
  };
}
