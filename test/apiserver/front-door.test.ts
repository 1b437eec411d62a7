import { gunzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { bearerToken } from '../../src/apiserver/authentication.ts';
import { acceptsGzip } from '../../src/apiserver/compression.ts';
import { selfSignedCertificate } from '../../src/apiserver/self-signed-certificate.ts';
import { H2Client } from '../support/h2-client.ts';
import { head, RawClient } from '../support/raw-client.ts';
import { type TestServer, testServer, turnsUntil } from '../support/test-server.ts';

const CMS = '/api/v1/namespaces/default/configmaps';
const UNAUTHORIZED =
  '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"Unauthorized","reason":"Unauthorized","code":401}\n';

describe('a bearer token', () => {
  it.each<[string | undefined, string | undefined]>([
    ['Bearer abc', 'abc'],
    ['bearer abc', 'abc'],
    ['BEARER abc', 'abc'],
    ['Bearer abc more', 'abc'],
    [' Bearer abc ', 'abc'],
    ['Bearer  abc', undefined],
    ['Bearer', undefined],
    ['Bearer ', undefined],
    ['Token abc', undefined],
    ['Basic YTpi', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('of %j is %j', (header, token) => {
    expect(bearerToken(header)).toBe(token);
  });
});

let lab: TestServer;
async function closeLab(): Promise<void> {
  await lab.close();
  expect(lab.faults).toEqual([]);
}

describe('a token', () => {
  afterEach(closeLab);

  it.each(['/api/v1/pods', `${CMS}?watch=1`, '/version', '/healthz', '/metrics', '/nosuch', '/'])(
    'is demanded of %s, in upstream’s words',
    async (path) => {
      lab = await testServer({ token: 's3cret' });
      for (const headers of [{}, { Authorization: 'Bearer other' }, { Authorization: 'Basic czNjcmV0' }]) {
        const refused = await lab.call('GET', path, { headers });
        expect(refused).toMatchObject({ status: 401, text: UNAUTHORIZED });
        expect(refused.headers['audit-id']).toBeDefined();
        expect(refused.headers['cache-control']).toBe('no-cache, private');
        expect(refused.headers['x-kubernetes-pf-flowschema-uid']).toBeUndefined();
        expect(refused.headers['www-authenticate']).toBeUndefined();
      }
      const yaml = await lab.call('GET', path, { headers: { Accept: 'application/yaml' } });
      expect(yaml.text).toBe(
        'apiVersion: v1\ncode: 401\nkind: Status\nmessage: Unauthorized\nmetadata: {}\nreason: Unauthorized\nstatus: Failure\n',
      );
    },
  );

  it('opens the door', async () => {
    lab = await testServer({ token: 's3cret' });
    const headers = { Authorization: 'Bearer s3cret' };
    expect((await lab.call('GET', '/version', { headers })).status).toBe(200);
    const watch = await lab.watch(`${CMS}?watch=1`, headers);
    expect(watch.response.statusCode).toBe(200);
    expect((await lab.call('POST', CMS, { headers, body: { metadata: { name: 'a' } } })).status).toBe(201);
    expect(await watch.event()).toMatchObject({ type: 'ADDED' });
  });

  it('costs an HTTP/2 client without one its connection, as from 1.29 on', async () => {
    const certificate = selfSignedCertificate(['127.0.0.1'], Date.now());
    lab = await testServer({ token: 's3cret', certificate });
    const stranger = new H2Client(lab.url, certificate);
    expect(await stranger.call('GET', '/version')).toMatchObject({ status: 401, text: UNAUTHORIZED, code: 0 });
    expect(await turnsUntil(lab.clock, () => stranger.session.destroyed)).toBe(true);
    expect(stranger.goaways).toEqual([0]);
    const known = new H2Client(lab.url, certificate);
    for (let i = 0; i < 3; i++) {
      const answer = await known.call('GET', '/version', undefined, { authorization: 'Bearer s3cret' });
      expect(answer.status).toBe(200);
    }
    expect(known.goaways).toEqual([]);
    known.leave();
  });
});

describe('beyond loopback', () => {
  afterEach(closeLab);

  it('any name will do, for a token is demanded; pages from elsewhere stay out', async () => {
    lab = await testServer({ host: '0.0.0.0', token: 's3cret' });
    expect(lab.url).toBe(`http://127.0.0.1:${lab.server.port}`);
    const headers = { Host: 'box.lan:7410', Authorization: 'Bearer s3cret' };
    expect((await lab.call('GET', '/version', { headers })).status).toBe(200);
    expect((await lab.call('GET', '/version', { headers: { Host: 'box.lan' } })).status).toBe(401);
    const foreign = { ...headers, Origin: 'https://evil.example' };
    expect((await lab.call('GET', '/version', { headers: foreign })).status).toBe(403);
  });

  it('IPv6 loopback is loopback', async () => {
    lab = await testServer({ host: '::1' });
    expect(lab.url).toBe(`http://[::1]:${lab.server.port}`);
    expect((await lab.call('GET', '/version')).status).toBe(200);
    expect((await lab.call('GET', '/version', { headers: { Host: 'evil.example' } })).status).toBe(403);
  });
});

describe('the switch of priority and fairness', () => {
  afterEach(closeLab);

  it('turns requests away as a server that is too busy, until its time is over', async () => {
    lab = await testServer();
    const watch = await lab.watch(`${CMS}?watch=1`);
    lab.server.flowControl.throttle({ retryAfterSeconds: 7, forMs: 30_000 });
    for (const [method, path] of [
      ['GET', CMS],
      ['GET', `${CMS}?watch=1`],
      ['GET', '/version'],
      ['GET', '/nosuch'],
      ['DELETE', `${CMS}/a`],
    ] as const) {
      const refused = await lab.call(method, path, { headers: { Accept: 'application/yaml' } });
      expect(refused).toMatchObject({ status: 429, text: 'Too many requests, please try again later.\n' });
      expect(refused.headers).toMatchObject({
        'retry-after': '7',
        'content-type': 'text/plain; charset=utf-8',
        'x-content-type-options': 'nosniff',
      });
      expect(refused.headers['x-kubernetes-pf-prioritylevel-uid']).toBeDefined();
    }
    for (const path of ['/healthz', '/livez/ping', '/readyz?verbose']) {
      expect((await lab.call('GET', path)).status).toBe(200);
    }
    await lab.clock.advance(30_000);
    expect((await lab.call('POST', CMS, { body: { metadata: { name: 'a' } } })).status).toBe(201);
    expect(await watch.event()).toMatchObject({ type: 'ADDED' });
  });

  it('stays until it is lifted, the last one counts, and it leaves no timer behind', async () => {
    lab = await testServer();
    const { flowControl } = lab.server;
    const timers = lab.clock.timers;
    flowControl.throttle({ retryAfterSeconds: 1, forMs: 1_000 });
    flowControl.throttle({ retryAfterSeconds: 2, forMs: undefined });
    await lab.clock.advance(100_000);
    expect((await lab.call('GET', CMS)).headers['retry-after']).toBe('2');
    flowControl.unthrottle();
    expect((await lab.call('GET', CMS)).status).toBe(200);
    flowControl.throttle({ retryAfterSeconds: 1, forMs: 1_000 });
    flowControl.unthrottle();
    expect(lab.clock.timers).toBe(timers);
  });
});

describe('health', () => {
  afterEach(closeLab);

  const text = async (path: string) => (await lab.call('GET', path)).text;

  it('is told check by check', async () => {
    lab = await testServer();
    const alive = '[+]ping ok\n[+]log ok\n[+]etcd ok\n';
    expect(await text('/livez?verbose')).toBe(`${alive}livez check passed\n`);
    expect(await text('/healthz?verbose=false')).toBe(`${alive}healthz check passed\n`);
    expect(await text('/readyz?verbose')).toBe(
      `${alive}[+]etcd-readiness ok\n[+]poststarthook/storage-readiness ok\n[+]shutdown ok\nreadyz check passed\n`,
    );
    expect(await text('/readyz/etcd')).toBe('ok');
    expect(await text('/livez/ping?verbose')).toBe('ok');
    expect(await text('/livez?verbose&exclude=etcd&exclude=foo&exclude=bar')).toBe(
      '[+]ping ok\n[+]log ok\n[+]etcd excluded: ok\nwarn: some health checks cannot be excluded: no matches for "bar","foo"\nlivez check passed\n',
    );
    for (const path of ['/readyz/nosuch', '/livez/shutdown', '/livez/ping/', '/readyz/etcd/x', '/readyzx']) {
      expect(await lab.call('GET', path)).toMatchObject({ status: 404, text: '404 page not found\n' });
    }
  });

  it('fails where the store is out of reach, at once or after 2 s of silence', async () => {
    lab = await testServer();
    let answer: () => Promise<number> = () => Promise.reject(new Error('connection refused'));
    lab.store.revision = () => answer();
    const failed = '[+]ping ok\n[+]log ok\n[-]etcd failed: reason withheld\nlivez check failed\n';
    expect(await lab.call('GET', '/livez')).toMatchObject({ status: 500, text: failed });
    expect(await lab.call('GET', '/livez/etcd')).toMatchObject({
      status: 500,
      text: 'internal server error: error getting data from etcd: connection refused\n',
    });
    expect((await lab.call('GET', '/livez?exclude=etcd')).status).toBe(200);
    answer = () => new Promise(() => undefined);
    let answered = false;
    const waiting = lab.call('GET', '/livez').finally(() => {
      answered = true;
    });
    await turnsUntil(lab.clock, () => answered, 200);
    expect(answered).toBe(false);
    await lab.clock.advance(2_000);
    expect(await waiting).toMatchObject({ status: 500, text: failed });
  });
});

describe('an Accept-Encoding', () => {
  it.each<[string | undefined, boolean]>([
    ['gzip', true],
    ['deflate, gzip', true],
    ['deflate ,  gzip , br', true],
    ['gzip;q=0', false],
    ['gzip;q=1.0', false],
    ['identity', false],
    ['', false],
    [undefined, false],
  ])('%j takes gzip: %s', (header, expected) => {
    expect(acceptsGzip(header)).toBe(expected);
  });
});

describe('compression', () => {
  afterEach(closeLab);

  it('packs what is larger than 128 KiB for who takes it, never a watch', async () => {
    lab = await testServer();
    const headers = { 'Accept-Encoding': 'gzip' };
    await lab.call('POST', CMS, { body: { metadata: { name: 'a' }, data: { k: 'x'.repeat(140_000) } } });
    const plain = await lab.call('GET', CMS);
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(plain.headers.vary).toBeUndefined();
    for (const path of [CMS, `${CMS}/a`]) {
      const { headers: found } = await lab.call('GET', path, { headers });
      expect(found).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
    }
    const client = new RawClient(lab.server.port);
    await client.exchange(head('GET', CMS, 'Accept-Encoding: gzip\r\nConnection: close\r\n'));
    const body = Buffer.from(client.received.slice(client.received.indexOf('\r\n\r\n') + 4), 'latin1');
    expect(gunzipSync(body).toString()).toBe(plain.text);
    const small = await lab.call('GET', '/api/v1/namespaces/default', { headers });
    expect(small.headers['content-encoding']).toBeUndefined();
    const watch = await lab.watch(`${CMS}?watch=1&resourceVersion=0`, headers);
    expect(watch.response.headers['content-encoding']).toBeUndefined();
    expect(await watch.event()).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'a' } } });
  });
});
