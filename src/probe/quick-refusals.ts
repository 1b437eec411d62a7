import { type Answer, noStream, refusalOf } from './ask.ts';
import type { Said } from './check.ts';

const GONE = 410;
/** Answers that say nothing of how a request itself is judged: who asks, and how often. */
const ABOUT_US = [401, 403, 429];

const skip = (answer: string): Said => ({ result: 'skip', answer, facts: {} });

/** A watch from an RV that is long gone: refused in the stream, with one ERROR and a proper end (facts/server §5.2). */
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
  const none = noStream(answer);
  if (none !== undefined) return skip(none);
  const facts = { http_status: head.status, frames: frames.length, end };
  if (!status) return end === 'eof' ? skip('not refused: its history reaches back to RV 1') : brokenOff(answer);
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

function brokenOff({ end }: Answer): Said {
  return {
    result: 'warn',
    answer: `neither refused nor properly ended (${end})`,
    detail: 'Where a refusal was cut off, clients ask again with the same RV, for ever.',
    facts: { end },
  };
}

/** A watch from what is no RV: whoever takes it for none hides the mistakes of clients (`undefined`, `None`). */
export function malformedRefused(answer: Answer): Said {
  const { head, status } = answer;
  if (!head || ABOUT_US.includes(head.status)) return skip(refusalOf(answer));
  const none = noStream(answer);
  if (none !== undefined) return skip(none);
  if (head.status !== 200 || status) {
    // kube-apiserver answers a watch so with 500 where a 400 would be right (facts/server §1.4).
    const code = head.status === 200 ? `an ERROR with code ${status?.code ?? 'none'}` : `HTTP ${head.status}`;
    return { result: 'pass', answer: `refused with ${code}`, facts: { malformed_refused: true } };
  }
  return {
    result: 'warn',
    answer: 'accepted as if it were an RV',
    detail: 'kube-apiserver refuses it. A client that sends such an RV by mistake never learns of it here.',
    facts: { malformed_refused: false },
  };
}
