import { ApiError } from '../protocol/api-error.ts';
import { goSyntaxError } from '../protocol/go-json-error.ts';
import type { HttpRequest } from './exchange.ts';

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

/**
 * Reads a whole request body. Throws 413, or ClientGone. What is not read is thrown away once the answer is out, so that a
 * client that only reads after it has sent everything gets its 413 and not a reset.
 */
export async function readBody(request: HttpRequest, limit = MAX_BODY_BYTES): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > limit) throw tooLarge(limit);
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let size = 0;
    const settle = (finish: () => void) => {
      request.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose);
      finish();
    };
    const onData = (part: Buffer) => {
      size += part.length;
      parts.push(part);
      if (size <= limit) return;
      settle(() => reject(tooLarge(limit)));
      request.resume();
    };
    const onEnd = () => settle(() => resolve(Buffer.concat(parts)));
    const onClose = () => settle(() => reject(new ClientGone()));
    request.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose);
  });
}

/** A JSON document, or the reason why it is none (in Go's manner: `unexpected end of JSON input`). */
export function parseJson(body: Buffer): { value: unknown } | { reason: string } {
  const text = body.toString('utf8');
  if (nestsTooDeep(text)) return { reason: `exceeded max depth of ${MAX_DEPTH}` };
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { reason: goSyntaxError(body, error) };
  }
}

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
