import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sendText } from '../../src/apiserver/answer.ts';
import type { Exchange } from '../../src/apiserver/exchange.ts';
import { type Listener, listen } from '../../src/apiserver/listener.ts';
import { seededRandom } from '../../src/util/random.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { head, RawClient } from '../support/raw-client.ts';
import { turnsUntil } from '../support/test-server.ts';

const PATIENCE = 50_000;

/** A listener whose requests wait until the test answers them. */
let clock: FakeClock;
let listener: Listener;
let waiting: { exchange: Exchange; answer: () => void }[];
let ended: number;
beforeEach(async () => {
  clock = new FakeClock();
  waiting = [];
  ended = 0;
  listener = await listen({
    port: 0,
    clock,
    random: seededRandom(1),
    onFault: (error) => {
      throw error;
    },
    onRequest: async (exchange) => {
      exchange.signal.addEventListener('abort', () => ended++);
      await new Promise<void>((resolve) => {
        waiting.push({ exchange, answer: resolve });
        exchange.signal.addEventListener('abort', () => resolve());
      });
      sendText(exchange, 200, `${exchange.path}\n`);
    },
  });
});
afterEach(async () => {
  const closed = listener.close();
  await clock.advance(2_000);
  await closed;
});

const count = (client: RawClient) => client.received.split('HTTP/1.1 200 OK').length - 1;

describe('requests that are sent ahead', () => {
  it('are handled one after the other, and answered in their order', async () => {
    const client = new RawClient(listener.port);
    await client.send([1, 2, 3].map((n) => head('GET', `/${n}`)).join(''));
    for (const n of [1, 2, 3]) {
      expect(await turnsUntil(clock, () => waiting.length === n, PATIENCE)).toBe(true);
      await turnsUntil(clock, () => false, 50);
      expect(waiting.map(({ exchange }) => exchange.path)).toEqual([1, 2, 3].slice(0, n).map((one) => `/${one}`));
      expect(count(client)).toBe(n - 1);
      waiting[n - 1]?.answer();
    }
    expect(await turnsUntil(clock, () => count(client) === 3, PATIENCE)).toBe(true);
    expect(client.received).toMatch(/\/1\n.*\/2\n.*\/3\n$/s);
    client.leave();
  });

  it('go with their client: what was not begun never is, and nothing of it is left', async () => {
    const client = new RawClient(listener.port);
    client.socket.write(Array.from({ length: 2_000 }, (_, n) => head('GET', `/${n}`)).join(''));
    await turnsUntil(clock, () => waiting.length === 1, PATIENCE);
    client.leave();
    expect(await turnsUntil(clock, () => ended === 1, PATIENCE)).toBe(true);
    await turnsUntil(clock, () => false, 50);
    expect(waiting).toHaveLength(1);
    expect(waiting[0]?.exchange.pending.bytes).toBe(0);
  });

  it('of any number are all answered', async () => {
    const client = new RawClient(listener.port);
    client.socket.write(Array.from({ length: 3_000 }, (_, n) => head('GET', `/${n}`)).join(''));
    let answered = 0;
    while (answered < 3_000) {
      expect(await turnsUntil(clock, () => waiting.length > answered, PATIENCE)).toBe(true);
      waiting[answered++]?.answer();
    }
    expect(await turnsUntil(clock, () => client.received.endsWith('/2999\n'), PATIENCE)).toBe(true);
    expect(count(client)).toBe(3_000);
    client.leave();
  });
});
