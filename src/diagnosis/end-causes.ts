import type { EndSigns } from './end-signs.ts';
import type { FindingClass } from './finding.ts';
import { isCustomResource, isUncached } from './scene.ts';
import { cameEarly, plannedBy } from './signs.ts';
import { endedTogether } from './together.ts';

/** What may have ended a stream, as the rules about ends ask for it. */

export const isRebuildRow = ({ gone }: EndSigns) => gone?.verdict.row.startsWith('rebuilt') === true;
/**
 * This server ends watches at their `timeoutSeconds`, as far as is known: kube-apiserver does, one that sends bookmarks is like it,
 * and one that has done so before; an aggregated API server may do as it likes.
 */
export const keepsTimeouts = ({ place, stream }: EndSigns) =>
  !isCustomResource(place.target) ||
  stream.bookmarks > 0 ||
  place.line.some(({ stream: other }) => other?.end === 'eof' && plannedBy(other) === 'timeoutSeconds');

/** The server said that it is leaving, and not that something went wrong. */
export const isOrderlyGoaway = ({ end, endDetail }: EndSigns['stream']) =>
  /GOAWAY NO_ERROR/.test(endDetail ?? '') || (end === 'goaway' && !/GOAWAY/.test(endDetail ?? ''));

export const custom = ({ place }: EndSigns) => isCustomResource(place.target);

/** A slow watcher's queues are full when it is dropped, and are sent before the end: a silence of so long, ms, is no sign of it. */
const SILENT_MS = 1_000;

/** Something came just before the end; a silence there leaves little of a watcher that was too slow. */
export const endedInMidFlow = ({ idleMs }: EndSigns) => idleMs <= SILENT_MS;

/**
 * A rebuild of the cache ended it, whatever else was there: the counter rose, or a sibling ended in the same moment and after a
 * silence, and the resume is refused by a cache that seems to be a new one.
 */
const looksRebuilt = (signs: EndSigns) =>
  isRebuildRow(signs) &&
  (signs.gone?.signs.rebuild.counterRose !== undefined || (signs.togetherSame.length > 0 && signs.idleMs > SILENT_MS));

/** A process that started so long before the end that was seen, ms, may have started after it: two clocks. */
const CLOCKS_MS = 3_000;

/**
 * An apiserver stopped in order: the stream ended properly, and connections were refused while it lived on, or right after its
 * end, or its own connection was closed right behind it, or the process that answers then started just
 * after it.
 */
export const looksStopped = ({ earlyByServer, outage, refusedWhileOpen, hungUp, gone, stream }: EndSigns) =>
  earlyByServer &&
  (outage !== undefined ||
    refusedWhileOpen > 0 ||
    hungUp ||
    (gone?.signs.rebuild.restartedAt ?? 0) >= (stream.endedAt ?? Infinity) - CLOCKS_MS);

/**
 * One that is stopping drops slow watchers as any other does; without a watch cache nobody is dropped for being slow, the watch of
 * etcd waits (facts/server §4.1).
 */
const mayBeSlow = (signs: EndSigns) =>
  signs.earlyByServer &&
  !isUncached(signs.place.target) &&
  !looksRebuilt(signs) &&
  (endedInMidFlow(signs) || !looksStopped(signs));

/** Our stalled read and the cacher's patience: what a slow watcher's end is made of. */
export const looksSlow = (signs: EndSigns) =>
  mayBeSlow(signs) && signs.unread && signs.stream.events + signs.stream.bookmarks > 0;

/**
 * Something beside our stall speaks for it: a counter, a burst, a backlog, a ring that rolled over meanwhile. Where the cache seems
 * to be a new one, or nothing came any more before the end, the stall may have had no part in it.
 */
export const isProbablySlow = (signs: EndSigns) => {
  const { burst, idleMs, terminated, backlog, gone } = signs;
  if (burst) return true;
  return idleMs <= SILENT_MS && !isRebuildRow(signs) && (terminated > 0 || backlog || gone !== undefined);
};

/** It was dropped before, or others were, and there was a burst. */
export const looksSlowAgain = (signs: EndSigns) => mayBeSlow(signs) && signs.slowBefore && signs.burst;
export const looksSlowByCounter = (signs: EndSigns) => mayBeSlow(signs) && signs.terminated > 0 && signs.burst;

export const endedAsAsked = ({ planned, stream }: EndSigns) =>
  planned === 'timeoutSeconds' && (stream.end === 'eof' || stream.end === 'eof-unframed');

/** A little early, or together with siblings whose time had not come: something else may have ended it just then. */
export const mayBeChance = ({ place, stream }: EndSigns) =>
  cameEarly(stream) || endedTogether(place, 'same').length > 0;

/** What ends a stream early, properly and without ERROR, in the order of what else was seen. */
export function earlyCandidates(signs: EndSigns): FindingClass[] {
  const { gone, burst, terminated, outage, refusedWhileOpen, hungUp, togetherOther, togetherSame } = signs;
  const found: FindingClass[] = [];
  const add = (name: FindingClass) => {
    if (!found.includes(name)) found.push(name);
  };
  if (refusedWhileOpen > 0 || hungUp) add('apiserver-shutdown');
  if (isRebuildRow(signs)) for (const one of gone?.verdict.candidates ?? []) add(one.class);
  const uncached = isUncached(signs.place.target);
  if (!uncached && (burst || terminated > 0)) add('slow-watcher-terminated');
  if (outage || togetherOther.length > 0) add('apiserver-shutdown');
  if (togetherSame.length > 0 && !uncached) add('cache-rebuilt');
  const rebuildIsOut = (gone?.signs.rebuild.ruledOut.length ?? 0) > 0;
  if (custom(signs) && !rebuildIsOut) add('crd-changed');
  if (!rebuildIsOut && !uncached) add('cache-rebuilt');
  if (!uncached) add('slow-watcher-terminated');
  add('apiserver-shutdown');
  if (uncached) add('storage-error');
  return found;
}
