import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type TestServer, testServer, turnsUntil } from '../support/test-server.ts';

const CMS = '/api/v1/namespaces/default/configmaps';
const PODS = '/api/v1/namespaces/default/pods';
const EVENTS = '/api/v1/namespaces/default/events';
const TABLE = { Accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
const META = { Accept: 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io' };
const META_LIST = { Accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io' };

let lab: TestServer;
beforeEach(async () => {
  lab = await testServer({ cacheSize: 3 });
});
afterEach(async () => {
  await lab.close();
  expect(lab.faults).toEqual([]);
});

async function configMap(name: string, data: Record<string, string> = {}): Promise<string> {
  const { body } = await lab.call('POST', CMS, { body: { metadata: { name }, data } });
  return body.metadata.resourceVersion;
}

describe('a watch', () => {
  it('sends its headers at once, before there is any event', async () => {
    const watch = await lab.watch(`${CMS}?watch=1&resourceVersion=0`);
    expect(watch.response.statusCode).toBe(200);
    expect(watch.response.headers).toMatchObject({
      'content-type': 'application/json',
      'transfer-encoding': 'chunked',
      'cache-control': 'no-cache, private',
    });
    expect(watch.response.headers['audit-id']).toBeDefined();
    expect(watch.response.headers['x-kubernetes-pf-flowschema-uid']).toBeDefined();
    expect(watch.response.headers['x-kubernetes-pf-prioritylevel-uid']).toBeDefined();
    expect(watch.waiting).toBe(0);
  });

  it('shows the state first, then each change', async () => {
    const rv = await configMap('a');
    await turnsUntil(lab.clock, () => lab.server.cachers.get('configmaps')?.state().resourceVersion === Number(rv));
    const watch = await lab.watch(`${CMS}?watch=1&resourceVersion=0`);
    expect(await watch.event()).toMatchObject({
      type: 'ADDED',
      object: { kind: 'ConfigMap', metadata: { name: 'a', resourceVersion: rv } },
    });
    await lab.call('PATCH', `${CMS}/a`, {
      headers: { 'Content-Type': 'application/merge-patch+json' },
      body: { data: { k: 'v' } },
    });
    expect(await watch.event()).toMatchObject({ type: 'MODIFIED', object: { data: { k: 'v' } } });
    await lab.call('DELETE', `${CMS}/a`);
    const deleted = await watch.event();
    expect(deleted).toMatchObject({ type: 'DELETED', object: { data: { k: 'v' } } });
    expect(Number(deleted.object.metadata.resourceVersion)).toBe(Number(rv) + 2);
  });

  it('sends the same bytes to every watcher of an event', async () => {
    const one = await lab.watch(`${CMS}?watch=1`);
    const other = await lab.watch('/api/v1/configmaps?watch=1');
    await configMap('a', { k: '<&>' });
    const line = await one.line();
    expect(await other.line()).toBe(line);
    expect(line).toMatch(/^\{"type":"ADDED","object":\{"kind":"ConfigMap","apiVersion":"v1","metadata":\{"name":"a",/);
    expect(line).toContain('"k":"\\u003c\\u0026\\u003e"');
  });

  it('is refused in the stream where the ring no longer reaches, and the trace says why', async () => {
    const rv = await configMap('a');
    for (const name of ['b', 'c', 'd', 'e']) await configMap(name);
    await turnsUntil(lab.clock, () => lab.server.cachers.get('configmaps')?.state().resourceVersion === Number(rv) + 4);
    const watch = await lab.watch(`${CMS}?watch=1&resourceVersion=${rv}`);
    const floor = Number(rv) + 1;
    expect(await watch.line()).toBe(
      `{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"too old resource version: ${rv} (${floor})","reason":"Expired","code":410}}`,
    );
    expect(await watch.line()).toBeUndefined();
    expect(watch.complete).toBe(true);
    expect(lab.trace.filter((event) => event.what === 'refuse')).toEqual([
      expect.objectContaining({
        resource: 'configmaps',
        auditId: watch.response.headers['audit-id'],
        requested: rv,
        refusedBy: 'watch-cache',
        because: 'ring',
        floor,
      }),
    ]);
  });

  it('of an uncached type is refused by the store, in the store’s words', async () => {
    const created = await lab.call('POST', EVENTS, { body: { metadata: { name: 'e' }, involvedObject: {} } });
    await configMap('a');
    await lab.store.compact(lab.store.state().revision);
    const watch = await lab.watch(`${EVENTS}?watch=1&resourceVersion=${created.body.metadata.resourceVersion - 1}`);
    expect(await watch.event()).toMatchObject({
      type: 'ERROR',
      object: { message: 'The resourceVersion for the provided watch is too old.', code: 410 },
    });
    expect(await watch.line()).toBeUndefined();
    expect(lab.trace.find((event) => event.what === 'refuse')).toMatchObject({
      resource: 'events',
      auditId: watch.response.headers['audit-id'],
      refusedBy: 'etcd',
      because: 'compacted',
    });
  });

  it('gets a bookmark before its deadline, and ends at it properly', async () => {
    const watch = await lab.watch(`${PODS}?watch=1&resourceVersion=1000&allowWatchBookmarks=true&timeoutSeconds=10`);
    const pod = await lab.call('POST', PODS, {
      body: { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    });
    expect((await watch.event()).type).toBe('ADDED');
    await lab.clock.advance(9_900);
    expect(await watch.line()).toBe(
      `{"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"${pod.body.metadata.resourceVersion}","creationTimestamp":null},"spec":{"containers":null},"status":{}}}`,
    );
    expect(lab.watchers()).toBe(1);
    await lab.clock.advance(200);
    let last: string | undefined;
    for (let line = await watch.line(); line !== undefined; line = await watch.line()) last = line;
    expect(last ?? '{"type":"BOOKMARK"').toContain('"type":"BOOKMARK"');
    expect(watch.complete).toBe(true);
    expect(lab.watchers()).toBe(0);
  });

  it('lives 30 to 60 minutes where nobody says how long', async () => {
    const watch = await lab.watch(`${CMS}?watch=1`);
    await lab.clock.advance(1_799_000);
    expect(lab.watchers()).toBe(1);
    await lab.clock.advance(1_801_000);
    expect(await watch.line()).toBeUndefined();
    expect(watch.complete).toBe(true);
  });

  it('whose timeout is negative has ended already', async () => {
    const watch = await lab.watch(`${EVENTS}?watch=1&resourceVersion=0&timeoutSeconds=-1`);
    expect(watch.response.statusCode).toBe(200);
    expect(await watch.line()).toBeUndefined();
    expect(watch.complete).toBe(true);
  });

  it('leaves no watcher behind when its client goes', async () => {
    const watches = await Promise.all([1, 2, 3].map(() => lab.watch(`${CMS}?watch=1`)));
    expect(lab.watchers()).toBe(3);
    for (const watch of watches) watch.leave();
    expect(await turnsUntil(lab.clock, () => lab.watchers() === 0)).toBe(true);
  });

  it('accepts a deprecated path whatever its query says', async () => {
    const watch = await lab.watch('/api/v1/watch/namespaces/default/configmaps?watch=0');
    await configMap('a');
    expect(await watch.event()).toMatchObject({ type: 'ADDED' });
    const one = await lab.watch('/api/v1/watch/namespaces/default/configmaps/b');
    await configMap('c');
    await configMap('b');
    expect(await one.event()).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'b' } } });
  });

  it('of one namespace by the deprecated path sees the state and nothing more, as 1.30.3', async () => {
    const watch = await lab.watch('/api/v1/watch/namespaces/default?resourceVersion=0');
    const bySelector = await lab.watch(
      '/api/v1/namespaces?watch=1&resourceVersion=0&fieldSelector=metadata.name%3Ddefault',
    );
    expect((await watch.event()).object.metadata.name).toBe('default');
    expect((await bySelector.event()).object.metadata.name).toBe('default');
    await lab.call('PATCH', '/api/v1/namespaces/default', {
      headers: { 'Content-Type': 'application/merge-patch+json' },
      body: { metadata: { labels: { l: '1' } } },
    });
    expect(await bySelector.event()).toMatchObject({ type: 'MODIFIED' });
    expect(watch.waiting).toBe(0);
  });

  it('as a Table names its columns once, and its bookmarks are rows of nothing', async () => {
    const watch = await lab.watch(`${CMS}?watch=1&allowWatchBookmarks=true&timeoutSeconds=10`, TABLE);
    await configMap('a', { k: 'v' });
    await configMap('b');
    const [first, second] = [await watch.event(), await watch.event()];
    expect(first.object.columnDefinitions.map((one: { name: string }) => one.name)).toEqual(['Name', 'Data', 'Age']);
    expect(first.object.rows[0].cells).toEqual(['a', 1, '0s']);
    expect(first.object.rows[0].object).toMatchObject({ kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1' });
    expect(second.object.columnDefinitions).toBeNull();
    await lab.clock.advance(9_900);
    const bookmark = await watch.event();
    expect(bookmark).toMatchObject({ type: 'BOOKMARK', object: { kind: 'Table', columnDefinitions: null } });
    expect(bookmark.object.rows[0].cells.slice(0, 2)).toEqual(['', 0]);
  });

  it('as PartialObjectMetadata has metadata alone; as a list of it, it ends at the first event', async () => {
    const watch = await lab.watch(`${CMS}?watch=1`, META);
    const list = await lab.watch(`${CMS}?watch=1`, META_LIST);
    await configMap('a', { k: 'v' });
    const { object } = await watch.event();
    expect(Object.keys(object)).toEqual(['kind', 'apiVersion', 'metadata']);
    expect(await list.line()).toBeUndefined();
    expect(list.complete).toBe(true);
  });

  it('keeps an ERROR a Status under every form', async () => {
    const rv = await configMap('a');
    for (const name of ['b', 'c', 'd', 'e']) await configMap(name);
    const watch = await lab.watch(`${CMS}?watch=1&resourceVersion=${rv}`, TABLE);
    expect(await watch.event()).toMatchObject({ type: 'ERROR', object: { kind: 'Status', code: 410 } });
  });

  it('in YAML is refused, but only after the storage accepted it', async () => {
    const answer = await lab.call('GET', `${CMS}?watch=1`, { headers: { Accept: 'application/yaml' } });
    expect(answer.status).toBe(406);
    expect(answer.text).toContain(
      "message: 'only the following media types are accepted: application/json;stream=watch,",
    );
    expect(lab.watchers()).toBe(0);
  });

  it('goes through a reader that does not read, and is there in full when it does', async () => {
    const watch = await lab.watch(`${EVENTS}?watch=1&resourceVersion=0`);
    watch.response.pause();
    const message = 'x'.repeat(200_000);
    const count = 60;
    for (let i = 0; i < count; i++) {
      await lab.call('POST', EVENTS, { body: { metadata: { name: `e${i}` }, involvedObject: {}, message } });
    }
    watch.response.resume();
    for (let i = 0; i < count; i++) expect((await watch.event()).object.metadata.name).toBe(`e${i}`);
  });
});

describe('close', () => {
  it('ends every watch properly, and nothing listens any more', async () => {
    const watches = await Promise.all([lab.watch(`${CMS}?watch=1`), lab.watch(`${EVENTS}?watch=1`)]);
    await lab.close();
    for (const watch of watches) {
      expect(await watch.line()).toBeUndefined();
      expect(watch.complete).toBe(true);
    }
    await expect(lab.call('GET', '/version')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    lab = await testServer();
  });

  it('does not wait for a reader that stopped reading', async () => {
    const watch = await lab.watch(`${EVENTS}?watch=1&resourceVersion=0`);
    watch.response.pause();
    const message = 'x'.repeat(1_000_000);
    for (let i = 0; i < 20; i++)
      await lab.call('POST', EVENTS, { body: { metadata: { name: `e${i}` }, involvedObject: {}, message } });
    await lab.close();
    lab = await testServer();
    watch.leave();
    expect(watch.complete).not.toBe(true);
  });
});
