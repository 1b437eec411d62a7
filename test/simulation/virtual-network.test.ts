import { createServer } from 'node:http';
import net from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NetworkClock } from './network-clock.ts';
import { VirtualNetwork } from './virtual-network.ts';

let clock: NetworkClock;
let network: VirtualNetwork;

beforeEach(() => {
  network = new VirtualNetwork((go) => clock.timer(1, go));
  clock = new NetworkClock(network);
});

afterEach(() => network.close());

/** node:http on a virtual port. */
async function serve(listener: Parameters<typeof createServer>[1]) {
  const server = createServer(listener as Parameters<typeof createServer>[0]);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, port: (server.address() as { port: number }).port };
}

describe('a network inside the process', () => {
  it('carries HTTP, and time stands still until everything has arrived', async () => {
    const { port } = await serve((_request, response) => response.end('x'.repeat(300_000)));
    const start = clock.now();
    let size = 0;
    const socket = net.connect({ port, host: '127.0.0.1' });
    socket.on('data', (chunk: Buffer) => {
      size += chunk.length;
    });
    socket.write('GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
    await clock.advance(5);
    expect(size).toBeGreaterThan(300_000);
    expect(clock.now() - start).toBe(5);
  });

  it('has servers that listen until they are closed', async () => {
    const { server } = await serve((_request, response) => response.end());
    expect(server.listening).toBe(true);
    server.close();
    expect(server.listening).toBe(false);
  });

  it('makes a writer wait for a reader that does not read', async () => {
    let drained = 0;
    const { port } = await serve((_request, response) => {
      for (let sent = 0; sent < 20; sent += 1) response.write(Buffer.alloc(16_384), () => (drained += 1));
    });
    const socket = net.connect({ port, host: '127.0.0.1' });
    socket.write('GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
    await clock.advance(5);
    const unread = drained;
    socket.resume();
    await clock.advance(5);
    expect(unread).toBeLessThan(20);
    expect(drained).toBe(20);
  });

  it('refuses a port where nobody listens, and tells an end that had no last chunk', async () => {
    const errors: string[] = [];
    const nobody = net.connect({ port: 9, host: '127.0.0.1' });
    nobody.on('error', (error: NodeJS.ErrnoException) => errors.push(error.code ?? ''));
    await clock.advance(5);
    expect(errors).toEqual(['ECONNREFUSED']);
    const { port } = await serve((_request, response) => {
      response.write('half');
      setImmediate(() => response.destroy());
    });
    let text = '';
    let ended = false;
    const socket = net.connect({ port, host: '127.0.0.1' });
    socket.on('data', (chunk: Buffer) => {
      text += chunk;
    });
    socket.on('end', () => {
      ended = true;
    });
    socket.write('GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
    await clock.advance(5);
    expect([ended, text.includes('half'), text.endsWith('0\r\n\r\n')]).toEqual([true, true, false]);
  });

  it('closes a server when its last connection is gone', async () => {
    const { server, port } = await serve((_request, response) => response.write('open'));
    const socket = net.connect({ port, host: '127.0.0.1' });
    socket.write('GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
    await clock.advance(5);
    let closed = false;
    server.close(() => {
      closed = true;
    });
    await clock.advance(5);
    expect([closed, network.listens(port)]).toEqual([false, false]);
    socket.destroy();
    await clock.advance(5);
    expect(closed).toBe(true);
  });
});
