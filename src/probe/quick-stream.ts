import { type Answer, noStream, refusalOf, unusable } from './ask.ts';
import type { Said } from './check.ts';
import { measured } from './times.ts';

/** An apiserver sends headers before it has anything to say (facts/server §5.1); a loaded one takes some time, ms. */
const AT_ONCE_MS = 1_000;
/** Headers that come so shortly before the end were let go by it, ms. */
const WITH_THE_END_MS = 500;
/** The bookmark before the end is sent 0.7 s before it at the latest (facts/server §3.11); a slow path brings it nearer, ms. */
const SENT_BEFORE_END_MS = 200;
/** A watch ends within a moment of its `timeoutSeconds`, ms. */
const TIMEOUT_SLACK_MS = 1_500;
const TOO_MANY = 429;

const skip = (answer: string): Said => ({ result: 'skip', answer, facts: {} });
const COMPARE = 'compare with the apiserver itself: --via URL';
const HELD = 'Clients take a stream without headers for a dead server: client-go and kubectl wait, others give up.';

/** A watch of nothing: its headers must come though no event does. `usualMs`: what other answers on this path take. */
export function headersAtOnce(answer: Answer, usualMs = 0): Said {
  const { head, headAfterMs = 0, endAfterMs, end } = answer;
  if (!head) return unanswered(answer);
  if (head.status === TOO_MANY) return skip(refusalOf(answer));
  if (head.status !== 200) {
    return {
      result: 'fail',
      answer: `the watch is refused: ${refusalOf(answer)}`,
      detail: 'Its LIST was granted. Clients that list and watch never come further than this.',
      facts: { http_status: head.status },
    };
  }
  const none = noStream(answer);
  if (none !== undefined) {
    return {
      result: 'fail',
      answer: none,
      detail: 'Something on the path answers watches in the place of the apiserver, or changes them.',
      next: COMPARE,
      facts: { http_status: 200 },
    };
  }
  const facts = { headers_ms: Math.round(headAfterMs) };
  if (headAfterMs <= AT_ONCE_MS + usualMs) {
    return { result: 'pass', answer: `after ${Math.round(headAfterMs)} ms`, facts };
  }
  if (end === 'eof' && endAfterMs - headAfterMs < WITH_THE_END_MS) {
    return {
      result: 'fail',
      answer: `held back until the watch ended, ${measured(headAfterMs)}`,
      detail: `${HELD} A proxy that waits for the first byte of the body does this.`,
      next: COMPARE,
      facts,
    };
  }
  return {
    result: 'warn',
    answer: `late: after ${measured(headAfterMs)}`,
    detail: `${HELD} A watch cache that is not ready does this, or a path that holds them back.`,
    next: COMPARE,
    facts,
  };
}

function unanswered({ end, endAfterMs, detail }: Answer): Said {
  if (end === 'stopped') return skip('no answer within the time of the quick half');
  if (end !== 'no-response' || detail.startsWith('UND_')) {
    const why = detail === '' ? '' : `: ${detail.slice(0, 200)}`;
    return { result: 'fail', answer: `the watch was not answered at all (${end}${why})`, facts: { end } };
  }
  return {
    result: 'fail',
    answer: `none while the watch was silent: we gave up after ${measured(endAfterMs)}`,
    detail: `${HELD} Something on the path waits for the first byte of the body, or nobody answers watches.`,
    next: COMPARE,
    facts: { end },
  };
}

/** The same watch: does it end when it should, as a stream should? */
export function timeoutHonoured(answer: Answer, timeoutSeconds: number, usualMs = 0): Said {
  const { head, end, endAfterMs, status } = answer;
  if (!head) return skip(end === 'stopped' ? refusalOf(answer) : 'the watch was not answered');
  const why = unusable(answer);
  if (why !== undefined) return skip(why);
  if (status) return skip(`it ended with an ERROR: ${status.message?.slice(0, 200) ?? ''}`);
  if (end === 'stopped') return skip('we left before its end');
  const facts = { ended_ms: Math.round(endAfterMs), end, timeout_seconds: timeoutSeconds };
  if (end === 'no-response') {
    return {
      result: 'fail',
      answer: `timeoutSeconds=${timeoutSeconds} is not honoured: still open after ${measured(endAfterMs)}`,
      detail: 'Clients plan their ends with it, so that no proxy has to cut them.',
      facts,
    };
  }
  const late = endAfterMs - timeoutSeconds * 1000;
  if (end !== 'eof') {
    return {
      result: 'fail',
      answer: `ended after ${measured(endAfterMs)} without a proper end (${end})`,
      detail: 'Without the last chunk a client cannot tell a planned end from a broken path.',
      facts,
    };
  }
  if (late < -TIMEOUT_SLACK_MS || late > TIMEOUT_SLACK_MS + usualMs) {
    return { result: 'warn', answer: `ended after ${measured(endAfterMs)} instead of ${timeoutSeconds} s`, facts };
  }
  return { result: 'pass', answer: `a proper end after ${measured(endAfterMs)}`, facts };
}

/**
 * A watch with bookmarks of some seconds: one is due about 2 s before its end, if the cache has moved on meanwhile (facts/server
 * §3.11). It is best effort and comes once or twice, so that its absence proves nothing. `moved`: the cache was seen to move on
 * before one was due.
 */
export function bookmarkBeforeEnd(
  answer: Answer | undefined,
  { cached, moved }: { cached: boolean | undefined; moved: boolean },
): Said {
  if (cached === false) {
    return { result: 'info', answer: 'none: without a watch cache etcd sends no bookmarks', facts: {} };
  }
  if (!answer) return skip('the RV of the cache is not known');
  const why = answer.head ? unusable(answer) : refusalOf(answer);
  if (why !== undefined) return skip(why);
  const { frames, status, end, endAfterMs } = answer;
  if (status) return skip(`it ended with an ERROR: ${status.message?.slice(0, 200) ?? ''}`);
  const first = frames.find(({ type }) => type === 'BOOKMARK');
  if (first) {
    const beforeEnd = endAfterMs - first.afterMs;
    const facts = { bookmarks: true, before_end_ms: Math.round(beforeEnd) };
    if (end === 'eof' && beforeEnd < SENT_BEFORE_END_MS) {
      return {
        result: 'warn',
        answer: `RV ${first.rv ?? 'unknown'}, but with the end itself`,
        detail: 'An apiserver sends it 0.7 s to 3 s before the end: it was held back on the way, as events may be.',
        next: COMPARE,
        facts,
      };
    }
    return {
      result: 'pass',
      answer: `RV ${first.rv ?? 'unknown'}${end === 'eof' ? `, ${measured(beforeEnd)} before the end` : ''}`,
      facts,
    };
  }
  if (end !== 'eof') return skip(`the watch did not come to its planned end (${end})`);
  if (!moved) {
    const answer = 'none was due: the cache’s RV did not move meanwhile';
    return { result: 'info', answer, facts: { bookmarks_due: false } };
  }
  return {
    result: 'warn',
    answer: `none in a watch of ${measured(endAfterMs)}, though the cache moved on`,
    detail: 'It is best effort, so one watch proves nothing; a path that drops bookmarks looks like this.',
    next: `--deep looks for some minutes; ${COMPARE}`,
    facts: { bookmarks: false },
  };
}
