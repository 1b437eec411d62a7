import { plural, span, times } from './quantity.ts';
import { resourceName, sameResource } from './scene.ts';
import { ageMs } from './signs.ts';
import { endedTogether } from './together.ts';
import {
  ageEvidence,
  howEnded,
  type OwnWords,
  oldWords,
  refusedSentence,
  relistSteps,
  replicaSentence,
  type Told,
  whereShort,
} from './words-gone-phrases.ts';
import { youngWords } from './words-overrun.ts';

/** Words for a 410 of a watch cache that began anew: for whatever reason, or after a compaction. */

export function rebuiltWords(told: Told): OwnWords {
  const { signs, R, M, episode } = told;
  const { rule } = episode.main.decision;
  const base = {
    who: `watch cache, ${whereShort(signs)}: ${R} < floor ${M}`,
    evidence: [...rebuildEvidence(told), ...ageEvidence(told)],
    next: [...rebuildSteps(told), ...relistSteps(told)],
    do: 'relist heals the client; find out why the cache began anew if it happens again',
  };
  if (rule === 'young, nothing known') return { ...base, ...youngWords(told, refusedSentence(told), base.evidence) };
  const counter = signs.rebuild.counterRose;
  const ended = rule === 'rebuilt while away' ? '' : howEnded(signs);
  const restarted = rule === 'rebuilt while away' && signs.rebuild.restartedAt !== undefined;
  const elsewhere =
    signs.giver && signs.rebuild.seen ? endedTogether({ ...told.place, stream: signs.giver }, 'other') : [];
  const compactionIsOut = signs.etcdHasR === true && signs.cacheHadR;
  const { restartedAt, refusedBetween, goaway } = signs.rebuild;
  const unseen = compactionUnseen(told);
  const cause =
    restartedAt !== undefined
      ? 'So the apiserver was started anew, or a younger one answers.'
      : goaway
        ? `So that apiserver stopped${refusedBetween > 0 ? ' (connections were refused in between)' : ''}, and the one that answers now, restarted or another, has a cache that began later.`
        : refusedBetween > 0
          ? 'Connections were refused in between, so most likely the apiserver was restarted.'
          : elsewhere.length > 0
            ? `${plural(elsewhere.length, 'stream of another resource', 'streams of other resources')} ended in the same moment: so most likely the apiserver was restarted, or cut off from etcd (where a compaction may have been in it), and not this one cache alone.${compactionIsOut ? ` etcd still has ${R}: it was not compacted.` : ''}`
            : compactionIsOut
              ? `etcd still has ${R}, so a compaction of it is ruled out as the reason: a restart of the apiserver, etcd trouble (the cache lost its watch), or the like.`
              : `Why is open: a restart of the apiserver, etcd trouble, ${signs.custom ? 'an edited CRD, ' : ''}or a compaction that the cache's own etcd watch ran into. None of them is shown${unseen && `: ${unseen}`}.`;
  return {
    ...base,
    title:
      goaway && !counter && !restarted
        ? `410: the apiserver behind the stream stopped, and the watch cache that answers now starts above RV ${R}`
        : restarted
          ? `410: the apiserver that answers was started after RV ${R}, its watch cache begins above it`
          : `410: ${counter ? '' : 'by all signs '}the watch cache was re-initialised, it starts above RV ${R}`,
    text: [
      refusedSentence(told),
      ended,
      counter
        ? `The counter of initializations went from ${counter.from} to ${counter.to}: the cache was rebuilt.`
        : '',
      restarted
        ? `The process that answers started after ${R} had been handed out: its cache begins with a list of its own.`
        : '',
      roomSentence(told),
      ended && !counter && !goaway ? 'These are the signs of a rebuilt cache.' : '',
      togetherSentence(told),
      notReadySentence(told),
      rule === 'rebuilt while away' ? whileAway(told) : '',
      cause,
      signs.floors.differ ? replicaSentence(told) : severalSentence(told),
    ],
    why: counter
      ? `initializations counter ${counter.from} → ${counter.to}: rebuilt; ${compactionIsOut ? 'etcd still has the RV' : 'the reason is open'}`
      : restarted
        ? `the apiserver that answers started after ${R} was given: its history begins later`
        : rule === 'rebuilt while away' && signs.ringHadRoom
          ? `${signs.ringHadRoom.revisions} revisions since ${R}, and the ring holds ${signs.ringHadRoom.capacity}: it did not overwrite them`
          : `the server ended the stream early ${goaway ? 'by GOAWAY' : 'without ERROR'}, and its resume met a floor above ${R}`,
  };
}

/** Known by /metrics alone: two processes that ran at one time. */
function severalSentence({ signs }: Told): string {
  if (signs.servers !== 'several') return '';
  return 'Two processes answered /metrics: more than one apiserver is behind this address, and a younger one may have refused.';
}

/** What a rebuild ends, too: the other streams of the resource. */
function togetherSentence({ signs: { giver, rebuild }, place }: Told): string {
  if (!rebuild.seen || !giver || rebuild.goaway) return '';
  const others = endedTogether({ ...place, stream: giver }, 'same').map(({ stream }) => stream);
  if (others.length === 0) return '';
  const which = others.length === 1 ? `The sibling stream ${others[0]}` : `${others.length} sibling streams`;
  return `${which} on the same resource ended in the same moment, as a rebuild ends all of them.`;
}

/** The cache's own word that it was being filled. */
function notReadySentence({ signs: { rebuild } }: Told): string {
  const { notReadyBetween } = rebuild;
  return notReadyBetween === undefined
    ? ''
    : `In between the apiserver answered 429 "storage is (re)initializing" (${times(notReadyBetween)}): the cache was being filled.`;
}

/** Why nobody can say whether etcd had compacted R. Empty where that is known, or still being asked. */
function compactionUnseen({ signs, place }: Told): string {
  if (signs.etcdHasR !== undefined) return '';
  const { run } = place.scene;
  if (!run.probing) return 'without probes nobody asked etcd whether it still has this RV';
  const refused = run.probes.find(
    ({ kind, target, answeredAt, outcome }) =>
      kind === 'exact' && sameResource(target, place.target) && answeredAt >= place.at && outcome.kind === 'failed',
  );
  if (!refused) return '';
  const status = refused.httpStatus === undefined ? 'not answered' : `refused (HTTP ${refused.httpStatus})`;
  return `an Exact list at it, which would tell of etcd, was ${status}`;
}

/** A new process counts from 0, and had no watchers to terminate: its start is what tells. */
function rebuildSteps({ signs, place }: Told): string[] {
  const { restartedAt, refusedBetween, goaway, counterRose } = signs.rebuild;
  if (counterRose) {
    return [
      'kubectl get --raw /metrics | grep watch_cache_initializations_total: did other resources begin anew as well? Then it was not this cache alone',
      `apiserver log: "Terminating all watchers from cacher ${resourceName(place.target)}", and why just before it`,
    ];
  }
  return restartedAt !== undefined || goaway || refusedBetween > 0
    ? [
        'kubectl get --raw /metrics | grep process_start_time_seconds: when did the apiserver that answers start?',
        'kubectl get pods -n kube-system, and the log of the apiserver before: why did it start anew, was it meant?',
      ]
    : [
        'kubectl get --raw /metrics | grep watch_cache_initializations_total: +1 at that moment, in one process, proves it',
        `apiserver log: "Terminating all watchers from cacher ${resourceName(place.target)}", and why just before it`,
      ];
}

/** An absence so short is none in which anything else would have happened, ms. */
const JUST_THEN_MS = 5_000;

function whileAway({ signs, R }: Told): string {
  const away = signs.awayMs === undefined ? '' : ` (${span(signs.awayMs)})`;
  if (signs.rebuild.counterRose && signs.awayMs !== undefined && signs.awayMs < JUST_THEN_MS)
    return `Our stream did not end by it, so it happened just as that ended, or in the ${span(signs.awayMs)} until we were back; or the counter is another apiserver's.`;
  if (signs.ringHadRoom) return `It happened while we were not connected${away}, or a younger apiserver answers.`;
  return `It happened while we were not connected${away}: whether the window would have slid past ${R} anyway cannot be told, but a cache that begins anew is enough.`;
}

function roomSentence({ signs, R }: Told): string {
  const { ringHadRoom: room } = signs;
  if (!room) return '';
  return `Since ${R} only ${plural(room.revisions, 'revision was', 'revisions were')} written, of all resources together, and the ring holds ${room.capacity} events: it cannot have overwritten them.`;
}

export function throughCacheWords(told: Told): OwnWords {
  const { signs, R, M, episode } = told;
  const counter = signs.rebuild.counterRose;
  const shown = episode.main.decision.confidence === 'high';
  const age = oldWords(signs);
  return {
    title: `410: the watch cache was ${counter ? 'rebuilt' : 'most likely rebuilt'}${counter && !shown ? ', most likely' : ''} after an etcd compaction, RV ${R} lies before it`,
    text: [
      refusedSentence(told),
      signs.rebuild.seen ? howEnded(signs) : '',
      counter
        ? `The counter of initializations went from ${counter.from} to ${counter.to}: the cache was rebuilt.`
        : 'These are the signs of a rebuilt cache.',
      togetherSentence(told),
      notReadySentence(told),
      signs.rebuild.seen ? '' : whileAway(told),
      `etcd has compacted ${R} as well, which fits a cache whose own etcd watch was cut off, ran into the compaction and had to list again.`,
      counter ? '' : 'A restart just after a compaction would look the same.',
      replicaSentence(told),
      counter && !shown && age !== undefined
        ? `It was ${age} old, though, and etcd compacts every 5 min by default: that alone does not show that the cache ran into it.`
        : '',
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
    do: 'relist heals the client; look why the apiserver was cut off from etcd, or behind it',
  };
}

function rebuildEvidence({ signs }: Told): string[] {
  const { giver, rebuild } = signs;
  const found: string[] = [];
  if (rebuild.seen && giver) {
    found.push(
      `stream ${giver.stream} ended ${rebuild.goaway ? 'by GOAWAY NO_ERROR' : 'properly, without ERROR'}, after ${span(ageMs(giver, 0))}; resumed ${span(signs.awayMs ?? 0)} later`,
    );
  }
  if (rebuild.counterRose) {
    found.push(`initializations counter: ${rebuild.counterRose.from} before, ${rebuild.counterRose.to} after`);
  }
  if (rebuild.restartedAt !== undefined) found.push('process_start_time_seconds: the apiserver started meanwhile');
  if (rebuild.refusedBetween > 0) {
    found.push(`${plural(rebuild.refusedBetween, 'connection')} refused in between`);
  }
  return found;
}
