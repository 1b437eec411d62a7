import { ApiError } from '../protocol/api-error.ts';
import { goQuote, parseUint64 } from '../protocol/go-strconv.ts';
import type { GroupResource, Status } from '../protocol/status.ts';
import * as status from '../protocol/status.ts';
import { StoreError } from './storage.ts';
import type { RefusalCause } from './trace.ts';

/** A 410, with what the server knows about it. Only `status` is ever sent. */
export class ExpiredError extends ApiError {
  readonly refusal: RefusalCause;

  constructor(answer: Status, refusal: RefusalCause) {
    super(answer);
    this.name = 'ExpiredError';
    this.refusal = refusal;
  }
}

/** `pods` or `deployments.apps`, taken apart. */
export function parseGroupResource(text: string): GroupResource {
  const dot = text.indexOf('.');
  return dot < 0 ? { group: '', resource: text } : { group: text.slice(dot + 1), resource: text.slice(0, dot) };
}

/**
 * Parses a resourceVersion as upstream's versioner: unsigned 64 bit, `""` and `"0"` are 0. Beyond 2^53 only its size
 * counts. Throws upstream's InvalidError, which is no API error: 500 without a reason (facts/server §1.4).
 */
export function parseResourceVersion(text: string): number {
  if (text === '') return 0;
  const parsed = parseUint64(text);
  if (parsed.ok) return Number(parsed.value);
  const message = `resourceVersion: Invalid value: ${goQuote(text)}: ${parsed.message}`;
  throw new ApiError(status.unrecognisedError(message));
}

/** As `parseResourceVersion`, where etcd's own code answers: 400 with a prefix. */
export function parseListResourceVersion(text: string): number {
  try {
    return parseResourceVersion(text);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw new ApiError(status.badRequest(`invalid resource version: ${error.message}`));
  }
}

/** etcd3/store.go validateMinimumResourceVersion: `requested` as the client wrote it, `""` for no minimum. */
export function checkMinimumResourceVersion(requested: string, current: number): void {
  if (parseListResourceVersion(requested) > current) throw tooLargeResourceVersion(requested, current, 0);
}

/** `retryAfterSeconds`: the cache says 1; etcd's minimum check says nothing (0). */
export function tooLargeResourceVersion(requested: string, current: number, retryAfterSeconds: number): ApiError {
  return new ApiError(status.tooLargeResourceVersion(BigInt(requested).toString(), current, retryAfterSeconds));
}

/** etcd3/errors.go interpretWatchError: any failure of an etcd watch as the error that ends its stream. */
export function interpretWatchError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof StoreError && error.code === 'compacted') {
    // A watch from N starts at N + 1, and etcd accepts a start at the compacted revision itself.
    return new ExpiredError(status.watchTooOld(), compacted(Math.max((error.compactRevision ?? 0) - 1, 0)));
  }
  return new ApiError(status.internalError(error instanceof Error ? error.message : String(error)));
}

/**
 * etcd3/errors.go interpretListError. `inconsistentToken` makes the token with which a client may go on at the present
 * revision; it is given where the read continued an earlier one.
 */
export function interpretListError(error: unknown, inconsistentToken?: () => string): unknown {
  if (error instanceof StoreError && error.code === 'compacted') {
    const refusal = compacted(error.compactRevision ?? 0);
    return new ExpiredError(
      inconsistentToken ? status.continueTooOld(inconsistentToken()) : status.listTooOld(),
      refusal,
    );
  }
  return interpretStoreError(error);
}

/** Any other failure of the store is answered raw, as upstream does. What is no store error goes on as it is. */
export function interpretStoreError(error: unknown): unknown {
  return error instanceof StoreError ? new ApiError(status.unrecognisedError(error.message)) : error;
}

/** The cause of a 410 by etcd; `floor` is the lowest RV that the same request may name now. */
function compacted(floor: number): RefusalCause {
  return { refusedBy: 'etcd', because: 'compacted', floor };
}
