import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import {
  deploymentColumns,
  endpointsColumns,
  eventColumns,
  podColumns,
  serviceColumns,
} from '../../src/apiserver/columns.ts';
import { negotiate, negotiateError } from '../../src/apiserver/negotiation.ts';
import { zeroObject } from '../../src/apiserver/resource.ts';
import { RESOURCES } from '../../src/apiserver/resources.ts';
import { routeOf } from '../../src/apiserver/route.ts';
import { nameSuffix, uuid } from '../../src/apiserver/uuid.ts';
import { toYaml } from '../../src/apiserver/yaml-document.ts';
import { ApiError } from '../../src/protocol/api-error.ts';
import { encodeBookmark } from '../../src/protocol/watch-encoder.ts';
import { humanDuration } from '../../src/util/human-duration.ts';
import { seededRandom } from '../../src/util/random.ts';

describe('negotiate', () => {
  const table = (version: string) => ({ format: 'json', transform: 'Table', version });
  it.each([
    [undefined, { format: 'json', transform: undefined }],
    ['*/*', { format: 'json', transform: undefined }],
    ['application/*', { format: 'json' }],
    ['application/json;stream=watch', { format: 'json' }],
    ['application/yaml, application/json;q=0.5', { format: 'yaml' }],
    ['application/yaml;q=0.1, application/json;q=0.5', { format: 'json' }],
    ['application/vnd.kubernetes.protobuf, application/json', { format: 'json' }],
    ['application/json;as=Table;v=v1;g=meta.k8s.io', table('v1')],
    [
      'application/json;as=Table;g=meta.k8s.io;v=v9, application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json',
      table('v1beta1'),
    ],
    ['application/json;as=Nope;v=v1;g=meta.k8s.io, */*', { format: 'json', transform: undefined }],
    ['application/json;stream=nope, application/yaml', { format: 'yaml' }],
    ['garbage, ,;;, application/json', { format: 'json' }],
  ])('%j', (accept, expected) => {
    expect(negotiate(accept)).toMatchObject(expected);
  });

  it.each([
    'text/html',
    'application/json;as=Table;v=v9;g=meta.k8s.io',
    'application/json;as=Table;v=v1',
    'application/vnd.kubernetes.protobuf',
    'application/json;sv=v2',
  ])('%j is refused', (accept) => {
    expect(() => negotiate(accept)).toThrow(ApiError);
  });

  it('errors are never transformed', () => {
    expect(negotiateError('application/json;as=Table;v=v1;g=meta.k8s.io')).toBeUndefined();
    expect(negotiateError('application/json;as=Table;v=v1;g=meta.k8s.io, application/yaml')).toBe('yaml');
    expect(negotiateError('text/html')).toBeUndefined();
  });
});

describe('routeOf', () => {
  const of = (path: string) => {
    const route = routeOf(path, RESOURCES);
    if (route.kind !== 'resource') return route.kind;
    const { resource, namespace, name, subresource, forceWatch } = route;
    return [resource.name, namespace, name, subresource, forceWatch];
  };
  it.each([
    ['/api', 'discovery'],
    ['/api/', 'discovery'],
    ['/apis', 'discovery'],
    ['/apis/apps', 'discovery'],
    ['/api/v1', 'discovery'],
    ['/api/v1/pods', ['pods', undefined, undefined, undefined, false]],
    ['/api/v1/pods/', ['pods', undefined, undefined, undefined, false]],
    ['/api/v1/namespaces/a/pods', ['pods', 'a', undefined, undefined, false]],
    ['/api/v1/namespaces/a/pods/b', ['pods', 'a', 'b', undefined, false]],
    ['/api/v1/namespaces/a/pods/b/status', ['pods', 'a', 'b', 'status', false]],
    ['/api/v1/namespaces/a/pods/b%2Fc', ['pods', 'a', 'b/c', undefined, false]],
    ['/api/v1/namespaces/a', ['namespaces', undefined, 'a', undefined, false]],
    ['/api/v1/namespaces/a/finalize', ['namespaces', undefined, 'a', 'finalize', false]],
    ['/api/v1/namespaces', ['namespaces', undefined, undefined, undefined, false]],
    ['/api/v1/watch/pods', ['pods', undefined, undefined, undefined, true]],
    ['/api/v1/watch/namespaces/a/pods/b', ['pods', 'a', 'b', undefined, true]],
    ['/api/v1/watch/namespaces/a', ['namespaces', undefined, 'a', undefined, true]],
    ['/apis/apps/v1/namespaces/a/deployments', ['deployments', 'a', undefined, undefined, false]],
    ['/api/v1/watch', 'no-such-resource'],
    ['/api/v1/watch/bindings', 'no-such-resource'],
    ['/api/v1/watch/namespaces/a/pods/b/status', 'no-such-resource'],
    ['/api/v1/deployments', 'no-such-resource'],
    ['/api/v1/pods/b', 'no-such-resource'],
    ['/api/v1/namespaces/a/pods/b/log', 'no-such-resource'],
    ['/api/v1/namespaces/a/pods/b/status/x', 'no-such-resource'],
    ['/api/v1/namespaces//pods', 'no-such-resource'],
    ['/api/v1/namespaces/a/namespaces', 'no-such-resource'],
    ['/apis/apps/v2/deployments', 'no-such-resource'],
    ['/apis/nosuch', 'other'],
    ['/', 'other'],
    ['//', 'other'],
    ['/%', 'other'],
  ])('%s', (path, expected) => {
    expect(of(path)).toEqual(expected);
  });
});

describe('bookmarks', () => {
  const bytes = (name: string, end = false) => {
    const resource = RESOURCES.find((one) => one.name === name);
    return resource && Buffer.from(encodeBookmark(zeroObject(resource), 5, end)).toString();
  };
  const meta = '"metadata":{"resourceVersion":"5","creationTimestamp":null}';
  it.each([
    ['pods', `"kind":"Pod","apiVersion":"v1",${meta},"spec":{"containers":null},"status":{}`],
    ['configmaps', `"kind":"ConfigMap","apiVersion":"v1",${meta}`],
    ['secrets', `"kind":"Secret","apiVersion":"v1",${meta}`],
    ['endpoints', `"kind":"Endpoints","apiVersion":"v1",${meta}`],
    ['serviceaccounts', `"kind":"ServiceAccount","apiVersion":"v1",${meta}`],
    ['limitranges', `"kind":"LimitRange","apiVersion":"v1",${meta},"spec":{"limits":null}`],
    [
      'podtemplates',
      `"kind":"PodTemplate","apiVersion":"v1",${meta},"template":{"metadata":{"creationTimestamp":null},"spec":{"containers":null}}`,
    ],
    ['leases', `"kind":"Lease","apiVersion":"coordination.k8s.io/v1",${meta},"spec":{}`],
  ])('%s', (name, object) => {
    expect(bytes(name)).toBe(`{"type":"BOOKMARK","object":{${object}}}\n`);
  });

  it('mark the end of the initial events', () => {
    expect(bytes('configmaps', true)).toBe(
      '{"type":"BOOKMARK","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"resourceVersion":"5","creationTimestamp":null,"annotations":{"k8s.io/initial-events-end":"true"}}}}\n',
    );
  });
});

describe('columns', () => {
  const now = Date.parse('2026-01-01T01:00:00Z');
  const metadata = { name: 'x', creationTimestamp: '2026-01-01T00:00:00Z' };
  const cells = (columns: typeof podColumns, object: object) =>
    columns.map((one) => one.cell({ metadata, ...object }, now));
  const running = {
    containerStatuses: [
      { ready: true, restartCount: 2 },
      { ready: false, restartCount: 1, state: { waiting: { reason: 'CrashLoopBackOff' } } },
    ],
    podIP: '10.0.0.1',
    phase: 'Running',
  };

  it.each([
    [
      'a new pod',
      podColumns,
      { spec: { containers: [{}] }, status: { phase: 'Pending' } },
      ['x', '0/1', 'Pending', '0', '60m', '<none>', '<none>', '<none>', '<none>'],
    ],
    [
      'a pod in trouble',
      podColumns,
      { spec: { containers: [{}, {}], nodeName: 'n' }, status: running },
      ['x', '1/2', 'CrashLoopBackOff', '3', '60m', '10.0.0.1', 'n', '<none>', '<none>'],
    ],
    [
      'a pod that goes',
      podColumns,
      { metadata: { ...metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } },
      ['x', '0/0', 'Terminating', '0', '60m', '<none>', '<none>', '<none>', '<none>'],
    ],
    [
      'nothing at all',
      podColumns,
      { metadata: {}, spec: 'x', status: [] },
      ['', '0/0', '', '0', '<unknown>', '<none>', '<none>', '<none>', '<none>'],
    ],
    [
      'a deployment',
      deploymentColumns,
      {
        spec: { replicas: 3, template: { spec: { containers: [{ name: 'c', image: 'i' }] } } },
        status: { readyReplicas: 1, updatedReplicas: 2 },
      },
      ['x', '1/3', 2, 0, '60m', 'c', 'i', '<none>'],
    ],
    [
      'endpoints',
      endpointsColumns,
      { subsets: [{ addresses: [{ ip: '1' }, { ip: '2' }, { ip: '3' }, { ip: '4' }], ports: [{ port: 80 }] }] },
      ['x', '1:80,2:80,3:80 + 1 more...', '60m'],
    ],
    [
      'a service',
      serviceColumns,
      {
        spec: {
          type: 'NodePort',
          clusterIP: 'None',
          ports: [{ port: 80, nodePort: 30000, protocol: 'TCP' }],
          selector: { b: '1', a: '2' },
        },
      },
      ['x', 'NodePort', 'None', '<none>', '80:30000/TCP', '60m', 'a=2,b=1'],
    ],
    [
      'an event',
      eventColumns,
      {
        type: 'Normal',
        reason: 'R',
        message: ' m ',
        involvedObject: { kind: 'Pod', name: 'p' },
        lastTimestamp: '2026-01-01T00:59:00Z',
        count: 4,
      },
      ['60s', 'Normal', 'R', 'pod/p', '', '', 'm', '<unknown>', 4, 'x'],
    ],
  ])('of %s', (_, columns, object, expected) => {
    expect(cells(columns, object)).toEqual(expected);
  });
});

describe('humanDuration', () => {
  const [s, m, h, d] = [1000, 60_000, 3_600_000, 86_400_000];
  it.each([
    [-5 * s, '<invalid>'],
    [-1 * s, '0s'],
    [0, '0s'],
    [119 * s, '119s'],
    [2 * m, '2m'],
    [2 * m + 5 * s, '2m5s'],
    [10 * m + 5 * s, '10m'],
    [179 * m, '179m'],
    [3 * h + 5 * m, '3h5m'],
    [8 * h + 5 * m, '8h'],
    [47 * h, '47h'],
    [49 * h, '2d1h'],
    [8 * d + 5 * h, '8d'],
    [729 * d, '729d'],
    [731 * d, '2y1d'],
    [9 * 365 * d, '9y'],
    [Number.NaN, '<invalid>'],
  ])('%d ms is %s', (ms, expected) => {
    expect(humanDuration(ms)).toBe(expected);
  });
});

describe('toYaml', () => {
  it('writes what a YAML reader reads back', () => {
    const json = fc.jsonValue({ maxDepth: 4 }).filter((value) => !JSON.stringify(value).includes('__proto__'));
    fc.assert(
      fc.property(json, (value) => {
        expect(parse(toYaml(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    '-! ',
    '-a: b',
    '-a #b',
    'true',
    'null',
    '~',
    '1',
    '-',
    '- a',
    'a: b',
    'a #b',
    '#a',
    "it's",
    '*a',
    '&a',
    '[a',
    '{a',
    '0x1',
    '1e3',
    '.5',
    ' a',
    'a ',
    'a\nb',
    '2026-01-01',
    'yes',
    '',
    'x'.repeat(100),
    'word '.repeat(40).trim(),
    '%a',
    '@a',
    '`a',
    'a:',
    ':a',
    '?',
    '? a',
    '---',
    '...',
    '=',
    '<<',
    '1_000',
    '0o7',
    '12:30:45',
  ])('reads %j back as a text', (text) => {
    expect(parse(toYaml({ k: text, l: [text] }))).toEqual({ k: text, l: [text] });
  });
});

describe('uuid', () => {
  it('is a version 4 UUID, and repeats with the seed', () => {
    const random = seededRandom(1);
    const made = Array.from({ length: 100 }, () => uuid(random));
    for (const one of made)
      expect(one).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(new Set(made).size).toBe(100);
    expect(uuid(seededRandom(1))).toBe(made[0]);
    expect(nameSuffix(random)).toHaveLength(5);
  });
});
