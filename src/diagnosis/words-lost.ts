import { knownIdleTimer, outlivedSilence } from './cut-patterns.ts';
import { plural, span } from './quantity.ts';
import { quote } from './quote.ts';
import { timeoutMs } from './signs.ts';
import { tailCommand } from './tail-command.ts';
import { type OwnEndWords, refusedSentence, resumeSentence, type ToldEnd } from './words-end-phrases.ts';
import { oldWords } from './words-gone-phrases.ts';
import type { OwnRefusedWords, ToldRefusal } from './words-refused-phrases.ts';

/** How a connection broke off, as a person reads it. */
const HOW_CUT: Record<string, string> = {
  reset: 'was reset (RST)',
  goaway: 'was ended by a GOAWAY for an error',
};

/** What HTTP/2 error codes of the other end usually mean for a watch (RFC 9113 §7; whoever sends them may be a proxy). */
const CODE_MEANING: Record<string, string> = {
  NO_ERROR:
    'The code is NO_ERROR: the other end, most likely a proxy with a limit of its own, gave the stream up without a reason.',
  CANCEL:
    'The code is CANCEL: the other end, most likely a proxy that lost its backend or has a limit of its own, gave the stream up.',
  INTERNAL_ERROR:
    'The code is INTERNAL_ERROR: a fault on the other side (Go servers abort a handler so, and proxies whose backend broke off). Its log says more.',
  REFUSED_STREAM: 'The code is REFUSED_STREAM: the other end takes no more streams on this connection.',
  ENHANCE_YOUR_CALM:
    'The code is ENHANCE_YOUR_CALM: the other end finds that this connection asks too much of it (pings, streams, resets).',
  PROTOCOL_ERROR: 'The code is PROTOCOL_ERROR: one of the two ends, or a proxy in between, breaks the rules of HTTP/2.',
  HTTP_1_1_REQUIRED: 'The code is HTTP_1_1_REQUIRED: the other end wants this request over HTTP/1.1 (without --http2).',
  INADEQUATE_SECURITY: 'The code is INADEQUATE_SECURITY: the other end finds the TLS of this connection too weak.',
};

/** The other codes (FLOW_CONTROL_ERROR, SETTINGS_TIMEOUT, FRAME_SIZE_ERROR, …) say which rule was broken, not by whom. */
function codeMeaning(code: string | undefined): string | undefined {
  if (code === undefined) return undefined;
  return (
    CODE_MEANING[code] ??
    `The code is ${quote(code, 40)}: the two ends, or a proxy in between, do not agree on the rules of HTTP/2.`
  );
}

/** After data within so long, ms, a reset can look like a close: Node tells of an end where both were read at once. */
const RIGHT_BEHIND_MS = 1_000;

/** Words for connections that broke off for no visible reason. */
export function lostWords({ signs, stream, repeats }: ToldEnd): OwnEndWords {
  const { outage } = signs;
  const timer = signs.sameSilence.length >= 2 && outlivedSilence(signs);
  const code = /(?:GOAWAY|RST_STREAM) (\w+)/.exec(stream.endDetail ?? '')?.[1];
  const stopped = stream.end === 'h2-reset';
  const how = stopped
    ? `was reset (RST_STREAM${code ? ` ${code}` : ''})`
    : (HOW_CUT[stream.end ?? ''] ?? 'was closed without the last chunk');
  const refused = outage
    ? `${refusedSentence(outage)}: the server, or the way to it, ${outage.healed ? 'was' : 'is'} away.`
    : '';
  return {
    title: `${stopped ? 'Stream' : 'Connection'} lost after ${span(signs.ageMs)}: it ${how}`,
    text: [
      `The ${stopped ? 'stream' : 'connection'} ${how} after ${span(signs.ageMs)}, ${stream.bytes === 0 ? 'before anything came' : `${span(signs.idleMs)} after the last byte`}${repeats > 1 ? `; ${repeats} times by now` : ''}. ${timer ? `A timer is ruled out, though ${signs.sameSilence.length} cuts came after about the same silence: ${span(signs.survivedSilenceMs)} without a byte were survived as well.` : timerSentence(signs)} ${codeMeaning(code) ?? 'A crash, a proxy that was reloaded or the network: the reason is out of sight, it cannot be told from here.'}`,
      stream.end === 'truncated' && signs.idleMs <= RIGHT_BEHIND_MS
        ? `Right behind ${stream.bytes === 0 ? 'the headers' : 'data'} a reset (RST) looks the same from here.`
        : '',
      refused,
      goneSentence(signs) || `${resumeSentence(stream)} Nothing is lost as long as that RV is still in the window.`,
    ],
    evidence: [
      `end: ${stream.end}${stream.endDetail ? ` (${quote(stream.endDetail, 100)})` : ''}, age ${span(signs.ageMs)}, silence ${span(signs.idleMs)}`,
      ...(outage ? [`${plural(outage.attempts, 'connection')} refused after it`] : []),
    ],
    ruledOut: [
      ...(timer ? [`an idle timer (a silence of ${span(signs.survivedSilenceMs)} was survived)`] : []),
      ...(timeoutMs(stream) === undefined ? [] : [`the planned end (timeoutSeconds=${stream.timeoutSeconds})`]),
    ],
    next: [
      signs.gone
        ? `${tailCommand(stream.target, 'list')}: list again, the resume was refused`
        : `${tailCommand(stream.target, stream.lastRv ?? stream.requestedRv ?? 'list')}: reconnect and resume`,
      'process_start_time_seconds in /metrics: did the apiserver restart just then?',
    ],
    who: `not visible: ${stream.end === 'reset' ? 'a reset' : (HOW_CUT[stream.end ?? ''] ?? 'no last chunk')}`,
    why: `broke off ${span(signs.idleMs)} after the last byte, at no planned time`,
    do: `${signs.gone ? 'list again' : 'reconnect and resume'}; look further only if it repeats`,
  };
}

/** Silences that are worth to be looked at as those of an idle timer, ms: the shortest one that boxes often come with. */
const LONG_SILENCE_MS = 45_000;

/** Whether a timer of silence would fit. */
function timerSentence(signs: ToldEnd['signs']): string {
  const fits = signs.idleMs >= LONG_SILENCE_MS || knownIdleTimer(signs.idleMs) !== undefined;
  return fits && !outlivedSilence(signs)
    ? `An idle timer of ${span(signs.idleMs)} would fit, too; once is no proof.`
    : 'This fits no idle timer.';
}

/** What the absence cost: the resume was refused. */
function goneSentence({ gone }: ToldEnd['signs']): string {
  if (!gone) return '';
  const { requested, floor } = gone.signs;
  const age = oldWords(gone.signs);
  const old = age ? `, ${age} old by then,` : '';
  return `The resume from RV ${requested ?? '?'}${old} was refused with 410${floor ? ` (the history starts at ${floor})` : ''}: a relist was needed, see the finding about it.`;
}

/** A LIST whose body did not come to its end: nothing of it counts. */
export function brokenListWords({ answer, place, repeats }: ToldRefusal): OwnRefusedWords {
  const how = HOW_CUT[answer.end ?? ''] ?? 'was closed before the body was whole';
  const took = place.list ? span(place.list.endedAt - place.list.askedAt) : 'a while';
  return {
    title: `The LIST broke off in the middle${repeats > 1 ? `, ${repeats} times` : ''}: its connection ${how}`,
    text: [
      `The LIST was answered with HTTP 200, and its connection ${how} after ${took}. Half a list does not count, and has no RV to watch from.`,
      'A crash, a proxy that was reloaded, a limit of the time or size of an answer, or the network: the reason is out of sight.',
      'List again; large lists come through sooner in pages (limit=500).',
    ],
    evidence: [`end: ${answer.end}${answer.detail ? ` (${quote(answer.detail, 100)})` : ''} after ${took}`],
    ruledOut: ['a refusal (the answer was 200)'],
    next: [
      `${tailCommand(place.target, 'list')}: list again`,
      'limit=500: a LIST in pages, each of them a short answer',
      'timeout and buffer limits of the proxy in between: does it end long answers?',
    ],
    who: `not visible: the connection ${how}`,
    why: 'the body of the LIST is not whole',
    do: 'list again; look at proxies in between if it repeats',
  };
}
