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
