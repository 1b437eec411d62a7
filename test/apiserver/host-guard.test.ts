import net from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isForeignOrigin, isLoopbackHost } from '../../src/apiserver/host-guard.ts';
import { type TestServer, testServer } from '../support/test-server.ts';

const HOSTS: [string | undefined, boolean][] = [
  ['127.0.0.1', true],
  ['127.0.0.1:7410', true],
  ['127.8.9.10:1', true],
  ['localhost', true],
  ['LOCALHOST:80', true],
  ['[::1]:7410', true],
  [undefined, false],
  ['', false],
  ['evil.example', false],
  ['127.0.0.1.evil.example', false],
  ['localhost.evil.example:7410', false],
  ['127.0.0.1:7410@evil.example', false],
  ['10.0.0.1', false],
  ['0.0.0.0:7410', false],
  ['localhost\n', false],
];

describe('the host guard', () => {
  it.each(HOSTS)('%j is loopback: %s', (host, expected) => {
    expect(isLoopbackHost(host)).toBe(expected);
  });

  it.each<[string | undefined, boolean]>([
    [undefined, false],
    ['http://localhost:3000', false],
    ['https://127.0.0.1', false],
    ['https://evil.example', true],
    ['null', true],
  ])('a page from %j is foreign: %s', (origin, expected) => {
    expect(isForeignOrigin(origin)).toBe(expected);
  });

  let lab: TestServer;
  beforeAll(async () => {
    lab = await testServer();
  });
  afterAll(() => lab.close());

  it.each(['/api/v1/pods', '/api/v1/pods?watch=1', '/version', '/metrics', '/healthz', '/nosuch'])(
    'turns %s away under another name, before anybody looks at it',
    async (path) => {
      const answer = await lab.call('GET', path, { headers: { Host: 'evil.example' } });
      expect(answer.status).toBe(403);
      expect(answer.headers['audit-id']).toBeUndefined();
      const foreign = await lab.call('GET', path, { headers: { Origin: 'https://evil.example' } });
      expect(foreign.status).toBe(403);
    },
  );

  it('needs a Host', async () => {
    const socket = net.connect(lab.server.port, '127.0.0.1');
    socket.write('GET /version HTTP/1.0\r\n\r\n');
    const parts: Buffer[] = [];
    for await (const part of socket) parts.push(part as Buffer);
    expect(Buffer.concat(parts).toString()).toMatch(/^HTTP\/1\.1 403 /);
  });

  it('listens on loopback only', () => {
    expect(lab.url).toBe(`http://127.0.0.1:${lab.server.port}`);
  });
});
