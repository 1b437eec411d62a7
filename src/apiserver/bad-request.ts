import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** What a connection is told whose bytes are no request, as Go's net/http does: status line and body say the same. */
function closingAnswer(status: string): string {
  return `HTTP/1.1 ${status}\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n${status}`;
}

/** Faults of Node's parser that have a status of their own; every other is a 400. */
const STATUS_OF_FAULT: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_INVALID_VERSION: '505 HTTP Version Not Supported: unsupported protocol version',
  // Upstream hangs up without a word here; a word helps whoever debugs a client.
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/**
 * Ends a connection whose bytes could not be read as HTTP/1. `answering`: part of an answer may be out already, and nothing may
 * be mixed into it.
 */
export function answerUnreadable(error: Error & { code?: string }, socket: Duplex, answering: boolean): void {
  const isHttp = error.code?.startsWith('HPE_') || error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
  if (!isHttp || answering || !socket.writable) {
    socket.destroy();
    return;
  }
  socket.end(closingAnswer(STATUS_OF_FAULT[error.code ?? ''] ?? '400 Bad Request'), () => socket.destroy());
}

/** Somebody speaks plain HTTP to the TLS port. Go's words. */
export function answerPlainHttp(socket: Duplex): void {
  socket.end('HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n', () =>
    socket.destroy(),
  );
}

/** Bytes that a Host may have (golang.org/x/net/http/httpguts ValidHostHeader). */
const HOST = /^[!$%&'()*+,\-.0-9:;=A-Z[\]_a-z~]*$/;

/** What is wrong with the Host of an HTTP/1 request, as Go's net/http says it; undefined: nothing. */
export function hostFault({ rawHeaders, headers, httpVersion }: IncomingMessage): string | undefined {
  const isHost = (field: string, index: number) => index % 2 === 0 && field.length === 4 && /^host$/i.test(field);
  const count = rawHeaders.filter(isHost).length;
  if (count > 1) return '400 Bad Request';
  if (count === 0 && httpVersion === '1.1') return '400 Bad Request: missing required Host header';
  return HOST.test(headers.host ?? '') ? undefined : '400 Bad Request: malformed Host header';
}

/** Refuses a request that could be read, and ends its connection. */
export function refuseRequest(response: ServerResponse, status: string): void {
  response.sendDate = false;
  const [, code, reason] = /^(\d+) (.*)$/.exec(status) ?? [];
  response.writeHead(Number(code), reason, {
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Length': Buffer.byteLength(status),
    Connection: 'close',
  });
  response.end(status);
}
