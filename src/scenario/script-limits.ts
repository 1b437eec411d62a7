/** How large a script and what it asks for may be. Each bound keeps one process on a laptop alive. */

export const MAX_STEPS = 1000;
/** Watchers and lists: each watcher is a connection and a session. */
export const MAX_WATCHERS = 32;
export const MAX_LISTS = 100;
/** Writes of one step, and of the whole script. At some 20,000 a second that is a minute. */
export const MAX_WRITES = 1_000_000;
/** Bytes of padding: etcd refuses requests above 1.5 MiB. */
export const MAX_SIZE = 1024 * 1024;
/** Pods at the start, as `--objects`. */
export const MAX_OBJECTS = 10_000;
/** Apiservers: each has caches of its own. */
export const MAX_REPLICAS = 16;
/** Middleboxes: each listens at a port of its own. */
export const MAX_PROXIES = 16;
/** Seconds of a Retry-After, as the control door takes it. */
export const MAX_RETRY_AFTER_S = 3600;
/** Background writes a second. */
export const MAX_BACKGROUND = 1000;
/** One wait, and the whole of them: a day. */
export const MAX_TIME_MS = 24 * 3_600_000;
/** As `--cache-size`: upstream's own bound. */
export const MAX_RING = 100 * 1024;
/** Characters of a name, a selector, a sentence. */
export const MAX_TEXT = 300;
