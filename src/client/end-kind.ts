import type { EndKind } from './facts.ts';

/** How a request ended, as the transport saw it. */
export interface TransportEnd {
  end: EndKind;
  /** Error code and message in the transport's own words, for evidence; "" for a proper end. */
  detail: string;
  /** Error code, where there was an error that has one. */
  code?: string;
}

/** Characters kept of an error's message. */
const MAX_WORDS = 300;

/** Names, addresses and ports that lead nowhere: nothing was asked of anybody. */
const UNREACHED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EAI_FAIL',
  'EAI_NODATA',
  'EAI_NONAME',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'EADDRNOTAVAIL',
]);

/** Name errors that do not pass by themselves: no such host. EAI_AGAIN does pass. */
const NO_SUCH_HOST = new Set(['ENOTFOUND', 'EAI_FAIL', 'EAI_NODATA', 'EAI_NONAME']);

/** OpenSSL's and Node's certificate errors have codes without a common prefix (Node `tls` docs, X509 error codes). */
const CERTIFICATE =
  /^(?:CERT_|CRL_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|INVALID_(?:CA|PURPOSE)|HOSTNAME_MISMATCH|PATH_LENGTH_EXCEEDED|ERROR_IN_CERT)/;

/** `80CC…:error:0A00045C:SSL routines:ssl3_read_bytes:tlsv13 alert certificate required:../deps/…`: the reason in the middle. */
const OPENSSL = /^[0-9A-F]+:error:[0-9A-F]+:[^:]*:[^:]*:([^:]+):[\s\S]*$/;

function isTls(code: string): boolean {
  return code === 'EPROTO' || code.startsWith('ERR_SSL_') || code.startsWith('ERR_TLS_') || CERTIFICATE.test(code);
}

/**
 * What an undici error means on the wire (measured with undici 7.30 on Node 20). `answered`: headers had come before.
 */
export function classifyError(error: Error & { code?: unknown }, answered: boolean): TransportEnd {
  const code = typeof error.code === 'string' ? error.code : undefined;
  // Where a name has several addresses, Node gives one error of many, without a message of its own.
  const [first] = error instanceof AggregateError ? (error.errors as Error[]) : [];
  const message = error.message || first?.message || '';
  const words = message.replace(OPENSSL, '$1').replace(/\s+/g, ' ').trim().slice(0, MAX_WORDS);
  const detail = [code ?? error.name, words].filter((part) => part !== '').join(': ');
  return { end: endOf(error, code ?? '', answered), detail, ...(code === undefined ? {} : { code }) };
}

function endOf(error: Error, code: string, answered: boolean): EndKind {
  if (isTls(code)) return 'tls';
  if (UNREACHED.has(code)) return answered ? 'reset' : 'refused';
  if (code === 'ECONNRESET' || code === 'EPIPE' || code === 'ECONNABORTED') return 'reset';
  // The stream ended inside its framing: llhttp's word for `Connection: close` bodies, undici's count for sized ones.
  if (/Invalid EOF state/.test(error.message) || code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH') {
    return answered ? 'truncated' : 'no-response';
  }
  if (error.name === 'HTTPParserError' || code.startsWith('HPE_') || code === 'UND_ERR_HEADERS_OVERFLOW') {
    return 'protocol-error';
  }
  // An upgrade that nobody asked for trips undici's own assertion.
  if (code === 'ERR_ASSERTION') return 'protocol-error';
  // Closed by the peer, timed out in the kernel, or something new: all that is sure is that the rest did not come.
  return answered ? 'truncated' : 'no-response';
}

/** True for a name that does not exist: no waiting mends it. */
export function isNoSuchHost(end: TransportEnd): boolean {
  return end.code !== undefined && NO_SUCH_HOST.has(end.code);
}
