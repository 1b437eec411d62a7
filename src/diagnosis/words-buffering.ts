import type { Episode } from './episode.ts';
import { heldBackSoFar } from './held-back.ts';
import { longSpan, plural, span, times } from './quantity.ts';
import { quote } from './quote.ts';
import { timeoutMs } from './signs.ts';
import type { Words } from './words.ts';
import type { OwnEndWords, ToldEnd } from './words-end-phrases.ts';
import type { OwnRefusedWords, ToldRefusal } from './words-refused-phrases.ts';
import { openStreamFacts } from './words-stream-facts.ts';

/** Words for bytes that something on the way holds back. */

const STEPS = [
  'proxy_buffering off (nginx), flush_interval -1 (Caddy, Go reverse proxies), or what it is called there: switch buffering off for watches',
  'the same watch past the proxy, directly at an apiserver: events come at once there',
  'gzip of the proxy for application/json: off for watches, it buffers, too',
];

/** Who may have done it, as far as a header names somebody. */
function culprit(headers: Readonly<Record<string, string>> | undefined): string {
  const name = headers?.server ?? headers?.via;
  return name ? `a proxy (the answer names "${quote(name, 40)}")` : 'a proxy or gateway';
}

export function clumpWords({ main, members }: Episode): Words {
  const { stream } = main.place;
  const clumps = members.flatMap(({ place }) => place.stream?.clumps ?? []);
  const shown = clumps.slice(0, 5).map(({ events, spreadMs }) => `${events} made over ${span(spreadMs)}`);
  const first = clumps[0];
  const who = culprit(stream?.headers);
  return {
    title: `Events are held back and come in clumps, up to ${span(Math.max(...clumps.map(({ spreadMs }) => spreadMs)))} late`,
    text: [
      `${plural(clumps.length, 'time')} several events came at one moment, though by their own times they were made far apart (${shown.join('; ')}), after a silence${first ? ` of ${span(first.quietMs)} and the like` : ''}. So the older of them had been delayed on the way, most likely by ${who} that buffers the stream until its buffer is full or a timer fires.`,
      'A difference of clocks would shift all of them alike; an apiserver that had lost etcd for a while would do it once, not again and again.',
      'Nothing is lost, but every client behind it acts late. Switch buffering off for watches there.',
    ],
    evidence: [
      ...clumps
        .slice(0, 5)
        .map(
          ({ events, spreadMs, quietMs }) =>
            `${plural(events, 'event')} at once, made over ${span(spreadMs)}, after ${longSpan(quietMs)} of silence`,
        ),
      ...(stream?.headers.server ? [`Server: ${quote(stream.headers.server, 60)}`] : []),
    ],
    ruledOut: ['different clocks (they would shift all events alike)', 'our own reading (the socket was read)'],
    next: STEPS,
    facts: openStreamFacts(stream),
    who: `something in between: most likely ${who} that buffers`,
    why: `${plural(clumps.length, 'clump')} of events that were made far apart`,
    do: 'switch buffering off for watches at the proxy',
  };
}

export function heldBackWords({ stream, signs, repeats }: ToldEnd): OwnEndWords {
  const waited = span((stream.openedAt ?? stream.askedAt) - stream.askedAt);
  const asked = timeoutMs(stream);
  const frames = `${plural(stream.events, 'event')} and ${plural(stream.bookmarks, 'bookmark')}`;
  const sure = signs.place && heldBackSoFar(signs.place).length > 0 && asked !== undefined;
  const who = culprit(stream.headers);
  return {
    title: `The whole stream was held back for ${waited}: headers, events and end came at once`,
    text: [
      `For ${waited} not even headers came; then they, ${frames} and the end arrived together${repeats > 1 ? `, ${times(repeats)} now` : ''}${asked === undefined ? '' : `; timeoutSeconds=${asked / 1000} was over by then`}.`,
      sure
        ? `So the apiserver had answered and sent all along, and ${who} on the way buffered the answer until it was complete (a proxy that waits for the whole body, or compresses it).`
        : `Either ${who} on the way buffered the answer until it was complete, or the server itself answered late (a watch cache that was being filled) and ended at once.`,
      'A watch through it delivers nothing before it ends: switch buffering off for it.',
    ],
    evidence: [
      `headers ${waited} after the request, the end ${span((stream.endedAt ?? 0) - (stream.openedAt ?? 0))} after them`,
      `${frames} in between`,
      ...(stream.headers['content-length']
        ? ['Content-Length on a watch: the whole body was known before it was sent']
        : []),
    ],
    ruledOut: ['a silent server (it had sent all of this)'],
    next: STEPS,
    who: `something in between: most likely ${who} that buffers`,
    why: 'headers, events and the end came at one moment, late',
    do: 'switch buffering off for watches at the proxy',
  };
}

export function heldBackAgainWords({ place }: ToldRefusal): OwnRefusedWords {
  const before = heldBackSoFar(place);
  return {
    title: 'No headers yet: as before, the stream is most likely held back until its end',
    text: [
      `No headers have come for more than 10 s. ${plural(before.length, 'stream')} before this one came so, too: all at once, when ${before.length === 1 ? 'it was' : 'they were'} over. Something on the way buffers whole answers.`,
      'It may also be a server that does not answer; the end of this stream will tell.',
    ],
    evidence: [`${plural(before.length, 'stream')} held back before`],
    ruledOut: [],
    next: STEPS,
    who: 'nobody has answered yet',
    why: 'no headers, as with the streams before, which came whole at their end',
    do: 'switch buffering off for watches at the proxy',
  };
}
