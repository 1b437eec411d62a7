import { ApiError } from '../protocol/api-error.ts';
import { noRepresentation, notAcceptable } from '../protocol/status.ts';
import { parseAccept } from './media-type.ts';

export type Transform = 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList';

/** How the body of an answer is written. */
export interface OutputMediaType {
  readonly format: 'json' | 'yaml';
  readonly transform: Transform | undefined;
  /** Group version of the transformed kind, as the client wrote it. */
  readonly version: 'v1' | 'v1beta1';
}

const OBJECT_TYPES = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];
const STREAM_TYPES = ['application/json;stream=watch', 'application/vnd.kubernetes.protobuf;stream=watch'];
const TRANSFORMS: readonly string[] = ['Table', 'PartialObjectMetadata', 'PartialObjectMetadataList'];
const JSON_TYPE: OutputMediaType = { format: 'json', transform: undefined, version: 'v1' };

/**
 * The router's own look at Accept, before everything else (go-restful Route.matchesAccept): it knows media types by name
 * and one wildcard. Throws 406 in the router's words. `list`: the route can also answer with a stream.
 */
export function checkRouteAccepts(accept: string | undefined, list: boolean): void {
  const wanted = (accept || '*/*').split(',').map((clause) => (clause.split(';')[0] ?? '').trim());
  if (wanted.some((type) => type === '*/*' || OBJECT_TYPES.includes(type))) return;
  const offered = list ? [...OBJECT_TYPES, ...STREAM_TYPES] : OBJECT_TYPES;
  throw new ApiError(noRepresentation(offered));
}

/**
 * Chooses the output of a request, as upstream negotiation.NegotiateMediaTypeOptions: the best clause that can be served wins.
 * Protobuf is not written here, so its clauses are passed over. Throws 406.
 */
export function negotiate(accept: string | undefined): OutputMediaType {
  const found = choose(accept, (kind) => TRANSFORMS.includes(kind));
  if (found === undefined) throw new ApiError(notAcceptable(OBJECT_TYPES));
  return found;
}

/** Errors cannot be transformed. Undefined: nothing fits, they are raw JSON then (responsewriters.WriteObjectNegotiated). */
export function negotiateError(accept: string | undefined): OutputMediaType['format'] | undefined {
  return choose(accept, () => false)?.format;
}

/** Only JSON has a stream form here. Comes after the storage accepted the watch (facts/server §1.3). Throws 406. */
export function checkStreamable(output: OutputMediaType): void {
  if (output.format === 'json') return;
  throw new ApiError(notAcceptable(STREAM_TYPES));
}

function choose(accept: string | undefined, allows: (kind: string) => boolean): OutputMediaType | undefined {
  if (!accept) return JSON_TYPE;
  for (const { type, subtype, params } of parseAccept(accept)) {
    const format = formatOf(type, subtype);
    if (format === undefined || !allowsParams(params)) continue;
    const kind = params.get('as');
    if (kind === undefined && !params.has('g') && !params.has('v')) return { ...JSON_TYPE, format };
    const version = params.get('v');
    if (params.get('g') !== 'meta.k8s.io' || (version !== 'v1' && version !== 'v1beta1')) continue;
    if (kind !== undefined && allows(kind)) return { format, transform: kind as Transform, version };
  }
  return undefined;
}

function formatOf(type: string, subtype: string): OutputMediaType['format'] | undefined {
  if (type === '*' && subtype === '*') return 'json';
  if (type !== 'application') return undefined;
  if (subtype === 'json' || subtype === '*') return 'json';
  return subtype === 'yaml' ? 'yaml' : undefined;
}

function allowsParams(params: Map<string, string>): boolean {
  const stream = params.get('stream');
  const serverVersion = params.get('sv');
  return (!stream || stream === 'watch') && (!serverVersion || serverVersion === 'v1');
}
