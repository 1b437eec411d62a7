import { describe, expect, it } from 'vitest';
import type { TargetSpec } from '../../src/client/run.ts';
import {
  fromStart,
  listPath,
  planRequests,
  sidePath,
  singleNamePath,
  watchPath,
  windowPath,
  withTimeout,
} from '../../src/client/watch-request.ts';

const PODS = '/api/v1/namespaces/shop/pods';
const plan = (spec: Partial<TargetSpec> = {}) =>
  planRequests(3, { path: PODS, query: '', raw: true, start: 'url', ...spec });
const half = () => 0.5;

describe('paths: what is watched', () => {
  it.each([
    ['/api/v1/pods', { group: '', version: 'v1', resource: 'pods' }, '/api/v1/pods'],
    [PODS, { group: '', version: 'v1', resource: 'pods', namespace: 'shop' }, PODS],
    [`${PODS}/web-0`, { resource: 'pods', namespace: 'shop', name: 'web-0' }, PODS],
    [
      '/api/v1/watch/namespaces/shop/endpoints/cart',
      { resource: 'endpoints', name: 'cart' },
      '/api/v1/namespaces/shop/endpoints',
    ],
    ['/api/v1/watch/pods', { resource: 'pods' }, '/api/v1/pods'],
    [
      '/apis/apps/v1/deployments',
      { group: 'apps', version: 'v1', resource: 'deployments' },
      '/apis/apps/v1/deployments',
    ],
    [
      '/apis/x.io/v1alpha1/namespaces/n/widgets/',
      { group: 'x.io', resource: 'widgets', namespace: 'n' },
      '/apis/x.io/v1alpha1/namespaces/n/widgets',
    ],
    ['/api/v1/namespaces', { resource: 'namespaces' }, '/api/v1/namespaces'],
    ['/api/v1/namespaces/shop', { resource: 'namespaces', name: 'shop' }, '/api/v1/namespaces'],
    ['/k8s/clusters/c-1/api/v1/pods', { resource: 'pods' }, '/k8s/clusters/c-1/api/v1/pods'],
    [
      '/apis/search.io/v1/proxying/cache/proxy/api/v1/pods',
      { group: '', resource: 'pods' },
      '/apis/search.io/v1/proxying/cache/proxy/api/v1/pods',
    ],
    ['/api/v1/namespaces/a%20b/pods', { namespace: 'a b' }, '/api/v1/namespaces/a%20b/pods'],
    ['/api/v1/namespaces/%zz/pods', { namespace: '%zz' }, '/api/v1/namespaces/%zz/pods'],
  ])('%s', (path, target, list) => {
    const made = plan({ path });
    expect(made.target).toMatchObject({ index: 3, path, ...target });
    expect(made.listPath).toBe(list);
  });

  it.each(['/metrics', '/api/v1/', '/', '/healthz/etcd'])(
    '%s is no resource, and is asked for all the same',
    (path) => {
      expect(plan({ path }).target).toEqual({ index: 3, path });
    },
  );
});

describe('watch requests', () => {
  it.each([
    ['', `${PODS}?watch=1`],
    ['watch', `${PODS}?watch`],
    ['watch=true&x=1', `${PODS}?watch=true&x=1`],
    ['watch=false', `${PODS}?watch=false`],
    ['labelSelector=a%3Db&labelSelector=c', `${PODS}?labelSelector=a%3Db&labelSelector=c&watch=1`],
    ['resourceVersion=5&&y', `${PODS}?resourceVersion=5&y&watch=1`],
  ])('a raw query %j is sent as given', (query, path) => {
    const made = plan({ query });
    expect(watchPath(made, fromStart(made), half)).toBe(path);
  });

  it('adds nothing to a path that says watch itself', () => {
    const made = plan({ path: '/api/v1/watch/pods' });
    expect(watchPath(made, fromStart(made), half)).toBe('/api/v1/watch/pods');
  });

  it.each([
    ['unset', 'resourceVersion=5', `${PODS}?watch=1`],
    [{ rv: '0' }, 'resourceVersion=5', `${PODS}?resourceVersion=0&watch=1`],
    [{ rv: '77' }, '', `${PODS}?watch=1&resourceVersion=77`],
  ] as const)('--rv %j takes the place of the one in the query', (start, query, path) => {
    const made = plan({ start, query });
    expect(watchPath(made, fromStart(made), half)).toBe(path);
  });

  it('of two RVs in a query, one is left', () => {
    expect(watchPath(plan({ query: 'resourceVersion=1&watch=1&resourceVersion=2' }), { as: 'rv', rv: '9' }, half)).toBe(
      `${PODS}?resourceVersion=9&watch=1`,
    );
  });

  it('asks for bookmarks and a timeout of 300 to 599 s where the query is ours', () => {
    const made = plan({ raw: false, start: 'list', query: 'labelSelector=a' });
    expect(watchPath(made, { as: 'rv', rv: '9' }, half)).toBe(
      `${PODS}?labelSelector=a&watch=1&allowWatchBookmarks=true&timeoutSeconds=450&resourceVersion=9`,
    );
    expect(watchPath(made, { as: 'rv', rv: '9' }, () => 0.999_999)).toContain('timeoutSeconds=599');
  });

  it('keeps what was meant for the LIST out of the watch after it', () => {
    const query = 'resourceVersion=5&resourceVersionMatch=Exact&limit=2';
    expect(watchPath(plan({ start: 'list', query }), { as: 'rv', rv: '9' }, half)).toBe(
      `${PODS}?resourceVersion=9&limit=2&watch=1`,
    );
    expect(
      watchPath(plan({ start: 'list', query: `${query}&sendInitialEvents=true` }), { as: 'rv', rv: '9' }, half),
    ).toContain('resourceVersionMatch');
  });

  it('takes another timeout', () => {
    expect(watchPath(withTimeout(plan({ query: 'timeoutSeconds=9' }), 5), { as: 'given' }, half)).toBe(
      `${PODS}?timeoutSeconds=5&watch=1`,
    );
  });
});

describe('list requests', () => {
  it.each([
    [{ raw: false, start: 'list', query: 'fieldSelector=a%3Db' }, 'start', `${PODS}?fieldSelector=a%3Db&limit=500`],
    [{ start: 'list', query: 'limit=2&watch=1&timeoutSeconds=9' }, 'start', `${PODS}?limit=2`],
    [
      { start: 'list', query: 'resourceVersion=5&allowWatchBookmarks=true' },
      'start',
      `${PODS}?resourceVersion=5&allowWatchBookmarks=true`,
    ],
    [{ start: 'list', query: 'resourceVersion=5' }, 'fresh', `${PODS}?limit=500`],
    [{ start: 'now', raw: false }, 'start', `${PODS}?limit=1`],
    [
      { query: 'resourceVersion=5&labelSelector=a&sendInitialEvents=true' },
      'fresh',
      `${PODS}?labelSelector=a&limit=500`,
    ],
    [
      { path: `${PODS}/web-0`, query: 'fieldSelector=spec.nodeName%3Dx' },
      'fresh',
      `${PODS}?fieldSelector=spec.nodeName%3Dx%2Cmetadata.name%3Dweb-0&limit=500`,
    ],
  ] as const)('%j, %s', (spec, as, path) => {
    expect(listPath(plan(spec), { as })).toBe(path);
  });

  it('drops the RV beside a continue token', () => {
    expect(
      listPath(plan({ start: 'list', query: 'resourceVersion=5&limit=2' }), { as: 'start', continue: 'a/b=' }),
    ).toBe(`${PODS}?limit=2&continue=a%2Fb%3D`);
  });
});

describe('probe requests', () => {
  const name = 'fieldSelector=metadata.name%3Dkwatch-probe-matches-nothing';

  it('window: a watch from 1 with a selector that matches nothing, never by the legacy path', () => {
    expect(windowPath(plan({ path: '/api/v1/watch/namespaces/shop/pods/web-0' }))).toBe(
      `${PODS}?watch=1&resourceVersion=1&timeoutSeconds=1&${name}`,
    );
  });

  it.each([
    [PODS, undefined, `${PODS}?${name}&resourceVersion=41&resourceVersionMatch=Exact`],
    ['/api/v1/pods', true, `/api/v1/namespaces/default/pods?${name}&resourceVersion=41&resourceVersionMatch=Exact`],
    ['/api/v1/nodes', false, `/api/v1/nodes?${name}&resourceVersion=41&resourceVersionMatch=Exact`],
    ['/apis/x.io/v1/widgets', undefined, '/apis/x.io/v1/widgets?limit=1&resourceVersion=41&resourceVersionMatch=Exact'],
  ])('exact at 41 for %s, namespaced: %j', (path, namespaced, asked) => {
    expect(singleNamePath(plan({ path }), '41', namespaced)).toBe(asked);
  });

  it('cache-rv: at 0, without a match', () => {
    expect(singleNamePath(plan(), '0', undefined)).toBe(`${PODS}?${name}&resourceVersion=0`);
  });

  it('side: the same selectors, a few seconds', () => {
    expect(
      sidePath(
        plan({ path: `${PODS}/web-0`, query: 'labelSelector=a%3Db&timeoutSeconds=600&resourceVersion=1' }),
        '41',
      ),
    ).toBe(
      `${PODS}?watch=1&allowWatchBookmarks=true&timeoutSeconds=5&resourceVersion=41&labelSelector=a%3Db&fieldSelector=metadata.name%3Dweb-0`,
    );
  });
});
