import { goJson } from '../protocol/go-json.ts';
import { goQuote } from '../protocol/go-strconv.ts';
import type { Status } from '../protocol/status.ts';
import { acceptsGzip, GZIP_THRESHOLD_BYTES, gzipped } from './compression.ts';
import { type Exchange, wantsPretty } from './exchange.ts';
import { ListBody } from './list-body.ts';
import { negotiateError, type OutputMediaType } from './negotiation.ts';
import { PIECE_BYTES, sendPieces } from './pieces.ts';
import { toYaml } from './yaml-document.ts';

/** Sends a whole answer. What was begun already stays as it is: a stream cannot be taken back. */
export function sendBytes(exchange: Exchange, code: number, contentType: string, body: Uint8Array | string): void {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  if (exchange.pending.hasRoom(bytes.length, exchange.method)) send(exchange, code, contentType, bytes);
  else sendTooManyRequests(exchange);
}

function send(exchange: Exchange, code: number, contentType: string, bytes: Uint8Array): void {
  if (!begin(exchange, code, contentType, bytes.length)) return;
  if (exchange.method === 'HEAD') exchange.response.end();
  else exchange.response.end(bytes);
}

/** Sends the headers of an answer of `length` bytes. False where one was begun already. */
function begin(exchange: Exchange, code: number, contentType: string, length: number): boolean {
  const { response, pending } = exchange;
  if (response.headersSent) return false;
  pending.add(length, exchange);
  // Go's name of it; every other status has the same one in Node.
  if (code === 413 && exchange.http1) exchange.http1.statusMessage = 'Request Entity Too Large';
  response.writeHead(code, { 'Content-Type': contentType, 'Content-Length': length });
  return true;
}

/** An object in the negotiated format: packed where it is large and the client takes gzip. */
function sendObject(exchange: Exchange, code: number, contentType: string, body: Uint8Array | string): void {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const { response, pending } = exchange;
  if (!packs(exchange, bytes.length) || !pending.hasRoom(bytes.length, exchange.method)) {
    sendBytes(exchange, code, contentType, bytes);
    return;
  }
  pending.add(bytes.length, exchange);
  const sendPacked = (packed: Uint8Array) => {
    if (response.headersSent) return;
    response.setHeader('Content-Encoding', 'gzip');
    response.setHeader('Vary', 'Accept-Encoding');
    send(exchange, code, contentType, packed);
  };
  void gzipped(bytes).then(sendPacked, () => send(exchange, code, contentType, bytes));
}

const packs = ({ request }: Exchange, length: number) =>
  length > GZIP_THRESHOLD_BYTES && acceptsGzip(request.headers['accept-encoding']);

/** A list as one line of JSON: piece by piece where it is large, unless it has to be there as a whole to be packed. */
function sendList(exchange: Exchange, code: number, list: ListBody): void {
  const { method, pending, response } = exchange;
  if (list.length <= PIECE_BYTES || packs(exchange, list.length)) {
    sendObject(exchange, code, 'application/json', list.bytes());
  } else if (!pending.hasRoom(list.length, method)) {
    sendTooManyRequests(exchange);
  } else if (begin(exchange, code, 'application/json', list.length)) {
    if (method === 'HEAD') response.end();
    else sendPieces(exchange, (block) => list.pieces(block));
  }
}

/** A JSON value, or JSON that is there as bytes already, in the negotiated format. JSON ends with a newline unless it is indented. */
export function sendJson(
  exchange: Exchange,
  code: number,
  body: object | Uint8Array | ListBody,
  format: OutputMediaType['format'] = 'json',
): void {
  const pretty = wantsPretty(exchange);
  const isBytes = body instanceof Uint8Array;
  if (body instanceof ListBody) {
    if (format !== 'yaml' && !pretty) sendList(exchange, code, body);
    else sendJson(exchange, code, body.bytes(), format);
  } else if (format === 'yaml') {
    sendObject(exchange, code, 'application/yaml', toYaml(isBytes ? parsed(body) : body));
  } else if (isBytes && !pretty) {
    sendObject(exchange, code, 'application/json', Buffer.concat([body, Buffer.from('\n')]));
  } else {
    const value = isBytes ? parsed(body) : body;
    sendObject(exchange, code, 'application/json', pretty ? goJson(value, 2) : `${goJson(value)}\n`);
  }
}

/** A Status as the whole answer (responsewriters.ErrorNegotiated). */
export function sendStatus(exchange: Exchange, status: Status): void {
  const seconds = status.details?.retryAfterSeconds;
  if (seconds !== undefined && seconds > 0 && !exchange.response.headersSent) {
    exchange.response.setHeader('Retry-After', String(seconds));
  }
  const format = negotiateError(exchange.accept);
  if (format === undefined) sendRawJson(exchange, status.code ?? 200, status);
  else sendJson(exchange, status.code ?? 200, status, format);
}

/** JSON whatever was asked for, and always indented (responsewriters.WriteRawJSON). */
export function sendRawJson(exchange: Exchange, code: number, body: object): void {
  sendBytes(exchange, code, 'application/json', goJson(body, 2));
}

/** Plain text, as Go's http.Error writes it. */
export function sendText(exchange: Exchange, code: number, text: string): void {
  if (exchange.response.headersSent) return;
  exchange.response.setHeader('X-Content-Type-Options', 'nosniff');
  sendBytes(exchange, code, 'text/plain; charset=utf-8', text);
}

/** A request that the outermost filter cannot read (filters/requestinfo.go, responsewriters.InternalError). */
export function sendUnreadable(exchange: Exchange): void {
  const { target, response } = exchange;
  if (!response.headersSent) response.removeHeader('Cache-Control');
  const why = `failed to create RequestInfo: unable to determine kind and namespace from url, ${target}`;
  const text = `Internal Server Error: ${goQuote(target)}: ${why}\n`;
  sendText(exchange, 500, text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'));
}

/** Seconds in `Retry-After` unless the switch names others: upstream begins with 1 (since 1.28 it grows to 32). */
const RETRY_AFTER_S = 1;

/** Flow control's refusal (filters/priority-and-fairness.go tooManyRequests). */
export function sendTooManyRequests(exchange: Exchange, retryAfterSeconds = RETRY_AFTER_S): void {
  if (exchange.response.headersSent) return;
  exchange.response.setHeader('Retry-After', String(retryAfterSeconds));
  sendText(exchange, 429, 'Too many requests, please try again later.\n');
}

const parsed = (json: Uint8Array) => JSON.parse(Buffer.from(json.buffer, json.byteOffset, json.byteLength).toString());
