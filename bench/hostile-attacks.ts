import net from 'node:net';
import { FLAG, FRAME, frame, getBlock, PREFACE, settings, word } from '../test/support/h2-frames.ts';

export interface Target {
  port: number;
  /** Runs writes through the apiserver: `count` pods of `size` bytes. */
  burst(count: number, size: number): Promise<void>;
}

export interface Attack {
  name: string;
  /** Resolves to what the clients saw. */
  run(target: Target): Promise<string>;
}

const CMS = '/api/v1/namespaces/default/configmaps';
const WATCH = '/api/v1/namespaces/default/pods?watch=1';
const head = (method: string, path: string, more = '') =>
  `${method} ${path} HTTP/1.1\r\nHost: localhost\r\n${more}\r\n`;
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** One connection, and what came back by its end, or after `ms`. */
class Client {
  readonly socket: net.Socket;
  readonly closed: Promise<void>;
  received = 0;
  first = '';

  constructor(port: number, read = true) {
    this.socket = net.connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    this.socket.on('error', (error: NodeJS.ErrnoException) => {
      this.first ||= error.code ?? 'error';
    });
    this.closed = new Promise((resolve) => this.socket.once('close', () => resolve()));
    this.socket.on('end', () => this.socket.end());
    if (!read) return;
    this.socket.on('data', (bytes) => {
      this.received += bytes.length;
      if (this.first.length < 100) this.first += bytes.toString('latin1').slice(0, 100);
    });
  }

  /** Writes with regard to what the other side takes; false: it is gone. */
  async write(bytes: string | Uint8Array): Promise<boolean> {
    if (!this.socket.writable) return false;
    if (this.socket.write(bytes)) return true;
    await Promise.race([new Promise((resolve) => this.socket.once('drain', resolve)), this.closed, sleep(10_000)]);
    return this.socket.writable;
  }

  get status(): string {
    return /^HTTP\/1\.\d (\d+)/.exec(this.first)?.[1] ?? (this.first.split('\n')[0] || 'nothing');
  }

  async end(ms: number): Promise<void> {
    await Promise.race([this.closed, sleep(ms)]);
    this.socket.destroy();
  }
}

const tally = (words: string[]) =>
  [...new Set(words)].map((word) => `${words.filter((one) => one === word).length} × ${word}`).join(', ');

async function each(count: number, at: number, one: (index: number) => Promise<string>): Promise<string> {
  const seen: string[] = [];
  let next = 0;
  const worker = async () => {
    while (next < count) seen.push(await one(next++));
  };
  await Promise.all(Array.from({ length: at }, worker));
  return tally(seen);
}

/** A connection that speaks HTTP/2 and floods it with `piece` up to `count` times. */
async function flood(port: number, piece: (index: number) => Buffer, count: number, read: boolean): Promise<string> {
  const client = new Client(port, read);
  await client.write(Buffer.concat([PREFACE, settings()]));
  let sent = 0;
  while (sent < count) {
    const batch = Buffer.concat(Array.from({ length: 200 }, (_, index) => piece(sent + index)));
    if (!(await client.write(batch))) break;
    sent += 200;
  }
  await client.end(2_000);
  return sent < count ? `closed after about ${sent} frames` : `${sent} frames taken`;
}

export const ATTACKS: readonly Attack[] = [
  {
    name: '10,000 connections in turn, one request each',
    run: ({ port }) =>
      each(10_000, 20, async () => {
        const client = new Client(port);
        await client.write(head('GET', '/version', 'Connection: close\r\n'));
        await client.end(5_000);
        return client.status;
      }),
  },
  {
    name: '10,000 connections in turn that say nothing',
    run: ({ port }) =>
      each(10_000, 20, async () => {
        const client = new Client(port);
        await new Promise((resolve) => client.socket.once('connect', resolve));
        client.socket.destroy();
        return 'closed';
      }),
  },
  {
    name: 'a request line of 2 MB, 50 times',
    run: ({ port }) =>
      each(50, 10, async () => {
        const client = new Client(port);
        await client.write(head('GET', `/version?${'x'.repeat(2_000_000)}`));
        await client.end(3_000);
        return client.status;
      }),
  },
  {
    name: 'headers of 1.2 MB, 50 times',
    run: ({ port }) =>
      each(50, 10, async () => {
        const client = new Client(port);
        await client.write(head('GET', '/version', `X-A: ${'y'.repeat(10_000)}\r\n`.repeat(120)));
        await client.end(3_000);
        return client.status;
      }),
  },
  {
    name: '1,000 slow heads, a byte a second for 40 s',
    run: async ({ port }) => {
      const clients = Array.from({ length: 1_000 }, () => new Client(port));
      const text = head('GET', '/version', `X-A: ${'z'.repeat(100)}`);
      for (let at = 0; at < 40; at++) {
        await Promise.all(clients.map((client) => client.write(text.slice(at, at + 1))));
        await sleep(1_000);
      }
      await Promise.all(clients.map((client) => client.end(1_000)));
      return tally(clients.map(({ status }) => status));
    },
  },
  {
    name: 'a body of 100 MB, 8 at a time',
    run: ({ port }) =>
      each(8, 8, async (index) => {
        const client = new Client(port);
        const size = 100_000_000;
        const framing = index % 2 ? 'Transfer-Encoding: chunked\r\n' : `Content-Length: ${size}\r\n`;
        await client.write(head('POST', CMS, `Content-Type: application/json\r\nConnection: close\r\n${framing}`));
        const piece = Buffer.alloc(1_000_000, ' ');
        const chunk = Buffer.concat([Buffer.from('f4240\r\n'), piece, Buffer.from('\r\n')]);
        for (let sent = 0; sent < size; sent += piece.length) {
          if (!(await client.write(index % 2 ? chunk : piece))) break;
        }
        await client.end(5_000);
        return client.status;
      }),
  },
  {
    name: '1,000 watches whose clients close their half',
    run: async ({ port }) => {
      const clients = Array.from({ length: 1_000 }, () => new Client(port));
      for (const client of clients) client.socket.end(head('GET', `${WATCH}&resourceVersion=0`));
      await Promise.all(clients.map((client) => client.end(5_000)));
      return tally(clients.map((client) => `${client.status}${client.socket.readableEnded ? ', ended' : ''}`));
    },
  },
  {
    name: '5,000 requests sent ahead of their answers, unread',
    run: async ({ port }) => {
      const client = new Client(port, false);
      const all = head('GET', '/openapi/v3/api/v1').repeat(5_000);
      const taken = await Promise.race([client.write(all), sleep(3_000)]);
      client.socket.destroy();
      return taken ? 'all taken' : 'not all taken';
    },
  },
  {
    name: 'HTTP/2: 100,000 streams opened and reset',
    run: ({ port }) => {
      const block = getBlock('/api/v1/pods?limit=1');
      const piece = (index: number) =>
        Buffer.concat([
          frame(FRAME.headers, FLAG.endHeaders | FLAG.endStream, index * 2 + 1, block),
          frame(FRAME.rstStream, 0, index * 2 + 1, word(8)),
        ]);
      return flood(port, piece, 100_000, true);
    },
  },
  {
    name: 'HTTP/2: a head of 100,000 CONTINUATION frames',
    run: ({ port }) => {
      const part = Buffer.concat(Array.from({ length: 8 }, () => Buffer.from('\x00\x03abc\x03def', 'latin1')));
      const piece = (index: number) =>
        index === 0
          ? frame(FRAME.headers, FLAG.endStream, 1, getBlock('/version'))
          : frame(FRAME.continuation, 0, 1, part);
      return flood(port, piece, 100_000, true);
    },
  },
  {
    name: 'HTTP/2: 1,000,000 pings, answers unread',
    run: ({ port }) => flood(port, () => frame(FRAME.ping, 0, 0, Buffer.alloc(8)), 1_000_000, false),
  },
  {
    name: 'HTTP/2: 1,000,000 settings, answers unread',
    run: ({ port }) => flood(port, () => settings([4, 65_535]), 1_000_000, false),
  },
  {
    name: 'HTTP/2: 20 connections, each 100 watches with a window of 0, while 2,000 pods of 12 KiB are written',
    run: async ({ port, burst }) => {
      const clients = Array.from({ length: 20 }, () => new Client(port));
      const block = getBlock(WATCH);
      const opening = Buffer.concat([
        PREFACE,
        settings([4, 0]),
        ...Array.from({ length: 100 }, (_, index) =>
          frame(FRAME.headers, FLAG.endHeaders | FLAG.endStream, index * 2 + 1, block),
        ),
      ]);
      for (const client of clients) await client.write(opening);
      await burst(2_000, 12_000);
      const received = clients.reduce((sum, client) => sum + client.received, 0);
      await Promise.all(clients.map((client) => client.end(0)));
      return `${received} bytes received in all`;
    },
  },
  {
    name: '1,000 watches that never read, while 2,000 pods of 12 KiB are written',
    run: async ({ port, burst }) => {
      const clients = Array.from({ length: 1_000 }, () => new Client(port, false));
      for (const client of clients) await client.write(head('GET', WATCH));
      await burst(2_000, 12_000);
      await sleep(1_000);
      for (const client of clients) client.socket.destroy();
      return 'left';
    },
  },
  {
    name: '200 lists of 10 MB that nobody reads, and one request beside them',
    run: async ({ port, burst }) => {
      await burst(10, 1_000_000);
      const clients = Array.from({ length: 200 }, () => new Client(port, false));
      for (const client of clients) await client.write(head('GET', '/api/v1/pods?resourceVersion=0'));
      await sleep(10_000);
      const reader = new Client(port);
      await reader.write(head('GET', '/version', 'Connection: close\r\n'));
      await reader.end(3_000);
      for (const client of clients) client.socket.destroy();
      return `that one saw ${reader.status}`;
    },
  },
];
