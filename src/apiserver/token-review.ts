import { sendJson } from './answer.ts';
import type { Exchange } from './exchange.ts';
import { decodeJsonObject } from './object-decoding.ts';
import { readBody } from './request-body.ts';

/** POST …/tokenreviews: this server knows no users, so no token is anybody's. */
export async function postTokenReview(exchange: Exchange): Promise<void> {
  const review = decodeJsonObject(await readBody(exchange.request), 'TokenReview');
  const { metadata = {}, spec = {} } = review;
  const apiVersion = 'authentication.k8s.io/v1';
  sendJson(exchange, 201, { kind: 'TokenReview', apiVersion, metadata, spec, status: { user: {} } });
}
