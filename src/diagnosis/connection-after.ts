import type { StreamFacts } from '../client/facts.ts';
import { type Attempt, oncePerLine, type Place } from './scene.ts';
import { plannedBy } from './signs.ts';

/**
 * What became of the TCP connection behind a proper end. An apiserver that ends one watch keeps it: at its planned time, and when it
 * begins its cache anew. One that stops in order closes it right behind the last chunk (both seen on v1.30.3; Go's net/http keeps no
 * connection of a server that shuts down). Of HTTP/1.1 only.
 */
export type ConnectionAfter = 'kept' | 'hung up';

/** Asked so soon, ms, a request goes out on the connection of before if that is still there: our own side lets go of it after 4 s. */
const AT_ONCE_MS = 1_000;

/** undefined: nobody looked soon enough, or the answer had said before that the connection would be closed behind it. */
export function connectionAfter({ line, index }: Place): ConnectionAfter | undefined {
  const { stream } = line[index] ?? {};
  const next = line[index + 1];
  if (stream?.end !== 'eof' || stream.endedAt === undefined || stream.connection === undefined || !next)
    return undefined;
  if (stream.httpVersion !== '1.1' || /close/i.test(stream.headers.connection ?? '')) return undefined;
  const connection = connectionOf(next);
  if (connection === undefined || next.at - stream.endedAt > AT_ONCE_MS) return undefined;
  return connection === stream.connection ? 'kept' : 'hung up';
}

/**
 * An apiserver hung up behind an early end, and does not do so behind each: it, or the proxy that holds our connection, is on its
 * way out.
 */
export function hungUp(place: Place, stream: StreamFacts): boolean {
  if (stream.headers['audit-id'] === undefined || connectionAfter(place) !== 'hung up') return false;
  return !oncePerLine(place, hangsUpAlways);
}

/** Also behind ends that were planned. */
function hangsUpAlways(place: Place): boolean {
  return place.line.some(
    ({ stream }, index) => stream && plannedBy(stream) && connectionAfter({ ...place, index }) === 'hung up',
  );
}

function connectionOf({ stream, list }: Attempt): number | undefined {
  return stream ? stream.connection : list?.connection;
}
