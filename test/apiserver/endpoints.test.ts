import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApiServer } from '../../src/apiserver/apiserver.ts';
import { RESOURCES } from '../../src/apiserver/resources.ts';
import { seededRandom } from '../../src/util/random.ts';
import { call, openWatch, type TestServer, testServer } from '../support/test-server.ts';

let lab: TestServer;
beforeAll(async () => {
  lab = await testServer();
});
afterAll(() => lab.close());

const get = (path: string, headers = {}) => lab.call('GET', path, { headers });

describe('discovery', () => {
  it('says that it is v1.30.3', async () => {
    const version = await get('/version');
    expect(version.body).toMatchObject({ major: '1', minor: '30', gitVersion: 'v1.30.3' });
    // Indented for everybody, as upstream.
    expect(version.text).toBe(JSON.stringify(version.body, undefined, 2));
  });

  it('lists versions, groups and types, as kubectl asks for them', async () => {
    expect((await get('/api?timeout=32s')).body).toMatchObject({ kind: 'APIVersions', versions: ['v1'] });
    const groups = (await get('/apis?timeout=32s')).body;
    expect(groups.kind).toBe('APIGroupList');
    expect(groups.groups.map((one: { name: string }) => one.name)).toEqual([
      'coordination.k8s.io',
      'apps',
      'authentication.k8s.io',
    ]);
    expect((await get('/apis/apps')).body).toMatchObject({
      kind: 'APIGroup',
      name: 'apps',
      preferredVersion: { groupVersion: 'apps/v1', version: 'v1' },
    });
    const core = (await get('/api/v1')).body;
    expect(core).toMatchObject({ kind: 'APIResourceList', groupVersion: 'v1' });
    expect(core.resources).toContainEqual({
      name: 'pods',
      singularName: 'pod',
      namespaced: true,
      kind: 'Pod',
      verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
      shortNames: ['po'],
      categories: ['all'],
    });
    const apps = (await get('/apis/apps/v1')).body;
    expect(apps.resources.map((one: { name: string }) => one.name)).toEqual([
      'deployments',
      'deployments/scale',
      'deployments/status',
    ]);
  });

  it('every type of the table answers its list, or says that it has none', async () => {
    for (const { group, version, name, verbs } of RESOURCES) {
      const { status, body } = await get(`/${group === '' ? 'api' : `apis/${group}`}/${version}/${name}`);
      expect(status, name).toBe(verbs.includes('list') ? 200 : 405);
      if (status === 200) expect(body.items, name).toBeInstanceOf(Array);
    }
  });

  it('has the OpenAPI that kubectl wants before it creates', async () => {
    const { paths } = (await get('/openapi/v3')).body;
    expect(Object.keys(paths)).toEqual(expect.arrayContaining(['api/v1', 'apis/apps/v1']));
    const { body } = await get(paths['api/v1'].serverRelativeURL);
    expect(body.paths['/api/v1/namespaces/{namespace}/pods/{name}'].patch).toMatchObject({
      parameters: [{ name: 'fieldValidation', in: 'query' }],
      'x-kubernetes-group-version-kind': { group: '', version: 'v1', kind: 'Pod' },
    });
    expect((await get('/openapi/v3/apis/nosuch/v1')).status).toBe(404);
  });

  it('answers health checks', async () => {
    for (const path of ['/healthz', '/livez', '/readyz'])
      expect(await get(path)).toMatchObject({ status: 200, text: 'ok' });
  });

  it('knows no tokens and warns of what is deprecated', async () => {
    const review = await lab.call('POST', '/apis/authentication.k8s.io/v1/tokenreviews', {
      body: { spec: { token: 't' } },
    });
    expect(review).toMatchObject({ status: 201, body: { kind: 'TokenReview', status: { user: {} } } });
    expect(review.body.status.authenticated).toBeUndefined();
    expect((await get('/api/v1/componentstatuses')).headers.warning).toBe(
      '299 - "v1 ComponentStatus is deprecated in v1.19+"',
    );
  });
});

describe('metrics', () => {
  const value = (text: string, series: string) =>
    text
      .split('\n')
      .find((line) => line.startsWith(`${series} `))
      ?.split(' ')[1];

  it('have the cacher’s names and labels, and when the server started', async () => {
    const { headers, text } = await get('/metrics');
    expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(value(text, 'apiserver_watch_cache_initializations_total{resource="pods"}')).toBe('1');
    expect(value(text, 'apiserver_watch_cache_initializations_total{resource="deployments.apps"}')).toBe('1');
    expect(value(text, 'watch_cache_capacity{resource="leases.coordination.k8s.io"}')).toBe('100');
    expect(value(text, 'apiserver_terminated_watchers_total{resource="pods"}')).toBe('0');
    expect(text).not.toContain('initializations_total{resource="events"}');
    expect(value(text, 'process_start_time_seconds')).toBe(String(Date.UTC(2026, 0, 1) / 1000));
    expect(text).toMatch(/^# HELP \S+ .+\n# TYPE \S+ (?:counter|gauge)\n/);
    expect(text.endsWith('\n')).toBe(true);
  });

  it('count open watches and what they were sent', async () => {
    const path = '/api/v1/namespaces/default/configmaps';
    const open =
      'apiserver_longrunning_requests{component="apiserver",group="",resource="configmaps",scope="namespace",subresource="",verb="WATCH",version="v1"}';
    const watch = await lab.watch(`${path}?watch=1&timeoutSeconds=5`);
    await lab.call('POST', path, { body: { metadata: { name: 'a' } } });
    await watch.line();
    const during = (await get('/metrics')).text;
    expect(value(during, open)).toBe('1');
    expect(value(during, 'apiserver_watch_events_total{group="",kind="ConfigMap",version="v1"}')).toBe('1');
    await lab.clock.advance(6_000);
    expect(await watch.line()).toBeUndefined();
    expect(value((await get('/metrics')).text, open)).toBe('0');
  });
});

describe('lists', () => {
  it('do not repeat the type in their items, and are whole JSON', async () => {
    const path = '/api/v1/namespaces/default/secrets';
    for (const name of ['a', 'b', 'c'])
      await lab.call('POST', path, { body: { metadata: { name }, stringData: { k: '<' } } });
    const { text, body } = await get(`${path}?limit=2`);
    expect(text).toMatch(
      /^\{"kind":"SecretList","apiVersion":"v1","metadata":\{"resourceVersion":"\d+","continue":"[\w-]+","remainingItemCount":1\},"items":\[\{"metadata":\{"name":"a",/,
    );
    expect(body.items.map((one: { metadata: { name: string } }) => one.metadata.name)).toEqual(['a', 'b']);
    expect(body.items[0].kind).toBeUndefined();
    const rest = await get(`${path}?limit=2&continue=${body.metadata.continue}`);
    expect(rest.body.items).toHaveLength(1);
    expect(rest.body.metadata.continue).toBeUndefined();
  });

  it('are indented for whom reads them', async () => {
    const path = '/api/v1/namespaces/default/endpoints';
    expect((await get(`${path}?pretty=true`)).text).toContain('\n  "kind": "EndpointsList",');
    expect((await get(path, { 'User-Agent': 'curl/8' })).text).toContain('\n  "kind"');
    expect((await get(`${path}?pretty=false`, { 'User-Agent': 'curl/8' })).text).toMatch(/^\{"kind"/);
  });

  it('come as YAML, as metadata, as a Table', async () => {
    const path = '/api/v1/namespaces/kube-public/podtemplates';
    expect((await get(path, { Accept: 'application/yaml' })).text).toMatch(
      /^apiVersion: v1\nitems: \[\]\nkind: PodTemplateList\nmetadata:\n {2}resourceVersion: "\d+"\n$/,
    );
    const meta = await get(path, { Accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io' });
    expect(meta.body).toMatchObject({ kind: 'PartialObjectMetadataList', items: null });
    const table = await get(path, { Accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json' });
    expect(table.body).toMatchObject({ kind: 'Table', apiVersion: 'meta.k8s.io/v1', rows: [] });
  });

  it('tell the trace of a 410, with the Audit-Id of the answer', async () => {
    await lab.store.compact(lab.store.state().revision);
    const { status, headers, body } = await get('/api/v1/pods?resourceVersion=1001&resourceVersionMatch=Exact');
    expect(status).toBe(410);
    expect(body.message).toBe('The resourceVersion for the provided list is too old.');
    expect(lab.trace.find((event) => event.what === 'refuse')).toMatchObject({
      resource: 'pods',
      auditId: headers['audit-id'],
      requested: '1001',
      refusedBy: 'etcd',
      because: 'compacted',
    });
  });
});

describe('a port in use', () => {
  it('rejects, and leaves nothing running', async () => {
    await expect(testServer({ port: lab.server.port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
    expect((await call(lab.url, 'GET', '/readyz')).status).toBe(200);
  });
});

describe('two apiservers on one store', () => {
  it('see each other’s writes; one that starts later has a shorter history', async () => {
    const path = '/api/v1/namespaces/kube-system/configmaps';
    const { body } = await lab.call('POST', path, { body: { metadata: { name: 'shared' } } });
    const before = Number(body.metadata.resourceVersion) - 1;
    const late = await startApiServer({
      store: lab.store,
      clock: lab.clock,
      random: seededRandom(2),
      cacheSize: 'auto',
      port: 0,
    });
    const watch = await openWatch(late.url, `${path}?watch=1&resourceVersion=${lab.store.state().revision}`);
    await lab.call('POST', path, { body: { metadata: { name: 'second' } } });
    expect((await watch.event()).object.metadata.name).toBe('second');
    const refused = await openWatch(late.url, `${path}?watch=1&resourceVersion=${before}`);
    expect((await refused.event()).object.message).toMatch(
      new RegExp(`^too old resource version: ${before} \\(\\d+\\)$`),
    );
    expect((await (await lab.watch(`${path}?watch=1&resourceVersion=${before}`)).event()).object.metadata.name).toBe(
      'shared',
    );
    const closed = late.close();
    await lab.clock.advance(2_000);
    await closed;
    expect(await watch.line()).toBeUndefined();
    expect((await call(lab.url, 'GET', '/readyz')).status).toBe(200);
  });
});
