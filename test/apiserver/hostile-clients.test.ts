import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FLAG, FRAME, frame, getBlock, PREFACE, parseFrames, settings, word } from '../support/h2-frames.ts';
import { head, RawClient } from '../support/raw-client.ts';
import { type TestServer, type TestWatch, testServer, turnsUntil } from '../support/test-server.ts';

const CMS = '/api/v1/namespaces/default/configmaps';
const PODS = '/api/v1/namespaces/default/pods';
const WATCH = `${PODS}?watch=1&resourceVersion=0`;
/** `bench/hostile.ts` has the same with thousands. */
const MANY = 300;
/** Turns of the event loop that a real socket may take for what nothing else waits for. */
const PATIENCE = 100_000;

let lab: TestServer;
let healthy: TestWatch;
beforeEach(async () => {
  lab = await testServer();
  healthy = await lab.watch(`${CMS}?watch=1`);
});

/** However hostile the others were: a healthy client writes and watches, nothing of them stays, and nothing broke. */
afterEach(async () => {
  const { status } = await lab.call('POST', CMS, { body: { metadata: { name: 'healthy' } } });
  expect(status).toBe(201);
  expect(await healthy.event()).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'healthy' } } });
  expect(await turnsUntil(lab.clock, () => lab.watchers() === 1, PATIENCE)).toBe(true);
  expect(lab.faults).toEqual([]);
  await lab.close();
});

/** What a slow watcher is granted passes only while time does. */
async function whileTimePasses<T>(work: Promise<T>): Promise<T> {
  let over = false;
  const done = work.finally(() => {
    over = true;
  });
  while (!over) await lab.clock.advance(5);
  return done;
}

const goPlain = (status: string) =>
  `HTTP/1.1 ${status}\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n${status}`;

describe('what is no request', () => {
  it.each([
    ['garbage', 'garbage\r\n\r\n', '400 Bad Request'],
    ['a header without a colon', head('GET', '/version', 'bad header\r\n'), '400 Bad Request'],
    [
      'a version of the future',
      'GET /version HTTP/3.9\r\nHost: a\r\n\r\n',
      '505 HTTP Version Not Supported: unsupported protocol version',
    ],
    ['two lengths', head('POST', CMS, 'Content-Length: 5\r\nContent-Length: 6\r\n'), '400 Bad Request'],
    [
      'a length and chunks',
      head('POST', CMS, 'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n'),
      '400 Bad Request',
    ],
    ['a request line of 2 MB', head('GET', `/version?${'x'.repeat(2_000_000)}`), '431 Request Header Fields Too Large'],
    [
      'headers of 1.2 MB',
      head('GET', '/version', `X-A: ${'y'.repeat(10_000)}\r\n`.repeat(120)),
      '431 Request Header Fields Too Large',
    ],
  ])('%s gets Go’s answer, and its connection is closed', async (_, bytes, status) => {
    expect(await new RawClient(lab.server.port).exchange(bytes)).toBe(goPlain(status));
  });

  it.each([
    ['two hosts', 'Host: a\r\nHost: b\r\n', '400 Bad Request'],
    ['two equal hosts', 'Host: localhost\r\nHOST: localhost\r\n', '400 Bad Request'],
    ['no host', '', '400 Bad Request: missing required Host header'],
    ['a host with a blank', 'Host: local host\r\n', '400 Bad Request: malformed Host header'],
  ])('%s gets Go’s answer', async (_, headers, status) => {
    const answer = await new RawClient(lab.server.port).exchange(`GET /version HTTP/1.1\r\n${headers}\r\n`);
    expect(answer.startsWith(`HTTP/1.1 ${status}\r\n`)).toBe(true);
    expect(answer).toContain('\r\nConnection: close\r\n');
    expect(answer.endsWith(`\r\n\r\n${status}`)).toBe(true);
  });

  it('in the middle of a watch waits until that is over, and is refused then', async () => {
    const client = new RawClient(lab.server.port);
    await client.send(head('GET', `${WATCH}&timeoutSeconds=5`));
    await turnsUntil(lab.clock, () => client.received.includes('\r\n\r\n'), PATIENCE);
    const before = client.received;
    await client.send('garbage\r\n\r\n');
    await turnsUntil(lab.clock, () => false, 100);
    expect(client.received).toBe(before);
    await lab.clock.advance(5_000);
    await client.closed;
    expect(client.received.slice(before.length)).toMatch(/^0\r\n\r\nHTTP\/1\.1 400 Bad Request\r\n/);
  });

  it('without end in the middle of a watch ends that watch', async () => {
    const client = new RawClient(lab.server.port);
    await client.send(head('GET', WATCH));
    await turnsUntil(lab.clock, () => client.received.includes('\r\n\r\n'), PATIENCE);
    const before = client.received;
    expect(await client.exchange('x'.repeat(200_000))).toBe(before);
  });

  it('a client that leaves in the middle of what it sent ahead of its time is noticed', async () => {
    const client = new RawClient(lab.server.port);
    await client.send(head('GET', WATCH));
    await turnsUntil(lab.clock, () => client.received.includes('\r\n\r\n'), PATIENCE);
    await client.send('GET /ver');
    client.leave();
    expect(await turnsUntil(lab.clock, () => lab.watchers() === 1, PATIENCE)).toBe(true);
  });

  it('a connection serves on after a watch', async () => {
    const client = new RawClient(lab.server.port);
    for (let n = 0; n < 3; n++) {
      await client.send(head('GET', `${WATCH}&timeoutSeconds=5`));
      await turnsUntil(lab.clock, () => client.received.includes('chunked\r\n'), PATIENCE);
      await lab.clock.advance(5_000);
      expect(await turnsUntil(lab.clock, () => client.received.endsWith('0\r\n\r\n'), PATIENCE)).toBe(true);
      client.received = '';
    }
    expect(await client.exchange(head('GET', '/version', 'Connection: close\r\n'))).toContain('gitVersion');
  });

  it('a request line of 1 MB is served', async () => {
    const answer = await new RawClient(lab.server.port).exchange(
      head('GET', `/version?${'x'.repeat(1 << 20)}`, 'Connection: close\r\n'),
    );
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK/);
  });

  it('a whole URL in the request line says whom it is for', async () => {
    const ask = (url: string) => new RawClient(lab.server.port).exchange(head('GET', url, 'Connection: close\r\n'));
    expect(await ask('http://localhost/version')).toMatch(/^HTTP\/1\.1 200 OK/);
    expect(await ask('http://evil.example/version')).toMatch(/^HTTP\/1\.1 403 Forbidden/);
  });
});

describe('a body', () => {
  it.each([
    ['that says it has 100 MB', 'Content-Length: 100000000\r\n', Buffer.alloc(1_000_000, ' ')],
    [
      'that has more than 3 MiB in chunks',
      'Transfer-Encoding: chunked\r\n',
      Buffer.from(`400000\r\n${' '.repeat(4 << 20)}\r\n`),
    ],
  ])('%s gets a 413 while it is still being sent', async (_, framing, part) => {
    const client = new RawClient(lab.server.port);
    await client.send(head('POST', CMS, `Content-Type: application/json\r\n${framing}`));
    client.socket.write(part);
    expect(await turnsUntil(lab.clock, () => client.received.endsWith('}\n'), PATIENCE)).toBe(true);
    expect(client.received).toMatch(/^HTTP\/1\.1 413 Request Entity Too Large\r\n/);
    expect(client.received).toContain(
      '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"Request entity too large: limit is 3145728","reason":"RequestEntityTooLarge","code":413}\n',
    );
    client.leave();
  });
});

describe('connections', () => {
  it(`${MANY} in turn`, async () => {
    for (let i = 0; i < MANY; i++) {
      const client = new RawClient(lab.server.port);
      if (i % 3 === 0) {
        const answer = await client.exchange(head('GET', '/healthz', 'Connection: close\r\n'));
        expect(answer).toMatch(/^HTTP\/1\.1 200 OK.*ok$/s);
      } else {
        await client.send(i % 3 === 1 ? head('GET', WATCH) : 'GET /api');
        client.leave();
      }
    }
  });

  it(`${MANY} that say one byte, or nothing, are no burden, and end with the server`, async () => {
    const clients = Array.from({ length: MANY }, () => new RawClient(lab.server.port));
    await Promise.all(clients.map((client, index) => (index % 2 ? client.send('P') : client.send(''))));
    expect((await lab.call('GET', '/healthz')).status).toBe(200);
    await lab.server.kill();
    await Promise.all(clients.map(({ closed }) => closed));
    lab = await testServer();
    healthy = await lab.watch(`${CMS}?watch=1`);
  });

  it('whose client closes its half are answered; their watches end properly', async () => {
    const clients = Array.from({ length: 50 }, () => new RawClient(lab.server.port));
    for (const client of clients) client.socket.end(head('GET', WATCH));
    await Promise.all(clients.map(({ closed }) => closed));
    for (const { received, ended } of clients) {
      expect(received).toMatch(/^HTTP\/1\.1 200 OK\r\n.*\r\n0\r\n\r\n$/s);
      expect(ended).toBe(true);
    }
    const list = new RawClient(lab.server.port);
    list.socket.end(head('GET', CMS));
    await list.closed;
    expect(list.received).toMatch(/^HTTP\/1\.1 200 OK.*"kind":"ConfigMapList".*\n$/s);
  });

  it('requests that are sent ahead are answered in their order, a watch among them', async () => {
    const client = new RawClient(lab.server.port);
    client.socket.write(
      head('GET', '/healthz') +
        head('GET', `${PODS}?watch=1&timeoutSeconds=5`) +
        head('GET', '/version', 'Connection: close\r\n'),
    );
    await turnsUntil(lab.clock, () => client.received.includes('chunked\r\n'), PATIENCE);
    await lab.call('POST', PODS, {
      body: { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    });
    await turnsUntil(lab.clock, () => client.received.includes('"name":"p"'), PATIENCE);
    expect(client.received).not.toContain('gitVersion');
    await lab.clock.advance(5_000);
    await client.closed;
    expect(client.received).toMatch(
      /^HTTP\/1\.1 200 OK.*ok.*HTTP\/1\.1 200 OK.*"name":"p".*\r\n0\r\n\r\nHTTP\/1\.1 200 OK.*gitVersion/s,
    );
  });

  it('HTTP/1.0: a watch has no chunks, and ends with its connection', async () => {
    const client = new RawClient(lab.server.port);
    client.socket.write(`GET ${PODS}?watch=1&timeoutSeconds=5 HTTP/1.0\r\nHost: localhost\r\n\r\n`);
    await turnsUntil(lab.clock, () => client.received.includes('\r\n\r\n'), PATIENCE);
    await lab.call('POST', PODS, {
      body: { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    });
    await turnsUntil(lab.clock, () => client.received.includes('"name":"p"'), PATIENCE);
    await lab.clock.advance(5_000);
    await client.closed;
    expect(client.received).not.toContain('chunked');
    expect(client.received).toMatch(/\r\n\r\n\{"type":"ADDED".*\}\n$/s);
  });
});

describe('watches that never read', () => {
  it(`${MANY} of them cost no healthy watcher an event`, async () => {
    const clients = Array.from({ length: MANY }, () => new RawClient(lab.server.port));
    for (const client of clients) client.socket.pause();
    await Promise.all(clients.map((client) => client.send(head('GET', `${CMS}?watch=1&labelSelector=slow`))));
    await turnsUntil(lab.clock, () => lab.watchers() === MANY + 1, PATIENCE);
    const data = { k: 'x'.repeat(50_000) };
    for (let i = 0; i < 30; i++) {
      const body = { metadata: { name: `c${i}`, labels: { slow: 'yes' } }, data };
      expect((await lab.call('POST', CMS, { body })).status).toBe(201);
      expect((await whileTimePasses(healthy.event())).object.metadata.name).toBe(`c${i}`);
    }
    for (const client of clients) client.leave();
  });
});

describe('lists that nobody reads', () => {
  const STORED = 12;

  beforeEach(async () => {
    for (let i = 0; i < STORED; i++) {
      await lab.call('POST', CMS, { body: { metadata: { name: `big${i}` }, data: { k: 'x'.repeat(1_000_000) } } });
      await healthy.event();
    }
  });

  /** Lists are refused while too much is on its way; all else goes on, and once the readers are gone it heals. */
  async function expectRefusalUntil(leave: () => void): Promise<void> {
    const listed = async () => (await lab.call('GET', CMS)).status;
    let refused = false;
    for (let i = 0; i < 100 && !refused; i++) refused = (await listed()) === 429;
    expect(refused).toBe(true);
    expect((await lab.call('GET', '/version')).status).toBe(200);
    expect((await lab.call('DELETE', `${CMS}/big0`)).status).toBe(200);
    await healthy.event();
    leave();
    let healed = false;
    for (let i = 0; i < 100 && !healed; i++) healed = (await listed()) === 200;
    expect(healed).toBe(true);
  }

  it('are counted, and refused beyond 256 MiB', async () => {
    const clients = Array.from({ length: 40 }, () => new RawClient(lab.server.port));
    for (const client of clients) client.socket.pause();
    await Promise.all(clients.map((client) => client.send(head('GET', CMS))));
    await expectRefusalUntil(() => {
      for (const client of clients) client.leave();
    });
  });

  it('so are a hundred that one HTTP/2 connection asks for at once', async () => {
    const client = new RawClient(lab.server.port);
    const block = getBlock(CMS);
    const lists = Array.from({ length: 100 }, (_, index) =>
      frame(FRAME.headers, FLAG.endHeaders | FLAG.endStream, index * 2 + 1, block),
    );
    await client.send(Buffer.concat([PREFACE, settings([4, 0]), ...lists]));
    await expectRefusalUntil(() => client.leave());
  });
});

describe('HTTP/2', () => {
  /** Floods a connection with pieces until the server gives it up; how many were sent by then. */
  async function flood(pieces: (index: number) => Uint8Array, most: number): Promise<number> {
    const client = new RawClient(lab.server.port);
    let open = true;
    void client.closed.then(() => {
      open = false;
    });
    client.socket.once('end', () => {
      open = false;
    });
    await client.send(Buffer.concat([PREFACE, settings()]));
    let sent = 0;
    while (open && sent < most && !goneAway(client)) {
      client.socket.write(Buffer.concat(Array.from({ length: 100 }, (_, index) => pieces(sent + index))));
      sent += 100;
      await lab.clock.turn();
    }
    client.leave();
    return sent;
  }

  const goneAway = ({ received }: RawClient) =>
    parseFrames(Buffer.from(received, 'latin1')).some(({ type }) => type === FRAME.goaway);

  it('streams that are opened and reset are an attack after a thousand', async () => {
    const block = getBlock(`${PODS}?limit=1`);
    const sent = await flood(
      (index) =>
        Buffer.concat([
          frame(FRAME.headers, FLAG.endHeaders | FLAG.endStream, index * 2 + 1, block),
          frame(FRAME.rstStream, 0, index * 2 + 1, word(8)),
        ]),
      50_000,
    );
    expect(sent).toBeLessThan(50_000);
  });

  it('so is a head that never ends', async () => {
    const sent = await flood(
      (index) =>
        index === 0
          ? frame(FRAME.headers, FLAG.endStream, 1, getBlock('/version'))
          : frame(FRAME.continuation, 0, 1, Buffer.from('\x00\x03abc\x03def', 'latin1')),
      50_000,
    );
    expect(sent).toBeLessThan(50_000);
  });

  it('a head of 1 MB is refused', async () => {
    const client = new RawClient(lab.server.port);
    const value = 'v'.repeat(120);
    const extra = Array.from({ length: 120 }, (_, index): [string, string] => [`x-${index}`, value]);
    const block = getBlock('/version', 'localhost', extra);
    const parts = [frame(FRAME.headers, FLAG.endStream, 1, block)];
    for (let i = 0; i < 70; i++)
      parts.push(frame(FRAME.continuation, i === 69 ? FLAG.endHeaders : 0, 1, block.subarray(20)));
    client.socket.write(Buffer.concat([PREFACE, settings(), ...parts]));
    await turnsUntil(lab.clock, () => goneAway(client) || client.ended, PATIENCE);
    expect(client.received).not.toContain('gitVersion');
    client.leave();
  });

  it('a window of 0 holds its watches, and nothing else', async () => {
    const client = new RawClient(lab.server.port);
    const block = getBlock(`${CMS}?watch=1`);
    const watches = Array.from({ length: 100 }, (_, index) =>
      frame(FRAME.headers, FLAG.endHeaders | FLAG.endStream, index * 2 + 1, block),
    );
    await client.send(Buffer.concat([PREFACE, settings([4, 0]), ...watches]));
    expect(await turnsUntil(lab.clock, () => lab.watchers() === 101, PATIENCE)).toBe(true);
    for (let i = 0; i < 20; i++) {
      await lab.call('POST', CMS, { body: { metadata: { name: `c${i}` }, data: { k: 'x'.repeat(20_000) } } });
      expect((await whileTimePasses(healthy.event())).object.metadata.name).toBe(`c${i}`);
    }
    const data = parseFrames(Buffer.from(client.received, 'latin1')).filter(
      ({ type, payload }) => type === FRAME.data && payload.length > 0,
    );
    expect(data).toEqual([]);
    client.leave();
  });

  it('who opens more than 100 streams although it was told so loses its connection', async () => {
    const client = new RawClient(lab.server.port);
    const block = getBlock(`${PODS}?watch=1`);
    const open = (index: number) => frame(FRAME.headers, FLAG.endHeaders | FLAG.endStream, index * 2 + 1, block);
    await client.send(Buffer.concat([PREFACE, settings()]));
    await turnsUntil(lab.clock, () => client.received !== '', PATIENCE);
    await client.send(frame(FRAME.settings, FLAG.ack, 0));
    for (let i = 0; i < 100; i++) await client.send(open(i));
    expect(await turnsUntil(lab.clock, () => lab.watchers() === 101, PATIENCE)).toBe(true);
    await client.send(open(100));
    expect(await turnsUntil(lab.clock, () => goneAway(client), PATIENCE)).toBe(true);
    client.leave();
  });
});
