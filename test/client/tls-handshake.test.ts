import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer as createTcpServer, type Server } from 'node:net';
import { createServer } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import type { Endpoint, EndpointTls } from '../../src/client/endpoint.ts';
import { shakeHands } from '../../src/client/tls-handshake.ts';
import { SystemClock } from '../../src/util/clock.ts';
import { CERTIFICATE, KEY } from '../support/certificate.ts';
import { FakeClock } from '../support/fake-clock.ts';

const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function listening(server: Server, tls: EndpointTls): Promise<Endpoint> {
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { scheme: 'https', host, prefix: '', tls, authorization: async () => undefined, title: host };
}

const secure = (alpn: string[]) => createServer({ cert: CERTIFICATE, key: KEY, ALPNProtocols: alpn });

describe('a handshake', () => {
  it('tells version, HTTP/2, and when the certificate ends', async () => {
    const endpoint = await listening(secure(['h2', 'http/1.1']), { ca: CERTIFICATE });
    expect(await shakeHands(endpoint, new SystemClock(), 5_000)).toEqual({
      kind: 'agreed',
      protocol: 'TLSv1.3',
      http2: true,
      verified: true,
      certificateEndsAt: Date.UTC(2126, 10, 7, 0, 25, 58),
    });
  });

  it('without HTTP/2, and without a look at the certificate', async () => {
    const endpoint = await listening(secure(['http/1.1']), { rejectUnauthorized: false });
    expect(await shakeHands(endpoint, new SystemClock(), 5_000)).toMatchObject({ http2: false, verified: false });
  });

  it('that fails says why', async () => {
    const endpoint = await listening(secure([]), {});
    expect(await shakeHands(endpoint, new SystemClock(), 5_000)).toMatchObject({
      kind: 'failed',
      detail: expect.stringMatching(/^(DEPTH_ZERO_)?SELF_SIGNED_CERT/),
    });
  });

  it('that is not answered is given up', async () => {
    const clock = new FakeClock();
    const endpoint = await listening(
      createTcpServer((socket) => socket.on('error', () => undefined)),
      {},
    );
    const shaking = shakeHands(endpoint, clock, 3_000);
    await clock.advance(3_000);
    expect(await shaking).toEqual({ kind: 'failed', detail: 'no answer to the handshake' });
  });
});
