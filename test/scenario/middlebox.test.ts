import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { MiddleboxRules } from '../../src/scenario/middle-connection.ts';
import { Middlebox } from '../../src/scenario/middlebox.ts';
import type { BreakStep } from '../../src/scenario/script.ts';
import { FakeClock } from '../support/fake-clock.ts';

const HEAD = 'HTTP/1.1 200 OK\r\n\r\n';
const ASK = 'GET /api/v1/pods?watch=1 HTTP/1.1\r\n\r\n';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** A client's connection, with what came of it. */
class Near {
  readonly socket: Socket;
  text = '';
  /** `end`: FIN; or the code of its error. */
  over: string | undefined;

  constructor(port: number) {
    this.socket = connect({ host: '127.0.0.1', port, allowHalfOpen: false });
    this.socket.on('data', (bytes: Buffer) => {
      this.text += bytes.toString();
    });
    this.socket.on('end', () => {
      this.over ??= 'end';
    });
    this.socket.on('error', (error: NodeJS.ErrnoException) => {
      this.over ??= error.code;
    });
  }

  /** Until what came fulfils this. */
  async until(fulfilled: (near: Near) => boolean): Promise<void> {
    while (!fulfilled(this)) await new Promise((resolve) => setImmediate(resolve));
  }
}

/** A middlebox in front of a server that answers each connection's first bytes with HEAD and says the rest on demand. */
async function way(rules: MiddleboxRules, tls = false) {
  const clock = new FakeClock();
  const far: Socket[] = [];
  const server: Server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.once('data', () => {
      socket.write(HEAD);
      far.push(socket);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const middlebox = new Middlebox(
    { host: '127.0.0.1', port: (server.address() as AddressInfo).port, tls },
    clock,
    rules,
  );
  await middlebox.open();
  closers.push(
    () => middlebox.close(),
    () => {
      for (const socket of far) socket.destroy();
      server.close();
    },
  );
  const open = async (ask = ASK) => {
    const near = new Near(middlebox.port);
    closers.unshift(() => near.socket.destroy());
    near.socket.write(ask);
    await near.until(({ text }) => text === HEAD);
    return near;
  };
  const say = async (near: Near, text: string) => {
    far.at(-1)?.write(text);
    await near.until((one) => one.text.endsWith(text));
  };
  const strike = (by: BreakStep['by'], forMs?: number) =>
    middlebox.strike({ verb: 'break', proxy: 'P', by, ...(forMs === undefined ? {} : { forMs }) });
  return { clock, far, middlebox, open, say, strike };
}

describe('a middlebox by its rules', () => {
  it('closes a connection after a silence, whatever its age', async () => {
    const { clock, open, say } = await way({ idleMs: 20_000 });
    const near = await open();
    await clock.advance(15_000);
    await say(near, 'a');
    await clock.advance(19_999);
    await say(near, 'b');
    expect(near.over).toBeUndefined();
    await clock.advance(20_000);
    await near.until(({ over }) => over !== undefined);
    expect(near).toMatchObject({ over: 'end', text: `${HEAD}ab` });
  });

  it('closes a connection at an age, whatever passes', async () => {
    const { clock, open, say } = await way({ ageMs: 30_000 });
    const near = await open();
    await clock.advance(29_999);
    await say(near, 'a');
    expect(near.over).toBeUndefined();
    await clock.advance(1);
    await near.until(({ over }) => over !== undefined);
    expect(near).toMatchObject({ over: 'end', text: `${HEAD}a` });
  });

  it('hands on together what came of a watch, its head at once', async () => {
    const { clock, far, open } = await way({ holdMs: 20_000 });
    const near = await open();
    for (const text of ['a', 'b']) {
      far[0]?.write(text);
      await clock.advance(1000);
    }
    await clock.advance(17_000);
    expect(near.text).toBe(HEAD);
    await clock.advance(3000);
    await near.until(({ text }) => text === `${HEAD}ab`);
    far[0]?.end('c');
    await near.until(({ over }) => over !== undefined);
    expect(near).toMatchObject({ over: 'end', text: `${HEAD}abc` });
  });

  it('holds nothing else back', async () => {
    const { open, say } = await way({ holdMs: 20_000 });
    const near = await open('GET /api/v1/pods?limit=500 HTTP/1.1\r\n\r\n');
    await say(near, 'a list');
    expect(near.text).toBe(`${HEAD}a list`);
  });
});

describe('a middlebox that breaks', () => {
  it.each([
    ['reset', 'ECONNRESET'],
    ['close', 'end'],
  ] as const)('%s: the client sees %s', async (by, over) => {
    const { open, strike } = await way({});
    const near = await open();
    await strike(by);
    await near.until((one) => one.over !== undefined);
    expect(near.over).toBe(over);
  });

  it('mid-event: half of the next bytes, and a FIN', async () => {
    const { far, open, strike } = await way({});
    const near = await open();
    await strike('mid-event');
    far[0]?.write('{"type":"ADDED"}');
    await near.until(({ over }) => over !== undefined);
    expect(near).toMatchObject({ over: 'end', text: `${HEAD}{"type":` });
  });

  it('silence: nothing passes, nobody is told, and the next connection is well', async () => {
    const { far, open, say, strike } = await way({});
    const dead = await open();
    await strike('silence');
    far[0]?.end('lost');
    const well = await open();
    await say(well, 'a');
    expect(dead).toMatchObject({ over: undefined, text: HEAD });
  });

  it('bad-gateway: its own page for a while', async () => {
    const { clock, middlebox, open, strike } = await way({});
    await strike('bad-gateway', 5000);
    const near = new Near(middlebox.port);
    near.socket.write(ASK);
    await near.until(({ over }) => over !== undefined);
    expect(near.text).toMatch(/^HTTP\/1\.1 502 Bad Gateway\r\n[\s\S]*<html>/);
    await clock.advance(5000);
    expect((await open()).text).toBe(HEAD);
  });

  it('bad-gateway over TLS: nobody in the middle can answer', async () => {
    const { strike } = await way({}, true);
    await expect(strike('bad-gateway')).rejects.toThrow('over TLS nobody in the middle can answer');
  });

  it('refusal: connections are refused for a while, at the same port', async () => {
    const { clock, middlebox, open, strike } = await way({});
    const before = await open();
    await strike('refusal', 5000);
    await before.until(({ over }) => over !== undefined);
    const near = new Near(middlebox.port);
    await near.until(({ over }) => over !== undefined);
    expect([before.over, near.over]).toEqual(['ECONNRESET', 'ECONNREFUSED']);
    await clock.advance(5000);
    expect((await open()).text).toBe(HEAD);
  });
});

it('an apiserver that is not there: the connection is reset', async () => {
  const middlebox = new Middlebox({ host: '127.0.0.1', port: 1, tls: false }, new FakeClock(), {});
  await middlebox.open();
  closers.push(() => middlebox.close());
  const near = new Near(middlebox.port);
  await near.until(({ over }) => over !== undefined);
  expect(near.over).toBe('ECONNRESET');
});
