import { ApiError } from '../protocol/api-error.ts';
import type { FieldError } from '../protocol/field-error.ts';
import * as status from '../protocol/status.ts';
import type { Resource } from './resource.ts';

type Named = Pick<Resource, 'group' | 'name'>;

const groupResource = ({ group, name }: Named): status.GroupResource => ({ group, resource: name });

/** Errors about a type of the table, ready to be thrown. The texts are protocol/status.ts's. */
export const notFound = (resource: Named, name: string) => new ApiError(status.notFound(groupResource(resource), name));

export const alreadyExists = (resource: Named, name: string, beingDeleted: boolean) =>
  new ApiError(status.alreadyExists(groupResource(resource), name, beingDeleted));

export const conflict = (resource: Named, name: string, why: string) =>
  new ApiError(status.conflict(groupResource(resource), name, why));

export const verbNotSupported = (resource: Named, verb: string) =>
  new ApiError(status.methodNotSupported(groupResource(resource), verb));

export const forbidden = (resource: Named, name: string, why: string) =>
  new ApiError(status.forbidden(groupResource(resource), name, why));

export const invalid = (resource: Pick<Resource, 'group' | 'kind'>, name: string, errors: readonly FieldError[]) =>
  new ApiError(status.invalid(resource, name, errors));

export const badRequest = (message: string) => new ApiError(status.badRequest(message));

/** A Go error that nobody interpreted: 500 without a reason. */
export const unrecognised = (message: string) => new ApiError(status.unrecognisedError(message));
