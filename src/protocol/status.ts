import {
  CONTINUE_TOO_OLD,
  CONTINUE_TOO_OLD_WITH_TOKEN,
  LIST_TOO_OLD,
  tooOldText,
  WATCH_TOO_OLD,
} from './expired-text.ts';
import { type FieldError, joinFieldErrors } from './field-error.ts';

/**
 * metav1.Status, the body of every error: as HTTP body or as the object of an ERROR event. Keys stand in the order in which
 * Go writes them, and every maker below keeps it: frames are compared byte by byte (facts/server §5.2).
 */
export interface Status {
  kind: 'Status';
  apiVersion: 'v1';
  metadata: { continue?: string; resourceVersion?: string; [key: string]: unknown };
  status: 'Success' | 'Failure';
  message?: string;
  reason?: string;
  details?: StatusDetails;
  code?: number;
}

export interface StatusDetails {
  name?: string;
  group?: string;
  kind?: string;
  uid?: string;
  causes?: { reason?: string; message?: string; field?: string }[];
  retryAfterSeconds?: number;
}

/**
 * The history that was asked for is gone. By the code; where there is none, by the reason that goes with it, since some servers and
 * client libraries leave the code out.
 */
export function saysGone({ code, reason }: Status): boolean {
  return code ? code === 410 : reason === 'Expired' || reason === 'Gone';
}

/** `{group: 'apps', resource: 'deployments'}`; the core group is ''. */
export interface GroupResource {
  group: string;
  resource: string;
}

interface Failure {
  code: number;
  /** '' for an error that Go's handlers did not recognise: the field is then absent. */
  reason: string;
  message: string;
  details?: StatusDetails;
  metadata?: Status['metadata'];
}

function failure({ code, reason, message, details, metadata = {} }: Failure): Status {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata,
    status: 'Failure',
    message,
    ...(reason !== '' && { reason }),
    ...(details && { details }),
    code,
  };
}

/** `deployments.apps`, as Go prints a GroupResource. */
function qualified({ group, resource }: GroupResource): string {
  return group === '' ? resource : `${resource}.${group}`;
}

/** In Go's order, without what is empty. */
function about({ group, resource }: GroupResource, name = ''): StatusDetails {
  return { ...(name !== '' && { name }), ...(group !== '' && { group }), ...(resource !== '' && { kind: resource }) };
}

const expired = (message: string, metadata: Status['metadata'] = {}) =>
  failure({ code: 410, reason: 'Expired', message, metadata });

/** 410 text A: the watch cache's history begins behind `requested`; `floor` is the smallest RV it would take. */
export const tooOldResourceVersion = (requested: string | number, floor: string | number) =>
  expired(tooOldText(requested, floor));
/** 410 text B: etcd has compacted what a watch asked for. */
export const watchTooOld = () => expired(WATCH_TOO_OLD);
/** 410 text D: etcd has compacted the RV of a list. */
export const listTooOld = () => expired(LIST_TOO_OLD);
/** 410 text E with a new token (its RV is -1: an inconsistent continuation), or text F without one. */
export const continueTooOld = (token?: string) =>
  token === undefined ? expired(CONTINUE_TOO_OLD) : expired(CONTINUE_TOO_OLD_WITH_TOKEN, { continue: token });

/**
 * 504: the server has not reached `asked`. The watch cache gives 1 as `retryAfterSeconds` after its 3 s of waiting, a
 * check against etcd none (facts/server §3.5).
 */
export function tooLargeResourceVersion(
  asked: string | number,
  current: string | number,
  retryAfterSeconds?: number,
): Status {
  const causes = [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }];
  return failure({
    code: 504,
    reason: 'Timeout',
    message: `Timeout: Too large resource version: ${asked}, current: ${current}`,
    details: { causes, ...retry(retryAfterSeconds) },
  });
}

function retry(seconds: number | undefined): StatusDetails {
  return seconds ? { retryAfterSeconds: seconds } : {};
}

/** 404 of one object. */
export const notFound = (resource: GroupResource, name: string) =>
  failure({
    code: 404,
    reason: 'NotFound',
    message: `${qualified(resource)} "${name}" not found`,
    details: about(resource, name),
  });

/** 404 of a path in a group version that the server knows. */
export const resourceNotFound = () =>
  failure({
    code: 404,
    reason: 'NotFound',
    message: 'the server could not find the requested resource',
    details: {},
  });

/** 409 of a POST. `beingDeleted`: the one in the way has a deletionTimestamp. */
export const alreadyExists = (resource: GroupResource, name: string, beingDeleted = false) =>
  failure({
    code: 409,
    reason: 'AlreadyExists',
    message: `${beingDeleted ? 'object is being deleted: ' : ''}${qualified(resource)} "${name}" already exists`,
    details: about(resource, name),
  });

/** Why of a `conflict` on an older resourceVersion. */
export const OBJECT_MODIFIED =
  'the object has been modified; please apply your changes to the latest version and try again';

/** 409 of a write. A failed precondition of a DELETE names the kind (`ConfigMap`) where others name the resource. */
export const conflict = (resource: GroupResource, name: string, why: string) =>
  failure({
    code: 409,
    reason: 'Conflict',
    message: `Operation cannot be fulfilled on ${qualified(resource)} "${name}": ${why}`,
    details: about(resource, name),
  });

/** 400. */
export const badRequest = (message: string) => failure({ code: 400, reason: 'BadRequest', message });

/** 422: `<Kind>.<group> "<name>" is invalid: …` with a cause for each error. */
export function invalid(kind: { group: string; kind: string }, name: string, errors: readonly FieldError[]): Status {
  const resource = { group: kind.group, resource: kind.kind };
  return failure({
    code: 422,
    reason: 'Invalid',
    message: `${qualified(resource)} "${name}" is invalid: ${joinFieldErrors(errors)}`,
    details: {
      ...about(resource, name),
      causes: errors.map(({ reason, message, field }) => ({ reason, message, field })),
    },
  });
}

/** 405 of a resource that lacks a verb, such as `watch`. */
export const methodNotSupported = (resource: GroupResource, action: string) =>
  failure({
    code: 405,
    reason: 'MethodNotAllowed',
    message: `${action} is not supported on resources of kind "${qualified(resource)}"`,
    details: about(resource),
  });

/** 405 of a path that does not have the HTTP method at all. */
export const methodNotAllowed = () =>
  failure({
    code: 405,
    reason: 'MethodNotAllowed',
    message: 'the server does not allow this method on the requested resource',
    details: {},
  });

/** 406 of an output type that this resource or this stream does not have. */
export const notAcceptable = (accepted: readonly string[]) =>
  failure({
    code: 406,
    reason: 'NotAcceptable',
    message: `only the following media types are accepted: ${accepted.join(', ')}`,
  });

/** 406 with another reason than the list of types, such as PartialObjectMetadata asked of a list. */
export const notAcceptableBecause = (message: string) => failure({ code: 406, reason: 'NotAcceptable', message });

/** 406 of an output type that the server does not know at all; found before anything else is looked at. */
export const noRepresentation = (available: readonly string[]) =>
  failure({
    code: 406,
    reason: 'NotAcceptable',
    message: `406: Not Acceptable\n\nAvailable representations: ${available.join(', ')}`,
    details: {},
  });

/** 415 of a body. */
export const unsupportedMediaType = (accepted: readonly string[]) =>
  failure({
    code: 415,
    reason: 'UnsupportedMediaType',
    message: `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
  });

/** 500 as the etcd store reports it: prefixed, with the bare text as cause (facts/server §4.1). */
export const internalError = (text: string) =>
  failure({
    code: 500,
    reason: 'InternalError',
    message: `Internal error occurred: ${text}`,
    details: { causes: [{ message: text }] },
  });

/** 500 as the cacher reports it in a stream: the raw text (facts/server §5.2). */
export const rawInternalError = (text: string) => failure({ code: 500, reason: 'InternalError', message: text });

/** 500 of a plain Go error that no handler interprets, sent over HTTP: no reason. */
export const unrecognisedError = (text: string) => failure({ code: 500, reason: '', message: text });

/** 401. */
export const unauthorized = () => failure({ code: 401, reason: 'Unauthorized', message: 'Unauthorized' });

/** 403; `why` such as `User "u" cannot watch resource "pods" in API group "" in the namespace "ns"`. */
export const forbidden = (resource: GroupResource, name: string, why: string) =>
  failure({
    code: 403,
    reason: 'Forbidden',
    message: `${qualified(resource)}${name === '' ? '' : ` "${name}"`} is forbidden: ${why}`,
    details: about(resource, name),
  });

/** 503. */
export const serviceUnavailable = (message: string) => failure({ code: 503, reason: 'ServiceUnavailable', message });

/** 429 as a Status (a cache that is not ready, 1.31 and later; priority and fairness sends plain text instead). */
export const tooManyRequests = (message: string, retryAfterSeconds: number) =>
  failure({ code: 429, reason: 'TooManyRequests', message, details: { ...retry(retryAfterSeconds) } });

/** 504 of a request that ran out of its time. */
export const timeout = (message: string, retryAfterSeconds?: number) =>
  failure({ code: 504, reason: 'Timeout', message: `Timeout: ${message}`, details: retry(retryAfterSeconds) });

/** Status Success, the answer to a DELETE whose object is gone at once. */
export function deleted(resource: GroupResource, name: string, uid: string): Status {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: { ...about(resource, name), uid },
  };
}

/** 422 that only says what the request's sender can read of it (errors.NewGenericServerResponse). */
export const unprocessable = (message: string) => failure({ code: 422, reason: 'Invalid', message, details: {} });

/** 415 of the router, before anything of the body is looked at. */
export const unsupportedByRoute = (more = '') =>
  failure({
    code: 415,
    reason: 'UnsupportedMediaType',
    message: `415: Unsupported Media Type${more}`,
    details: {},
  });
