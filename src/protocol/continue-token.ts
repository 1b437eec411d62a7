import { ApiError } from './api-error.ts';
import { goJson } from './go-json.ts';
import { goSyntaxError } from './go-json-error.ts';
import { badRequest } from './status.ts';

/** Where a list goes on. */
export interface ContinuePosition {
  /** The storage key to begin at. */
  start: string;
  /** The revision to read at; negative: the present one, so the whole list is not consistent. Never 0. */
  rv: number;
}

const VERSION = 'meta.k8s.io/v1';

/** upstream pkg/storage/continue.go EncodeContinue. `start` is a storage key below `keyPrefix`, which ends in a slash. */
export function encodeContinueToken(start: string, keyPrefix: string, rv: number): string {
  if (!start.startsWith(keyPrefix)) throw new Error(`continue key ${start} does not begin with ${keyPrefix}`);
  return Buffer.from(goJson({ v: VERSION, rv, start: start.slice(keyPrefix.length) })).toString('base64url');
}

/** upstream DecodeContinue. Throws the 400 that says what is wrong with the token (facts/server §2.3). */
export function decodeContinueToken(token: string, keyPrefix: string): ContinuePosition {
  const { v, rv, start } = parseToken(token);
  if (v !== VERSION) throw invalid(`: server does not recognize this encoded version ${v}`);
  if (rv === 0) throw invalid(`: incorrect encoded start resourceVersion (version ${VERSION})`);
  if (start === '') throw invalid(`: encoded start key empty (version ${VERSION})`);
  // A start of `../../secrets/x` must not lead out of the collection.
  const relative = start.startsWith('/') ? start.slice(1) : start;
  if (relative !== '' && !isClean(relative)) throw invalid(`: ${start}`);
  return { start: keyPrefix + relative, rv };
}

function parseToken(token: string): { v: string; rv: number; start: string } {
  const stray = /[^A-Za-z0-9_-]/.exec(token);
  if (stray) throw invalid(`: illegal base64 data at input byte ${stray.index}`);
  if (token.length % 4 === 1) throw invalid(`: illegal base64 data at input byte ${token.length - 1}`);
  const bytes = Buffer.from(token, 'base64url');
  let parsed: unknown;
  try {
    parsed = JSON.parse(bytes.toString());
  } catch (error) {
    throw invalid(`: ${goSyntaxError(bytes, error)}`);
  }
  if (parsed === null) return { v: '', rv: 0, start: '' };
  if (goType(parsed) !== 'object') throw invalid(`: ${mismatch(parsed, 'value of type storage.continueToken')}`);
  // Go's decoder finds a field whatever the case of its name.
  const fields = Object.fromEntries(
    Object.entries(parsed as Record<string, unknown>).map(([key, value]) => [key.toLowerCase(), value]),
  );
  return { v: textField(fields, 'v'), rv: revisionField(fields), start: textField(fields, 'start') };
}

function textField(fields: Record<string, unknown>, key: 'v' | 'start'): string {
  const value = fields[key] ?? '';
  if (typeof value !== 'string')
    throw invalid(`: ${mismatch(value, `struct field continueToken.${key} of type string`)}`);
  return value;
}

function revisionField(fields: Record<string, unknown>): number {
  const value = fields.rv ?? 0;
  if (typeof value === 'number' && Number.isInteger(value)) return value;
  throw invalid(`: ${mismatch(value, 'struct field continueToken.rv of type int64')}`);
}

/** What Go's decoder says where a value has another type than the field. */
function mismatch(value: unknown, target: string): string {
  const type = goType(value);
  // A number that is no whole one is told with its digits, where a whole one is wanted.
  const shown = type === 'number' && target.endsWith('int64') ? `number ${String(value)}` : type;
  return `json: cannot unmarshal ${shown} into Go ${target}`;
}

function goType(value: unknown): 'object' | 'array' | 'string' | 'number' | 'bool' {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : (typeof value as 'object' | 'string' | 'number');
}

/** Go path.Clean would leave it as it is: no empty, `.` or `..` segment, no slash at its end. */
function isClean(path: string): boolean {
  return path.split('/').every((segment) => segment !== '' && segment !== '.' && segment !== '..');
}

function invalid(why: string): ApiError {
  return new ApiError(badRequest(`invalid continue token: continue key is not valid${why}`));
}
