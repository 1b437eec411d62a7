import { span } from '../diagnosis/quantity.ts';
import type { Sentence } from './sentence.ts';
import { statedRequest } from './stated-request.ts';

/** An apiserver's line for a watch that has ended (apiserver `server/httplog/httplog.go`): the latency is the age of the watch. */
const LINE =
  /\bverb="WATCH" [^\n]{1,3000}\blatency="((?:\d{1,6}(?:\.\d{1,9})?(?:h|ms|µs|m|s)){1,4})"[^\n]{0,2000}\bresp=200\b/;
const PART = /(\d{1,6}(?:\.\d{1,9})?)(h|ms|µs|m|s)/g;
const UNIT_MS: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1, µs: 0.001 };
/** How exactly a planned end comes: 2 s or 2 %, as for a live stream. */
const TOLERANCE_MS = 2_000;
const TOLERANCE = 0.02;

const BASE = { pattern: LINE, ordinary: true } as const;

/** Undefined: not such a line. */
export function watchAccessLog(text: string): Sentence | undefined {
  const age = LINE.exec(text)?.[1];
  if (age === undefined) return undefined;
  const ageMs = [...age.matchAll(PART)].reduce((sum, [, value, unit]) => sum + Number(value) * UNIT_MS[unit!]!, 0);
  const asked = statedRequest(text).timeout_seconds;
  const askedMs = Number(asked) * 1000;
  if (asked !== undefined && Math.abs(ageMs - askedMs) <= Math.max(TOLERANCE_MS, askedMs * TOLERANCE))
    return planned(ageMs, asked);
  const compared = asked === undefined ? 'no timeoutSeconds stands in it' : `timeoutSeconds was ${asked}`;
  return {
    ...BASE,
    class: 'unknown',
    confidence: 'low',
    harm: 'depends',
    title: 'The apiserver’s access log of a watch that has ended; how, only its age hints at',
    text: `The line is written when a watch ends, whatever ended it, and resp=200 says how it began. "latency" is its age: ${span(ageMs)}; ${compared}. Without one the server ends watches after 30 to 60 min; earlier it was mostly the client that left (it stopped, started anew), else something on the way, or a cache that was rebuilt. It is no fault of the apiserver.`,
    next: [
      'the same age again and again, below timeoutSeconds? Then it is a timer on the way',
      'the log of that client (userAgent, srcIP)',
    ],
  };
}

function planned(ageMs: number, asked: string): Sentence {
  return {
    ...BASE,
    class: 'server-timeout',
    confidence: 'high',
    harm: 'harmless-once',
    title: 'A watch that came to its planned end, in the apiserver’s access log',
    text: `"latency" of a watch is its age: ${span(ageMs)}, and ${asked} s were asked for (timeoutSeconds). So the server ended it as it was told to, and the client opens the next one. Nothing is wrong, nothing is to be done.`,
    next: ['nothing is to be done'],
  };
}
