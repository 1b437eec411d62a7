import { ApiError } from './api-error.ts';
import { type FieldError, forbiddenField, unsupportedValue } from './field-error.ts';
import { everything as everyField, type FieldSelector, parseFieldSelector } from './field-selector.ts';
import { parseInt64 } from './go-strconv.ts';
import { everything as everyLabel, type LabelSelector, parseLabelSelector } from './label-selector.ts';
import { firstValue, type Query } from './query.ts';
import { SelectorError } from './selector-error.ts';
import { badRequest, invalid } from './status.ts';

/** The options of a LIST or WATCH request, decoded, defaulted and found valid (apimachinery `internalversion.ListOptions`). */
export interface ListOptions {
  labelSelector: LabelSelector;
  fieldSelector: FieldSelector;
  /** As the query says it; a path of the legacy form watches without it. */
  watch: boolean;
  allowWatchBookmarks: boolean;
  /** Not looked at yet: only storage refuses what is no number, each in its own way (facts/server §1.4). */
  resourceVersion: string;
  resourceVersionMatch: '' | 'Exact' | 'NotOlderThan';
  /** undefined and 0 both mean the server's choice; negative is not refused. A part of a second where the number was too large. */
  timeoutSeconds: number | undefined;
  /** 0 and negative: no limit. */
  limit: number;
  continue: string;
  /** undefined ≠ false. */
  sendInitialEvents: boolean | undefined;
}

/** What stands in the query, before anything is judged. */
type Decoded = Omit<ListOptions, 'resourceVersionMatch'> & { resourceVersionMatch: string };

/**
 * The options of a request, in upstream's order: decode (400: numbers first, then the label selector, then the field
 * selector), default, validate (422). Which fields a resource can select by is checked after this, by who knows the
 * resource. `watchList` is the server's feature gate WatchList. Throws ApiError.
 */
export function parseListOptions(query: Query, { watchList }: { watchList: boolean }): ListOptions {
  const options = decode(query);
  if (watchList) defaultToWatchList(options);
  const errors = options.watch ? watchErrors(options, watchList) : listErrors(options);
  if (errors.length > 0) throw new ApiError(invalid({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', errors));
  return options as ListOptions;
}

function decode(query: Query): Decoded {
  const text = (name: string) => firstValue(query, name) ?? '';
  const timeoutSeconds = goSeconds(query, 'timeoutSeconds');
  // Beyond 2^53 it is rounded: no list is that long.
  const limit = Number(integer(query, 'limit') ?? 0);
  return {
    watch: queryFlag(query, 'watch') ?? false,
    allowWatchBookmarks: queryFlag(query, 'allowWatchBookmarks') ?? false,
    resourceVersion: text('resourceVersion'),
    resourceVersionMatch: text('resourceVersionMatch'),
    timeoutSeconds,
    limit,
    continue: text('continue'),
    sendInitialEvents: queryFlag(query, 'sendInitialEvents'),
    labelSelector: selector(text('labelSelector'), parseLabelSelector, everyLabel),
    fieldSelector: selector(text('fieldSelector'), parseFieldSelector, everyField),
  };
}

/** A boolean of the query: any value but `0` and `false` (in any case) is true, also the empty one. undefined: absent. */
export function queryFlag(query: Query, name: string): boolean | undefined {
  const value = firstValue(query, name);
  return value === undefined ? undefined : value !== '0' && value.toLowerCase() !== 'false';
}

/** A present but empty number is refused. */
function integer(query: Query, name: string): bigint | undefined {
  const value = firstValue(query, name);
  if (value === undefined) return undefined;
  const parsed = parseInt64(value);
  if (!parsed.ok) throw new ApiError(badRequest(parsed.message));
  return parsed.value;
}

/**
 * Seconds as Go's time.Duration holds them (handlers/get.go): 64 bits of nanoseconds, which overflow without a word beyond 292
 * years. So the largest number there is means one second ago.
 */
function goSeconds(query: Query, name: string): number | undefined {
  const seconds = integer(query, name);
  return seconds === undefined ? undefined : Number(BigInt.asIntN(64, seconds * 1_000_000_000n)) / 1e9;
}

function selector<T>(text: string, parse: (text: string) => T, everything: T): T {
  if (text === '') return everything;
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof SelectorError) throw new ApiError(badRequest(error.message));
    throw error;
  }
}

/**
 * With the gate on, a plain watch from '' or 0 becomes a streaming list (apimachinery internalversion/defaults.go:
 * SetListOptionsDefaults).
 */
function defaultToWatchList(options: Decoded): void {
  const fromState = options.resourceVersion === '' || options.resourceVersion === '0';
  const spoken = options.sendInitialEvents !== undefined || options.resourceVersionMatch !== '';
  if (!options.watch || !fromState || spoken) return;
  options.sendInitialEvents = true;
  options.resourceVersionMatch = 'NotOlderThan';
}

const MATCH = 'resourceVersionMatch';
const INITIAL = 'sendInitialEvents';
const WITH_CONTINUE = forbiddenField(MATCH, 'resourceVersionMatch is forbidden when continue is provided');

/** apimachinery internalversion/validation: ValidateListOptions. */
function listErrors(options: Decoded): FieldError[] {
  const match = options.resourceVersionMatch;
  const errors: FieldError[] = [];
  if (match !== '') {
    if (options.resourceVersion === '') {
      errors.push(forbiddenField(MATCH, 'resourceVersionMatch is forbidden unless resourceVersion is provided'));
    }
    if (options.continue !== '') errors.push(WITH_CONTINUE);
    if (match !== 'Exact' && match !== 'NotOlderThan') {
      errors.push(unsupportedValue(MATCH, match, ['Exact', 'NotOlderThan', '']));
    }
    if (match === 'Exact' && options.resourceVersion === '0') {
      errors.push(forbiddenField(MATCH, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
    }
  }
  if (options.sendInitialEvents !== undefined) {
    errors.push(forbiddenField(INITIAL, 'sendInitialEvents is forbidden for list'));
  }
  return errors;
}

/** apimachinery internalversion/validation: validateWatchOptions (1.27 and later). */
function watchErrors(options: Decoded, watchList: boolean): FieldError[] {
  const match = options.resourceVersionMatch;
  const initial = options.sendInitialEvents !== undefined;
  const errors: FieldError[] = [];
  if (initial && match !== 'NotOlderThan') {
    errors.push(forbiddenField(MATCH, 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'));
  }
  if (initial && !watchList) {
    const why = 'sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled';
    errors.push(forbiddenField(INITIAL, why));
  }
  if (match === '') return errors;
  if (!initial) {
    const why = 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided';
    errors.push(forbiddenField(MATCH, why));
  }
  if (match !== 'NotOlderThan') errors.push(unsupportedValue(MATCH, match, ['NotOlderThan']));
  if (options.continue !== '') errors.push(WITH_CONTINUE);
  return errors;
}
