import { isDeepStrictEqual } from 'node:util';
import type { FieldError } from '../protocol/field-error.ts';
import type { KubeObject } from '../protocol/object.ts';

/** A JSON object whose fields nobody has looked at yet. */
export type JsonObject = Record<string, unknown>;

/**
 * What one type does to its objects on their way into the store (upstream registry/…/strategy.go). Every function changes
 * the object that it is given; that object belongs to the request alone.
 */
export interface Strategy {
  /** Fills in what a client may leave out. Runs on every body, also before "nothing new" is decided. */
  setDefaults?(object: KubeObject): void;
  prepareForCreate?(object: KubeObject): void;
  prepareForUpdate?(object: KubeObject, old: KubeObject): void;
  /** The status that a new object gets whatever the client sent. Present: the type has a `status` subresource. */
  initialStatus?(object: KubeObject): JsonObject;
  /** The field whose changes `metadata.generation` counts. Otherwise a client may set it when it creates, and never again. */
  generationOf?: 'spec' | 'template';
  /** An update through `…/status` cannot change labels. */
  statusKeepsLabels?: boolean;
  /**
   * Seconds of grace that a DELETE gives (`asked`: DeleteOptions.gracePeriodSeconds). Present: the type is deleted gracefully,
   * so that even an immediate DELETE writes twice (facts/server §3.10).
   */
  gracePeriod?(object: KubeObject, asked: number | undefined): number;
  /** A PUT of a name that is not there creates it (upstream AllowCreateOnUpdate). */
  createOnUpdate?: boolean;
  /** A PUT must carry a resourceVersion (upstream AllowUnconditionalUpdate: false). */
  needsResourceVersion?: boolean;
  /** A DELETE that ends the object answers with it, instead of with a Status (upstream ReturnDeletedObject). */
  returnsDeletedObject?: boolean;
  /** What becomes of dependents when a DELETE does not say (upstream DefaultGarbageCollectionPolicy). */
  garbageCollection?: 'background' | 'orphan' | 'unsupported';
  /** What is wrong with the rest of an object, beside its metadata; on an update too. */
  validate?(object: KubeObject): FieldError[];
  /** What an update may not change. */
  validateUpdate?(object: KubeObject, old: KubeObject): FieldError[];
}

/** A field that holds an object, made if it is missing. Anything else in its place is replaced. */
export function section(object: JsonObject, field: string): JsonObject {
  const found = object[field];
  if (isObject(found)) return found;
  const made: JsonObject = {};
  object[field] = made;
  return made;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The objects of a list field; what is no object is left out. */
export function objectsOf(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** Sets a field that is absent or null. */
export function fillIn(object: JsonObject, field: string, value: unknown): void {
  object[field] ??= value;
}

/** What every type does with status and generation on create (upstream strategies' PrepareForCreate). */
export function prepareForCreate(strategy: Strategy, object: KubeObject): void {
  if (strategy.initialStatus) object.status = strategy.initialStatus(object);
  if (strategy.generationOf !== undefined) object.metadata.generation = 1;
  strategy.prepareForCreate?.(object);
}

/** The same for an update: the main resource cannot change status, nor the client the generation. */
export function prepareForUpdate(strategy: Strategy, object: KubeObject, old: KubeObject): void {
  if (strategy.initialStatus) keep(object, old, 'status');
  const generation = old.metadata.generation;
  if (generation === undefined) delete object.metadata.generation;
  else object.metadata.generation = generation;
  strategy.prepareForUpdate?.(object, old);
  const counted = strategy.generationOf;
  if (counted !== undefined && !isDeepStrictEqual(object[counted], old[counted])) {
    object.metadata.generation = (generation ?? 0) + 1;
  }
}

/** An update through `…/status` changes status and metadata, nothing else. */
export function prepareForStatusUpdate(strategy: Strategy, object: KubeObject, old: KubeObject): void {
  if (strategy.statusKeepsLabels) object.metadata.labels = old.metadata.labels ?? {};
  for (const field of new Set([...Object.keys(object), ...Object.keys(old)])) {
    if (field !== 'metadata' && field !== 'status') keep(object, old, field);
  }
}

function keep(object: KubeObject, old: KubeObject, field: string): void {
  if (old[field] === undefined) delete object[field];
  else object[field] = old[field];
}
