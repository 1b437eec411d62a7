import { outlivedSince, outlivedSinceByOthers, typical } from './cut-patterns.ts';
import { plural, span, timerMs, timerSpan } from './quantity.ts';
import { quote } from './quote.ts';
import { isCustomResource } from './scene.ts';
import { ageMs, idleMs, oneLength, timeoutMs } from './signs.ts';
import { BOOKMARK_PERIOD_MS as BOOKMARK_EVERY_MS } from './stall-signs.ts';
import { tailCommand } from './tail-command.ts';
import { type OwnEndWords, resumeSentence, serverHeader, type ToldEnd, waysOfEnding } from './words-end-phrases.ts';
import { lostWords } from './words-lost.ts';

/** Words for connections that broke off: by a timer of something in between, or for no visible reason. */
export function cutWords(told: ToldEnd): OwnEndWords {
  const { rule, class: name } = told.episode.main.decision;
  if (name === 'idle-cut-by-proxy') return idleCutWords(told, rule === 'idle timer or age cap');
  if (name === 'age-cut-by-proxy') return ageCutWords(told);
  if (name === 'malformed-stream') return brokenFramingWords(told);
  return rule === 'truncated event' ? truncatedWords(told) : lostWords(told);
}

const HOW_SURE = { high: 'So', medium: 'So, most likely,', low: 'So, perhaps,' } as const;

function idleCutWords({ signs, stream, episode }: ToldEnd, agesToo: boolean): OwnEndWords {
  const so = HOW_SURE[episode.main.decision.confidence];
  const cuts = signs.sameSilence.length > 1 ? signs.sameSilence : signs.sameSilenceElsewhere;
  const watches = new Set(cuts.map(({ target }) => target.index)).size;
  const silence = typical(cuts, idleMs);
  const timer = timerSpan(silence);
  const ages = cuts.slice(0, 5).map((one) => span(ageMs(one, signs.now)));
  const asked = timeoutMs(stream);
  return {
    title: `Cut after ${timer} of silence, ${cuts.length} times: ${episode.main.decision.confidence === 'low' ? 'perhaps ' : ''}an idle timer${agesToo ? ', or a cap of the age,' : ''} in between`,
    text: [
      `${cuts.length} ends without a last chunk, each after the same silence of ${timer} (no bytes), while the ages ${agesToo ? `were the same (${ages[0]}): nothing ever came, so a cap of the age would look alike` : `differ (${ages.join(', ')})`}. ${so} a proxy or load balancer on the way (LB, HAProxy, nginx, NAT) closes connections that are idle for ${timer}${agesToo ? ', or that are so old' : ''}. Which one cannot be told from a number.`,
      idleRemedy(silence, stream.allowWatchBookmarks),
      `${resumeSentence(stream)}${asked === undefined ? '' : ` The watch itself asked for timeoutSeconds=${asked / 1000}.`}`,
    ],
    evidence: [
      `silences before the cuts: ${cuts
        .slice(0, 6)
        .map((one) => span(idleMs(one, signs.now)))
        .join(', ')}`,
      `ages: ${ages.join(', ')}`,
      `ends: ${waysOfEnding(cuts)}`,
      ...(watches > 1 ? [`of ${watches} watches of this run, at different moments`] : []),
      ...serverHeader(stream),
      ...(signs.cuts > cuts.length
        ? [`${plural(signs.cuts - cuts.length, 'cut')} after another silence, for another reason`]
        : []),
      ...(outlivedSince(signs)
        ? [`since then a silence of ${span(signs.silenceSinceMs)} was survived: was the timer raised?`]
        : []),
      ...(outlivedSinceByOthers(signs) ? ['since then another watch of this run lived through a longer silence'] : []),
    ],
    ruledOut: [
      ...(agesToo ? [] : ['a cap of the age (the ages differ)']),
      ...(asked === undefined ? [] : [`the planned end (timeoutSeconds=${asked / 1000})`]),
    ],
    next: idleSteps(silence, stream.allowWatchBookmarks),
    who: `something in between, by closing it after ${timer} of silence`,
    why: `${cuts.length} cuts after the same silence of ${timer}${agesToo ? '' : ', at different ages'}`,
    do: `raise the idle timeout of the proxy above ${timer}${silence > BOOKMARK_EVERY_MS ? ', or ask for bookmarks' : ', or watch with a shorter timeoutSeconds'}`,
  };
}

/** Bookmarks feed timers above a minute only: the first one comes after 60 s. */
function idleRemedy(silence: number, bookmarks: boolean): string {
  if (silence < BOOKMARK_EVERY_MS * 1.1) {
    return `A bookmark comes once a minute, too late to feed a timer of ${timerSpan(silence)}: a longer idle timeout there helps, keepalive that the proxy counts, or timeoutSeconds below it.`;
  }
  return bookmarks
    ? 'Bookmarks were asked for but do not come often enough here (an uncached resource, or a foreign server).'
    : 'allowWatchBookmarks=true brings a byte every minute, which keeps such a timer from firing.';
}

function idleSteps(silence: number, bookmarks: boolean): string[] {
  const raise = `idle timeout of the proxy or load balancer (proxy_read_timeout, timeout server/tunnel, idle_timeout): raise it above ${timerSpan(silence)}`;
  const below = `timeoutSeconds below ${Math.floor(timerMs(silence) / 1000)}: then the server ends the watch before the timer does`;
  const feed = 'allowWatchBookmarks=true: a bookmark a minute is a byte a minute';
  const bypass = 'watch once past the proxy (directly at an apiserver): the cuts should vanish';
  return silence < BOOKMARK_EVERY_MS * 1.1
    ? [raise, below, bypass]
    : bookmarks
      ? [raise, bypass]
      : [feed, raise, bypass];
}

/** Who limits the age: a proper end has to be made by somebody who knows HTTP, and that may be a server of its own behind the API. */
function limiter(cut: boolean, custom: boolean): string {
  if (cut) return 'on the way (a proxy, gateway or load balancer) limits how long a request may last.';
  return `limits how long a request may last, and ends it in order: a gateway or proxy on the way${custom ? ', or a server of its own behind this API (an aggregated one)' : ''}.`;
}

function ageCutWords({ signs, stream, episode }: ToldEnd): OwnEndWords {
  const sure = episode.main.decision.confidence === 'high';
  const age = typical(signs.sameAge, ageMs);
  // Where less was asked for and not kept to, to ask for less again does not help.
  const shorter =
    (timeoutMs(stream) ?? Infinity) > age ? `timeoutSeconds below ${Math.floor(timerMs(age) / 1000)}` : undefined;
  const timer = timerSpan(age);
  const silences = signs.sameAge.slice(0, 6).map((one) => span(idleMs(one, signs.now)));
  const asked = timeoutMs(stream);
  return {
    title: `Ended at the same age of ${timer}, ${signs.sameAge.length} times: a cap of the age in between`,
    text: [
      `${signs.sameAge.length} streams ended at the same age of ${timer}, ${signs.sameAge.some(({ events }) => events > 0) ? 'though events flowed' : 'busy or not'} (silence before: ${silences.join(', ')}), and timeoutSeconds ${asked === undefined ? 'was not asked for' : `is ${asked / 1000}`}. ${sure ? 'Something' : 'Most likely something'} ${limiter(signs.cut, isCustomResource(stream.target))}`,
      signs.planned === 'server default'
        ? 'The apiserver ends watches at 30 to 60 min, too, but at an age that it draws anew for each: one fixed age is not its own, unless it is no kube-apiserver.'
        : '',
      `Bookmarks do not help against it: raise that limit (route or request timeout, max duration)${shorter ? `, or ask for ${shorter}, so that the watch ends properly before` : ''}.`,
      resumeSentence(stream),
    ],
    evidence: [
      `ages: ${signs.sameAge
        .slice(0, 6)
        .map((one) => span(ageMs(one, signs.now)))
        .join(', ')}`,
      `silences before: ${silences.join(', ')}`,
      `ends: ${waysOfEnding(signs.sameAge)}`,
      ...serverHeader(stream),
    ],
    ruledOut: [
      oneLength(signs.sameAge.map((one) => idleMs(one, signs.now)))
        ? 'an idle timer (frames came in each of them)'
        : 'an idle timer (the silences differ)',
      ...(asked === undefined ? [] : ['the planned end']),
    ],
    next: [
      ...(shorter ? [`${shorter}: the server then ends the watch before the cap does`] : []),
      'route, request or backend timeout of the proxy: raise it for watches',
    ],
    who: `something in between, at an age of ${timer}`,
    why: `${signs.sameAge.length} ends at the age of ${timer}, whatever the silence before`,
    do: `${shorter ? `${shorter}, or ` : ''}a longer limit at the proxy`,
  };
}

function truncatedWords({ signs, stream }: ToldEnd): OwnEndWords {
  const proper = stream.end === 'eof';
  const how = proper
    ? 'and yet with a proper last chunk: an apiserver writes whole events only, so something in between lost its own connection to it and closed ours in order'
    : 'without a last chunk: it broke while data was flowing';
  return {
    title: `Connection broke off in the middle of an event after ${span(signs.ageMs)}`,
    text: [
      `The connection ended with half an event (${plural(stream.tailBytes, 'byte')} of an incomplete line) after ${span(signs.ageMs)}, ${how}. The half event does not count, and it is no malformed line of the server.`,
      `${resumeSentence(stream)} That is the RV of the last whole event; nothing is skipped so.`,
      signs.planned && !proper
        ? `That is the age at which this watch was to end (${signs.planned === 'timeoutSeconds' ? `timeoutSeconds=${stream.timeoutSeconds}` : 'the server’s own timeout'}): the planned end, and something in between that did not pass on all that came before it.`
        : 'What broke it (a crash, a proxy that was reloaded, the network) cannot be seen from here.',
    ],
    evidence: [
      `end: ${stream.end}${stream.endDetail ? ` (${quote(stream.endDetail, 80)})` : ''}, ${plural(stream.tailBytes, 'byte')} left over`,
      ...(stream.tailText ? [`half event: ${quote(stream.tailText, 120)}`] : []),
    ],
    ruledOut: [...(signs.planned ? [] : ['a planned end']), 'a timer of silence (data was flowing)'],
    next: [
      `${tailCommand(stream.target, stream.lastRv ?? stream.requestedRv ?? 'list')}: resume from the last whole event`,
      'logs of the proxy and the apiserver at this time: who closed?',
    ],
    who: proper
      ? 'not visible: most likely something in between'
      : 'not visible: the connection broke while data was flowing',
    why: `half an event at the end, ${proper ? 'though the answer ended properly' : 'no last chunk'}`,
    do: 'reconnect and resume; look at the proxy only if it repeats',
  };
}

function brokenFramingWords({ signs, stream }: ToldEnd): OwnEndWords {
  const large = stream.end === 'frame-too-large';
  return {
    title: large ? 'One event is larger than what can be followed' : 'The answer broke the rules of HTTP in mid-stream',
    text: [
      large
        ? `A single value grew beyond our bound after ${span(signs.ageMs)}; no end of it was in sight, so the stream cannot be followed any further.`
        : `The HTTP framing broke after ${span(signs.ageMs)}: bytes that are neither a chunk nor its size. Something in between writes into the stream, or it was cut and joined wrongly.`,
      resumeSentence(stream),
    ],
    evidence: [`end: ${stream.end}${stream.endDetail ? ` (${quote(stream.endDetail, 120)})` : ''}`],
    ruledOut: [],
    next: [
      'curl --raw: read the raw bytes of the watch, past whatever is in between',
      'compare with a watch directly at an apiserver',
    ],
    who: large ? 'we gave up on it' : 'the answer is no proper HTTP',
    why: quote(stream.endDetail ?? stream.end ?? '', 120),
    do: 'look at what writes into the stream',
  };
}
