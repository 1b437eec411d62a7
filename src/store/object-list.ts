import { ApiError } from '../protocol/api-error.ts';
import { decodeContinueToken, encodeContinueToken } from '../protocol/continue-token.ts';
import * as status from '../protocol/status.ts';
import type { ObjectRange } from './object-range.ts';
import type { StoredResource } from './object-store.ts';
import { acceptsAll, matches } from './predicate.ts';
import type { ListParams, ListResult, StoredObject } from './resource-storage.ts';
import type { RangeResult, Revision } from './storage.ts';
import { checkMinimumResourceVersion, interpretListError, parseListResourceVersion } from './storage-errors.ts';
import { wrappedRevision } from './wrapped-revision.ts';

/** Keys per read of the store: etcd3/store.go `maxLimit`, watcher.go `defaultWatcherMaxLimit`. */
const MAX_PAGE = 10_000;

/** Where the next page begins, and at which revision it is read (0: the present one). */
interface Position {
  start: string;
  revision: Revision;
}

/** Of a client's list, which may read the store several times. */
interface ListPosition extends Position {
  /** Where the client's own continue token began; undefined where it brought none. */
  readonly continued: string | undefined;
}

/**
 * A list from the store (upstream etcd3/store.go GetList; the rows "etcd" of facts/server §2.2). With a limit the store
 * is read page by page until enough objects passed the predicate, each page twice as large as the one before.
 */
export async function listObjects(
  resource: StoredResource,
  range: ObjectRange,
  params: ListParams,
): Promise<ListResult> {
  const limit = range.recursive && params.limit > 0 ? params.limit : 0;
  const position = startOf(range, params);
  const items: StoredObject[] = [];
  resource.counters.lists.value += 1;
  for (let pageSize = limit; ; pageSize = Math.max(pageSize, Math.min(pageSize * 2, MAX_PAGE))) {
    const page = await readPage(resource, range, params, position, pageSize);
    checkMinimumResourceVersion(params.resourceVersion, page.revision);
    position.revision ||= page.revision;
    const taken = takeItems(resource, params, page, items, limit);
    const lastKey = page.kvs[taken - 1]?.key;
    const more = page.more || taken < page.kvs.length;
    if (limit === 0 || !more || items.length >= limit || lastKey === undefined) {
      resource.counters.listReturned.value += items.length;
      const list = { items, resourceVersion: String(position.revision) };
      if (!more || lastKey === undefined) return list;
      return { ...list, ...continuation(range, params, position.revision, lastKey, page.count - limit) };
    }
    position.start = `${lastKey}\0`;
  }
}

/**
 * The present state below a range, page by page, all pages at the revision of the first (etcd3/watcher.go `sync`). After a
 * compaction between two pages it throws the error of a broken continuation, token included.
 */
export async function* initialPages(
  resource: StoredResource,
  range: ObjectRange,
  signal: AbortSignal,
): AsyncGenerator<RangeResult> {
  const position: Position = { start: range.key, revision: 0 };
  for (;;) {
    let page: RangeResult;
    try {
      page = await resource.store.range({ ...position, end: range.end, limit: MAX_PAGE, signal });
    } catch (error) {
      throw interpretListError(error, () => encodeContinueToken(position.start, range.key, -1));
    }
    position.revision ||= page.revision;
    yield { ...page, revision: position.revision };
    const lastKey = page.kvs.at(-1)?.key;
    if (!page.more || lastKey === undefined) return;
    position.start = `${lastKey}\0`;
  }
}

/** Which revision a list is read at, and from which key on (upstream's `switch` on continue, match and legacy exact). */
function startOf(range: ObjectRange, params: ListParams): ListPosition {
  if (range.recursive && params.continue !== '') return continuedFrom(range, params);
  const requested = parseListResourceVersion(params.resourceVersion);
  const legacyExact = params.resourceVersionMatch === '' && range.recursive && params.limit > 0;
  const exact = params.resourceVersionMatch === 'Exact' || legacyExact;
  return {
    start: range.key,
    continued: undefined,
    revision: exact ? wrappedRevision(params.resourceVersion, requested) : 0,
  };
}

function continuedFrom(range: ObjectRange, params: ListParams): ListPosition {
  const { start, rv } = decodeContinueToken(params.continue, range.key);
  if (params.resourceVersion !== '' && params.resourceVersion !== '0') {
    throw new ApiError(status.badRequest('specifying resource version is not allowed when using continue'));
  }
  return { start, continued: start, revision: Math.max(rv, 0) };
}

/**
 * One read of the store. Where its revision is gone, the token for the rest begins where the client's own did: nothing of what was
 * read since has been sent.
 */
async function readPage(
  resource: StoredResource,
  range: ObjectRange,
  params: ListParams,
  { continued, ...position }: ListPosition,
  limit: number,
): Promise<RangeResult> {
  try {
    return await resource.store.range({ ...position, end: range.end, limit, signal: params.signal });
  } catch (error) {
    throw interpretListError(
      error,
      continued === undefined ? undefined : () => encodeContinueToken(continued, range.key, -1),
    );
  }
}

/** Adds the objects of a page that pass, until `limit` (0: none) is reached. How many keys of the page were looked at. */
function takeItems(
  resource: StoredResource,
  params: ListParams,
  page: RangeResult,
  items: StoredObject[],
  limit: number,
): number {
  const all = acceptsAll(params.predicate);
  let taken = 0;
  for (const kv of page.kvs) {
    if (limit > 0 && items.length >= limit) break;
    const object = resource.codec.decode(kv);
    if (all || matches(params.predicate, object)) items.push(object);
    taken += 1;
  }
  resource.counters.listFetched.value += page.kvs.length;
  resource.counters.listEvaluated.value += taken;
  return taken;
}

/** The token for the rest. How much is left is told only where no selector makes the count wrong. */
function continuation(
  range: ObjectRange,
  params: ListParams,
  revision: Revision,
  lastKey: string,
  remaining: number,
): Pick<ListResult, 'continue' | 'remainingItemCount'> {
  const token = encodeContinueToken(`${lastKey}\0`, range.key, revision);
  return { continue: token, ...(acceptsAll(params.predicate) && { remainingItemCount: remaining }) };
}
