import type { Random } from '../util/random.ts';

/** gRPC backoff.DefaultConfig: pause after the first failed attempt to connect, ms; each further one is 1.6 times as long. */
const BASE_DELAY_MS = 1_000;
const MULTIPLIER = 1.6;

/** gRPC backoff.DefaultConfig `Jitter`: each pause is up to this share shorter or longer. */
const JITTER = 0.2;

/** gRPC backoff.DefaultConfig `MaxDelay`, ms. */
const MAX_DELAY_MS = 120_000;

/**
 * When a client that lost its connection tries next (gRPC backoff, as etcd's client v3.5 uses it): at once, then after pauses that
 * grow. The first attempt not before `now`, ms, where the connection was lost at `lostAt` and every attempt before `now` was refused.
 * Nothing has to run while the other end is away: the attempts that fail leave no trace but the length of the next pause.
 */
export function nextAttempt(lostAt: number, now: number, random: Random): number {
  let attempt = lostAt;
  for (let pause = BASE_DELAY_MS; attempt < now; pause = Math.min(pause * MULTIPLIER, MAX_DELAY_MS)) {
    attempt += pause * (1 + JITTER * (2 * random() - 1));
  }
  return attempt;
}
