import net from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestServer, testServer, turnsUntil } from '../support/test-server.ts';

let lab: TestServer;
beforeAll(async () => {
  lab = await testServer();
});
afterAll(async () => {
  await lab.close();
  expect(lab.faults).toEqual([]);
});

const CMS = '/api/v1/namespaces/default/configmaps';
const names = fc.constantFrom(
  'a',
  'b',
  '..',
  '%2e%2e',
  'a%2Fb',
  '__proto__',
  'constructor',
  '%00',
  '%E0%A4%A',
  'x'.repeat(300),
);
const types = fc.constantFrom(
  'configmaps',
  'pods',
  'events',
  'deployments',
  'namespaces',
  'bindings',
  'watch',
  'nosuch',
  '',
);
const paths = fc.oneof(
  fc.tuple(names, types, names).map(([ns, type, name]) => `/api/v1/namespaces/${ns}/${type}/${name}`),
  fc.tuple(types, names).map(([type, name]) => `/api/v1/watch/${type}/${name}`),
  fc.tuple(types, types).map(([one, other]) => `/apis/${one}/v1/${other}`),
  fc.constantFrom(CMS, `${CMS}/a`, '/metrics', '/readyz', '/openapi/v3/..', '//', '/api/v1/pods/'),
);
const values = fc.constantFrom(
  '',
  '0',
  '1',
  '-1',
  'abc',
  '18446744073709551616',
  'a=b',
  'a,,b',
  'in (',
  '%',
  'Exact',
  'true',
  'All',
  '1ms',
  'e30',
  '\\',
  'metadata.name=..',
);
const query = fc.array(
  fc.tuple(
    fc.constantFrom(
      'resourceVersion',
      'resourceVersionMatch',
      'limit',
      'continue',
      'labelSelector',
      'fieldSelector',
      'sendInitialEvents',
      'dryRun',
      'gracePeriodSeconds',
      'propagationPolicy',
      'pretty',
      'includeObject',
      'timeout',
      '__proto__',
    ),
    values,
  ),
  { maxLength: 3 },
);
const accepts = fc.constantFrom(
  '',
  '*/*',
  'application/yaml',
  'application/json;as=Table;v=v1;g=meta.k8s.io',
  'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io',
  ';;;,,,=',
);
const contentTypes = fc.constantFrom(
  'application/json',
  'application/merge-patch+json',
  'application/json-patch+json',
  'application/strategic-merge-patch+json',
  'x',
);
const bodies = fc.oneof(
  fc.jsonValue().map((value) => JSON.stringify(value)),
  fc
    .record(
      {
        metadata: fc.oneof(
          fc.record({ name: fc.constantFrom('a', 'b'), finalizers: fc.jsonValue() }, { requiredKeys: [] }),
          fc.jsonValue(),
        ),
        spec: fc.jsonValue(),
        data: fc.jsonValue(),
        status: fc.jsonValue(),
      },
      { requiredKeys: [] },
    )
    .map((value) => JSON.stringify(value)),
  fc.constantFrom(
    '',
    '{',
    '[{"op":"add","path":"/metadata","value":1}]',
    '[{"op":"replace","path":"","value":null}]',
    '{"metadata":{"__proto__":{"name":"a"}}}',
    '{"spec":{"containers":{"$patch":"delete"}}}',
    '\u0000',
  ),
);

describe('whatever is asked', () => {
  it('is answered, and never by a fault of the server', async () => {
    const request = fc.record({
      method: fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'),
      path: paths,
      query,
      accept: accepts,
      contentType: contentTypes,
      body: bodies,
    });
    await fc.assert(
      fc.asyncProperty(request, async ({ method, path, query: asked, accept, contentType, body }) => {
        const text = asked.map(([key, value]) => `${key}=${encodeURIComponent(value)}`).join('&');
        const hasBody = method !== 'GET' && method !== 'HEAD';
        const answering = lab.call(method, `${path}?${text}`, {
          headers: { Accept: accept, 'Content-Type': contentType },
          ...(hasBody && { body }),
        });
        // A list that waits for a revision to come is given its time.
        let over = false;
        const answer = answering.finally(() => {
          over = true;
        });
        if (!path.includes('/watch/')) {
          while (!over) await lab.clock.advance(1_000);
          expect((await answer).status).toBeGreaterThanOrEqual(200);
        } else {
          while (!over) await lab.clock.advance(600_000);
          await answer;
        }
        expect(lab.faults).toEqual([]);
      }),
      { numRuns: 400 },
    );
  });

  it('half a request leaves nothing behind', async () => {
    for (const text of [
      'GET /api/v1/pods?wat',
      'POST /api/v1/namespaces/default/configmaps HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{"meta',
      'garbage\r\n\r\n',
    ]) {
      const socket = net.connect(lab.server.port, '127.0.0.1');
      await new Promise<void>((resolve) => socket.write(text, () => resolve()));
      await lab.clock.turn();
      socket.destroy();
    }
    expect((await lab.call('GET', '/healthz')).text).toBe('ok');
    expect(await turnsUntil(lab.clock, () => lab.watchers() === 0)).toBe(true);
    expect(lab.faults).toEqual([]);
  });
});
