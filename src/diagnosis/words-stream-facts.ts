import type { StreamFacts } from '../client/facts.ts';
import type { Words } from './words.ts';

/** What a finding about a stream that may still be open says of it. */
export function openStreamFacts(stream: StreamFacts | undefined): Words['facts'] {
  return {
    events: stream?.events,
    bookmarks: stream?.bookmarks,
    last_rv: stream?.lastRv,
    requested_rv: stream?.requestedRv,
    http_status: stream?.httpStatus,
  };
}
