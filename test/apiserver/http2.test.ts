import { once } from 'node:events';
import type http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import tls from 'node:tls';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { selfSignedCertificate } from '../../src/apiserver/self-signed-certificate.ts';
import { H2Client } from '../support/h2-client.ts';
import { type TestServer, testServer, turnsUntil } from '../support/test-server.ts';

const CMS = '/api/v1/namespaces/default/configmaps';
const EVENTS = '/api/v1/namespaces/default/events';
const CERTIFICATE = selfSignedCertificate(['localhost', '127.0.0.1'], Date.now());

describe.each([
  ['plain', undefined],
  ['TLS', CERTIFICATE],
])('HTTP/2, %s', (_, certificate) => {
  let lab: TestServer;
  let client: H2Client;
  beforeEach(async () => {
    lab = await testServer({ cacheSize: 3, certificate });
    client = new H2Client(lab.url, certificate);
  });
  afterEach(async () => {
    client.leave();
    await lab.close();
    expect(lab.faults).toEqual([]);
  });

  const configMap = (name: string) => client.call('POST', CMS, { metadata: { name } });

  it('tells its clients upstream’s limits', async () => {
    const [settings] = await once(client.session, 'remoteSettings');
    expect(settings).toMatchObject({
      maxConcurrentStreams: 100,
      initialWindowSize: 262_144,
      maxFrameSize: 262_144,
      maxHeaderListSize: 1_048_896,
    });
  });

  it('answers as HTTP/1.1 does', async () => {
    const created = await configMap('a');
    expect(created).toMatchObject({ status: 201, code: 0 });
    expect(JSON.parse(created.text)).toMatchObject({ kind: 'ConfigMap', metadata: { name: 'a' } });
    const found = await client.call('GET', `${CMS}/a`);
    expect(found.text).toBe(created.text);
    expect(found.headers).toMatchObject({ 'content-type': 'application/json', 'cache-control': 'no-cache, private' });
    expect(found.headers['audit-id']).toBeDefined();
    expect(found.headers['x-kubernetes-pf-flowschema-uid']).toBeDefined();
    expect(await client.call('GET', '/nosuch')).toMatchObject({ status: 404, text: '404 page not found\n' });
    expect(await client.call('HEAD', '/version')).toMatchObject({ status: 200, text: '' });
  });

  it('watches: headers at once, events, and a proper end at the deadline', async () => {
    const { watch, headers } = await client.watch(`${CMS}?watch=1&timeoutSeconds=60`);
    expect(headers).toMatchObject({ ':status': 200, 'content-type': 'application/json' });
    expect(headers['content-length']).toBeUndefined();
    await configMap('a');
    expect(await watch.event()).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'a' } } });
    await client.call('DELETE', `${CMS}/a`);
    expect(await watch.event()).toMatchObject({ type: 'DELETED' });
    await lab.clock.advance(60_000);
    expect(await watch.event()).toBeUndefined();
    expect(watch.ended).toEqual({ proper: true, code: 0 });
  });

  it('refuses in the stream where the ring no longer reaches', async () => {
    const { metadata } = JSON.parse((await configMap('a')).text);
    for (const name of ['b', 'c', 'd', 'e', 'f']) await configMap(name);
    const { watch } = await client.watch(`${CMS}?watch=1&resourceVersion=${metadata.resourceVersion}`);
    expect(await watch.event()).toMatchObject({ type: 'ERROR', object: { code: 410, reason: 'Expired' } });
    expect(await watch.event()).toBeUndefined();
    expect(watch.ended).toEqual({ proper: true, code: 0 });
  });

  it('leaves no watcher behind when a stream is reset, or the connection breaks', async () => {
    const one = await client.watch(`${CMS}?watch=1`);
    await client.watch(`${CMS}?watch=1`);
    expect(lab.watchers()).toBe(2);
    one.watch.stream.close();
    expect(await turnsUntil(lab.clock, () => lab.watchers() === 1)).toBe(true);
    client.session.destroy();
    expect(await turnsUntil(lab.clock, () => lab.watchers() === 0)).toBe(true);
  });

  it('keeps a slow watcher slow: nothing is lost of an uncached type, however long it does not read', async () => {
    const { watch } = await client.watch(`${EVENTS}?watch=1&resourceVersion=0`);
    watch.stream.pause();
    const message = 'x'.repeat(200_000);
    for (let i = 0; i < 40; i++) {
      const body = { metadata: { name: `e${i}` }, involvedObject: {}, message };
      expect((await lab.call('POST', EVENTS, { body, ...caOf(certificate) })).status).toBe(201);
    }
    watch.stream.resume();
    for (let i = 0; i < 40; i++) expect((await watch.event()).object.metadata.name).toBe(`e${i}`);
  });

  it('closes the connection of a slow watcher of a cached type properly, and shows it a whole prefix', async () => {
    const { watch } = await client.watch(`${CMS}?watch=1`);
    watch.stream.pause();
    const data = { k: 'x'.repeat(100_000) };
    let written = 0;
    while (lab.watchers() > 0 && written < 200) {
      const body = { metadata: { name: `c${written++}` }, data };
      await lab.call('POST', CMS, { body, ...caOf(certificate) });
      await lab.clock.advance(20);
    }
    expect(lab.watchers()).toBe(0);
    watch.stream.resume();
    const seen: string[] = [];
    for (let event = await watch.event(); event; event = await watch.event()) seen.push(event.object.metadata.name);
    expect(seen.length).toBeLessThan(written);
    expect(seen).toEqual(Array.from({ length: seen.length }, (_, index) => `c${index}`));
    expect(watch.ended).toEqual({ proper: true, code: 0 });
  });

  it('says GOAWAY at once in an orderly shutdown; its watch lives on and gets events, and ends properly after 60 s', async () => {
    const { watch } = await client.watch(`${CMS}?watch=1`);
    const goaway = once(client.session, 'goaway');
    const down = lab.server.shutDown();
    expect((await goaway)[0]).toBe(0);
    await lab.store.put('/registry/configmaps/default/late', encoded('late'));
    expect(await watch.event()).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'late' } } });
    await expect(lab.call('GET', '/healthz', caOf(certificate))).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await lab.clock.advance(59_000);
    expect(watch.ended).toBeUndefined();
    await lab.clock.advance(2_000);
    expect(await watch.event()).toBeUndefined();
    expect(watch.ended).toEqual({ proper: true, code: 0 });
    await lab.clock.advance(2_000);
    await down;
  });

  it('breaks off when it is killed', async () => {
    const { watch } = await client.watch(`${CMS}?watch=1`);
    await lab.server.kill();
    expect(await watch.event()).toBeUndefined();
    expect(watch.ended).toEqual({ proper: false, code: 8 });
  });

  it('answers 413 to a body that is too large, and goes on', async () => {
    const large = { metadata: { name: 'a' }, data: { k: 'x'.repeat(3 * 1024 * 1024) } };
    const refused = await client.call('POST', CMS, large);
    expect(refused.status).toBe(413);
    expect(JSON.parse(refused.text)).toMatchObject({
      message: 'Request entity too large: limit is 3145728',
      reason: 'RequestEntityTooLarge',
    });
    expect((await client.call('GET', '/version')).status).toBe(200);
  });
});

/** What a store holds of a config map. */
const encoded = (name: string) =>
  Buffer.from(JSON.stringify({ kind: 'ConfigMap', apiVersion: 'v1', metadata: { name, namespace: 'default' } }));

const caOf = (certificate: typeof CERTIFICATE | undefined) => (certificate ? { ca: certificate.ca } : {});

describe('one port, both versions', () => {
  let lab: TestServer;
  afterEach(() => lab.close());

  it('plain: by what the connection begins with, also when that comes in pieces', async () => {
    lab = await testServer();
    const socket = net.connect(lab.server.port, '127.0.0.1');
    for (const piece of ['P', 'RI * HTTP', '/2.0\r\n\r\nSM', '\r\n\r\n\0\0\0\x04\0\0\0\0\0']) {
      await new Promise<void>((resolve) => socket.write(Buffer.from(piece, 'latin1'), () => resolve()));
      await lab.clock.turn();
    }
    const [first] = (await once(socket, 'data')) as [Buffer];
    expect(first[3]).toBe(4);
    socket.destroy();
    expect((await lab.call('GET', '/healthz')).text).toBe('ok');
    for (const method of ['POST', 'PUT', 'PATCH']) expect((await lab.call(method, '/nosuch')).status).toBe(404);
  });

  it('TLS: by ALPN, HTTP/1.1 where nothing is negotiated', async () => {
    lab = await testServer({ certificate: CERTIFICATE });
    const { ca } = CERTIFICATE;
    const port = lab.server.port;
    for (const [offered, chosen] of [
      [['h2', 'http/1.1'], 'h2'],
      [['http/1.1'], 'http/1.1'],
    ] as const) {
      const socket = tls.connect({ port, host: '127.0.0.1', ca, ALPNProtocols: [...offered] });
      await once(socket, 'secureConnect');
      expect(socket.alpnProtocol).toBe(chosen);
      socket.destroy();
    }
    const [response] = (await once(https.get(`${lab.url}/healthz`, { ca }), 'response')) as [http.IncomingMessage];
    expect(response.statusCode).toBe(200);
    response.resume();
  });

  it('TLS: tells who speaks plain HTTP', async () => {
    lab = await testServer({ certificate: CERTIFICATE });
    const socket = net.connect(lab.server.port, '127.0.0.1');
    socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');
    const parts: Buffer[] = [];
    for await (const part of socket) parts.push(part as Buffer);
    expect(Buffer.concat(parts).toString()).toBe(
      'HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n',
    );
  });
});
