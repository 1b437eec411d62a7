import type { StreamFacts } from '../client/facts.ts';
import type { EndSigns } from './end-signs.ts';
import type { Episode } from './episode.ts';
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

/** The same after an end whose resume is known: one that was refused is no advice any more. */
export function afterwards({ signs: { gone }, stream }: ToldEnd): string {
  return gone
    ? `The resume from RV ${gone.signs.requested ?? '?'} was then refused with 410: the finding about it tells more.`
    : resumeSentence(stream);
}
