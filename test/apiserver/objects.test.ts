import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, type TestServer, testServer } from '../support/test-server.ts';

let lab: TestServer;
beforeAll(async () => {
  lab = await testServer();
});
afterAll(async () => {
  expect(lab.faults).toEqual([]);
  await lab.close();
});

const NS = '/api/v1/namespaces/default';
const CMS = `${NS}/configmaps`;
const merge = { 'Content-Type': 'application/merge-patch+json' };

/** The least that a pod needs. */
const CONTAINERS = { containers: [{ name: 'c', image: 'i' }] };
const RC = { template: { metadata: { labels: { a: 'b' } }, spec: CONTAINERS } };

const create = (path: string, body: object) => lab.call('POST', path, { body });
const patch = (path: string, body: object) => lab.call('PATCH', path, { body, headers: merge });
const revision = () => lab.store.state().revision;
const rvOf = ({ body }: Answer) => Number(body.metadata.resourceVersion);

/** Revisions that `work` writes. */
async function writes(work: () => Promise<Answer>): Promise<{ answer: Answer; writes: number }> {
  const before = revision();
  return { answer: await work(), writes: revision() - before };
}

describe('create', () => {
  it('gives the object what only the server gives', async () => {
    const metadata = {
      name: 'new',
      uid: 'mine',
      creationTimestamp: '2001-01-01T00:00:00Z',
      deletionTimestamp: '2001-01-01T00:00:00Z',
      labels: { b: '1', a: '2' },
    };
    const { status, text, body } = await create(CMS, { metadata, data: { k: 'v' } });
    expect(status).toBe(201);
    expect(body.metadata.uid).toMatch(/^[0-9a-f-]{36}$/);
    expect(body.metadata.namespace).toBe('default');
    expect(body.metadata.creationTimestamp).toBe('2026-01-01T00:00:00Z');
    expect(body.metadata.deletionTimestamp).toBeUndefined();
    expect(text).toMatch(
      /^\{"kind":"ConfigMap","apiVersion":"v1","metadata":\{"name":"new","namespace":"default","uid":"[^"]*","resourceVersion":"\d+","creationTimestamp":"[^"]*","labels":\{"a":"2","b":"1"\}\},"data":\{"k":"v"\}\}\n$/,
    );
  });

  it('makes a name out of generateName', async () => {
    const { body } = await create(CMS, { metadata: { generateName: 'web-' } });
    expect(body.metadata.name).toMatch(/^web-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
  });

  it('keeps what the type has, in Go’s order and with its zero values, and says what it does not have', async () => {
    const { text, headers } = await lab.call('POST', `${NS}/events`, {
      body: {
        x: 1,
        reason: 'R',
        involvedObject: { z: [1], namespace: 'default' },
        metadata: { name: 'order', nope: {} },
      },
    });
    expect(headers.warning).toBe(
      '299 - "unknown field \\"x\\"", 299 - "unknown field \\"involvedObject.z\\"", 299 - "unknown field \\"metadata.nope\\""',
    );
    expect(text).toMatch(
      /"involvedObject":\{"namespace":"default"\},"reason":"R","source":\{\},"firstTimestamp":null,"lastTimestamp":null,"eventTime":null,"reportingComponent":"","reportingInstance":""\}\n$/,
    );
  });

  it('takes a generation that nobody counts, and never changes it again', async () => {
    const { body } = await create(CMS, { metadata: { name: 'generation', generation: 7 } });
    expect(body.metadata.generation).toBe(7);
    const patched = await patch(`${CMS}/generation`, { metadata: { generation: 9 } });
    expect(patched.body.metadata.generation).toBe(7);
  });

  it('keeps a key named __proto__ an ordinary key', async () => {
    const { text } = await lab.call('POST', CMS, { body: '{"metadata":{"name":"proto"},"data":{"__proto__":"x"}}' });
    expect(text).toContain('"data":{"__proto__":"x"}');
    const { text: patched } = await lab.call('PATCH', `${CMS}/proto`, {
      headers: merge,
      body: '{"data":{"__proto__":"y","constructor":"z"}}',
    });
    expect(patched).toContain('"data":{"__proto__":"y","constructor":"z"}');
    expect(({} as { x?: unknown }).x).toBeUndefined();
  });

  it.each([
    {
      path: `${NS}/pods`,
      body: {
        metadata: { name: 'd' },
        spec: { containers: [{ name: 'c', image: 'r/i:1' }] },
        status: { phase: 'Running' },
      },
      expected: {
        spec: {
          restartPolicy: 'Always',
          terminationGracePeriodSeconds: 30,
          containers: [{ imagePullPolicy: 'IfNotPresent' }],
        },
        status: { phase: 'Pending' },
      },
    },
    {
      path: `${NS}/replicationcontrollers`,
      body: {
        metadata: { name: 'd' },
        spec: { template: { metadata: { labels: { a: 'b' } }, spec: CONTAINERS } },
      },
      expected: {
        metadata: { generation: 1, labels: { a: 'b' } },
        spec: { replicas: 1, selector: { a: 'b' } },
        status: { replicas: 0 },
      },
    },
    {
      path: '/apis/apps/v1/namespaces/default/deployments',
      body: {
        metadata: { name: 'd' },
        spec: {
          selector: { matchLabels: { a: 'b' } },
          template: { metadata: { labels: { a: 'b' } }, spec: CONTAINERS },
        },
      },
      expected: {
        metadata: { generation: 1 },
        spec: { replicas: 1, strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%' } } },
      },
    },
    {
      path: `${NS}/secrets`,
      body: { metadata: { name: 'd' }, stringData: { k: 'v' } },
      expected: { type: 'Opaque', data: { k: 'dg==' } },
    },
    {
      path: '/api/v1/namespaces',
      body: { metadata: { name: 'd' } },
      expected: {
        metadata: { labels: { 'kubernetes.io/metadata.name': 'd' } },
        spec: { finalizers: ['kubernetes'] },
        status: { phase: 'Active' },
      },
    },
    {
      path: `${NS}/services`,
      body: { metadata: { name: 'd' }, spec: { ports: [{ port: 80 }] } },
      expected: {
        spec: { type: 'ClusterIP', ports: [{ protocol: 'TCP', targetPort: 80 }] },
        status: { loadBalancer: {} },
      },
    },
    {
      path: '/apis/coordination.k8s.io/v1/namespaces/default/leases',
      body: { metadata: { name: 'd' }, spec: { holderIdentity: 'h' } },
      expected: { apiVersion: 'coordination.k8s.io/v1', spec: { holderIdentity: 'h' } },
    },
    {
      path: `${NS}/limitranges`,
      body: { metadata: {}, spec: { limits: [] } },
      expected: { metadata: { name: expect.stringMatching(/^[0-9a-f-]{36}$/) } },
    },
  ])('fills in the defaults of $path', async ({ path, body, expected }) => {
    const answer = await create(path, body);
    expect(answer.status, answer.text).toBe(201);
    expect(answer.body).toMatchObject(expected);
    expect((await lab.call('GET', `${path}/${answer.body.metadata.name}`)).body).toEqual(answer.body);
  });
});

describe('update', () => {
  it('writes nothing where there is nothing new, however it is asked', async () => {
    const created = await create(CMS, { metadata: { name: 'same', labels: { l: '1' } }, data: { b: '2', a: '1' } });
    const body = {
      metadata: { name: 'same', labels: { l: '1' }, finalizers: [] },
      data: { a: '1', b: '2' },
      binaryData: {},
    };
    for (const work of [
      () => lab.call('PUT', `${CMS}/same`, { body }),
      () => patch(`${CMS}/same`, { data: { a: '1' } }),
    ]) {
      const { answer, writes: count } = await writes(work);
      expect(answer.status, answer.text).toBe(200);
      expect(count).toBe(0);
      expect(rvOf(answer)).toBe(rvOf(created));
    }
  });

  it('of a name that is not there creates only what may be created so, whatever its resourceVersion', async () => {
    const put = (path: string, body: object) => lab.call('PUT', path, { body });
    const body = { metadata: { name: 'up', resourceVersion: '77' } };
    expect((await put(`${NS}/endpoints/up`, body)).status).toBe(201);
    expect((await put(`${NS}/events/up`, body)).status).toBe(201);
    expect((await put(`${CMS}/up`, body)).status).toBe(404);
    expect((await put('/api/v1/namespaces/nope/endpoints/up', body)).body.message).toBe('namespaces "nope" not found');
  });

  it('names the key of the store where the uid is another', async () => {
    await create(`${NS}/endpoints`, { metadata: { name: 'uid' } });
    const { body } = await lab.call('PUT', `${NS}/endpoints/uid`, { body: { metadata: { name: 'uid', uid: 'x' } } });
    expect(body.message).toMatch(
      /^Operation cannot be fulfilled on endpoints "uid": StorageError: invalid object, Code: 4, Key: \/registry\/services\/endpoints\/default\/uid, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: x, UID in object meta: [0-9a-f-]{36}$/,
    );
  });

  it('cannot change status through the object, nor the object through its status', async () => {
    await create(`${NS}/pods`, { metadata: { name: 'st' }, spec: { nodeName: 'n1', ...CONTAINERS } });
    const main = await patch(`${NS}/pods/st`, { status: { phase: 'Running' } });
    expect(main.body.status.phase).toBe('Pending');
    const status = await patch(`${NS}/pods/st/status`, { status: { phase: 'Running' }, spec: { nodeName: 'n2' } });
    expect(status.body).toMatchObject({ spec: { nodeName: 'n1' }, status: { phase: 'Running' } });
  });

  it('counts the changes of a deployment’s spec', async () => {
    const path = '/apis/apps/v1/namespaces/default/deployments';
    await create(path, {
      metadata: { name: 'gen' },
      spec: { selector: { matchLabels: { a: 'b' } }, template: { metadata: { labels: { a: 'b' } }, spec: CONTAINERS } },
    });
    expect((await patch(`${path}/gen`, { metadata: { labels: { l: '1' } } })).body.metadata.generation).toBe(1);
    expect((await patch(`${path}/gen`, { spec: { replicas: 3 } })).body.metadata.generation).toBe(2);
  });

  it('demands a resourceVersion for a lease', async () => {
    const path = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
    await create(path, { metadata: { name: 'l' } });
    const { status, body } = await lab.call('PUT', `${path}/l`, { body: { metadata: { name: 'l' }, spec: {} } });
    expect(status).toBe(422);
    expect(body.message).toBe(
      'Lease.coordination.k8s.io "l" is invalid: metadata.resourceVersion: Invalid value: 0x0: must be specified for an update',
    );
  });

  it('gives a pod its node by a binding, once', async () => {
    await create(`${NS}/pods`, { metadata: { name: 'bind' }, spec: CONTAINERS });
    const body = { metadata: { name: 'bind' }, target: { kind: 'Node', name: 'n1' } };
    const bound = await create(`${NS}/pods/bind/binding`, body);
    expect(bound.body).toEqual({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 });
    const { body: pod } = await lab.call('GET', `${NS}/pods/bind`);
    expect(pod.spec.nodeName).toBe('n1');
    expect(pod.status.conditions).toEqual([
      { type: 'PodScheduled', status: 'True', lastProbeTime: null, lastTransitionTime: '2026-01-01T00:00:00Z' },
    ]);
    // What it is made of is the same as before, in whatever order it was stored.
    expect((await patch(`${NS}/pods/bind`, { metadata: { labels: { a: 'b' } } })).status).toBe(200);
    const other = { ...body, metadata: { name: 'other' } };
    expect((await create(`${NS}/pods/bind/binding`, other)).body.message).toBe(
      'name in URL does not match name in Binding object',
    );
    const toPod = { ...body, target: { kind: 'Pod', name: 'n1' } };
    expect((await create(`${NS}/pods/bind/binding`, toPod)).body.message).toBe(
      'target.kind: Unsupported value: "Pod": supported values: "Node", "<empty>"',
    );
    expect((await create(`${NS}/bindings`, body)).body.message).toBe(
      'Operation cannot be fulfilled on pods/binding "bind": pod bind is already assigned to node "n1"',
    );
  });

  it.each([
    ['application/json-patch+json', [{ op: 'replace', path: '/data/a', value: '2' }]],
    ['application/merge-patch+json', { data: { a: '2' } }],
    ['application/strategic-merge-patch+json', { data: { a: '2' } }],
  ])('takes %s', async (type, body) => {
    const { body: made } = await create(CMS, { metadata: { generateName: 'p-' }, data: { a: '1' } });
    const answer = await lab.call('PATCH', `${CMS}/${made.metadata.name}`, { headers: { 'Content-Type': type }, body });
    expect(answer.body.data).toEqual({ a: '2' });
  });
});

describe('delete', () => {
  it('of most types answers with a Status, of some with the object', async () => {
    const { body } = await create(CMS, { metadata: { name: 'gone' } });
    expect((await lab.call('DELETE', `${CMS}/gone`)).text).toBe(
      `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","details":{"name":"gone","kind":"configmaps","uid":"${body.metadata.uid}"}}\n`,
    );
    const template = await create(`${NS}/podtemplates`, {
      metadata: { name: 'gone' },
      template: { spec: CONTAINERS },
    });
    const answer = await lab.call('DELETE', `${NS}/podtemplates/gone`);
    expect(answer.body.kind).toBe('PodTemplate');
    expect(rvOf(answer)).toBe(rvOf(template) + 1);
  });

  it('waits for finalizers, and is over with the last of them', async () => {
    const created = await create(CMS, { metadata: { name: 'fin', finalizers: ['example.com/f'] } });
    const first = await writes(() => lab.call('DELETE', `${CMS}/fin`));
    expect(first.answer.body.metadata).toMatchObject({
      deletionTimestamp: '2026-01-01T00:00:00Z',
      deletionGracePeriodSeconds: 0,
    });
    expect(rvOf(first.answer)).toBe(rvOf(created) + 1);
    const again = await writes(() => lab.call('DELETE', `${CMS}/fin`));
    expect(again.writes).toBe(0);
    expect(again.answer.body).toEqual(first.answer.body);
    const blocked = await create(CMS, { metadata: { name: 'fin' } });
    expect(blocked.body.message).toBe('object is being deleted: configmaps "fin" already exists');
    const added = await patch(`${CMS}/fin`, { metadata: { finalizers: ['example.com/f', 'example.com/g'] } });
    expect(added.body.message).toContain('no new finalizers can be added if the object is being deleted');
    const last = await writes(() => patch(`${CMS}/fin`, { metadata: { finalizers: null } }));
    expect(last.writes).toBe(1);
    expect(rvOf(last.answer)).toBe(rvOf(first.answer));
    expect((await lab.call('GET', `${CMS}/fin`)).status).toBe(404);
  });

  it('of a pod writes twice, even where nobody has to be waited for', async () => {
    await create(`${NS}/pods`, { metadata: { name: 'p' }, spec: CONTAINERS });
    const { answer, writes: count } = await writes(() => lab.call('DELETE', `${NS}/pods/p`));
    expect(count).toBe(2);
    expect(answer.body.metadata).toMatchObject({ deletionGracePeriodSeconds: 0, resourceVersion: String(revision()) });
  });

  it('of a bound pod gives it its grace; that can be shortened, not made longer', async () => {
    await create(`${NS}/pods`, { metadata: { name: 'b' }, spec: { nodeName: 'n1', ...CONTAINERS } });
    const path = `${NS}/pods/b`;
    const first = await writes(() => lab.call('DELETE', path));
    expect(first.answer.body.metadata).toMatchObject({
      deletionTimestamp: '2026-01-01T00:00:30Z',
      deletionGracePeriodSeconds: 30,
    });
    for (const query of ['', '?gracePeriodSeconds=40']) {
      const longer = await writes(() => lab.call('DELETE', path + query));
      expect(longer.writes).toBe(0);
      expect(longer.answer.body).toEqual(first.answer.body);
    }
    const shorter = await writes(() => lab.call('DELETE', `${path}?gracePeriodSeconds=10`));
    expect(shorter.answer.body.metadata).toMatchObject({
      deletionTimestamp: '2026-01-01T00:00:10Z',
      deletionGracePeriodSeconds: 10,
    });
    const now = await writes(() => lab.call('DELETE', path, { body: { gracePeriodSeconds: 0 } }));
    expect(now.writes).toBe(2);
    expect((await lab.call('GET', path)).status).toBe(404);
  });

  it('of a replicationcontroller leaves it to a garbage collector, unless told otherwise', async () => {
    const path = `${NS}/replicationcontrollers`;
    await create(path, { metadata: { name: 'rc' }, spec: RC });
    expect((await lab.call('DELETE', `${path}/rc`)).body.metadata.finalizers).toEqual(['orphan']);
    await create(path, { metadata: { name: 'rc2' }, spec: RC });
    expect((await lab.call('DELETE', `${path}/rc2`, { body: { propagationPolicy: 'Background' } })).body.status).toBe(
      'Success',
    );
    await create(CMS, { metadata: { name: 'fg' } });
    expect((await lab.call('DELETE', `${CMS}/fg?propagationPolicy=Foreground`)).body.metadata.finalizers).toEqual([
      'foregroundDeletion',
    ]);
  });

  it('of a namespace leaves it Terminating until its finalizers are gone', async () => {
    await create('/api/v1/namespaces', { metadata: { name: 'x' } });
    const deleted = await lab.call('DELETE', '/api/v1/namespaces/x');
    expect(deleted.body).toMatchObject({ kind: 'Namespace', status: { phase: 'Terminating' } });
    const refused = await create('/api/v1/namespaces/x/configmaps', { metadata: { name: 'a' } });
    expect(refused.status).toBe(403);
    expect(refused.body.message).toBe(
      'configmaps "a" is forbidden: unable to create new content in namespace x because it is being terminated',
    );
    expect(refused.body.details.causes).toEqual([
      { reason: 'NamespaceTerminating', message: 'namespace x is being terminated', field: 'metadata.namespace' },
    ]);
    expect((await lab.call('DELETE', '/api/v1/namespaces/x')).body.kind).toBe('Namespace');
    const { body } = await lab.call('GET', '/api/v1/namespaces/x');
    const finalized = await lab.call('PUT', '/api/v1/namespaces/x/finalize', {
      body: { ...body, spec: { finalizers: [] } },
    });
    expect(finalized.status, finalized.text).toBe(200);
    expect((await lab.call('GET', '/api/v1/namespaces/x')).status).toBe(404);
  });

  it('of a namespace takes its policy and its preconditions, too', async () => {
    const { body } = await create('/api/v1/namespaces', { metadata: { name: 'y' } });
    const refused = await lab.call('DELETE', '/api/v1/namespaces/y', { body: { preconditions: { uid: 'no' } } });
    expect(refused.body.message).toBe(
      `Operation cannot be fulfilled on namespaces "y": Precondition failed: UID in precondition: no, UID in object meta: ${body.metadata.uid}`,
    );
    const orphaned = await lab.call('DELETE', '/api/v1/namespaces/y?propagationPolicy=Orphan');
    expect(orphaned.body.metadata.finalizers).toEqual(['orphan']);
  });

  it('leaves finalizers as they stand where the policy asks for nothing else', async () => {
    const finalizers = ['foregroundDeletion', 'example.com/f'];
    await create(CMS, { metadata: { name: 'order', finalizers } });
    expect((await lab.call('DELETE', `${CMS}/order`)).body.metadata.finalizers).toEqual(finalizers);
    const orphaned = await lab.call('DELETE', `${CMS}/order?propagationPolicy=Orphan`);
    expect(orphaned.body.metadata.finalizers).toEqual(['example.com/f', 'orphan']);
  });

  it('of a collection takes what the selectors match', async () => {
    for (const name of ['c1', 'c2']) await create(CMS, { metadata: { name, labels: { all: 'yes' } } });
    const answer = await lab.call('DELETE', `${CMS}?labelSelector=all%3Dyes`);
    expect(answer.body.items).toHaveLength(2);
    expect((await lab.call('GET', `${CMS}?labelSelector=all%3Dyes`)).body.items).toEqual([]);
  });
});

describe('scale', () => {
  const path = '/apis/apps/v1/namespaces/default/deployments';
  const scale = `${path}/sized/scale`;

  it('shows and changes the size of a controller, which is a new generation of it', async () => {
    const template = { metadata: { labels: { a: 'b' } }, spec: CONTAINERS };
    await create(path, { metadata: { name: 'sized' }, spec: { selector: { matchLabels: { a: 'b' } }, template } });
    const { body } = await lab.call('GET', scale);
    expect(body).toMatchObject({
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      metadata: { name: 'sized', namespace: 'default' },
      spec: { replicas: 1 },
      status: { replicas: 0, selector: 'a=b' },
    });
    const patched = await patch(scale, { spec: { replicas: 3 } });
    expect(patched.body.spec).toEqual({ replicas: 3 });
    const put = await lab.call('PUT', scale, { body: { metadata: { name: 'sized' }, spec: { replicas: 0 } } });
    expect(put.body.spec).toEqual({});
    const { metadata, spec } = (await lab.call('GET', `${path}/sized`)).body;
    expect([metadata.generation, spec.replicas]).toEqual([3, 0]);
  });

  it('refuses what cannot be', async () => {
    const negative = await patch(scale, { spec: { replicas: -1 } });
    expect(negative.status).toBe(422);
    expect(negative.body.message).toBe(
      'Scale.autoscaling "sized" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0',
    );
    expect((await patch(scale, { metadata: { resourceVersion: '1' } })).status).toBe(409);
    expect((await patch(scale, { metadata: { name: 'other' } })).status).toBe(400);
    expect((await patch(`${path}/nope/scale`, {})).status).toBe(404);
  });
});

describe('dryRun=All', () => {
  it('names the key without the store’s prefix', async () => {
    await create(CMS, { metadata: { name: 'tried' } });
    const body = { metadata: { name: 'tried', uid: 'no' } };
    const tried = await lab.call('PUT', `${CMS}/tried?dryRun=All`, { body });
    expect(tried.body.message).toContain('Key: /configmaps/default/tried, ResourceVersion: 0');
    const meant = await lab.call('PUT', `${CMS}/tried`, { body });
    expect(meant.body.message).toContain('Key: /registry/configmaps/default/tried, ResourceVersion: 0');
  });

  it('checks everything and writes nothing', async () => {
    const { body: made } = await create(CMS, { metadata: { name: 'dry' }, data: { a: '1' } });
    const attempts: [string, string, object | undefined, number][] = [
      ['POST', `${CMS}?dryRun=All`, { metadata: { name: 'dry2' } }, 201],
      ['POST', `${CMS}?dryRun=All`, { metadata: { name: 'dry' } }, 409],
      ['PUT', `${CMS}/dry?dryRun=All`, { metadata: { name: 'dry' }, data: { a: '2' } }, 200],
      ['DELETE', `${CMS}/dry?dryRun=All`, undefined, 200],
      ['DELETE', `${CMS}/dry`, { dryRun: ['All'] }, 200],
    ];
    for (const [method, path, body, code] of attempts) {
      const { answer, writes: count } = await writes(() => lab.call(method, path, body && { body }));
      expect(answer.status, answer.text).toBe(code);
      expect(count).toBe(0);
    }
    expect((await lab.call('GET', `${CMS}/dry`)).body).toEqual(made);
    expect((await create(`${CMS}?dryRun=Some`, { metadata: { name: 'x' } })).status).toBe(422);
  });
});

describe('bodies', () => {
  it('of 3 MiB and more are refused, however they come', async () => {
    const body = Buffer.alloc(3 * 1024 * 1024 + 1, 'x');
    const whole = await lab.call('POST', CMS, { body });
    expect(whole.status).toBe(413);
    expect(whole.body).toMatchObject({
      message: 'Request entity too large: limit is 3145728',
      reason: 'RequestEntityTooLarge',
    });
    const chunked = await lab.call('POST', CMS, {
      body,
      headers: { 'Transfer-Encoding': 'chunked' },
    });
    expect(chunked.status).toBe(413);
  });

  it('just below are taken', async () => {
    const involvedObject = { kind: 'Pod', namespace: 'default', name: 'p' };
    const large = { metadata: { name: 'large' }, involvedObject, message: 'x'.repeat(3_000_000) };
    expect((await create(`${NS}/events`, large)).status).toBe(201);
  });
});
