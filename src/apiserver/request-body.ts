import type { IncomingMessage } from 'node:http';
import { ApiError } from '../protocol/api-error.ts';

/** Upstream's limit for write requests, bytes (server/config.go MaxRequestBodyBytes: 3 MiB). */
export const MAX_BODY_BYTES = 3 * 1024 * 1024;

/** Deepest nesting of a JSON body. Upstream stops at 10000; less is safe for every recursive walk here. */
const MAX_DEPTH = 500;

/** The client went away while it was still sending: there is nobody to answer. */
export class ClientGone extends Error {
  constructor() {
    super('the client went away');
    this.name = 'ClientGone';
  }
}

/** Reads a whole request body. Throws 413 (the rest is not read), or ClientGone. */
export async function readBody(request: IncomingMessage, limit = MAX_BODY_BYTES): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > limit) throw tooLarge(limit);
  const parts: Buffer[] = [];
  let size = 0;
  try {
    for await (const part of request as AsyncIterable<Buffer>) {
      size += part.length;
      if (size > limit) throw tooLarge(limit);
      parts.push(part);
    }
  } catch (error) {
    throw error instanceof ApiError ? error : new ClientGone();
  }
  return Buffer.concat(parts);
}

/** A JSON document, or the reason why it is none (in Go's manner: `unexpected end of JSON input`). */
export function parseJson(body: Buffer): { value: unknown } | { reason: string } {
  const text = body.toString('utf8');
  if (text.trim() === '') return { reason: 'unexpected end of JSON input' };
  if (nestsTooDeep(text)) return { reason: `exceeded max depth of ${MAX_DEPTH}` };
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { reason: error instanceof SyntaxError ? goReason(error.message) : String(error) };
  }
}

function goReason(message: string): string {
  if (/Unexpected end/.test(message)) return 'unexpected end of JSON input';
  const character = /Unexpected token '?(.)'?/s.exec(message)?.[1];
  return character === undefined ? message : `invalid character ${quoted(character)} looking for beginning of value`;
}

const quoted = (character: string) => (character === "'" ? "'\\''" : `'${JSON.stringify(character).slice(1, -1)}'`);

/** Counts brackets outside strings, one pass and no recursion: a parser that recurses would be the victim. */
function nestsTooDeep(text: string): boolean {
  let depth = 0;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const character = text[i];
    if (inString) {
      if (character === '\\') i++;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === '{' || character === '[') depth++;
    else if (character === '}' || character === ']') depth--;
    if (depth > MAX_DEPTH) return true;
  }
  return false;
}

function tooLarge(limit: number): ApiError {
  return new ApiError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: `Request entity too large: limit is ${limit}`,
    reason: 'RequestEntityTooLarge',
    code: 413,
  });
}
