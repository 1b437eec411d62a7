import type { EndKind } from '../client/facts.ts';
import type { Rule } from './decision.ts';
import { heldBackSoFar } from './held-back.ts';
import {
  AGGREGATED_DOWN,
  APF_TEXT,
  CAUSE_BEHIND,
  CONVERSION_WEBHOOK,
  FUTURE_REVISION,
  INVALID_RV,
  NOT_READY,
  SHUTTING_DOWN,
  STARTING_UP,
  STORAGE_PATH,
  STORAGE_TROUBLE,
  tooLargeText,
} from './known-texts.ts';
import {
  behindNotReady,
  hasPfHeaders,
  http,
  is,
  isForeign,
  isOwnTimeout,
  type RefusedSigns,
  says,
  tokenRanOut,
  WRONG_SCHEME,
} from './refused-signs.ts';
import { isCustomResource } from './scene.ts';
import { endedEarlyByServer, previousLive, succeededBefore } from './signs.ts';

/** Ends of an answer that had begun and is not whole. */
const BROKE_OFF: ReadonlySet<EndKind | undefined> = new Set(['truncated', 'reset', 'h2-reset', 'goaway'] as const);

export const REFUSED_RULES: readonly Rule<RefusedSigns>[] = [
  {
    name: 'connection refused',
    when: ({ answer }) => answer.end === 'refused',
    class: 'unreachable',
    confidence: 'high',
  },
  {
    name: 'tls failed',
    when: ({ answer }) => answer.end === 'tls',
    class: 'unreachable',
    confidence: 'high',
  },
  {
    name: 'wrong scheme',
    when: (signs) => is(400)(signs) && says(WRONG_SCHEME)(signs),
    class: 'unreachable',
    confidence: 'high',
  },
  {
    name: 'held back again',
    when: ({ place, answer }) =>
      place.stream?.noAnswerAt !== undefined &&
      place.stream.openedAt === undefined &&
      answer.httpStatus === undefined &&
      heldBackSoFar(place).length > 0,
    class: 'proxy-buffering',
    confidence: 'medium',
    others: () => ['unreachable'],
  },
  {
    name: 'no headers',
    when: ({ place, answer }) =>
      (place.stream ?? place.list)?.noAnswerAt !== undefined &&
      !answer.inStream &&
      answer.end !== 'not-a-stream' &&
      (answer.httpStatus ?? 200) === 200,
    class: 'unreachable',
    confidence: 'high',
    others: () => ['watch-cache-not-ready'],
  },
  {
    name: 'closed without an answer',
    when: ({ answer }) => answer.httpStatus === undefined,
    class: 'unreachable',
    confidence: 'medium',
    others: () => ['connection-lost'],
  },
  {
    name: 'rv ahead of server',
    when: ({ answer }) =>
      tooLargeText(answer.message) !== undefined ||
      FUTURE_REVISION.test(answer.message) ||
      answer.status?.details?.causes?.some(({ reason }) => reason === 'ResourceVersionTooLarge') === true,
    class: 'rv-too-large',
    confidence: 'high',
  },
  {
    name: 'conversion webhook',
    when: says(CONVERSION_WEBHOOK),
    class: 'conversion-webhook-failed',
    confidence: 'high',
  },
  {
    name: 'shutting down',
    when: says(SHUTTING_DOWN),
    class: 'apiserver-shutdown',
    confidence: 'high',
  },
  {
    name: 'starting up',
    when: says(STARTING_UP),
    class: 'apiserver-shutdown',
    confidence: 'medium',
  },
  {
    name: 'not ready, storage trouble',
    when: behindNotReady(STORAGE_TROUBLE),
    class: 'storage-error',
    confidence: 'high',
    others: () => ['watch-cache-not-ready'],
  },
  {
    // What stands behind the not-ready words is the last error of the cache's own list of its storage, whatever its words.
    name: 'not ready, another cause',
    when: says(CAUSE_BEHIND),
    class: 'storage-error',
    confidence: (signs) => (says(STORAGE_PATH)(signs) ? 'high' : 'medium'),
    others: () => ['watch-cache-not-ready'],
  },
  {
    name: 'cache not ready',
    when: (signs) => is(429, 503)(signs) && says(NOT_READY)(signs),
    class: 'watch-cache-not-ready',
    confidence: 'high',
  },
  {
    name: 'throttled',
    when: (signs) => is(429)(signs) && (says(APF_TEXT)(signs) || hasPfHeaders(signs)),
    class: 'apf-rejected',
    // Each answer of an apiserver with priority and fairness bears them; without it only short requests are counted.
    confidence: (signs) => (says(APF_TEXT)(signs) && hasPfHeaders(signs) ? 'high' : 'medium'),
    others: (signs) => (hasPfHeaders(signs) ? [] : ['gateway-error']),
  },
  {
    name: '429 from in front',
    when: (signs) => is(429)(signs) && isForeign(signs),
    class: 'gateway-error',
    confidence: 'medium',
    others: () => ['apf-rejected'],
  },
  {
    name: '429 of another kind',
    when: is(429),
    class: 'apf-rejected',
    confidence: 'low',
    others: () => ['watch-cache-not-ready', 'apiserver-shutdown'],
  },
  {
    name: 'credential refused',
    when: is(401),
    class: 'auth-expired',
    confidence: (signs) =>
      tokenRanOut(signs) || (succeededBefore(signs.place) && !isForeign(signs)) ? 'high' : 'medium',
    others: (signs) => (isForeign(signs) ? ['gateway-error'] : []),
  },
  {
    name: '403 from in front',
    when: (signs) => is(403)(signs) && isForeign(signs),
    class: 'gateway-error',
    confidence: 'medium',
    others: () => ['forbidden'],
  },
  {
    name: 'not allowed',
    when: is(403),
    class: 'forbidden',
    confidence: ({ answer }) => (answer.status ? 'high' : 'medium'),
  },
  {
    name: 'resource gone',
    when: (signs) => is(404)(signs) && isCustomResource(signs.place.target) && previousLive(signs.place) !== undefined,
    class: 'crd-changed',
    confidence: ({ place }) => {
      const before = previousLive(place);
      return before && endedEarlyByServer(before) ? 'high' : 'medium';
    },
    others: () => ['not-a-watch'],
  },
  {
    name: 'no such path',
    when: is(404, 405),
    class: 'not-a-watch',
    confidence: (signs) => (isForeign(signs) ? 'medium' : 'high'),
    others: (signs) => (isForeign(signs) ? ['gateway-error'] : []),
  },
  {
    name: 'list broke off',
    when: ({ answer }) => answer.isList && answer.httpStatus === 200 && BROKE_OFF.has(answer.end),
    class: 'connection-lost',
    confidence: 'medium',
    others: () => ['gateway-error'],
  },
  {
    name: 'document instead of a stream',
    when: ({ answer }) => answer.end === 'not-a-stream' || (answer.httpStatus === 200 && !answer.inStream),
    class: 'not-a-watch',
    confidence: ({ answer }) => (answer.jsonKind === undefined ? 'medium' : 'high'),
    others: ({ answer }) => (answer.jsonKind === undefined ? ['gateway-error'] : []),
  },
  {
    name: 'invalid rv',
    when: (signs) => is(400, 500)(signs) && says(INVALID_RV)(signs),
    class: 'request-rejected',
    confidence: 'high',
  },
  {
    name: '4xx from in front',
    when: (signs) => isForeign(signs) && is(400, 406, 408, 411, 413, 414, 415, 421, 422, 426, 431)(signs),
    class: 'gateway-error',
    confidence: (signs) => (is(408)(signs) ? 'high' : 'medium'),
    others: (signs) => (is(408)(signs) ? [] : ['request-rejected']),
  },
  {
    name: 'parameters not taken',
    when: (signs) => (http(signs) ?? 0) >= 400 && (http(signs) ?? 0) < 500 && !is(408)(signs),
    class: 'request-rejected',
    confidence: (signs) => (is(400, 406, 415, 422)(signs) && signs.answer.status ? 'high' : 'medium'),
  },
  {
    name: 'storage trouble',
    when: (signs) => says(STORAGE_TROUBLE)(signs) && (http(signs) ?? 0) >= 500 && !isForeign(signs),
    class: 'storage-error',
    confidence: 'high',
  },
  {
    name: 'way to storage broken',
    when: (signs) => says(STORAGE_PATH)(signs) && (http(signs) ?? 0) >= 500 && !isForeign(signs),
    class: 'storage-error',
    confidence: 'medium',
    others: () => ['gateway-error'],
  },
  {
    // An RV that the cache has to come to first is waited for; any other list that takes so long waits for etcd.
    name: 'apiserver’s own time limit',
    when: (signs) => is(504)(signs) && isOwnTimeout(signs),
    class: 'storage-error',
    confidence: 'low',
    others: () => ['watch-cache-not-ready'],
  },
  {
    name: 'answer of a gateway',
    when: (signs) => isForeign(signs) && (http(signs) ?? 0) >= 300,
    class: 'gateway-error',
    // No apiserver answers with a code above 504.
    confidence: (signs) => ((http(signs) ?? 0) >= 502 ? 'high' : 'medium'),
  },
  {
    name: 'aggregated API down',
    when: (signs) => is(502, 503)(signs) && says(AGGREGATED_DOWN)(signs) && signs.answer.fromApiserver,
    class: 'gateway-error',
    confidence: 'medium',
    others: () => ['unreachable'],
  },
  {
    name: 'internal error',
    when: (signs) => is(500)(signs),
    class: 'storage-error',
    confidence: ({ answer }) => (answer.status?.reason === 'InternalError' ? 'medium' : 'low'),
    others: () => ['conversion-webhook-failed'],
  },
  {
    name: '5xx of an apiserver',
    when: (signs) => (http(signs) ?? 0) > 500,
    class: 'gateway-error',
    confidence: 'low',
    others: () => ['storage-error', 'apiserver-shutdown'],
  },
  {
    name: 'unknown refusal',
    when: () => true,
    class: 'ambiguous-end',
    confidence: 'low',
    others: () => ['gateway-error', 'storage-error'],
  },
];
