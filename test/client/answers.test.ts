import { describe, expect, it } from 'vitest';
import { asStatus, readBody } from '../../src/client/answer-body.ts';
import { keepHeaders } from '../../src/client/answer-head.ts';
import { BoundedBytes } from '../../src/client/bounded-bytes.ts';
import { classifyError, isNoSuchHost } from '../../src/client/end-kind.ts';
import { continueTokenRv, readListPage } from '../../src/client/list-page.ts';
import { retryAfterMs } from '../../src/protocol/retry-after.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

describe('answer bodies', () => {
  it('finds the Status, also one without kind, and repairs what has a wrong type', () => {
    expect(readBody(bytes('{"kind":"Status","message":"Unauthorized","code":401}'), 50).status).toMatchObject({
      message: 'Unauthorized',
      code: 401,
    });
    const bare = '{"metadata":{},"status":"Failure","message":"Timeout: x","reason":"Timeout","details":{},"code":504}';
    expect(readBody(bytes(bare), 9).status).toMatchObject({ kind: 'Status', code: 504, reason: 'Timeout' });
    expect(asStatus({ kind: 'Status', code: '410', message: 7, details: null, metadata: 1 })).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
    });
  });

  it.each([null, 7, 'Status', [], {}, { kind: 'Pod' }, { status: 'Pending' }])('%j is no Status', (value) => {
    expect(asStatus(value)).toBeUndefined();
  });

  it.each([
    ['{"kind":"PodList","items":[', 'PodList'],
    ['{"apiVersion":"v1","kind":"Pod"', 'Pod'],
    ['{"apiVersion":"v1","items":[],"kind":"WidgetList"}', 'WidgetList'],
    ['<html>', undefined],
    ['{"type":"ADDED","object":{"kind":"Pod"', undefined],
  ])('%s: kind %j', (text, kind) => {
    expect(readBody(bytes(text), text.length).jsonKind).toBe(kind);
  });

  it('survives nesting that no parser does', () => {
    expect(readBody(bytes('['.repeat(60_000)), 60_000).status).toBeUndefined();
    expect(readListPage(bytes('{"items":'.repeat(100_000)))).toBeUndefined();
  });

  it('shows 2000 characters', () => {
    expect(readBody(bytes('x'.repeat(5000)), 5000)).toMatchObject({ text: 'x'.repeat(2000), size: 5000 });
  });

  it('keeps a bounded beginning, and counts the rest', () => {
    const kept = new BoundedBytes(4);
    kept.push([bytes('abc')]);
    expect(kept.overflown).toBe(false);
    kept.push([bytes('def'), bytes('ghi')]);
    expect(Buffer.from(kept.bytes()).toString()).toBe('abcd');
    expect(kept).toMatchObject({ size: 9, overflown: true });
  });
});

describe('list pages', () => {
  it('reads RV, token and objects; uid is the key, or namespace and name', () => {
    const page = readListPage(
      bytes(
        '{"metadata":{"resourceVersion":"7","continue":"t"},"items":[{"metadata":{"name":"a","namespace":"n","uid":"u","resourceVersion":"3"}},{"metadata":{"name":"b"}},{"x":1}]}',
      ),
    );
    expect(page).toEqual({
      rv: '7',
      continue: 't',
      objects: [
        { key: 'u', name: 'n/a', rv: '3' },
        { key: 'b', name: 'b', rv: '' },
      ],
    });
  });

  it.each(['', '[]', '{}', '{"items":7}', '<html>', '{"kind":"Status"}'])('%j is no list', (text) => {
    expect(readListPage(bytes(text))).toBeUndefined();
  });

  it('takes null items, as Go writes an empty slice', () => {
    expect(readListPage(bytes('{"metadata":{"resourceVersion":"7"},"items":null}'))).toEqual({ rv: '7', objects: [] });
  });

  it('reads the RV in a continue token of an apiserver, and nothing into another', () => {
    const token = 'eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6NzEwMDIwLCJzdGFydCI6InRlYW0tYS9wLTAwMDJcdTAwMDAifQ';
    expect(continueTokenRv(token)).toBe('710020');
    expect(continueTokenRv(Buffer.from('{"rv":-1}').toString('base64url'))).toBeUndefined();
    expect(continueTokenRv('%%%')).toBeUndefined();
  });
});

describe('answer heads', () => {
  it.each([
    ['3', 3000],
    [' 30 ', 30_000],
    ['0', 0],
    ['999999999', 3_600_000],
    ['1.5', undefined],
    ['-1', undefined],
    ['Wed, 21 Oct 2026 07:28:00 GMT', undefined],
    ['1e9', undefined],
  ])('Retry-After: %s', (text, ms) => {
    expect(retryAfterMs({ 'retry-after': text })).toBe(ms);
  });

  it.each([
    ['Wed, 21 Oct 2026 07:28:00 GMT', 'Wed, 21 Oct 2026 07:27:40 GMT', 20_000],
    ['Wed, 21 Oct 2026 07:28:00 GMT', 'Wed, 21 Oct 2026 08:00:00 GMT', 0],
    ['Wed, 21 Oct 2099 07:28:00 GMT', 'Wed, 21 Oct 2026 07:28:00 GMT', 3_600_000],
    ['2026-10-21T07:28:00Z', 'Wed, 21 Oct 2026 07:28:00 GMT', undefined],
    ['Wed, 99 Oct 2026 99:99:99 GMT', 'Wed, 21 Oct 2026 07:28:00 GMT', undefined],
  ])('Retry-After as a date: %s, answered at %s', (text, date, ms) => {
    expect(retryAfterMs({ 'retry-after': text, date })).toBe(ms);
  });

  it('takes the Status where no header says it, as in an ERROR event', () => {
    expect(retryAfterMs({}, { details: { retryAfterSeconds: 7 } })).toBe(7000);
    expect(retryAfterMs({ 'retry-after': '2' }, { details: { retryAfterSeconds: 7 } })).toBe(2000);
    expect(retryAfterMs({}, { details: { retryAfterSeconds: -7 } })).toBeUndefined();
  });

  it('keeps what matters, joins what comes twice, cuts what is long', () => {
    const kept = keepHeaders({
      'audit-id': 'a',
      'set-cookie': 'secret',
      via: ['1.1 a', '1.1 b'],
      'x-kubernetes-pf-flowschema-uid': 'u',
      server: 's'.repeat(5000),
    });
    expect(Object.keys(kept).sort()).toEqual(['audit-id', 'server', 'via', 'x-kubernetes-pf-flowschema-uid']);
    expect(kept.via).toBe('1.1 a, 1.1 b');
    expect(kept.server).toHaveLength(1000);
  });
});

describe('ends', () => {
  const error = (code: string | undefined, message = 'm', name = 'Error') =>
    Object.assign(new Error(message), { name, ...(code ? { code } : {}) });

  it.each([
    ['UND_ERR_SOCKET', true, 'truncated'],
    ['UND_ERR_SOCKET', false, 'no-response'],
    ['ECONNRESET', true, 'reset'],
    ['ECONNRESET', false, 'reset'],
    ['ECONNREFUSED', false, 'refused'],
    ['ENOTFOUND', false, 'refused'],
    ['EHOSTUNREACH', false, 'refused'],
    ['UND_ERR_CONNECT_TIMEOUT', false, 'no-response'],
    ['ETIMEDOUT', true, 'truncated'],
    ['UND_ERR_HEADERS_OVERFLOW', false, 'protocol-error'],
    ['HPE_INVALID_CHUNK_SIZE', true, 'protocol-error'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', false, 'tls'],
    ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', true, 'tls'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', false, 'tls'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', false, 'tls'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', false, 'tls'],
    ['CERT_HAS_EXPIRED', false, 'tls'],
    ['SOMETHING_NEW', true, 'truncated'],
  ] as const)('%s, answered %s: %s', (code, answered, end) => {
    expect(classifyError(error(code), answered)).toEqual({ end, code, detail: `${code}: m` });
  });

  it('knows undici’s parser error by its class, which has no code', () => {
    expect(classifyError(error(undefined, 'bad', 'HTTPParserError'), true)).toEqual({
      end: 'protocol-error',
      detail: 'HTTPParserError: bad',
    });
  });

  it('takes the words of one of several addresses', () => {
    const all = Object.assign(new AggregateError([new Error('connect ECONNREFUSED ::1:80')], ''), {
      code: 'ECONNREFUSED',
    });
    expect(classifyError(all, false).detail).toBe('ECONNREFUSED: connect ECONNREFUSED ::1:80');
  });

  it('reads the reason out of an OpenSSL error', () => {
    const words =
      '80CC:error:0A00045C:SSL routines:ssl3_read_bytes:tlsv13 alert certificate required:../deps/x.c:1601:SSL alert number 116\n';
    expect(classifyError(error('ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', words), false)).toMatchObject({
      end: 'tls',
      detail: 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: tlsv13 alert certificate required',
    });
  });

  it('tells a name that does not exist from one that cannot be asked for now', () => {
    expect(isNoSuchHost(classifyError(error('ENOTFOUND'), false))).toBe(true);
    expect(isNoSuchHost(classifyError(error('EAI_AGAIN'), false))).toBe(false);
  });
});
