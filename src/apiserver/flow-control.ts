import type { Clock, Timer } from '../util/clock.ts';
import type { Random } from '../util/random.ts';
import { sendTooManyRequests } from './answer.ts';
import type { Exchange } from './exchange.ts';
import { uuid } from './uuid.ts';

/** Flow schema `probes`, which is exempt: health checks are answered however busy the server is. */
const EXEMPT = /^\/(?:healthz|livez|readyz)(?:\/|$)/;

/** How requests are turned away while the switch is on. */
export interface Throttle {
  retryAfterSeconds: number;
  /** How long, ms; undefined: until it is lifted. */
  forMs: number | undefined;
}

/**
 * Priority and fairness as far as a client can see it: two headers in every answer that got as far as to it, and the 429 of a
 * server that is too busy (filters/priority-and-fairness.go), here by a switch. A watch that is open already has given its seat back and goes on.
 */
export class FlowControl {
  readonly #clock: Clock;
  /** Every request here falls under one flow schema and one priority level. */
  readonly #headers: Readonly<Record<string, string>>;
  #throttle: { retryAfterSeconds: number; timer: Timer | undefined } | undefined;

  constructor(clock: Clock, random: Random) {
    this.#clock = clock;
    this.#headers = {
      'X-Kubernetes-Pf-Flowschema-Uid': uuid(random),
      'X-Kubernetes-Pf-Prioritylevel-Uid': uuid(random),
    };
  }

  /** Turns requests away from now on; a throttle that is on already is replaced. */
  throttle({ retryAfterSeconds, forMs }: Throttle): void {
    this.unthrottle();
    const timer = forMs === undefined ? undefined : this.#clock.timer(forMs, () => this.unthrottle());
    this.#throttle = { retryAfterSeconds, timer };
  }

  unthrottle(): void {
    this.#throttle?.timer?.cancel();
    this.#throttle = undefined;
  }

  /** Names itself in the answer. False: the request was refused, and has its 429. */
  admit(exchange: Exchange): boolean {
    for (const [name, value] of Object.entries(this.#headers)) exchange.response.setHeader(name, value);
    if (EXEMPT.test(exchange.path)) return true;
    const seconds = this.#throttle?.retryAfterSeconds;
    if (seconds === undefined && exchange.pending.admits(exchange.method)) return true;
    sendTooManyRequests(exchange, seconds);
    return false;
  }

  /** An answer that upstream's timeout filter gives has passed flow control by (facts/server §5.5). */
  disown({ response }: Exchange): void {
    for (const name of Object.keys(this.#headers)) response.removeHeader(name);
  }
}
