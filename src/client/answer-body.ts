import type { Status } from '../protocol/status.ts';
import type { AnswerBody } from './facts.ts';

/** Bytes kept of a body that is no stream. */
export const MAX_BODY_BYTES = 64 * 1024;
/** Characters of it that are shown. */
const MAX_TEXT = 2000;

/**
 * Reads a body that is no stream: a refusal, or what came instead of one. `bytes`: at most MAX_BODY_BYTES of it;
 * `size`: how many there were.
 */
export function readBody(bytes: Uint8Array, size: number): AnswerBody {
  const whole = new TextDecoder().decode(bytes);
  const body: AnswerBody = { text: whole.slice(0, MAX_TEXT), size };
  const document = parseObject(whole);
  if (document === undefined) {
    const kind = sniffKind(whole);
    if (kind !== undefined) body.jsonKind = kind;
    return body;
  }
  if (typeof document.kind === 'string') body.jsonKind = document.kind;
  const status = asStatus(document);
  if (status) body.status = status;
  return body;
}

/**
 * The Status in a JSON document, or undefined. One without kind and apiVersion counts too: that is how an apiserver's
 * timeout filter writes it (facts/server §5.5).
 */
export function asStatus(document: unknown): Status | undefined {
  if (typeof document !== 'object' || document === null) return undefined;
  const { kind, status, code, message, reason } = document as Record<string, unknown>;
  const named = kind === 'Status';
  const bare = kind === undefined && (status === 'Failure' || status === 'Success');
  if (!named && !bare) return undefined;
  const plain = { ...(document as object) } as Record<string, unknown>;
  if (typeof code !== 'number') delete plain.code;
  if (typeof message !== 'string') delete plain.message;
  if (typeof reason !== 'string') delete plain.reason;
  if (typeof plain.details !== 'object' || plain.details === null) delete plain.details;
  if (typeof plain.metadata !== 'object' || plain.metadata === null) plain.metadata = {};
  return { ...plain, kind: 'Status', apiVersion: 'v1', status: status === 'Success' ? 'Success' : 'Failure' } as Status;
}

/** A JSON object, or undefined. Nesting that overflows the parser's stack counts as no JSON. */
export function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    // Not JSON: that is the answer, and callers show the text itself.
    return undefined;
  }
}

/** `kind` of a JSON document whose end is missing: first or second member in all that Go's typed encoder writes. */
function sniffKind(text: string): string | undefined {
  return /^\s*\{\s*(?:"apiVersion"\s*:\s*"[^"\\]{0,200}"\s*,\s*)?"kind"\s*:\s*"([A-Za-z0-9]{1,100})"/.exec(text)?.[1];
}
