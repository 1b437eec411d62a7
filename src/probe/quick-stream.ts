import { type Answer, refusalOf } from './ask.ts';
import type { Said } from './check.ts';
import { measured } from './times.ts';

/** An apiserver sends headers before it has anything to say (facts/server §5.1); a path adds its round trips, ms. */
const AT_ONCE_MS = 1_000;
/** A watch ends within a moment of its `timeoutSeconds`, ms. */
const TIMEOUT_SLACK_MS = 1_500;
const INVALID = 422;
const GONE = 410;

const skip = (answer: string): Said => ({ result: 'skip', answer, facts: {} });

/** A watch of nothing: its headers must come though no event does. */
export function headersAtOnce(answer: Answer): Said {
  const { head, headAfterMs, end } = answer;
  if (head && head.status !== 200) return skip(refusalOf(answer));
  if (!head && end === 'stopped') return skip('we left before there was an answer');
  if (!head && end !== 'no-response') {
    return {
      result: 'fail',
      answer: `the watch was not answered at all (${end}${answer.detail === '' ? '' : `: ${answer.detail.slice(0, 200)}`})`,
      facts: { end },
    };
  }
  const held = 'Clients take a stream without headers for a dead server: client-go and kubectl wait, others give up.';
  if (!head || headAfterMs === undefined) {
    return {
      result: 'fail',
      answer: `none while the watch was silent: we gave up after ${measured(answer.endAfterMs)}`,
      detail: `${held} Something on the path waits for the first byte of the body.`,
      next: 'compare with the apiserver itself: --via URL',
      facts: { end },
    };
  }
  const facts = { headers_ms: Math.round(headAfterMs) };
  if (headAfterMs <= AT_ONCE_MS) return { result: 'pass', answer: `after ${Math.round(headAfterMs)} ms`, facts };
  return {
    result: 'fail',
    answer: `held back for ${measured(headAfterMs)}`,
    detail: `${held} A proxy that buffers does this, or a watch cache that is not ready.`,
    next: 'compare with the apiserver itself: --via URL',
    facts,
  };
}

/** The same watch: does it end when it should, as a stream should? */
export function timeoutHonoured(answer: Answer, timeoutSeconds: number): Said {
  const { head, end, endAfterMs, status } = answer;
  if (head && head.status !== 200) return skip(refusalOf(answer));
  if (status) return skip(`it ended with an ERROR: ${status.message?.slice(0, 200) ?? ''}`);
  if (end === 'stopped') return skip('we left before its end');
  if (!head) return skip('the watch was not answered');
  const facts = { ended_ms: Math.round(endAfterMs), end, timeout_seconds: timeoutSeconds };
  if (end === 'no-response') {
    return {
      result: 'fail',
      answer: `timeoutSeconds=${timeoutSeconds} is not honoured: still open after ${measured(endAfterMs)}`,
      detail: 'Clients plan their ends with it, so that no proxy has to cut them.',
      facts,
    };
  }
  const early = endAfterMs < timeoutSeconds * 1000 - TIMEOUT_SLACK_MS;
  const late = endAfterMs > timeoutSeconds * 1000 + TIMEOUT_SLACK_MS;
  if (end !== 'eof') {
    return {
      result: 'fail',
      answer: `ended after ${measured(endAfterMs)} without a proper end (${end})`,
      detail: 'Without the last chunk a client cannot tell a planned end from a broken path.',
      facts,
    };
  }
  if (early || late) {
    return { result: 'warn', answer: `ended after ${measured(endAfterMs)} instead of ${timeoutSeconds} s`, facts };
  }
  return { result: 'pass', answer: `a proper end after ${measured(endAfterMs)}`, facts };
}

/** A watch from an RV that is long gone: refused in the stream, with one ERROR and a proper end (facts/server §0.2). */
export function refusalFramed(answer: Answer): Said {
  const { head, status, end, frames } = answer;
  if (head?.status === GONE) {
    return {
      result: 'warn',
      answer: 'refused with HTTP 410, not with an ERROR in the stream',
      detail:
        'kube-apiserver accepts the watch and refuses in the stream. Clients that look for one only miss the other.',
      facts: { http_status: GONE },
    };
  }
  if (head?.status !== 200) return skip(refusalOf(answer));
  const facts = { http_status: head.status, frames: frames.length, end };
  if (!status) {
    return skip(
      end === 'eof' ? 'not refused: its history reaches back to RV 1' : `neither refused nor properly ended (${end})`,
    );
  }
  const facts410 = { ...facts, status_code: status.code ?? 0 };
  if (status.code !== GONE) {
    return { result: 'warn', answer: `an ERROR with code ${status.code ?? 'none'} instead of 410`, facts: facts410 };
  }
  if (end !== 'eof' || frames.length !== 1) {
    const what = frames.length === 1 ? `no proper end (${end})` : `${frames.length} frames instead of one`;
    return { result: 'warn', answer: `an ERROR 410 in the stream, but ${what}`, facts: facts410 };
  }
  return { result: 'pass', answer: 'HTTP 200, one ERROR with code 410, and a proper end', facts: facts410 };
}

/** Streaming lists: the initial state as a watch, with a bookmark at its end. */
export function watchList(answer: Answer): Said {
  const { head, frames, status } = answer;
  if (head?.status === INVALID) {
    return { result: 'info', answer: 'off: sendInitialEvents is refused', facts: { watch_list: false } };
  }
  if (head?.status !== 200) return skip(refusalOf(answer));
  if (frames.some(({ initialEventsEnd }) => initialEventsEnd)) {
    return {
      result: 'info',
      answer: 'on: the bookmark at the end of the initial events came',
      facts: { watch_list: true },
    };
  }
  if (status)
    return { result: 'warn', answer: `an ERROR: ${status.message?.slice(0, 200) ?? ''}`, facts: { watch_list: false } };
  return {
    result: 'warn',
    answer: 'granted, but the bookmark that ends the initial events did not come',
    detail: 'A client that streams its list waits for it for ever. A path that drops bookmarks does this.',
    next: 'compare with the apiserver itself: --via URL',
    facts: { watch_list: false },
  };
}

/** A watch by somebody who takes gzip: before 1.37 it must come as it is. */
export function uncompressed(answer: Answer): Said {
  const { head } = answer;
  if (head?.status !== 200) return skip(refusalOf(answer));
  const encoding = head.headers['content-encoding'] ?? '';
  const facts = { content_encoding: encoding || 'none' };
  if (encoding === '' || encoding === 'identity') {
    return { result: 'pass', answer: 'a watch comes as it is also where gzip is accepted', facts };
  }
  return {
    result: 'warn',
    answer: `a watch comes compressed (${encoding})`,
    detail:
      'No apiserver before 1.37 compresses a plain watch: something on the path does, and what compresses waits for more.',
    next: 'send Accept-Encoding: identity, or turn compression off on the path',
    facts,
  };
}
