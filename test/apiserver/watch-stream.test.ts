import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { Exchange } from '../../src/apiserver/exchange.ts';
import { openWatchStream } from '../../src/apiserver/watch-stream.ts';
import type { Watcher } from '../../src/store/resource-storage.ts';
import { stored } from '../support/lab.ts';

/** A connection that takes what it is given when the test says so, as one over TLS does, or at once. */
class Line extends Duplex {
  sent = '';
  #taken: (() => void)[] = [];
  readonly #atOnce: boolean;

  constructor(atOnce: boolean) {
    super();
    this.#atOnce = atOnce;
  }

  override _read(): void {
    // Nothing ever comes.
  }

  override _write(bytes: Buffer, _encoding: string, done: () => void): void {
    this.sent += bytes.toString('latin1');
    if (this.#atOnce) done();
    else this.#taken.push(done);
  }

  /** Everything that was given is taken. */
  async takeAll(): Promise<void> {
    for (let done = this.#taken.shift(); done; done = this.#taken.shift()) {
      done();
      await turn();
    }
  }
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

function opened({ atOnce = true, httpVersion = '1.1' } = {}) {
  const line = new Line(atOnce);
  const request = new IncomingMessage(new Socket());
  request.httpVersion = httpVersion;
  request.httpVersionMajor = 1;
  request.httpVersionMinor = Number(httpVersion.slice(2));
  const response = new ServerResponse(request);
  response.assignSocket(line as unknown as Socket);
  let ready = 0;
  const over = new AbortController();
  const detach = () => undefined;
  const exchange = { request, response, http1: response, signal: over.signal, detach } as unknown as Exchange;
  const watcher = {
    resume: () => {
      ready += 1;
    },
  } as unknown as Watcher;
  const stream = openWatchStream(exchange, watcher);
  const body = () => line.sent.slice(line.sent.indexOf('\r\n\r\n') + 4);
  return { line, stream, over, body, readyTimes: () => ready };
}

const bytes = (text: string) => Buffer.from(text);
const lines = (...names: string[]) => ({
  events: names.map((name, n) => ({ type: 'ADDED' as const, object: stored(name, n + 1) })),
  encoded: undefined,
});

describe('a watch stream over HTTP/1.1', () => {
  it('gathers single lines until it is told to send them, each a chunk', () => {
    const { stream, body } = opened();
    stream.write(bytes('{"a":1}\n'));
    stream.write(bytes('{"b":2}\n'));
    expect(body()).toBe('');
    stream.flush();
    expect(body()).toBe('8\r\n{"a":1}\n\r\n8\r\n{"b":2}\n\r\n');
  });

  it('sends what is gathered when it becomes much', () => {
    const { stream, body } = opened();
    stream.write(Buffer.alloc(16 * 1024, 'x'));
    expect(body()).toHaveLength(16 * 1024 + 8);
  });

  it('sends a batch as one chunk, made once for all streams', () => {
    const [one, other] = [opened(), opened()];
    const batch = lines('a', 'b');
    one.stream.deliver(batch);
    const { encoded } = batch;
    other.stream.deliver(batch);
    expect(batch.encoded).toBe(encoded);
    expect(one.body()).toBe(other.body());
    const [size, first, second] = one.body().split('\n');
    expect(Number.parseInt(size!, 16)).toBe(first!.length + second!.length + 2);
    expect([first, second].map((line) => JSON.parse(line!).object.metadata.name)).toEqual(['a', 'b']);
  });

  it('has no room while its headers are on their way, and says when it has', async () => {
    const { line, stream, readyTimes } = opened({ atOnce: false });
    expect(stream.ready).toBe(false);
    const drained = stream.drained();
    await line.takeAll();
    await drained;
    expect([stream.ready, readyTimes()]).toEqual([true, 1]);
  });

  it('has no room until the connection has taken everything', async () => {
    const { line, stream, readyTimes } = opened({ atOnce: false });
    await line.takeAll();
    stream.deliver(lines('a'));
    expect(stream.ready).toBe(false);
    let waited = true;
    void stream.drained()?.then(() => {
      waited = false;
    });
    await turn();
    expect([waited, readyTimes()]).toEqual([true, 1]);
    await line.takeAll();
    expect([waited, stream.ready, readyTimes()]).toEqual([false, true, 2]);
  });

  it('lets nobody wait once the watch is over', async () => {
    const { stream, over, readyTimes } = opened({ atOnce: false });
    const drained = stream.drained();
    over.abort();
    await drained;
    expect([stream.drained(), readyTimes()]).toEqual([undefined, 0]);
  });

  it('ends with the last chunk, after what was gathered', () => {
    const { stream, body } = opened();
    stream.write(bytes('{}\n'));
    stream.end();
    expect(body()).toBe('3\r\n{}\n\r\n0\r\n\r\n');
  });
});

describe('a watch stream for a client that knows no chunks', () => {
  it('sends bare lines, batches too', async () => {
    const { stream, body } = opened({ httpVersion: '1.0' });
    stream.write(bytes('{"a":1}\n'));
    stream.deliver(lines('b'));
    await turn();
    expect(
      body()
        .split('\n')
        .map((line) => line && JSON.parse(line).type),
    ).toEqual([undefined, 'ADDED', '']);
  });
});
