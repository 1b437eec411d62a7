import { typical } from './cut-patterns.ts';
import type { EndSigns } from './end-signs.ts';
import type { Episode } from './episode.ts';
import { plural, span, timerSpan, times, wholeMs } from './quantity.ts';
import { quote } from './quote.ts';
import { ageMs, idleMs, meets, passes, timeoutMs } from './signs.ts';
import type { Words } from './words.ts';
import { heldBackWords } from './words-buffering.ts';
import { cutWords } from './words-cuts.ts';
import { earlyEndWords } from './words-early-ends.ts';
import { type OwnEndWords, refusedSentence, resumeSentence, type ToldEnd } from './words-end-phrases.ts';
import { stallWords } from './words-stall.ts';

/** Words for the ends of live streams, and for streams that should have ended. */
export function endWords(episode: Episode, signs: EndSigns): Words {
  const told: ToldEnd = { episode, signs, stream: signs.stream, repeats: episode.members.length };
  return { ...byClass(told), facts: endFacts(told) };
}

function byClass(told: ToldEnd): OwnEndWords {
  switch (told.episode.main.decision.class) {
    case 'server-timeout':
      return plannedWords(told);
    case 'silent-stall':
      return stallWords(told);
    case 'proxy-buffering':
      return heldBackWords(told);
    case 'self-inflicted':
      return ownTimeoutWords(told);
    case 'idle-cut-by-proxy':
    case 'age-cut-by-proxy':
    case 'connection-lost':
    case 'malformed-stream':
      return cutWords(told);
    default:
      return earlyEndWords(told);
  }
}

function plannedWords({ stream, signs, repeats, episode }: ToldEnd): OwnEndWords {
  const first = episode.members[0]?.place.stream ?? stream;
  const asked = timeoutMs(first);
  // The server's timer begins with the request: headers that come late make the stream shorter than that.
  const sinceAsked = asked !== undefined && !meets(ageMs(first, signs.now), asked);
  const age = span(sinceAsked ? (first.endedAt ?? signs.now) - first.askedAt : ageMs(first, signs.now));
  const late = sinceAsked
    ? ` after the request (its headers had come only ${span(ageMs(first, signs.now))} before)`
    : '';
  const missing = signs.cut ? ' The last chunk is missing, which is a matter of the way and changes nothing.' : '';
  const by =
    asked === undefined
      ? 'the server’s own limit of 30 to 60 min (--min-request-timeout, drawn at random for each watch)'
      : `timeoutSeconds=${asked / 1000}`;
  return {
    title: `Planned end after ${age}: ${asked === undefined ? 'the server’s own timeout' : `timeoutSeconds=${asked / 1000}`}`,
    text: [
      `The stream ended ${late ? `${age}${late}` : `after ${age}`}, as ${by} says. That is expected and normal, every watch ends so.${missing}`,
      first.tailBytes > 0
        ? `But it ended with half an event (${plural(first.tailBytes, 'byte')} of an incomplete line), which no apiserver does by itself: something in between cut it short. The half event does not count.`
        : '',
      resumeSentence(first),
      repeats > 1 ? `It happened ${times(repeats)} in a row.` : '',
      signs.outage && passes(signs.outage)
        ? `${refusedSentence(signs.outage)}: that is no part of the plan, an apiserver that was restarted just then would do it.`
        : '',
    ],
    evidence: [
      `${sinceAsked ? 'from the request to the end' : 'age at the end'} ${age}${asked === undefined ? '' : `, asked for ${asked / 1000} s`}`,
      ...(first.tailText ? [`half event at the end: ${quote(first.tailText, 120)}`] : []),
      `end: ${stream.end}${first.bookmarks > 0 ? `, ${plural(first.bookmarks, 'bookmark')} before` : ''}`,
    ],
    ruledOut: ['a fault of server, network or client'],
    next: ['timeoutSeconds: a longer or shorter watch, if you want one; otherwise nothing'],
    who: `the server, ${signs.cut ? 'without the last chunk' : 'properly'}, as ${asked === undefined ? 'it does by default' : 'asked'}`,
    why: `${sinceAsked ? 'ended' : 'age'} ${age}${sinceAsked ? ' after the request' : ''} = ${asked === undefined ? '30 to 60 min, the default' : `timeoutSeconds=${asked / 1000}`}`,
    do: 'nothing: resume from the last RV',
  };
}

function ownTimeoutWords({ stream, signs, repeats }: ToldEnd): OwnEndWords {
  const limit = (stream.clientTimeoutMs ?? 0) / 1000;
  const asked = timeoutMs(stream);
  const raw = /[?&]timeout=([^&]*)/.exec(stream.methodPath)?.[1] ?? `${limit}s`;
  const age = timerSpan(typical(signs.clientTimeouts, ageMs));
  return {
    title: `Ended by our own side after ${age}: the URL carries timeout=${quote(raw, 20)}`,
    text: [
      `The stream ended at an age of ${age}${repeats > 1 ? `, ${times(repeats)} now,` : ''} and the request itself carries timeout=${quote(raw, 20)}${asked === undefined ? '' : `, less than its timeoutSeconds=${asked / 1000}`}. That parameter is a client's (--request-timeout, rest.Config.Timeout): it bounds reading the body too, so the client side ends its own watch.`,
      'The server ignores timeout= for watches; no middle box is needed to explain this.',
      resumeSentence(stream),
    ],
    evidence: [
      `ages ${signs.clientTimeouts
        .slice(0, 5)
        .map((one) => span(ageMs(one, signs.now)))
        .join(', ')} = timeout=${quote(raw, 20)}`,
      `silences before the end: ${signs.clientTimeouts
        .slice(0, 5)
        .map((one) => span(idleMs(one, signs.now)))
        .join(', ')}`,
    ],
    ruledOut: asked === undefined ? [] : [`the server's planned end (timeoutSeconds=${asked / 1000})`],
    next: [
      `timeout=${quote(raw, 20)}: remove it from the watch request (rest.Config.Timeout, --request-timeout)`,
      'timeoutSeconds is the parameter that bounds a watch',
    ],
    who: `our own side, by timeout=${quote(raw, 20)} in the URL`,
    why: `age ${age} = timeout=${quote(raw, 20)}${asked === undefined ? '' : `, not timeoutSeconds=${asked / 1000}`}`,
    do: 'drop timeout= from the watch, keep timeoutSeconds',
  };
}

/** Facts describe the first stream of the episode (cases/README §2). */
function endFacts({ episode, signs }: ToldEnd): Words['facts'] {
  const first = episode.members[0]?.place.stream ?? signs.stream;
  return {
    requested_rv: first.requestedRv,
    http_status: first.httpStatus,
    events: first.events,
    bookmarks: first.bookmarks,
    duration_ms: wholeMs(ageMs(first, signs.now)),
    idle_ms: wholeMs(idleMs(first, signs.now)),
    last_rv: first.lastRv ?? first.requestedRv,
    oldest_startable_rv: signs.gone?.signs.floor,
    connections: episode.members.length > 1 ? episode.members.length : undefined,
  };
}
