import type { AddressInfo, Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import type { AnswerHead } from '../../src/client/answer-head.ts';
import type { TransportEnd } from '../../src/client/end-kind.ts';
import type { Endpoint } from '../../src/client/endpoint.ts';
import { type Lane, type OpenRequest, undiciTransport } from '../../src/client/transport.ts';
import { CERTIFICATE, KEY } from '../support/certificate.ts';
import { CHUNKED, chunk, type RawServer, rawServer } from '../support/raw-server.ts';

const LINE = '{"type":"ADDED","object":{}}\n';

function endpoint(host: string, over: Partial<Endpoint> = {}): Endpoint {
  return {
    scheme: 'http',
    host,
    prefix: '',
    tls: {},
    authorization: async () => undefined,
    title: host,
    ...over,
  };
}

interface Seen {
  head?: AnswerHead;
  text: string;
  batches: number;
  written: number;
  end: TransportEnd;
}

/** Sends one GET and waits for its end. `during` may act on the running request. */
function ask(lane: Lane, path = '/x', during?: (request: OpenRequest, seen: Seen) => void): Promise<Seen> {
  return new Promise((resolve) => {
    const seen: Seen = { text: '', batches: 0, written: 0, end: { end: 'stopped', detail: '' } };
    const request = lane.open(
      { path, headers: {} },
      {
        onWritten: () => {
          seen.written += 1;
        },
        onHead: (head) => {
          seen.head = head;
          during?.(request, seen);
        },
        onBytes: (chunks) => {
          seen.batches += 1;
          seen.text += Buffer.concat(chunks).toString();
        },
        onEnd: (end) => resolve({ ...seen, end }),
      },
    );
  });
}

describe('transport: how a stream ends on the wire', () => {
  let server: RawServer | undefined;
  let lane: Lane | undefined;
  afterEach(async () => {
    lane?.close();
    await server?.close();
    server = undefined;
  });

  async function serve(answer: (socket: Socket, nth: number) => void, over: Partial<Endpoint> = {}): Promise<Lane> {
    server = await rawServer(answer);
    lane = undiciTransport(endpoint(`127.0.0.1:${server.port}`, over)).lane();
    return lane;
  }

  const rows: [name: string, end: string, answer: (socket: Socket) => void][] = [
    ['the last chunk', 'eof', (s) => s.write(`${CHUNKED}${chunk(LINE)}0\r\n\r\n`)],
    ['the last chunk in the middle of a frame', 'eof', (s) => s.write(`${CHUNKED}${chunk('{"type":"AD')}0\r\n\r\n`)],
    ['FIN without the last chunk', 'truncated', (s) => s.end(`${CHUNKED}${chunk(LINE)}`)],
    ['FIN in the middle of a chunk', 'truncated', (s) => s.end(`${CHUNKED}ff\r\n{"type"`)],
    [
      'FIN without the last chunk, after Connection: close',
      'truncated',
      (s) => s.end(`${CHUNKED.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n')}${chunk(LINE)}`),
    ],
    [
      'the last chunk after Connection: close',
      'eof',
      (s) => {
        s.end(`${CHUNKED.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n')}${chunk(LINE)}0\r\n\r\n`);
      },
    ],
    ['all of Content-Length', 'eof', (s) => s.write('HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc')],
    ['FIN below Content-Length', 'truncated', (s) => s.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc')],
    ['FIN of a body without framing', 'eof-unframed', (s) => s.end(`HTTP/1.1 200 OK\r\n\r\n${LINE}`)],
    ['FIN of an HTTP/1.0 body', 'eof-unframed', (s) => s.end(`HTTP/1.0 200 OK\r\n\r\n${LINE}`)],
    ['bytes that are no chunk header', 'protocol-error', (s) => s.write(`${CHUNKED}zz<html>\r\n`)],
    ['bytes that are no HTTP', 'protocol-error', (s) => s.write('SSH-2.0-OpenSSH_9.6\r\n\r\n')],
    ['an upgrade that nobody asked for', 'protocol-error', (s) => s.write('HTTP/1.1 101 Switching Protocols\r\n\r\n')],
    ['FIN before any header', 'no-response', (s) => s.end()],
    ['RST before any header', 'reset', (s) => s.resetAndDestroy()],
  ];
  it.each(rows)('%s: %s', async (_name, end, answer) => {
    const seen = await ask(await serve(answer));
    expect(seen.end.end).toBe(end);
  });

  it('RST in mid-stream: reset, and what came before it is told first', async () => {
    const line = await serve((socket) => socket.write(`${CHUNKED}${chunk(LINE)}`));
    const seen = await ask(line, '/x', () => setImmediate(() => server?.sockets[0]?.resetAndDestroy()));
    expect(seen.end).toMatchObject({ end: 'reset', code: 'ECONNRESET' });
    expect(seen.text).toBe(LINE);
  });

  it('refused: nobody listens', async () => {
    const gone = await rawServer(() => undefined);
    await gone.close();
    const seen = await ask(undiciTransport(endpoint(`127.0.0.1:${gone.port}`)).lane());
    expect(seen.end).toMatchObject({ end: 'refused', code: 'ECONNREFUSED' });
    expect(seen.end.detail).toContain(`127.0.0.1:${gone.port}`);
    expect(seen.written).toBe(0);
  });

  it('refused: no such host', async () => {
    const seen = await ask(undiciTransport(endpoint('kwatch-test.invalid:1')).lane());
    expect(seen.end.end).toBe('refused');
  });

  it('tls: the port speaks plain HTTP', async () => {
    server = await rawServer(() => undefined);
    server.sockets.length = 0;
    const plain = server;
    lane = undiciTransport(endpoint(`127.0.0.1:${plain.port}`, { scheme: 'https' })).lane();
    const waiting = ask(lane);
    await expect.poll(() => plain.sockets.length).toBe(1);
    plain.sockets[0]?.end('HTTP/1.1 400 Bad Request\r\n\r\n');
    expect((await waiting).end.end).toBe('tls');
  });

  it('tls: the server demands a certificate, and says so by an alert', async () => {
    const demanding = createTlsServer({
      cert: CERTIFICATE,
      key: KEY,
      ca: CERTIFICATE,
      requestCert: true,
      rejectUnauthorized: true,
      maxVersion: 'TLSv1.2',
    });
    await new Promise<void>((resolve) => demanding.listen(0, '127.0.0.1', resolve));
    const { port } = demanding.address() as AddressInfo;
    const tls = { ca: CERTIFICATE };
    const { end } = await ask(undiciTransport(endpoint(`127.0.0.1:${port}`, { scheme: 'https', tls })).lane());
    demanding.close();
    expect(end).toMatchObject({
      end: 'tls',
      detail: expect.stringMatching(/ALERT_HANDSHAKE_FAILURE: \w+ alert handshake failure$/),
    });
  });

  it('tls: checks the certificate against CA and name, unless told not to', async () => {
    const secure = createTlsServer({ cert: CERTIFICATE, key: KEY }, (socket) => {
      socket.on('error', () => socket.destroy());
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'));
    });
    await new Promise<void>((resolve) => secure.listen(0, '127.0.0.1', resolve));
    const { port } = secure.address() as AddressInfo;
    const over = (tls: Endpoint['tls']) =>
      ask(undiciTransport(endpoint(`127.0.0.1:${port}`, { scheme: 'https', tls })).lane());
    const results = [
      await over({}),
      await over({ ca: CERTIFICATE }),
      await over({ ca: CERTIFICATE, servername: 'other.example.io' }),
      await over({ rejectUnauthorized: false }),
    ];
    secure.close();
    expect(results.map(({ end, text }) => [end.end, text])).toEqual([
      ['tls', ''],
      ['eof', 'ok'],
      ['tls', ''],
      ['eof', 'ok'],
    ]);
    expect(results[0]?.end.code).toBe('DEPTH_ZERO_SELF_SIGNED_CERT');
    expect(results[2]?.end.code).toBe('ERR_TLS_CERT_ALTNAME_INVALID');
  });

  it('tells the head, with framing and the connection, and only headers that matter', async () => {
    const line = await serve((s) => {
      s.write('HTTP/1.1 429 X\r\nRetry-After: 3\r\nSet-Cookie: a=b\r\nAudit-Id: 1\r\nContent-Length: 2\r\n\r\nno');
    });
    const { head, text } = await ask(line);
    expect(head).toEqual({
      status: 429,
      httpVersion: '1.1',
      headers: { 'retry-after': '3', 'audit-id': '1', 'content-length': '2' },
      framed: true,
      connection: 1,
    });
    expect(text).toBe('no');
  });

  it('sends path, prefix and identity as it must', async () => {
    const line = await serve((s) => s.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'), { prefix: '/k8s/c1' });
    await ask(line, '/api/v1/pods?watch');
    expect(server?.requests[0]).toContain('GET /k8s/c1/api/v1/pods?watch HTTP/1.1');
    expect(server?.requests[0]?.toLowerCase()).toContain('accept-encoding: identity');
  });

  it('asks again on the same connection after a proper end, and on a new one after a cut', async () => {
    const line = await serve((s, nth) => {
      if (nth < 2) s.write(`${CHUNKED}0\r\n\r\n`);
      else if (nth === 2) s.end(CHUNKED);
      else s.write(`${CHUNKED}0\r\n\r\n`);
    });
    const ids = [];
    for (let n = 0; n < 4; n++) ids.push((await ask(line)).head?.connection);
    expect(ids).toEqual([1, 1, 1, 2]);
  });

  it('asks anew on another connection where the server leaves right behind its last answer', async () => {
    const line = await serve((s, nth) => {
      s.write(`${CHUNKED}${chunk(LINE)}0\r\n\r\n`);
      if (nth === 0) s.end();
    });
    await ask(line);
    const second = await ask(line);
    expect(second).toMatchObject({ text: LINE, end: { end: 'eof' } });
    expect(second.head?.connection).toBe(2);
    expect(server?.sockets).toHaveLength(2);
  });

  it('reads a body that was compressed all the same, each piece as it comes, to its end', async () => {
    const head = CHUNKED.replace('\r\n\r\n', '\r\nContent-Encoding: gzip\r\n\r\n');
    const member = (text: string) => {
      const bytes = gzipSync(text);
      return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);
    };
    const line = await serve((s) => {
      s.write(head);
      s.write(member(LINE));
      s.write(member(LINE));
    });
    const seen = await ask(line, '/x', (_, now) => {
      // The rest comes only when the two members were told.
      void expect
        .poll(() => now.text)
        .toBe(LINE.repeat(2))
        .then(() => server?.sockets[0]?.write('0\r\n\r\n'));
    });
    expect(seen).toMatchObject({ text: LINE.repeat(2), end: { end: 'eof' } });
  });

  it.each([
    ['is no gzip', (s: Socket) => s.write(`${chunk(LINE)}0\r\n\r\n`), LINE, 'eof'],
    ['is empty', (s: Socket) => s.write('0\r\n\r\n'), '', 'eof'],
    ['is cut off', (s: Socket) => s.end(), '', 'truncated'],
  ])('tells what says gzip and %s as it is', async (_, rest, text, end) => {
    const line = await serve((s) => {
      s.write(CHUNKED.replace('\r\n\r\n', '\r\nContent-Encoding: gzip\r\n\r\n'));
      rest(s);
    });
    expect(await ask(line)).toMatchObject({ text, end: { end } });
  });

  it('gives each lane a connection of its own', async () => {
    server = await rawServer((s) => s.write(`${CHUNKED}0\r\n\r\n`));
    const transport = undiciTransport(endpoint(`127.0.0.1:${server.port}`));
    const lanes = [transport.lane(), transport.lane()];
    const heads = await Promise.all(lanes.map((one) => ask(one)));
    expect(heads.map(({ head }) => head?.connection).sort()).toEqual([1, 2]);
    for (const one of lanes) one.close();
  });

  it('hands over the chunks of one read as one batch', async () => {
    const line = await serve((s) => s.write(`${CHUNKED}${chunk(LINE).repeat(50)}0\r\n\r\n`));
    const seen = await ask(line);
    expect(seen.text).toBe(LINE.repeat(50));
    expect(seen.batches).toBeLessThan(5);
  });

  it('tells nothing more after close(), and closes the connection', async () => {
    const line = await serve((s) => s.write(`${CHUNKED}${chunk(LINE)}`));
    const told: string[] = [];
    await new Promise<void>((resolve) => {
      const request = line.open(
        { path: '/x', headers: {} },
        {
          onWritten: () => told.push('written'),
          onHead: () => {
            request.close();
            resolve();
          },
          onBytes: () => told.push('bytes'),
          onEnd: () => told.push('end'),
        },
      );
    });
    await expect.poll(() => server?.sockets[0]?.destroyed).toBe(true);
    expect(told).toEqual(['written']);
  });

  it('leaves the socket unread while paused, so that the server comes to a halt', async () => {
    const big = 'x'.repeat(64 * 1024);
    let sent = 0;
    const line = await serve((socket) => {
      socket.write(CHUNKED);
      // Writes as much as the kernel takes: 64 MiB would go through at once if anybody read.
      const more = () => {
        while (sent < 1024) {
          sent += 1;
          if (!socket.write(chunk(big))) return void socket.once('drain', more);
        }
        socket.end('0\r\n\r\n');
      };
      more();
    });
    let paused: OpenRequest | undefined;
    let bytesWhilePaused = -1;
    const seen = ask(line, '/x', (request) => {
      request.pause();
      paused = request;
    });
    await expect.poll(() => paused !== undefined).toBe(true);
    let before = -1;
    await expect
      .poll(
        () => {
          const stands = sent === before;
          before = sent;
          return stands;
        },
        { interval: 100 },
      )
      .toBe(true);
    bytesWhilePaused = sent;
    expect(bytesWhilePaused).toBeLessThan(1024);
    paused?.unpause();
    expect((await seen).text.length).toBe(1024 * big.length);
  });
});
