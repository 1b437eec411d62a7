import { retryAfterMs } from '../protocol/retry-after.ts';
import type { Answer } from './answer.ts';
import type { Episode } from './episode.ts';
import type { Place } from './scene.ts';
import type { Words } from './words.ts';

/** A refusal that is to be put into words. */
export interface ToldRefusal {
  episode: Episode;
  place: Place;
  answer: Answer;
  /** The newest answer of the episode: its Retry-After counts. */
  latest: Answer;
  repeats: number;
  /** The same was answered by now. */
  over: boolean;
}

export type OwnRefusedWords = Omit<Words, 'facts'>;

/** `HTTP 429`, or `ERROR 500 in the stream (HTTP 200)`. */
export function how({ inStream, code, httpStatus }: Answer): string {
  return inStream ? `ERROR ${code ?? ''} in the stream (HTTP 200)`.replace('  ', ' ') : `HTTP ${httpStatus ?? '?'}`;
}

/** `5 s`, as the answer asks for it in its header or its Status; undefined where it does not. */
export function retryAfter({ headers, status }: Answer): string | undefined {
  const ms = retryAfterMs(headers, status);
  return ms === undefined || ms === 0 ? undefined : `${Math.round(ms / 1000)} s`;
}

/** A server's message as a sentence of ours: with one full stop. */
export function sentence(message: string): string {
  return `${message.replace(/[.\s]+$/, '') || 'no message'}.`;
}

export function verb({ isList }: Answer): string {
  return isList ? 'LIST' : 'watch';
}

/** `resourceVersion` of a LIST's path, where it asks for one. */
export function rvOf(path: string | undefined): string | undefined {
  const found = /[?&]resourceVersion=(\d+)/.exec(path ?? '')?.[1];
  return found === '0' ? undefined : found;
}
