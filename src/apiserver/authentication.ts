import { createHash, timingSafeEqual } from 'node:crypto';
import { ApiError } from '../protocol/api-error.ts';
import type { Exchange } from './exchange.ts';

const digest = (text: string) => createHash('sha256').update(text).digest();

/**
 * The bearer token of a request, by the rules of upstream (request/bearertoken AuthenticateRequest): scheme in any case, one space,
 * what follows the token is ignored. Undefined: there is none.
 */
export function bearerToken(authorization: string | undefined): string | undefined {
  const [scheme = '', token = ''] = (authorization ?? '').trim().split(' ', 2);
  return scheme.toLowerCase() === 'bearer' && token !== '' ? token : undefined;
}

/**
 * Demands `token` of every request, as a kube-apiserver with `--anonymous-auth=false` does: `/healthz`, `/version` and unknown paths too.
 * Throws 401 for any other token or none; over HTTP/2 the connection is given up then (UnauthenticatedHTTP2DOSMitigation).
 */
export class Authentication {
  /** Compared by digest: neither length nor contents show in the time that it takes. */
  readonly #expected: Buffer;

  constructor(token: string) {
    this.#expected = digest(token);
  }

  check({ request, http1, closeAfterwards }: Exchange): void {
    const given = bearerToken(request.headers.authorization);
    if (given !== undefined && timingSafeEqual(digest(given), this.#expected)) return;
    if (http1 === undefined) closeAfterwards();
    throw new ApiError({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'Unauthorized',
      reason: 'Unauthorized',
      code: 401,
    });
  }
}
