import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CallOptions, type TestServer, testServer } from '../support/test-server.ts';

let lab: TestServer;
beforeAll(async () => {
  lab = await testServer();
  await lab.call('POST', '/api/v1/namespaces/default/configmaps', { body: { metadata: { name: 'a' } } });
});
afterAll(() => lab.close());

const CMS = '/api/v1/namespaces/default/configmaps';
const BINDINGS = '/api/v1/namespaces/default/bindings';
const json = { 'Content-Type': 'application/json' };
const patch = { 'Content-Type': 'application/merge-patch+json' };

interface Case extends CallOptions {
  what: string;
  send: string;
  code: number;
  reason?: string;
  message: string | RegExp;
  details?: object;
}

const CASES: Case[] = [
  {
    what: 'a type that is not there',
    send: `GET /api/v1/nosuch`,
    code: 404,
    reason: 'NotFound',
    message: 'the server could not find the requested resource',
    details: {},
  },
  {
    what: 'a version that a known group does not have',
    send: 'GET /apis/apps/v9/deployments?watch=1',
    code: 404,
    reason: 'NotFound',
    message: 'the server could not find the requested resource',
    details: {},
  },
  {
    what: 'a subresource that is not there',
    send: `GET ${CMS}/a/status`,
    code: 404,
    reason: 'NotFound',
    message: 'the server could not find the requested resource',
  },
  {
    what: 'a namespaced object without its namespace',
    send: 'GET /api/v1/configmaps/a',
    code: 404,
    reason: 'NotFound',
    message: 'the server could not find the requested resource',
  },
  {
    what: 'the deprecated watch of what cannot be watched',
    send: 'GET /api/v1/watch/componentstatuses',
    code: 404,
    reason: 'NotFound',
    message: 'the server could not find the requested resource',
  },
  {
    what: 'an object that is not there',
    send: `GET ${CMS}/nope`,
    code: 404,
    reason: 'NotFound',
    message: 'configmaps "nope" not found',
    details: { name: 'nope', kind: 'configmaps' },
  },
  {
    what: 'an object of a named group',
    send: 'GET /apis/apps/v1/namespaces/default/deployments/nope',
    code: 404,
    reason: 'NotFound',
    message: 'deployments.apps "nope" not found',
    details: { name: 'nope', group: 'apps', kind: 'deployments' },
  },
  {
    what: 'a watch of what cannot be watched',
    send: 'GET /api/v1/componentstatuses?watch=1',
    code: 405,
    reason: 'MethodNotAllowed',
    message: 'watch is not supported on resources of kind "componentstatuses"',
    details: { kind: 'componentstatuses' },
  },
  {
    what: 'a type without lists',
    send: `GET ${BINDINGS}`,
    code: 405,
    reason: 'MethodNotAllowed',
    message: 'the server does not allow this method on the requested resource',
    details: {},
  },
  {
    what: 'a POST across namespaces',
    send: 'POST /api/v1/configmaps',
    code: 405,
    reason: 'MethodNotAllowed',
    message: 'the server does not allow this method on the requested resource',
  },
  {
    what: 'a POST to a watch',
    send: 'POST /api/v1/watch/configmaps',
    code: 405,
    reason: 'MethodNotAllowed',
    message: 'the server does not allow this method on the requested resource',
  },
  {
    what: 'a foreign output type',
    send: `GET ${CMS}`,
    headers: { Accept: 'text/html' },
    code: 406,
    reason: 'NotAcceptable',
    message:
      '406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, application/vnd.kubernetes.protobuf, application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch',
    details: {},
  },
  {
    what: 'a foreign output type of an object',
    send: `GET ${CMS}/a`,
    headers: { Accept: 'text/html' },
    code: 406,
    reason: 'NotAcceptable',
    message:
      '406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, application/vnd.kubernetes.protobuf',
  },
  {
    what: 'an unknown transformation',
    send: `GET ${CMS}`,
    headers: { Accept: 'application/json;as=Nope;v=v1;g=meta.k8s.io' },
    code: 406,
    reason: 'NotAcceptable',
    message:
      'only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf',
  },
  {
    what: 'a list as one object’s metadata',
    send: `GET ${CMS}`,
    headers: { Accept: 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io' },
    code: 406,
    reason: 'NotAcceptable',
    message: 'you requested PartialObjectMetadata, but the requested object is a list (*core.ConfigMapList)',
  },
  {
    what: 'an object as a list',
    send: `GET ${CMS}/a`,
    headers: { Accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io' },
    code: 406,
    reason: 'NotAcceptable',
    message: 'you requested PartialObjectMetadataList, but the requested object is not a list (*core.ConfigMap)',
  },
  {
    what: 'a wrong option of a Table',
    send: `GET ${CMS}?includeObject=Some`,
    headers: { Accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
    code: 400,
    reason: 'BadRequest',
    message: `Unable to convert to Table as requested: includeObject: Invalid value: "Some": must be 'Metadata', 'Object', 'None', or empty`,
  },
  {
    what: 'a limit that is no number',
    send: `GET ${CMS}?limit=abc`,
    code: 400,
    reason: 'BadRequest',
    message: 'strconv.ParseInt: parsing "abc": invalid syntax',
  },
  {
    what: 'decoding before validation',
    send: `GET ${CMS}?watch=1&timeoutSeconds=abc&resourceVersionMatch=foo`,
    code: 400,
    reason: 'BadRequest',
    message: 'strconv.ParseInt: parsing "abc": invalid syntax',
  },
  {
    what: 'a timeout that is no duration',
    send: `GET ${CMS}?timeout=abc`,
    code: 400,
    reason: 'BadRequest',
    message: 'invalid timeout specified in the request URL - time: invalid duration "abc"',
  },
  {
    what: 'a timeout without a unit',
    send: `GET ${CMS}?timeout=10`,
    code: 400,
    reason: 'BadRequest',
    message: 'invalid timeout specified in the request URL - time: missing unit in duration "10"',
  },
  {
    what: 'a timeout of a strange unit',
    send: `GET ${CMS}?timeout=1m5x`,
    code: 400,
    reason: 'BadRequest',
    message: 'invalid timeout specified in the request URL - time: unknown unit "x" in duration "1m5x"',
  },
  {
    what: 'an unknown field of a plain type',
    send: `GET ${CMS}?fieldSelector=foo%3Dx`,
    code: 400,
    reason: 'BadRequest',
    message: '"foo" is not a known field selector: only "metadata.name", "metadata.namespace"',
  },
  {
    what: 'an unknown field of a type with fields',
    send: '/api/v1/pods?fieldSelector=foo%3Dx',
    code: 400,
    reason: 'BadRequest',
    message: 'field label not supported: foo',
  },
  {
    what: 'the field before the resourceVersion',
    send: `GET ${CMS}?watch=1&resourceVersion=abc&fieldSelector=nope%3Dx`,
    code: 400,
    reason: 'BadRequest',
    message: '"nope" is not a known field selector: only "metadata.name", "metadata.namespace"',
  },
  {
    what: 'another name in the selector of a deprecated path',
    send: '/api/v1/watch/namespaces/default/configmaps/a?fieldSelector=metadata.name!%3Db',
    code: 400,
    reason: 'BadRequest',
    message: "fieldSelector metadata.name doesn't match requested name",
  },
  {
    what: 'a match without a resourceVersion',
    send: `GET ${CMS}?resourceVersionMatch=Exact`,
    code: 422,
    reason: 'Invalid',
    message:
      'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided',
  },
  {
    what: 'a resourceVersion that is no number, on a watch',
    send: `GET ${CMS}?watch=1&resourceVersion=abc`,
    code: 500,
    message: 'resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax',
  },
  {
    what: 'an empty body',
    send: `POST ${CMS}`,
    headers: json,
    code: 400,
    reason: 'BadRequest',
    message: `the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: unexpected end of JSON input (<empty>)`,
  },
  {
    what: 'half a body',
    send: `POST ${CMS}`,
    body: '{"metadata":{"name":"b"',
    code: 400,
    reason: 'BadRequest',
    message: `the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: unexpected end of JSON input ({"metadata":{"name":"b")`,
  },
  {
    what: 'a body that is no JSON',
    send: `POST ${CMS}`,
    body: 'pod: a, and much more than that',
    code: 400,
    reason: 'BadRequest',
    message:
      /json parse error: invalid character 'p' looking for beginning of value \(706f643a20612c20616e64206d756368206d6f7265207468616e20746861 \.\.\.\)$/,
  },
  {
    what: 'a body that is no object',
    send: `POST ${CMS}`,
    body: '[1]',
    code: 400,
    reason: 'BadRequest',
    message: /json: cannot unmarshal array into Go value/,
  },
  {
    what: 'a body that nests without end',
    send: `POST ${CMS}`,
    body: `${'['.repeat(100_000)}`,
    code: 400,
    reason: 'BadRequest',
    message: /exceeded max depth/,
  },
  {
    what: 'metadata that is a text',
    send: `POST ${CMS}`,
    body: { metadata: 'x' },
    code: 400,
    reason: 'BadRequest',
    message:
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal string into Go struct field ConfigMap.metadata of type v1.ObjectMeta',
  },
  {
    what: 'a label that is a number',
    send: `POST ${CMS}`,
    body: { metadata: { name: 'b', labels: { a: 1 } } },
    code: 400,
    reason: 'BadRequest',
    message:
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type string',
  },
  {
    what: 'an object of another type',
    send: `POST ${CMS}`,
    body: { kind: 'Secret', apiVersion: 'v1', metadata: { name: 'b' } },
    code: 400,
    reason: 'BadRequest',
    message: /^Secret in version "v1" cannot be handled as a ConfigMap/,
  },
  {
    what: 'an object of another version',
    send: `POST ${CMS}`,
    body: { kind: 'ConfigMap', apiVersion: 'v2', metadata: { name: 'b' } },
    code: 400,
    reason: 'BadRequest',
    message: `ConfigMap in version "v2" cannot be handled as a ConfigMap: no kind "ConfigMap" is registered for version "v2" in scheme "pkg/runtime/scheme.go:100"`,
  },
  {
    what: 'a body of another type',
    send: `POST ${CMS}`,
    headers: { 'Content-Type': 'text/plain' },
    body: '{}',
    code: 415,
    reason: 'UnsupportedMediaType',
    message: /^the body of the request was in an unknown format - accepted media types include: application\/json/,
  },
  {
    what: 'a patch of no known kind',
    send: `PATCH ${CMS}/a`,
    headers: json,
    body: '{}',
    code: 415,
    reason: 'UnsupportedMediaType',
    message: '415: Unsupported Media Type',
    details: {},
  },
  {
    what: 'no name',
    send: `POST ${CMS}`,
    body: {},
    code: 422,
    reason: 'Invalid',
    message: 'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required',
  },
  {
    what: 'a name that is none',
    send: `POST ${CMS}`,
    body: { metadata: { name: 'A_b' } },
    code: 422,
    reason: 'Invalid',
    message: /^ConfigMap "A_b" is invalid: metadata\.name: Invalid value: "A_b": a lowercase RFC 1123 subdomain must/,
  },
  {
    what: 'a name that is there',
    send: `POST ${CMS}`,
    body: { metadata: { name: 'a' } },
    code: 409,
    reason: 'AlreadyExists',
    message: 'configmaps "a" already exists',
    details: { name: 'a', kind: 'configmaps' },
  },
  {
    what: 'a resourceVersion on a new object',
    send: `POST ${CMS}`,
    body: { metadata: { name: 'c', resourceVersion: '5' } },
    code: 500,
    message: 'resourceVersion should not be set on objects to be created',
  },
  {
    what: 'a namespace that is not there',
    send: 'POST /api/v1/namespaces/nope/configmaps',
    body: { metadata: { name: 'a' } },
    code: 404,
    reason: 'NotFound',
    message: 'namespaces "nope" not found',
    details: { name: 'nope', kind: 'namespaces' },
  },
  {
    what: 'another namespace in the body',
    send: `POST ${CMS}`,
    body: { metadata: { name: 'b', namespace: 'other' } },
    code: 400,
    reason: 'BadRequest',
    message: 'the namespace of the provided object does not match the namespace sent on the request',
  },
  {
    what: 'another name in the body of a PUT',
    send: `PUT ${CMS}/a`,
    body: { metadata: { name: 'b' } },
    code: 400,
    reason: 'BadRequest',
    message: 'the name of the object (b) does not match the name on the URL (a)',
  },
  {
    what: 'a PUT of what is not there',
    send: `PUT ${CMS}/nope`,
    body: { metadata: { name: 'nope' } },
    code: 404,
    reason: 'NotFound',
    message: 'configmaps "nope" not found',
  },
  {
    what: 'a PUT of an old state',
    send: `PUT ${CMS}/a`,
    body: { metadata: { name: 'a', resourceVersion: '1' } },
    code: 409,
    reason: 'Conflict',
    message:
      'Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again',
    details: { name: 'a', kind: 'configmaps' },
  },
  {
    what: 'a PUT with a strange resourceVersion',
    send: `PUT ${CMS}/a`,
    body: { metadata: { name: 'a', resourceVersion: 'x' } },
    code: 500,
    message: 'strconv.ParseUint: parsing "x": invalid syntax',
  },
  {
    what: 'a PATCH of an old state',
    send: `PATCH ${CMS}/a`,
    headers: patch,
    body: { metadata: { resourceVersion: '1' } },
    code: 409,
    reason: 'Conflict',
    message: /^Operation cannot be fulfilled on configmaps "a": the object has been modified/,
  },
  {
    what: 'a PATCH that changes the uid',
    send: `PATCH ${CMS}/a`,
    headers: patch,
    body: { metadata: { uid: 'x' } },
    code: 422,
    reason: 'Invalid',
    message: 'ConfigMap "a" is invalid: metadata.uid: Invalid value: "x": field is immutable',
  },
  {
    what: 'a DELETE with another uid',
    send: `DELETE ${CMS}/a`,
    body: { preconditions: { uid: 'x' } },
    code: 409,
    reason: 'Conflict',
    message:
      /^Operation cannot be fulfilled on ConfigMap "a": the UID in the precondition \(x\) does not match the UID in record \([0-9a-f-]{36}\)\. The object might have been deleted and then recreated$/,
    details: { name: 'a', kind: 'ConfigMap' },
  },
  {
    what: 'a DELETE of an old state',
    send: `DELETE ${CMS}/a`,
    body: { preconditions: { resourceVersion: '1' } },
    code: 409,
    reason: 'Conflict',
    message:
      /^Operation cannot be fulfilled on ConfigMap "a": the ResourceVersion in the precondition \(1\) does not match the ResourceVersion in record \(\d+\)\. The object might have been modified$/,
  },
  {
    what: 'a DELETE with a strange policy',
    send: `DELETE ${CMS}/a?propagationPolicy=Soon`,
    code: 422,
    reason: 'Invalid',
    message:
      'DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Unsupported value: "Soon": supported values: "Foreground", "Background", "Orphan", "nil"',
  },
  {
    what: 'a DELETE of what is not there',
    send: `DELETE ${CMS}/nope`,
    code: 404,
    reason: 'NotFound',
    message: 'configmaps "nope" not found',
  },
];

describe('errors', () => {
  it.each(CASES)('$what: $code', async ({ send, code, reason, message, details, ...options }) => {
    const [method, path] = send.startsWith('/') ? ['GET', send] : send.split(' ', 2);
    const answer = await lab.call(method as string, path as string, options);
    expect(answer.status, answer.text).toBe(code);
    expect(answer.headers['content-type']).toBe('application/json');
    // A newline where the client takes JSON as it is; else it is raw and indented.
    const accepted = options.headers?.Accept === undefined;
    expect(answer.text.endsWith(accepted ? '}\n' : '\n}')).toBe(true);
    expect(answer.body).toMatchObject({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code });
    if (typeof message === 'string') expect(answer.body.message).toBe(message);
    else expect(answer.body.message).toMatch(message);
    expect(answer.body.reason).toBe(reason);
    if (details !== undefined) expect(answer.body.details).toEqual(details);
  });

  it('met no fault of the server', () => {
    expect(lab.faults).toEqual([]);
  });

  it.each(['/nosuch', '/apis/nosuch.example.com/v1/things?watch=1', '/%ff'])(
    'answers %s with plain text',
    async (path) => {
      const answer = await lab.call('GET', path);
      expect(answer).toMatchObject({ status: 404, text: '404 page not found\n' });
      expect(answer.headers).toMatchObject({
        'content-type': 'text/plain; charset=utf-8',
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-cache, private',
      });
    },
  );

  it.each(['/api/v1/watch', '/apis/apps/v1/watch/?a=b&c', '/apis/nosuch/v1/proxy'])(
    'cannot read a verb with nothing behind it: %s',
    async (path) => {
      const { status, headers, text } = await lab.call('GET', path);
      expect(status).toBe(500);
      expect(headers).toMatchObject({
        'content-type': 'text/plain; charset=utf-8',
        'x-content-type-options': 'nosniff',
        'audit-id': expect.any(String),
      });
      expect(headers['cache-control']).toBeUndefined();
      expect(headers['x-kubernetes-pf-flowschema-uid']).toBeUndefined();
      const said = path.replace('&', '&amp;');
      expect(text).toBe(
        `Internal Server Error: "${said}": failed to create RequestInfo: unable to determine kind and namespace from url, ${said}\n`,
      );
    },
  );

  it('writes indented JSON to whom accepts none, and without a newline', async () => {
    for (const [path, code] of [
      [CMS, 406],
      ['/api/v1/nosuch', 404],
    ]) {
      const { status, text, body } = await lab.call('GET', `${path}`, { headers: { Accept: 'text/html' } });
      expect(status).toBe(code);
      expect(text).toBe(JSON.stringify(body, undefined, 2));
    }
  });

  it('carries who answered and how it was classed, but not before flow control was reached', async () => {
    const listed = await lab.call('GET', CMS);
    expect(listed.headers['audit-id']).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(listed.headers['x-kubernetes-pf-flowschema-uid']).toBeDefined();
    const early = await lab.call('GET', `${CMS}?timeout=abc`);
    expect(early.headers['audit-id']).toBeDefined();
    expect(early.headers['x-kubernetes-pf-flowschema-uid']).toBeUndefined();
  });

  it('takes the Audit-Id that a client brings, cut to 64 characters', async () => {
    const answer = await lab.call('GET', CMS, { headers: { 'Audit-Id': 'x'.repeat(100) } });
    expect(answer.headers['audit-id']).toBe('x'.repeat(64));
  });

  it('writes an error as YAML to whom accepts nothing else', async () => {
    const answer = await lab.call('GET', `${CMS}?watch=1&resourceVersion=abc`, {
      headers: { Accept: 'application/yaml' },
    });
    expect(answer.headers['content-type']).toBe('application/yaml');
    expect(answer.text).toBe(
      `apiVersion: v1\ncode: 500\nkind: Status\nmessage: 'resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc":\n  invalid syntax'\nmetadata: {}\nstatus: Failure\n`,
    );
  });

  it('ends a list that waits longer than its timeout, and answers without a type', async () => {
    // A list at a future RV waits for the cache; this one may wait for 1 s only.
    const answer = lab.call('GET', `${CMS}?resourceVersion=999999&timeout=1s`);
    await lab.clock.turn();
    while ((await Promise.race([answer, lab.clock.turn()])) === undefined) await lab.clock.advance(500);
    const { status, headers, body } = await answer;
    expect(status).toBe(504);
    expect(headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(headers['x-kubernetes-pf-flowschema-uid']).toBeUndefined();
    expect(body).toEqual({
      metadata: {},
      status: 'Failure',
      message: 'Timeout: request did not complete within the allotted timeout',
      reason: 'Timeout',
      details: {},
      code: 504,
    });
  });
});
