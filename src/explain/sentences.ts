import type { Sentence } from './sentence.ts';
import { ACCESS_LOG_SENTENCES } from './sentences-access-logs.ts';
import { ALB_LOG_SENTENCES } from './sentences-alb-logs.ts';
import { ANSWER_SENTENCES } from './sentences-answers.ts';
import { CACHE_SENTENCES } from './sentences-caches.ts';
import { DECODING_SENTENCES } from './sentences-decoding.ts';
import { ENVOY_LOG_SENTENCES } from './sentences-envoy-logs.ts';
import { OWN_LIMIT_SENTENCES } from './sentences-own-limits.ts';
import { PROXY_LOG_SENTENCES } from './sentences-proxy-logs.ts';
import { RETRY_WATCHER_SENTENCES } from './sentences-retry-watcher.ts';
import { SOCKET_SENTENCES } from './sentences-sockets.ts';
import { STORAGE_SENTENCES } from './sentences-storage.ts';
import { TRANSPORT_SENTENCES } from './sentences-transport.ts';
import { TUNNEL_SENTENCES } from './sentences-tunnels.ts';
import { WATCHER_SENTENCES } from './sentences-watchers.ts';

/**
 * Ordered: the innermost cause that a text names comes before its wrappers. Storage is passed on by answers, and answers are told by
 * clients in words of broken streams (`decode`, `on the server`, `Timeout`).
 */
export const SENTENCES: readonly Sentence[] = [
  ...STORAGE_SENTENCES,
  ...OWN_LIMIT_SENTENCES,
  ...ANSWER_SENTENCES,
  ...TUNNEL_SENTENCES,
  ...PROXY_LOG_SENTENCES,
  ...ENVOY_LOG_SENTENCES,
  ...ALB_LOG_SENTENCES,
  ...ACCESS_LOG_SENTENCES,
  ...DECODING_SENTENCES,
  ...WATCHER_SENTENCES,
  ...RETRY_WATCHER_SENTENCES,
  ...TRANSPORT_SENTENCES,
  ...SOCKET_SENTENCES,
  ...CACHE_SENTENCES,
];
