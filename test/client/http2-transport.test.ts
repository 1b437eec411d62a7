import { createSecureServer, createServer, type Http2Server, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import type { AnswerHead } from '../../src/client/answer-head.ts';
import type { TransportEnd } from '../../src/client/end-kind.ts';
import type { Endpoint } from '../../src/client/endpoint.ts';
import { http2Transport } from '../../src/client/http2-transport.ts';
import type { Lane, OpenRequest } from '../../src/client/transport.ts';
import { CERTIFICATE, KEY } from '../support/certificate.ts';
import { rawServer } from '../support/raw-server.ts';

const LINE = '{"type":"ADDED","object":{}}\n';

function endpoint(host: string, over: Partial<Endpoint> = {}): Endpoint {
  return { scheme: 'http', host, prefix: '', tls: {}, authorization: async () => undefined, title: host, ...over };
}

interface Seen {
  head?: AnswerHead;
  text: string;
  written: number;
  end: TransportEnd;
}

function ask(lane: Lane, during?: (request: OpenRequest, seen: Seen) => void, headers = {}): Promise<Seen> {
  return new Promise((resolve) => {
    const seen: Seen = { text: '', written: 0, end: { end: 'stopped', detail: '' } };
    const request = lane.open(
      { path: '/x', headers },
      {
        onWritten: () => {
          seen.written += 1;
        },
        onHead: (head) => {
          seen.head = head;
        },
        onBytes: (chunks) => {
          seen.text += Buffer.concat(chunks).toString();
          during?.(request, seen);
        },
        onEnd: (end) => resolve({ ...seen, end }),
      },
    );
  });
}

/** ENHANCE_YOUR_CALM. */
const CALM = 11;

describe('HTTP/2: how a stream ends on the wire', () => {
  let server: Http2Server | undefined;
  let lane: Lane | undefined;
  const sockets = new Set<Socket>();
  afterEach(async () => {
    lane?.close();
    breakAll();
    await new Promise((resolve) => (server ? server.close(resolve) : resolve(undefined)));
    server = undefined;
  });

  const breakAll = () => {
    for (const socket of sockets) socket.destroy();
  };

  async function serve(answer: (stream: ServerHttp2Stream, headers: NodeJS.Dict<unknown>) => void): Promise<Lane> {
    server = createServer();
    server.on('connection', (socket: Socket) => sockets.add(socket));
    server.on('sessionError', () => undefined);
    server.on('stream', (stream, headers) => {
      stream.on('error', () => undefined);
      answer(stream, headers);
    });
    await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
    lane = http2Transport(endpoint(`127.0.0.1:${(server.address() as AddressInfo).port}`)).lane();
    return lane;
  }

  it('a proper end, with all of the body', async () => {
    const seen = await ask(
      await serve((stream) => {
        stream.respond({ ':status': 200, 'content-type': 'application/json', 'audit-id': 'a' });
        stream.write(LINE);
        stream.end(LINE);
      }),
    );
    expect(seen).toMatchObject({ text: LINE + LINE, written: 1, end: { end: 'eof', detail: '' } });
    expect(seen.head).toMatchObject({ status: 200, httpVersion: '2', framed: true, connection: 1 });
    expect(seen.head?.headers).toMatchObject({ 'audit-id': 'a' });
  });

  it('a refusal with its body', async () => {
    const seen = await ask(
      await serve((stream) => {
        stream.respond({ ':status': 429, 'retry-after': '3' });
        stream.end('Too many requests');
      }),
    );
    expect(seen).toMatchObject({ head: { status: 429 }, text: 'Too many requests', end: { end: 'eof' } });
  });

  it.each([
    [0, 'RST_STREAM NO_ERROR'],
    [8, 'RST_STREAM CANCEL'],
    [2, 'RST_STREAM INTERNAL_ERROR'],
    [11, 'RST_STREAM ENHANCE_YOUR_CALM'],
  ])('RST_STREAM %i is no proper end', async (code, detail) => {
    // By hand: node:http2 announces an end before it resets.
    const frame = (type: number, flags: number, stream: number, payload: number[] = []) =>
      Buffer.from([0, 0, payload.length, type, flags, 0, 0, 0, stream, ...payload]);
    const byHand = await rawServer((socket, nth) => {
      if (nth > 0) return;
      socket.write(Buffer.concat([frame(4, 0, 0), frame(4, 1, 0)]));
      // `:status: 200` in HPACK, a piece of the body, and the reset.
      socket.write(Buffer.concat([frame(1, 4, 1, [0x88]), frame(0, 0, 1, [...Buffer.from(LINE)])]));
      socket.write(frame(3, 0, 1, [0, 0, 0, code]));
    });
    const seen = await ask(http2Transport(endpoint(`127.0.0.1:${byHand.port}`)).lane());
    await byHand.close();
    expect(seen).toMatchObject({ text: LINE, end: { end: 'h2-reset', detail } });
  });

  it.each([
    [0, 'GOAWAY NO_ERROR'],
    [CALM, 'GOAWAY ENHANCE_YOUR_CALM'],
  ])('GOAWAY %i that ends the connection is told with its code', async (code, detail) => {
    const seen = await ask(
      await serve((stream) => {
        stream.respond({ ':status': 200 });
        stream.write(LINE);
        setImmediate(() => {
          stream.session?.goaway(code);
          setImmediate(() => breakAll());
        });
      }),
    );
    expect(seen.end.end).toBe('goaway');
    expect(seen.end.detail).toContain(detail);
  });

  it('a proper end after a GOAWAY says so, and the next request takes a new connection', async () => {
    let leaving = true;
    const used = await serve((stream) => {
      stream.respond({ ':status': 200 });
      stream.write(LINE);
      if (leaving) stream.session?.goaway(0, stream.id ?? 0);
      leaving = false;
      setImmediate(() => stream.end());
    });
    const first = await ask(used);
    const second = await ask(used);
    expect(first.end).toEqual({ end: 'eof', detail: expect.stringMatching(/^after GOAWAY NO_ERROR/) });
    expect([first.head?.connection, second.head?.connection]).toEqual([1, 2]);
    expect(second.end).toEqual({ end: 'eof', detail: '' });
  });

  /** Two requests on one connection; `then` is called with both of them open. */
  async function two(then: (open: ServerHttp2Stream[]) => void): Promise<[Promise<Seen>, Promise<Seen>]> {
    const open: ServerHttp2Stream[] = [];
    const used = await serve((stream) => {
      stream.respond({ ':status': 200 });
      stream.write(LINE);
      open.push(stream);
    });
    return new Promise((resolve) => {
      let second: Promise<Seen> | undefined;
      const first = ask(used, () => {
        if (second) return;
        second = ask(used, (_request, { text }) => {
          if (text !== LINE) return;
          resolve([first, second as Promise<Seen>]);
          then(open);
        });
      });
    });
  }

  it('after a GOAWAY an open stream lives on, delivers and ends properly; another one dies with the connection', async () => {
    const [first, second] = await two(([one, other]) => {
      one?.session?.goaway(0, other?.id ?? 0);
      one?.end(LINE);
    });
    expect(await first).toMatchObject({
      text: LINE + LINE,
      end: { end: 'eof', detail: expect.stringMatching(/^after GOAWAY NO_ERROR/) },
    });
    breakAll();
    expect(await second).toMatchObject({
      head: { connection: 1 },
      end: { end: 'goaway', detail: expect.stringContaining('GOAWAY NO_ERROR') },
    });
  });

  it('streams of one connection die together when it breaks', async () => {
    const ends = await two(() => breakAll()).then((both) => Promise.all(both));
    expect(ends.map(({ head }) => head?.connection)).toEqual([1, 1]);
    for (const { end } of ends) expect(['truncated', 'reset']).toContain(end.end);
  });

  it('a ping is answered while the connection lives, whatever the stream does', async () => {
    const used = await serve((stream) => {
      stream.respond({ ':status': 200 });
      stream.write(LINE);
    });
    await new Promise<void>((resolve) => {
      void ask(used, (request) => request.ping?.(resolve));
    });
    expect(sockets.size).toBeGreaterThan(0);
  });

  it('no ping is sent after a GOAWAY, though the stream lives on', async () => {
    const used = await serve((stream) => {
      stream.respond({ ':status': 200 });
      stream.write(LINE);
      stream.session?.close();
    });
    // As soon as the GOAWAY has been read.
    const sent = await new Promise<boolean | undefined>((resolve) => {
      void ask(used, (request) => {
        const again = setInterval(() => {
          const pinged = request.ping?.(() => undefined);
          if (pinged === true) return;
          clearInterval(again);
          resolve(pinged);
        }, 5);
      });
    });
    expect(sent).toBe(false);
  });

  it('keeps its connection over proper ends', async () => {
    const used = await serve((stream) => {
      stream.respond({ ':status': 200 });
      stream.end(LINE);
    });
    const seen = [await ask(used), await ask(used)];
    expect(seen.map(({ head }) => head?.connection)).toEqual([1, 1]);
  });

  it('a connection that breaks is cut, not ended', async () => {
    const seen = await ask(
      await serve((stream) => {
        stream.respond({ ':status': 200 });
        stream.write(LINE);
        setImmediate(() => breakAll());
      }),
    );
    expect(['truncated', 'reset']).toContain(seen.end.end);
  });

  it('nobody listens, and nobody speaks HTTP/2', async () => {
    const free = await rawServer(() => undefined);
    await free.close();
    const refused = http2Transport(endpoint(`127.0.0.1:${free.port}`)).lane();
    expect((await ask(refused)).end.end).toBe('refused');
    const old = await rawServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    const plain = http2Transport(endpoint(`127.0.0.1:${old.port}`)).lane();
    expect(['no-response', 'reset', 'protocol-error']).toContain((await ask(plain)).end.end);
    plain.close();
    await old.close();
  });

  it('tls: h2 by ALPN, and a server that has none is told', async () => {
    const secure = createSecureServer({ cert: CERTIFICATE, key: KEY }, (_request, response) => response.end('ok'));
    const old = createTlsServer({ cert: CERTIFICATE, key: KEY, ALPNProtocols: ['http/1.1'] });
    for (const one of [secure, old]) await new Promise<void>((resolve) => one.listen(0, '127.0.0.1', resolve));
    const at = (port: number, tls: Endpoint['tls']) =>
      http2Transport(endpoint(`127.0.0.1:${port}`, { scheme: 'https', tls })).lane();
    const { port } = secure.address() as AddressInfo;
    const lanes = [
      at(port, { ca: CERTIFICATE }),
      at(port, {}),
      at((old.address() as AddressInfo).port, { ca: CERTIFICATE }),
    ];
    const [good, unknown, none] = await Promise.all(lanes.map((one) => ask(one)));
    for (const one of lanes) one.close();
    secure.close();
    old.close();
    expect(good).toMatchObject({ text: 'ok', end: { end: 'eof' } });
    expect(unknown?.end).toMatchObject({ end: 'tls', code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
    expect(none?.end.end).not.toBe('eof');
  });

  it('reads nothing while paused, and then all of it, the end last', async () => {
    let paused: OpenRequest | undefined;
    const waiting = ask(
      await serve((stream) => {
        stream.respond({ ':status': 200 });
        stream.write(LINE);
        setImmediate(() => stream.end(LINE));
      }),
      (request) => {
        if (paused) return;
        paused = request;
        request.pause();
        setTimeout(() => request.unpause(), 50);
      },
    );
    expect(await waiting).toMatchObject({ text: LINE + LINE, end: { end: 'eof' } });
  });

  it('leaves out headers that HTTP/2 has no place for', async () => {
    let got: NodeJS.Dict<unknown> = {};
    const used = await serve((stream, headers) => {
      got = headers;
      stream.respond({ ':status': 200 });
      stream.end();
    });
    await ask(used, undefined, { connection: 'close', 'x-trace': '1', host: 'api.example.io' });
    expect(got).toMatchObject({ 'x-trace': '1', ':authority': 'api.example.io', ':path': '/x' });
    expect(got).not.toHaveProperty('connection');
  });
});
