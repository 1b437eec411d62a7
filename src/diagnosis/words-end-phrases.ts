import type { StreamFacts } from '../client/facts.ts';
import type { EndSigns } from './end-signs.ts';
import type { Episode } from './episode.ts';
import { span } from './quantity.ts';
import { quote } from './quote.ts';
import type { Outage } from './signs.ts';
import type { Words } from './words.ts';

/** An end that is to be put into words. */
export interface ToldEnd {
  episode: Episode;
  signs: EndSigns;
  /** The stream whose evidence decided; facts describe the first one of the episode. */
  stream: StreamFacts;
  repeats: number;
}

export type OwnEndWords = Omit<Words, 'facts'>;

/** Where a watch would go on. */
export function resumeSentence({ lastRv, requestedRv }: StreamFacts): string {
  const from = lastRv ?? requestedRv;
  return from === undefined ? 'Reconnect.' : `Resume from RV ${from}.`;
}

/**
 * Connections refused after an end. How long nobody listened is not known, only when we asked: from the first refused one to the
 * one that was answered lies our own waiting as well.
 */
export function refusedSentence({ attempts, refused: count, from, until, healed }: Outage): string {
  const how = count === attempts ? 'refused' : count === 0 ? 'not answered' : 'refused or not answered';
  const refused = attempts === 1 ? `1 connection was ${how}` : `${attempts} connections were ${how}`;
  return healed
    ? `Then ${refused}, until one was answered again ${span(until - from)} after ${attempts === 1 ? 'it' : 'the first of them'}`
    : `Since then ${refused}, ${attempts === 1 ? '' : 'the first '}${span(until - from)} ago`;
}

const BROKE_OFF: Partial<Record<NonNullable<StreamFacts['end']>, string>> = {
  reset: 'reset (RST)',
  truncated: 'closed without the last chunk',
  eof: 'properly, with the last chunk',
};

/** How streams broke off, each way once: `reset (RST)`, `RST_STREAM CANCEL`. */
export function waysOfEnding(streams: readonly StreamFacts[]): string {
  const ways = streams.map(({ end = 'eof', endDetail = '' }) => {
    const frame = /(?:GOAWAY|RST_STREAM) \w+/.exec(endDetail)?.[0];
    return frame === undefined
      ? (BROKE_OFF[end] ?? end)
      : end === 'goaway'
        ? quote(frame, 60)
        : `reset (${quote(frame, 60)})`;
  });
  return [...new Set(ways)].slice(0, 3).join(', ');
}

/** What named itself on the way: an apiserver sends no such header. */
export function serverHeader({ headers }: StreamFacts): string[] {
  const name = headers.server ?? headers.via;
  return name === undefined ? [] : [`Server or Via on its answers: ${quote(name, 60)}`];
}

/** The same after an end whose resume is known: one that was refused is no advice any more. */
export function afterwards({ signs: { gone }, stream }: ToldEnd): string {
  return gone
    ? `The resume from RV ${gone.signs.requested ?? '?'} was then refused with 410: the finding about it tells more.`
    : resumeSentence(stream);
}
