import type { WatchTarget } from '../client/facts.ts';
import type { FeedItem } from './feed.ts';

/** The target that an item is about; undefined for what is of the run or of the server. */
export function targetOf(item: FeedItem): WatchTarget | undefined {
  switch (item.kind) {
    case 'end':
    case 'list':
      return item.facts.target;
    case 'probe':
      return item.answer.target;
    case 'control':
    case 'finding':
    case 'trace':
    case 'note':
      return undefined;
    default:
      return item.target;
  }
}
