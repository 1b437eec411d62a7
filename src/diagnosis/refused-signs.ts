import { type Answer, effectiveCode } from './answer.ts';
import { NOT_READY } from './known-texts.ts';
import type { Place } from './scene.ts';

/** A request that was turned away, or an ERROR in the stream; 410s are decided in gone.ts before these are asked. */
export interface RefusedSigns {
  place: Place;
  answer: Answer;
}

/** What comes from in front of the apiserver: no Status, none of its plain sentences, no Audit-Id. */
export const isForeign = ({ answer }: RefusedSigns) => !answer.inStream && !answer.status && !answer.fromApiserver;
export const http = ({ answer }: RefusedSigns) => effectiveCode(answer);
export const is =
  (...codes: number[]) =>
  (signs: RefusedSigns) =>
    codes.includes(http(signs) ?? -1);
export const says =
  (words: RegExp) =>
  ({ answer }: RefusedSigns) =>
    words.test(answer.message);
export const hasPfHeaders = ({ answer }: RefusedSigns) =>
  answer.headers['x-kubernetes-pf-flowschema-uid'] !== undefined;

/** An HTTPS port that was spoken to in plain HTTP (Go's net/http answers so), or the other way round. */
export const WRONG_SCHEME = /sent an HTTP request to an HTTPS server/i;

/** Trouble told behind the not-ready words, which alone say nothing about a cause. */
export const behindNotReady =
  (words: RegExp) =>
  ({ answer }: RefusedSigns) =>
    NOT_READY.test(answer.message) && words.test(answer.message.replace(/^.*?\(re\)initializing:?/i, ''));

/** The apiserver gave the request up by itself (facts/server §5.5): its own Status, and its Audit-Id. */
export const isOwnTimeout = ({ answer }: RefusedSigns) =>
  answer.status?.reason === 'Timeout' && (answer.fromApiserver || answer.inStream);

/** The token had run out by its own `exp`. */
export const tokenRanOut = ({ place }: RefusedSigns) => {
  const expiresAt = place.scene.run.tokenExpiresAt;
  return expiresAt !== undefined && expiresAt <= place.at;
};
