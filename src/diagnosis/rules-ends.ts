import { isIdleGoaway, knownIdleTimer, outlivedSilence } from './cut-patterns.ts';
import type { Rule } from './decision.ts';
import {
  custom,
  earlyCandidates,
  endedInMidFlow,
  isOrderlyGoaway,
  isProbablySlow,
  isRebuildRow,
  keepsTimeouts,
  looksSlow,
  looksSlowAgain,
  looksSlowByCounter,
  looksStopped,
} from './end-causes.ts';
import type { EndSigns } from './end-signs.ts';
import { heldBackSoFar, heldBackToItsTimeout, wasHeldBack, wasHeldBackBriefly } from './held-back.ts';
import { CONVERSION_WEBHOOK, NOT_READY, STORAGE_TROUBLE } from './known-texts.ts';
import { PLANNED_RULES } from './rules-planned.ts';
import { TIMER_RULES } from './rules-timers.ts';
import { isUncached } from './scene.ts';
import { wasEmpty } from './signs.ts';

/** A cut after so much silence may be an idle timer's, also where the number is no known one. */
const LONG_SILENCE_MS = 45_000;

/** Live streams: how they ended, or why they should have. In-stream ERRORs are decided before (rules-refused, gone). */
export const END_RULES: readonly Rule<EndSigns>[] = [
  {
    name: 'our own timeout',
    when: ({ clientTimeouts }) => clientTimeouts.length > 0,
    class: 'self-inflicted',
    confidence: ({ clientTimeouts }) => (clientTimeouts.length >= 2 ? 'high' : 'medium'),
    repeats: 'run',
  },
  {
    name: 'held back to its end',
    when: ({ place, stream }) => wasHeldBack(stream) || wasHeldBackBriefly(place),
    class: 'proxy-buffering',
    confidence: ({ place, stream }) => {
      if (!heldBackToItsTimeout(stream)) return 'low';
      if (!wasHeldBack(stream)) return 'medium';
      return heldBackSoFar(place).length >= 2 ? 'high' : 'medium';
    },
    others: ({ stream }) => (heldBackToItsTimeout(stream) ? [] : ['watch-cache-not-ready']),
    repeats: 'run',
  },
  ...PLANNED_RULES,
  {
    name: 'stalled',
    when: ({ stalled, stream }) => stalled || stream.end === 'stalled',
    class: 'silent-stall',
    confidence: (signs) => {
      const { stall, stream } = signs;
      if (stall.sideFrames > 0) return 'high';
      // Its own connection does not answer, and another one lives.
      if (stall.pingUnansweredMs > 0 && stall.path?.is === 'alive') return 'high';
      return (stall.outlived || stream.end === 'stalled') && keepsTimeouts(signs) ? 'high' : 'medium';
    },
    others: ({ stall }) => (stall.path?.is === 'dead' ? ['unreachable', 'connection-lost'] : ['connection-lost']),
  },
  {
    name: 'truncated event',
    when: ({ cut, stream, planned }) =>
      stream.tailBytes > 0 && (cut || stream.end === 'eof-unframed' || (stream.end === 'eof' && !planned)),
    class: 'connection-lost',
    sub: 'truncated-event',
    // Half an event and then a proper end: no apiserver does that, but who did cannot be seen.
    // Nor does one end so at the time that was asked for; but then that time has a part in it.
    confidence: ({ stream, planned }) => (stream.end === 'eof' || planned ? 'medium' : 'high'),
    others: ({ planned }) => (planned ? ['server-timeout'] : []),
  },
  {
    name: 'frame too large',
    when: ({ stream }) => stream.end === 'frame-too-large',
    class: 'malformed-stream',
    confidence: 'medium',
  },
  {
    name: 'framing broken',
    when: ({ stream }) => stream.end === 'protocol-error',
    class: 'malformed-stream',
    confidence: 'medium',
    others: () => ['connection-lost'],
  },
  {
    name: 'goaway after each silence',
    when: isIdleGoaway,
    class: 'idle-cut-by-proxy',
    confidence: 'medium',
    others: () => ['apiserver-shutdown', 'connection-lost'],
    repeats: 'run',
  },
  {
    name: 'goaway',
    when: ({ stream }) => stream.end === 'goaway' && isOrderlyGoaway(stream),
    class: 'apiserver-shutdown',
    confidence: ({ outage }) => (outage ? 'high' : 'medium'),
    others: () => ['connection-lost'],
  },
  {
    // It lives on for a while after its GOAWAY, and ends in order (facts/server §5.4); one of --goaway-chance ends nothing early.
    name: 'goaway, then a proper end',
    when: ({ stream, earlyByServer }) => earlyByServer && isOrderlyGoaway(stream),
    class: 'apiserver-shutdown',
    confidence: ({ outage }) => (outage ? 'high' : 'medium'),
    others: (signs) => earlyCandidates(signs).filter((name) => name !== 'apiserver-shutdown'),
  },
  {
    name: 'goaway for an error',
    when: ({ stream }) => stream.end === 'goaway',
    class: 'connection-lost',
    confidence: 'medium',
    others: () => ['apiserver-shutdown'],
  },
  {
    name: 'slow reader',
    when: looksSlow,
    class: 'slow-watcher-terminated',
    // Never high: the counter counts everybody's watchers, and the rest fits a rebuild or a restart as well.
    confidence: (signs) => (isProbablySlow(signs) ? 'medium' : 'low'),
    others: (signs) => earlyCandidates(signs).filter((name) => name !== 'slow-watcher-terminated'),
  },
  {
    name: 'slow reader again',
    when: looksSlowAgain,
    class: 'slow-watcher-terminated',
    confidence: (signs) => (endedInMidFlow(signs) ? 'medium' : 'low'),
    others: (signs) => earlyCandidates(signs).filter((name) => name !== 'slow-watcher-terminated'),
  },
  {
    name: 'slow by the counter',
    when: looksSlowByCounter,
    class: 'slow-watcher-terminated',
    confidence: (signs) => (endedInMidFlow(signs) ? 'medium' : 'low'),
    others: (signs) => earlyCandidates(signs).filter((name) => name !== 'slow-watcher-terminated'),
  },
  ...TIMER_RULES,
  {
    name: 'orderly stop',
    when: looksStopped,
    class: 'apiserver-shutdown',
    confidence: 'medium',
    others: (signs) => earlyCandidates(signs).filter((name) => name !== 'apiserver-shutdown'),
  },
  {
    // An edited CRD ends its own watches; where those of other resources end with it, it was the apiserver, or etcd.
    name: 'crd changed',
    when: (signs) =>
      signs.earlyByServer &&
      custom(signs) &&
      isRebuildRow(signs) &&
      signs.gone?.verdict.class === 'cache-rebuilt' &&
      signs.togetherOther.length === 0,
    class: 'crd-changed',
    confidence: 'medium',
    others: () => ['cache-rebuilt'],
    repeats: 'never',
  },
  {
    name: 'crd removed',
    when: (signs) => signs.earlyByServer && custom(signs) && signs.nextCode === 404,
    class: 'crd-changed',
    confidence: 'high',
    repeats: 'never',
  },
  {
    name: 'rebuilt cache',
    when: (signs) => signs.earlyByServer && isRebuildRow(signs),
    class: 'ambiguous-end',
    confidence: 'low',
    others: earlyCandidates,
    repeats: 'never',
  },
  {
    name: 'early end, then not ready',
    when: ({ earlyByServer, nextAnswer }) => earlyByServer && NOT_READY.test(nextAnswer?.message ?? ''),
    class: 'ambiguous-end',
    confidence: 'low',
    others: (signs) => {
      const message = signs.nextAnswer?.message ?? '';
      if (CONVERSION_WEBHOOK.test(message)) return ['conversion-webhook-failed', 'cache-rebuilt'];
      if (STORAGE_TROUBLE.test(message.replace(NOT_READY, ''))) return ['storage-error', 'cache-rebuilt'];
      return ['cache-rebuilt', ...earlyCandidates(signs).filter((name) => name !== 'cache-rebuilt')];
    },
    repeats: 'never',
  },
  {
    name: 'empty',
    when: ({ stream }) => wasEmpty(stream),
    class: 'ambiguous-end',
    confidence: 'low',
    others: ({ place, stream }) => {
      if (stream.requestedRv === undefined) return ['apiserver-shutdown', 'cache-rebuilt'];
      return isUncached(place.target)
        ? ['upstream-compaction', 'apiserver-shutdown']
        : ['cache-rebuilt', 'upstream-compaction', 'apiserver-shutdown'];
    },
  },
  {
    name: 'early end',
    when: ({ earlyByServer }) => earlyByServer,
    class: 'ambiguous-end',
    confidence: 'low',
    others: earlyCandidates,
    repeats: 'never',
  },
  {
    name: 'cut after silence',
    when: (signs) =>
      signs.cut &&
      signs.outage === undefined &&
      !outlivedSilence(signs) &&
      (signs.idleMs >= LONG_SILENCE_MS || knownIdleTimer(signs.idleMs) !== undefined),
    class: 'ambiguous-end',
    confidence: 'low',
    others: () => ['idle-cut-by-proxy', 'connection-lost', 'apiserver-shutdown'],
    repeats: 'never',
  },
  {
    name: 'cut, then refused',
    when: ({ cut, outage }) => cut && outage !== undefined,
    class: 'connection-lost',
    confidence: 'medium',
    others: () => ['apiserver-shutdown'],
  },
  {
    name: 'cut',
    when: ({ cut }) => cut,
    class: 'connection-lost',
    confidence: 'medium',
    others: (signs) => (signs.idleMs >= LONG_SILENCE_MS / 3 && !outlivedSilence(signs) ? ['idle-cut-by-proxy'] : []),
  },
  {
    name: 'unframed end',
    when: ({ stream }) => stream.end === 'eof-unframed',
    class: 'ambiguous-end',
    confidence: 'low',
    others: () => ['connection-lost', 'idle-cut-by-proxy', 'apiserver-shutdown'],
  },
  {
    // Properly, and after the time that was asked for: who answers here does not keep to it, and has a limit of its own.
    name: 'late end',
    when: ({ stream }) => stream.end === 'eof',
    class: 'ambiguous-end',
    confidence: 'low',
    others: () => ['age-cut-by-proxy', 'apiserver-shutdown'],
  },
  {
    name: 'any other end',
    when: ({ stream }) => stream.endedAt !== undefined && stream.end !== 'stopped',
    class: 'ambiguous-end',
    confidence: 'low',
    others: ({ stream }) => [...(stream.readStalledMs > 0 ? (['self-inflicted'] as const) : []), 'connection-lost'],
  },
];
