import { describe, expect, it } from 'vitest';
import { forbiddenField, invalidValue, joinFieldErrors, requiredField } from '../../src/protocol/field-error.ts';
import * as make from '../../src/protocol/status.ts';

const head = '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":';
const core = (resource: string) => ({ group: '', resource });
const deployments = { group: 'apps', resource: 'deployments' };
const E =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.';

// Byte by byte what a real v1.30.3 sent, where it stands in facts/server or its recordings.
describe('a Status on the wire', () => {
  it.each<[string, make.Status, string]>([
    [
      'A',
      make.tooOldResourceVersion(298, 309),
      `${head}"too old resource version: 298 (309)","reason":"Expired","code":410}`,
    ],
    [
      'B',
      make.watchTooOld(),
      `${head}"The resourceVersion for the provided watch is too old.","reason":"Expired","code":410}`,
    ],
    [
      'D',
      make.listTooOld(),
      `${head}"The resourceVersion for the provided list is too old.","reason":"Expired","code":410}`,
    ],
    [
      'E',
      make.continueTooOld('abc'),
      `{"kind":"Status","apiVersion":"v1","metadata":{"continue":"abc"},"status":"Failure","message":"${E}","reason":"Expired","code":410}`,
    ],
    [
      'F',
      make.continueTooOld(),
      `${head}"The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter.","reason":"Expired","code":410}`,
    ],
    [
      'too large, from the cache',
      make.tooLargeResourceVersion(1000480, 480, 1),
      `${head}"Timeout: Too large resource version: 1000480, current: 480","reason":"Timeout","details":{"causes":[{"reason":"ResourceVersionTooLarge","message":"Too large resource version"}],"retryAfterSeconds":1},"code":504}`,
    ],
    [
      'too large, from etcd',
      make.tooLargeResourceVersion('13510', '13010'),
      `${head}"Timeout: Too large resource version: 13510, current: 13010","reason":"Timeout","details":{"causes":[{"reason":"ResourceVersionTooLarge","message":"Too large resource version"}]},"code":504}`,
    ],
    [
      'not found',
      make.notFound(core('configmaps'), 'missing'),
      `${head}"configmaps \\"missing\\" not found","reason":"NotFound","details":{"name":"missing","kind":"configmaps"},"code":404}`,
    ],
    [
      'not found in a group',
      make.notFound(deployments, 'x'),
      `${head}"deployments.apps \\"x\\" not found","reason":"NotFound","details":{"name":"x","group":"apps","kind":"deployments"},"code":404}`,
    ],
    [
      'no such resource',
      make.resourceNotFound(),
      `${head}"the server could not find the requested resource","reason":"NotFound","details":{},"code":404}`,
    ],
    [
      'already exists',
      make.alreadyExists(core('configmaps'), 'a'),
      `${head}"configmaps \\"a\\" already exists","reason":"AlreadyExists","details":{"name":"a","kind":"configmaps"},"code":409}`,
    ],
    [
      'already exists, being deleted',
      make.alreadyExists(core('configmaps'), 'a', true),
      `${head}"object is being deleted: configmaps \\"a\\" already exists","reason":"AlreadyExists","details":{"name":"a","kind":"configmaps"},"code":409}`,
    ],
    [
      'conflict',
      make.conflict(core('endpoints'), 'a', make.OBJECT_MODIFIED),
      `${head}"Operation cannot be fulfilled on endpoints \\"a\\": the object has been modified; please apply your changes to the latest version and try again","reason":"Conflict","details":{"name":"a","kind":"endpoints"},"code":409}`,
    ],
    ['bad request', make.badRequest('why'), `${head}"why","reason":"BadRequest","code":400}`],
    [
      'invalid',
      make.invalid({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', [
        forbiddenField('a', 'x'),
        invalidValue('b', 'v', 'y'),
      ]),
      `${head}"ListOptions.meta.k8s.io \\"\\" is invalid: [a: Forbidden: x, b: Invalid value: \\"v\\": y]","reason":"Invalid","details":{"group":"meta.k8s.io","kind":"ListOptions","causes":[{"reason":"FieldValueForbidden","message":"Forbidden: x","field":"a"},{"reason":"FieldValueInvalid","message":"Invalid value: \\"v\\": y","field":"b"}]},"code":422}`,
    ],
    [
      'no watch',
      make.methodNotSupported(core('componentstatuses'), 'watch'),
      `${head}"watch is not supported on resources of kind \\"componentstatuses\\"","reason":"MethodNotAllowed","details":{"kind":"componentstatuses"},"code":405}`,
    ],
    [
      'no such method',
      make.methodNotAllowed(),
      `${head}"the server does not allow this method on the requested resource","reason":"MethodNotAllowed","details":{},"code":405}`,
    ],
    [
      'not acceptable',
      make.notAcceptable(['application/json;stream=watch', 'application/vnd.kubernetes.protobuf;stream=watch']),
      `${head}"only the following media types are accepted: application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch","reason":"NotAcceptable","code":406}`,
    ],
    ['not acceptable, other', make.notAcceptableBecause('why'), `${head}"why","reason":"NotAcceptable","code":406}`],
    [
      'no representation',
      make.noRepresentation(['application/json', 'application/yaml']),
      `${head}"406: Not Acceptable\\n\\nAvailable representations: application/json, application/yaml","reason":"NotAcceptable","details":{},"code":406}`,
    ],
    [
      'unsupported body',
      make.unsupportedMediaType(['application/json', 'application/yaml']),
      `${head}"the body of the request was in an unknown format - accepted media types include: application/json, application/yaml","reason":"UnsupportedMediaType","code":415}`,
    ],
    [
      'internal error of etcd',
      make.internalError('etcdserver: no leader'),
      `${head}"Internal error occurred: etcdserver: no leader","reason":"InternalError","details":{"causes":[{"message":"etcdserver: no leader"}]},"code":500}`,
    ],
    ['internal error of the cacher', make.rawInternalError('why'), `${head}"why","reason":"InternalError","code":500}`],
    ['unrecognised', make.unrecognisedError('why'), `${head}"why","code":500}`],
    ['unauthorized', make.unauthorized(), `${head}"Unauthorized","reason":"Unauthorized","code":401}`],
    [
      'forbidden',
      make.forbidden(core('pods'), '', 'User "u" cannot watch resource "pods"'),
      `${head}"pods is forbidden: User \\"u\\" cannot watch resource \\"pods\\"","reason":"Forbidden","details":{"kind":"pods"},"code":403}`,
    ],
    [
      'forbidden by name',
      make.forbidden(deployments, 'x', 'why'),
      `${head}"deployments.apps \\"x\\" is forbidden: why","reason":"Forbidden","details":{"name":"x","group":"apps","kind":"deployments"},"code":403}`,
    ],
    ['unavailable', make.serviceUnavailable('why'), `${head}"why","reason":"ServiceUnavailable","code":503}`],
    [
      'too many requests',
      make.tooManyRequests('storage is (re)initializing', 1),
      `${head}"storage is (re)initializing","reason":"TooManyRequests","details":{"retryAfterSeconds":1},"code":429}`,
    ],
    ['timeout', make.timeout('why'), `${head}"Timeout: why","reason":"Timeout","details":{},"code":504}`],
    [
      'timeout, again',
      make.timeout('why', 2),
      `${head}"Timeout: why","reason":"Timeout","details":{"retryAfterSeconds":2},"code":504}`,
    ],
    [
      'deleted',
      make.deleted(core('configmaps'), 'a', 'u-1'),
      '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","details":{"name":"a","kind":"configmaps","uid":"u-1"}}',
    ],
  ])('%s', (_name, status, bytes) => {
    expect(JSON.stringify(status)).toBe(bytes);
  });

  it('shares no metadata between answers', () => {
    expect(make.watchTooOld().metadata).not.toBe(make.watchTooOld().metadata);
  });
});

describe('joinFieldErrors', () => {
  it('says each complaint once', () => {
    const one = requiredField('a');
    expect(joinFieldErrors([one])).toBe('a: Required value');
    expect(joinFieldErrors([one, one])).toBe('a: Required value');
    expect(joinFieldErrors([one, requiredField('a', 'x')])).toBe('[a: Required value, a: Required value: x]');
  });
});

describe('saysGone', () => {
  it.each([
    [{ code: 410 }, true],
    [{ code: 410, reason: 'InternalError' }, true],
    [{ reason: 'Expired' }, true],
    [{ code: 0, reason: 'Gone' }, true],
    [{ code: 500, reason: 'Expired' }, false],
    [{ message: 'too old resource version: 5 (9)' }, false],
  ])('%o: %s', (members, gone) => {
    expect(make.saysGone({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', ...members })).toBe(gone);
  });
});
