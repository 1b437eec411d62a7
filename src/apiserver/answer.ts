import { goJson } from '../protocol/go-json.ts';
import type { Status } from '../protocol/status.ts';
import { type Exchange, wantsPretty } from './exchange.ts';
import { negotiateError, type OutputMediaType } from './negotiation.ts';
import { toYaml } from './yaml-document.ts';

/** Sends a whole answer. What was begun already stays as it is: a stream cannot be taken back. */
export function sendBytes(exchange: Exchange, code: number, contentType: string, body: Uint8Array | string): void {
  const { response } = exchange;
  if (response.headersSent) return;
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  response.writeHead(code, { 'Content-Type': contentType, 'Content-Length': bytes.length });
  if (exchange.method === 'HEAD') response.end();
  else response.end(bytes);
}

/** A JSON value, or JSON that is there as bytes already, in the negotiated format. JSON bodies end with a newline. */
export function sendJson(
  exchange: Exchange,
  code: number,
  body: object | Uint8Array,
  format: OutputMediaType['format'] = 'json',
): void {
  const pretty = wantsPretty(exchange);
  const isBytes = body instanceof Uint8Array;
  if (format === 'yaml') {
    sendBytes(exchange, code, 'application/yaml', toYaml(isBytes ? parsed(body) : body));
  } else if (isBytes && !pretty) {
    sendBytes(exchange, code, 'application/json', Buffer.concat([body, Buffer.from('\n')]));
  } else {
    const value = isBytes ? parsed(body) : body;
    const text = pretty ? JSON.stringify(value, null, 2) : goJson(value);
    sendBytes(exchange, code, 'application/json', `${text}\n`);
  }
}

/** A Status as the whole answer (responsewriters.ErrorNegotiated). */
export function sendStatus(exchange: Exchange, status: Status): void {
  const seconds = status.details?.retryAfterSeconds;
  if (seconds !== undefined && seconds > 0 && !exchange.response.headersSent) {
    exchange.response.setHeader('Retry-After', String(seconds));
  }
  sendJson(exchange, status.code ?? 200, status, negotiateError(exchange.accept));
}

/** Plain text, as Go's http.Error writes it. */
export function sendText(exchange: Exchange, code: number, text: string): void {
  if (exchange.response.headersSent) return;
  exchange.response.setHeader('X-Content-Type-Options', 'nosniff');
  sendBytes(exchange, code, 'text/plain; charset=utf-8', text);
}

const parsed = (json: Uint8Array) => JSON.parse(Buffer.from(json.buffer, json.byteOffset, json.byteLength).toString());
