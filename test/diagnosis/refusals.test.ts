import { describe, expect, it } from 'vitest';
import type { EndKind } from '../../src/client/facts.ts';
import { diagnose } from '../../src/diagnosis/diagnose.ts';
import type { Finding } from '../../src/diagnosis/finding.ts';
import type { Status } from '../../src/protocol/status.ts';
import { FactsBuilder, failure, seconds } from './facts-builder.ts';

interface Case {
  name: string;
  status?: number;
  end?: EndKind;
  detail?: string;
  headers?: Record<string, string>;
  body?: string;
  told?: Partial<Status>;
  jsonKind?: string;
  resource?: string;
  expect: [string, string];
  mentions?: (string | RegExp)[];
}

const APF = {
  'audit-id': 'a',
  'retry-after': '4',
  'x-kubernetes-pf-flowschema-uid': 'flow-1',
  'x-kubernetes-pf-prioritylevel-uid': 'level-1',
};
const RV_TOO_LARGE = 'Timeout: Too large resource version: 900, current: 800';

/** The first request of a run, turned away. Each class with what looks like it but is another. */
const CASES: Case[] = [
  {
    name: 'fairness',
    status: 429,
    headers: APF,
    body: 'Too many requests, please try again later.\n',
    expect: ['apf-rejected', 'high'],
    mentions: ['flow-1', '429', /retry-after/i],
  },
  {
    name: 'fairness, as an apiserver without its headers would say it',
    status: 429,
    headers: { 'audit-id': 'a', 'retry-after': '1' },
    body: 'Too many requests, please try again later.\n',
    expect: ['apf-rejected', 'medium'],
  },
  {
    name: 'a redirect to a login page',
    status: 302,
    headers: { server: 'edge', location: 'https://login.example.io/start?token=x' },
    body: '<a href="https://login.example.io/start?token=x">Found</a>',
    expect: ['gateway-error', 'medium'],
    mentions: ['login page', 'https://login.example.io)', /does not help until the proxy/],
  },
  {
    name: 'headers that a proxy finds too large',
    status: 431,
    headers: { server: 'edge' },
    body: '<html>Request Header Fields Too Large</html>',
    expect: ['gateway-error', 'medium'],
    mentions: [/too large/, /rules of the proxy/],
  },
  {
    name: 'a gateway that waited, in a code of its own',
    status: 524,
    headers: { server: 'edge' },
    body: '<html>A timeout occurred</html>',
    expect: ['gateway-error', 'high'],
    mentions: ['waited too long for its backend', /back-off/],
  },
  {
    name: 'an authorizer that cannot be asked',
    status: 500,
    headers: { 'audit-id': 'a' },
    body: 'Internal Server Error: "/api/v1/pods?watch=1": Post "https://authz.example.io/": context deadline exceeded\n',
    expect: ['storage-error', 'low'],
    mentions: ['authz.example.io', /before storage/, /authorization/],
  },
  {
    name: 'a handler that panicked',
    status: 500,
    headers: { 'audit-id': 'a' },
    body: 'This request caused apiserver to panic. Look in the logs for details.\n',
    expect: ['storage-error', 'low'],
    mentions: ['panicked'],
  },
  {
    name: 'nothing at all, with HTTP 200',
    status: 200,
    end: 'not-a-stream',
    body: '',
    expect: ['not-a-watch', 'medium'],
    mentions: ['an empty body'],
  },
  {
    name: 'the same words of somebody in front',
    status: 429,
    headers: { server: 'edge' },
    body: 'Too many requests, please try again later.\n',
    expect: ['apf-rejected', 'medium'],
  },
  {
    name: 'a 429 in words that nobody knows',
    status: 429,
    told: { message: 'the backend is busy', code: 429, details: { retryAfterSeconds: 7 } },
    expect: ['apf-rejected', 'low'],
    mentions: ['cannot be told', '7 s', 'the backend is busy'],
  },
  {
    name: 'an exact list of a revision to come, up to 1.33',
    status: 500,
    told: { message: 'etcdserver: mvcc: required revision is a future revision', code: 500 },
    expect: ['rv-too-large', 'high'],
    mentions: ['future', /without resourceVersion/],
  },
  {
    name: 'a service that is only called after etcd',
    status: 500,
    told: { message: 'failed calling webhook "x": Post "https://etcd-operator.ops.svc:443/v": EOF', code: 500 },
    expect: ['storage-error', 'low'],
    mentions: ['internal error'],
  },
  {
    name: 'what a client says of a broken stream',
    status: 500,
    told: { message: 'unable to decode an event from the watch stream', code: 500 },
    expect: ['storage-error', 'low'],
  },
  {
    name: 'etcd, by name',
    status: 500,
    told: { message: 'Internal error occurred: etcd is not reachable', code: 500 },
    expect: ['storage-error', 'high'],
  },
  {
    name: 'the apiserver’s own time limit',
    status: 504,
    headers: { 'audit-id': 'a' },
    told: { message: 'Timeout: request did not complete within the allotted timeout', reason: 'Timeout', code: 504 },
    expect: ['storage-error', 'low'],
    mentions: ['itself', /readyz/, /^(?!.*(log of the proxy|past the proxy))/s],
  },
  {
    name: 'an aggregated API whose server is down',
    status: 503,
    headers: { 'audit-id': 'a' },
    body: 'error trying to reach service: dial tcp 192.0.2.9:443: connect: connection refused',
    resource: 'widgets.metrics.example.io',
    expect: ['gateway-error', 'medium'],
    mentions: [/aggregated API/, /apiservice/, /^(?!.*not from the apiserver)/s],
  },
  {
    name: 'nobody logged in',
    status: 403,
    headers: { 'audit-id': 'a' },
    told: {
      message:
        'pods is forbidden: User "system:anonymous" cannot watch resource "pods" in API group "" in the namespace "shop"',
      reason: 'Forbidden',
      code: 403,
    },
    expect: ['forbidden', 'high'],
    mentions: ['system:anonymous', 'no credential', /^(?!.*(credential is valid|was accepted|bound to this user))/s],
  },
  {
    name: 'a client certificate that is demanded',
    end: 'tls',
    detail: 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: tlsv13 alert certificate required',
    expect: ['unreachable', 'high'],
    mentions: ['client certificate', /^(?!.*certificate-authority)/s],
  },
  {
    name: 'a rate limiter in front',
    status: 429,
    headers: { server: 'edge' },
    body: '<html>slow down</html>',
    expect: ['gateway-error', 'medium'],
  },
  {
    name: 'a cache that fills',
    status: 429,
    told: { message: 'storage is (re)initializing', reason: 'TooManyRequests', code: 429 },
    expect: ['watch-cache-not-ready', 'high'],
  },
  {
    name: 'a cache that fills, before 1.31',
    status: 503,
    told: { message: 'context deadline exceeded', reason: 'ServiceUnavailable', code: 503 },
    expect: ['watch-cache-not-ready', 'high'],
  },
  {
    name: 'a cache that cannot fill for a webhook',
    status: 429,
    told: {
      message:
        'storage is (re)initializing: failed to list x: conversion webhook for d.io/v1, Kind=P failed: service "conv" not found',
      code: 429,
    },
    expect: ['conversion-webhook-failed', 'high'],
    mentions: ['d.io/v1'],
  },
  {
    name: 'a cache that cannot fill for storage',
    status: 429,
    told: { message: 'storage is (re)initializing: unable to transform key "/registry/secrets/a/b"', code: 429 },
    expect: ['storage-error', 'high'],
  },
  {
    name: 'a cache that cannot reach etcd',
    status: 429,
    told: {
      message:
        'storage is (re)initializing: rpc error: code = Unavailable desc = connection error: desc = "transport: Error while dialing: dial tcp 192.0.2.7:2379: connect: connection refused"',
      code: 429,
    },
    expect: ['storage-error', 'high'],
    mentions: ['2379'],
  },
  {
    name: 'a cache that cannot fill for a cause of other words',
    status: 429,
    told: { message: 'storage is (re)initializing: context deadline exceeded', code: 429 },
    expect: ['storage-error', 'medium'],
  },
  {
    name: 'an apiserver that leaves',
    status: 429,
    headers: { 'audit-id': 'a', 'retry-after': '5', connection: 'close' },
    body: 'The apiserver is shutting down, please try again later.\n',
    expect: ['apiserver-shutdown', 'high'],
  },
  {
    name: 'an apiserver that leaves, in JSON',
    status: 503,
    told: { message: 'apiserver is shutting down', code: 503 },
    expect: ['apiserver-shutdown', 'high'],
  },
  {
    name: 'a credential',
    status: 401,
    told: { message: 'Unauthorized', code: 401 },
    expect: ['auth-expired', 'medium'],
  },
  {
    name: 'no permission',
    status: 403,
    told: {
      message: 'pods is forbidden: User "u" cannot watch resource "pods" in API group "" in the namespace "shop"',
      code: 403,
    },
    expect: ['forbidden', 'high'],
    mentions: ['kubectl auth can-i watch pods', 'RBAC'],
  },
  {
    name: 'a firewall’s 403',
    status: 403,
    headers: { server: 'waf' },
    body: '<html>blocked</html>',
    expect: ['gateway-error', 'medium'],
  },
  {
    name: 'no such path',
    status: 404,
    headers: { 'audit-id': 'a' },
    body: '404 page not found\n',
    expect: ['not-a-watch', 'high'],
  },
  {
    name: 'not to be watched',
    status: 405,
    told: { message: 'watch is not supported on resources of kind "bindings"', code: 405 },
    expect: ['not-a-watch', 'high'],
  },
  {
    name: 'a plain list',
    status: 200,
    end: 'not-a-stream',
    jsonKind: 'EventList',
    body: '{"kind":"EventList"',
    expect: ['not-a-watch', 'high'],
    mentions: ['EventList', 'watch=1'],
  },
  {
    name: 'a login page',
    status: 200,
    end: 'not-a-stream',
    headers: { 'content-type': 'text/html' },
    body: '<html>',
    expect: ['not-a-watch', 'medium'],
  },
  {
    name: 'parameters',
    status: 422,
    told: {
      message: 'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: …',
      reason: 'Invalid',
      code: 422,
    },
    expect: ['request-rejected', 'high'],
    mentions: ['resourceVersionMatch'],
  },
  {
    name: 'an RV that is no number',
    status: 500,
    told: {
      message: 'resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax',
      code: 500,
    },
    expect: ['request-rejected', 'high'],
  },
  {
    name: 'an RV ahead of the server',
    status: 504,
    told: { message: RV_TOO_LARGE, reason: 'Timeout', code: 504 },
    expect: ['rv-too-large', 'high'],
    mentions: ['900', '800', /behind/],
  },
  {
    name: 'a gateway',
    status: 502,
    headers: { server: 'nginx' },
    body: '<html>502 Bad Gateway</html>',
    expect: ['gateway-error', 'high'],
    mentions: ['nginx', /in front of/],
  },
  {
    name: 'a gateway’s timeout, no RV trouble',
    status: 504,
    headers: { server: 'lb' },
    body: 'upstream request timeout',
    expect: ['gateway-error', 'high'],
  },
  {
    name: 'etcd',
    status: 500,
    told: { message: 'etcdserver: request timed out', code: 500 },
    expect: ['storage-error', 'high'],
  },
  {
    name: 'an unknown internal error',
    status: 500,
    told: { message: 'boom', reason: 'InternalError', code: 500 },
    expect: ['storage-error', 'medium'],
  },
  {
    name: 'a refused connection',
    end: 'refused',
    detail: 'ECONNREFUSED: connect',
    expect: ['unreachable', 'high'],
    mentions: ['ECONNREFUSED', '127.0.0.1:8080', '--server'],
  },
  {
    name: 'an unknown name',
    end: 'refused',
    detail: 'ENOTFOUND: getaddrinfo',
    expect: ['unreachable', 'high'],
    mentions: [/name/],
  },
  {
    name: 'TLS to a plain port',
    end: 'tls',
    detail: 'EPROTO: wrong version number',
    expect: ['unreachable', 'high'],
    mentions: ['TLS', 'http://'],
  },
  {
    name: 'plain HTTP to a TLS port',
    status: 400,
    body: 'Client sent an HTTP request to an HTTPS server.\n',
    headers: {},
    expect: ['unreachable', 'high'],
    mentions: ['https'],
  },
  {
    name: 'a close without an answer',
    end: 'no-response',
    detail: 'other side closed',
    expect: ['unreachable', 'medium'],
  },
];

function first(one: Case): Finding {
  const b = new FactsBuilder();
  const stream = b.stream(b.target(one.resource ?? 'pods'), {
    at: 0,
    rv: '100',
    end: one.end ?? 'rejected',
    ...(one.status === undefined ? {} : { status: one.status }),
  });
  if (one.headers) stream.headers = one.headers;
  if (one.detail) stream.endDetail = one.detail;
  if (one.body !== undefined || one.told) {
    stream.body = {
      text: one.body ?? '',
      size: (one.body ?? 'a Status').length,
      ...(one.told ? { status: failure(one.told) } : {}),
      ...(one.jsonKind ? { jsonKind: one.jsonKind } : {}),
    };
  }
  const found = diagnose(b.run(5));
  expect(found).toHaveLength(1);
  return found[0]!;
}

describe('requests that are turned away', () => {
  it.each(CASES)('$name', (one) => {
    const finding = first(one);
    expect([finding.class, finding.confidence]).toEqual(one.expect);
    const read = [finding.title, finding.text, ...finding.evidence, ...finding.next].join('\n');
    for (const words of one.mentions ?? []) expect(read).toMatch(words);
    expect(finding.next[0]).toBeTruthy();
  });

  it('says nothing of a refusal where a TLS handshake failed, nor of a 410 where nobody listens', () => {
    const tls = first(CASES.find(({ end }) => end === 'tls')!);
    expect(`${tls.title} ${tls.text} ${tls.next.join(' ')}`).not.toMatch(/refused/);
    const refused = first(CASES.find(({ end }) => end === 'refused')!);
    expect(`${refused.title} ${refused.text} ${refused.next.join(' ')}`).not.toMatch(/410|too old/);
  });
});

describe('refusals in the story of a run', () => {
  it('names the server that refused, where that is not the one of the run', () => {
    const b = new FactsBuilder();
    const endpoint = { scheme: 'http', host: '127.0.0.1:8082' } as const;
    b.stream(b.target('pods'), { at: 0, end: 'refused', facts: { endDetail: 'ECONNREFUSED', endpoint } });
    const [found] = diagnose(b.run(20));
    expect(found?.title).toContain('http://127.0.0.1:8082');
    expect([found?.text, found?.next].join(' ')).not.toContain('8080');
  });

  it('is unreachable while a LIST has no headers for 10 s; a note of the same key when they came', () => {
    const b = new FactsBuilder();
    const target = b.target('pods');
    const pending = { target, methodPath: target.path, why: 'start' as const, askedAt: seconds(0) };
    expect(diagnose(b.run(11, { pendingLists: [pending] }))).toEqual([]);
    const waiting = diagnose(b.run(14, { pendingLists: [{ ...pending, noAnswerAt: seconds(10) }] }));
    expect(waiting.map((one) => [one.class, one.confidence, one.severity])).toEqual([['unreachable', 'high', 'error']]);
    expect(waiting[0]?.title).toMatch(/No answer to the LIST/);
    expect(waiting[0]?.text).not.toMatch(/refused|hold a watch/);
    b.list(target, 0, '700', { noAnswerAt: seconds(10), endedAt: seconds(22) });
    const late = diagnose(b.run(30));
    expect(late.map((one) => [one.class, one.severity, one.key])).toEqual([['unreachable', 'note', waiting[0]?.key]]);
    expect(late[0]?.title).toMatch(/came only after/);
  });

  it('does not send somebody to the URL whose streams lived at it', () => {
    const b = new FactsBuilder();
    const target = b.target('pods');
    b.stream(target, { at: 0, end: 'eof', until: 60, rv: '100', timeout: 500, last: ['120', 59], events: 3 });
    b.stream(target, { at: 60.1, rv: '120', rvAt: 59, end: 'no-response', facts: { endDetail: 'other side closed' } });
    const closed = diagnose(b.run(61)).find((one) => one.class === 'unreachable');
    expect(closed?.text).toContain('scheme and port are right');
    expect(closed?.lines.do).toContain('a restart is over in seconds');
    expect(closed?.next.join()).not.toContain('--server');
  });

  it('does not speak of an expired credential where none was sent', () => {
    const b = new FactsBuilder();
    const stream = b.stream(b.target('pods'), { at: 0, rv: '1', end: 'rejected', status: 401 });
    stream.body = { text: '', size: 1, status: failure({ message: 'Unauthorized', code: 401 }) };
    const [finding] = diagnose(b.run(5, { endpoint: { scheme: 'https', host: 'h', anonymous: true } }));
    expect(finding).toMatchObject({ class: 'auth-expired', confidence: 'medium' });
    expect(finding?.title).toMatch(/no credential was sent/);
    expect(`${finding?.text} ${finding?.next.join()}`).not.toMatch(/expired or revoked|log in anew|renew/);
  });

  it('speaks of the credential that something on the way added, where requests without one were taken before', () => {
    const b = new FactsBuilder();
    const pods = b.target('pods');
    b.stream(pods, { at: 0, rv: '1', end: 'eof', until: 60, timeout: 60 });
    const stream = b.stream(pods, { at: 60, rv: '1', end: 'rejected', status: 401 });
    stream.body = { text: '', size: 1, status: failure({ message: 'Unauthorized', code: 401 }) };
    const [, finding] = diagnose(b.run(65, { endpoint: { scheme: 'http', host: 'h', anonymous: true } }));
    expect(finding).toMatchObject({ class: 'auth-expired', confidence: 'high' });
    expect(finding?.text).toMatch(/accepted: so something on the way added one \(kubectl proxy/);
    expect(`${finding?.title} ${finding?.text}`).not.toMatch(/takes nobody|that could have expired/);
  });

  it('says nothing of an RV that a 410 without one never had', () => {
    const b = new FactsBuilder();
    const stream = b.stream(b.target('pods'), { at: 0, end: 'rejected', status: 410 });
    stream.headers = { server: 'edge' };
    const [finding] = diagnose(b.run(5));
    expect(finding?.class).toBe('ambiguous-410');
    expect(JSON.stringify(finding)).not.toMatch(/RV the RV|RV \(none/);
  });

  it('is one finding while it repeats, with the newest Retry-After', () => {
    const b = new FactsBuilder();
    const target = b.target('pods');
    for (const [i, after] of ['1', '2', '4'].entries()) {
      const stream = b.stream(target, { at: i * 5, rv: '1', end: 'rejected', status: 429 });
      stream.headers = { ...APF, 'retry-after': after };
      stream.body = { text: 'Too many requests, please try again later.\n', size: 44 };
    }
    const findings = diagnose(b.run(20));
    expect(findings).toHaveLength(1);
    expect(findings[0]).toMatchObject({
      streams: [1, 2, 3],
      facts: { retry_after_s: 4, connections: 3, http_status: 429 },
    });
  });

  it('is two findings where a live stream came between', () => {
    const b = new FactsBuilder();
    const target = b.target('pods');
    const refuse = (at: number) => b.stream(target, { at, rv: '1', end: 'rejected', status: 502 }).headers && undefined;
    refuse(0);
    b.stream(target, { at: 5, rv: '1', end: 'eof', until: 35, timeout: 30 });
    refuse(36);
    expect(diagnose(b.run(40)).filter((one) => one.class !== 'server-timeout')).toHaveLength(2);
  });

  it('is auth-expired for sure after earlier success, or by the token’s own exp', () => {
    const b = new FactsBuilder();
    const target = b.target('jobs.batch');
    b.stream(target, { at: 0, rv: '1', end: 'eof', until: 600, timeout: 600, last: ['12070', 598], bookmarks: [598] });
    const stream = b.stream(target, { at: 600.1, rv: '12070', rvAt: 598, end: 'rejected', status: 401 });
    stream.body = { text: '', size: 1, status: failure({ message: 'Unauthorized', code: 401 }) };
    const findings = diagnose(b.run(610, { tokenExpiresAt: b.run(560).now }));
    expect(findings.map((one) => [one.class, one.confidence])).toEqual([
      ['server-timeout', 'high'],
      ['auth-expired', 'high'],
    ]);
    expect(findings[1]?.text).toMatch(/expired/);
    expect(findings[1]?.facts.last_rv).toBe('12070');
  });

  it('is unreachable, and no stall, while no headers come for 10 s; a note when they came after all', () => {
    const b = new FactsBuilder();
    const target = b.target('jobs.batch');
    const stream = b.stream(target, { at: 0, rv: '0', end: 'no-response' });
    delete stream.end;
    delete stream.endedAt;
    expect(diagnose(b.run(11))).toEqual([]);
    stream.noAnswerAt = b.run(10).now;
    const waiting = diagnose(b.run(14));
    expect(waiting[0]).toMatchObject({ class: 'unreachable', confidence: 'high', severity: 'error' });
    expect(`${waiting[0]?.title} ${waiting[0]?.text}`).not.toMatch(/refused/);
    Object.assign(stream, { openedAt: b.run(40).now, httpStatus: 200 });
    expect(diagnose(b.run(50))[0]).toMatchObject({ class: 'unreachable', severity: 'note' });
  });

  it('follows in-stream errors by their own code, and joins the same words', () => {
    const b = new FactsBuilder();
    const target = b.target('events');
    const message =
      'Internal error occurred: etcd event received with PrevKv=nil (key="/registry/events/web/a", modRevision=9120455, type=DELETE)';
    for (const at of [0, 2, 5])
      b.stream(target, { at, rv: '9120220', error: { message, reason: 'InternalError', code: 500 } });
    const findings = diagnose(b.run(10));
    expect(findings).toHaveLength(1);
    expect(findings[0]).toMatchObject({
      class: 'storage-error',
      confidence: 'high',
      facts: { http_status: 200, status_code: 500 },
    });
    expect(findings[0]?.text).toMatch(/9120455/);
  });

  it('lets the early end belong to the refusal that tells why', () => {
    const b = new FactsBuilder();
    const target = b.target('projects.deploy.example.io');
    b.stream(target, { at: 0, rv: '1', end: 'eof', until: 44, timeout: 500, last: ['66112', 6, 'event'], events: 1 });
    const stream = b.stream(target, { at: 44.1, rv: '66112', rvAt: 6, end: 'rejected', status: 429 });
    stream.body = {
      text: '',
      size: 1,
      status: failure({
        message: 'storage is (re)initializing: conversion webhook for d.io/v2, Kind=P failed',
        code: 429,
      }),
    };
    expect(diagnose(b.run(60)).map((one) => [one.class, one.explainedBy])).toEqual([
      ['ambiguous-end', 'f2'],
      ['conversion-webhook-failed', undefined],
    ]);
  });

  it('is rv-too-large on a list too, and sees that the current value does not move', () => {
    const b = new FactsBuilder();
    const target = b.target('services');
    const status = failure({ message: RV_TOO_LARGE, reason: 'Timeout', code: 504 });
    for (const at of [0, 5, 10])
      b.list(target, at, undefined, { httpStatus: 504, refusal: { status, hadContinue: false } });
    const findings = diagnose(b.run(20));
    expect(findings).toHaveLength(1);
    expect(findings[0]?.text).toMatch(/unchanged/);
    expect(findings[0]?.facts).toMatchObject({ requested_rv: '900', current_rv: '800', http_status: 504 });
  });
});
