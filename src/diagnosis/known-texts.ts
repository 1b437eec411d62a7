import { type ExpiredLabel, recogniseExpired } from '../protocol/expired-text.ts';
import type { RefusedBy } from './finding.ts';

/**
 * The sentences of the wire that diagnosis knows (facts/server §3.5, §5.5), in one place, shared by the verdict about a live
 * stream and by `kwatch explain`. Aggregated servers and programs put words around them, so they are looked for anywhere in
 * a message. The 410 sentences are protocol/expired-text.ts'.
 */

/** `none`: 410 without a word; `foreign`: with words that are not Kubernetes'. */
export type GoneLetter = ExpiredLabel | 'foreign' | 'none';

export interface GoneText {
  letter: GoneLetter;
  refusedBy: RefusedBy;
  /** Texts A, G: the RV that was asked for. */
  requested?: string;
  /** Text A: the lowest RV that would have been taken. */
  floor?: string;
}

/** Which 410 sentence `message` holds. Only asked where a 410 is certain (code, status) or where a text is explained. */
export function goneText(message: string): GoneText {
  const found = recogniseExpired(message);
  if (!found) return { letter: message.trim() === '' ? 'none' : 'foreign', refusedBy: 'unknown' };
  const { label, ...rest } = found;
  return { letter: label, ...rest };
}

/** The server has not reached the RV asked for (`storage.NewTooLargeResourceVersionError`). */
export function tooLargeText(message: string): { requested: string; current?: string } | undefined {
  const found = /Too large resource version: (\d+)(?:, current: (\d+))?/i.exec(message);
  if (!found) return undefined;
  return found[2] === undefined ? { requested: found[1]! } : { requested: found[1]!, current: found[2] };
}

/** Priority and fairness, the whole body (`priority-and-fairness.go: tooManyRequests`). */
export const APF_TEXT = /^\s*Too many requests, please try again later\.\s*$/;
/** An apiserver on its way out: 429 of `--shutdown-send-retry-after`, 503 during the drain of watches. */
export const SHUTTING_DOWN = /apiserver is shutting down/i;
/** An apiserver that has only begun (503, `WithMuxAndDiscoveryComplete`). */
export const STARTING_UP = /before all known HTTP paths have been installed/i;
/** The ready gate of a cacher: 429 since 1.31, 503 before; `: <cause>` may follow since 1.33. */
export const NOT_READY =
  /storage is \(re\)initializing|apiserver cacher is stopped|^context (?:deadline exceeded|canceled)$/i;
/** … and it does follow. */
export const CAUSE_BEHIND = /storage is \(re\)initializing:\s*\S/i;
/** A CRD's conversion webhook, anywhere in a message, also as the tail of a not-ready 429. */
export const CONVERSION_WEBHOOK = /conversion webhook for/i;
/**
 * Storage that cannot deliver: etcd's own errors, decryption, decoding of what is stored, a compaction boundary (facts/server §4.1).
 * The bare word `etcd` counts where it is a word of a sentence, not a part of a name, a path or an address that somebody gave to
 * a service; `unable to decode` only of stored data, since clients say it of a broken stream.
 */
export const STORAGE_TROUBLE =
  /PrevKv=nil|etcdserver:|(?<![\w./:"'@%-])etcd(?![\w./"'@%-]|:\d)|unable to transform key|object data is corrupt|StorageError: corrupt object|corrupt object, Code: \d|StorageReadError|unable to decode (?:stored|object|value|data)|failed to decode (?:stored|object|value)/i;
/** The way to storage: etcd's client port, or the words of its gRPC client (`rpc error: code = … desc = …`). */
export const STORAGE_PATH = /:2379\b|\brpc error: code = /;
/** The apiserver as the proxy of an aggregated API, whose backend it cannot reach (kube-aggregator `handler_proxy.go`). */
export const AGGREGATED_DOWN = /error trying to reach service|^service unavailable\s*$/i;
/** etcd has not come to the revision that an exact read asks for (until 1.33; facts/server §2.2). */
export const FUTURE_REVISION = /required revision is a future revision/i;
/** Nobody was logged in (facts/server §5.5): the request came without a credential that counts. */
export const ANONYMOUS = /User "system:anonymous"/;
/** A watch RV that is no number: the apiserver answers it with a 500 (facts/server §1.4). */
export const INVALID_RV = /invalid resource version|resourceVersion: Invalid value/i;
