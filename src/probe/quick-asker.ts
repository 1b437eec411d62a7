import { retryAfterMs } from '../protocol/retry-after.ts';
import { type Answer, type Asker, ask, type Question } from './ask.ts';

const TOO_MANY = 429;
/** A server that asks to wait and does not say how long, or less than this, is asked again after it, real ms. */
const LEAST_WAIT_MS = 1_000;

/**
 * Puts the questions of the quick half: counts them, and waits as a server with too many of them asks it to, while there is time. `asker.signal`
 * ends that time; what is asked later is not sent.
 */
export class QuickAsker {
  readonly #asker: Asker;
  readonly #until: number;
  /** Requests that were sent, and how many of them got a 429. */
  requests = 0;
  throttled = 0;

  /** `until`: of the clock; no wait goes beyond it. */
  constructor(asker: Asker, until: number) {
    this.#asker = asker;
    this.#until = until;
  }

  async ask(question: Question): Promise<Answer> {
    const { clock, signal } = this.#asker;
    for (;;) {
      if (signal?.aborted) return unasked(question.path, clock.now());
      this.requests += 1;
      const answer = await ask(this.#asker, question);
      if (answer.head?.status !== TOO_MANY) return answer;
      this.throttled += 1;
      const asked = retryAfterMs(answer.head.headers, answer.status) ?? 0;
      const wait = Math.max(asked, LEAST_WAIT_MS) * (clock.speed ?? 1);
      if (clock.now() + wait >= this.#until) return answer;
      await clock.sleep(wait, signal);
    }
  }
}

function unasked(path: string, now: number): Answer {
  return {
    path,
    askedAt: now,
    answeredAt: now,
    endAfterMs: 0,
    end: 'stopped',
    detail: '',
    frames: [],
    malformed: 0,
    bytes: 0,
  };
}
