import { describe, expect, it } from 'vitest';
import type { Handshake } from '../../src/client/tls-handshake.ts';
import { listRv, refusalOf } from '../../src/probe/ask.ts';
import { listable } from '../../src/probe/quick-list.ts';
import { dateSkew, secured, whoAnswers } from '../../src/probe/quick-path.ts';
import { answer, nothingMeasured, PAGE, status, unanswered } from '../support/probe-answers.ts';

const DAY = 24 * 3_600_000;

describe('who answers', () => {
  it('names what stands between', () => {
    const path = answer({ headers: { via: '1.1 edge', server: 'envoy' } });
    expect(whoAnswers([answer(), path], { ...nothingMeasured(), serverVersion: 'v1.31.0' }).answer).toBe(
      'v1.31.0 over HTTP/1.1; on the way: server: envoy, via: 1.1 edge',
    );
    expect(whoAnswers([answer()], nothingMeasured())).toMatchObject({
      result: 'pass',
      answer: 'unknown version over HTTP/1.1, nothing between that names itself',
    });
  });
});

describe('clocks', () => {
  const dated = (date: string, headAfterMs = 2) =>
    answer({ askedAt: Date.UTC(2026, 0, 1), headAfterMs, headers: { date } });

  it.each([
    ['Thu, 01 Jan 2026 00:00:00 GMT', 'pass', 'the clocks agree within some seconds'],
    ['Thu, 01 Jan 2026 01:00:00 GMT', 'warn', "the server's clock is 1 h ahead of ours"],
    ['Wed, 31 Dec 2025 23:58:59 GMT', 'warn', "the server's clock is 61 s behind ours"],
    ['yesterday', 'skip', 'no Date in the answer'],
  ])('%s', (date, result, words) => {
    expect(dateSkew(dated(date), nothingMeasured())).toMatchObject({ result, answer: words });
  });

  it('a slow answer is no skew', () => {
    expect(dateSkew(dated('Thu, 01 Jan 2026 00:00:09 GMT', 9_000), nothingMeasured()).result).toBe('pass');
  });
});

describe('TLS', () => {
  const agreed = (over: Partial<Extract<Handshake, { kind: 'agreed' }>> = {}): Handshake => ({
    kind: 'agreed',
    protocol: 'TLSv1.3',
    http2: true,
    verified: true,
    certificateEndsAt: 300 * DAY,
    ...over,
  });

  it.each<[string, Handshake | undefined, string, string]>([
    ['as it should be', agreed(), 'pass', 'TLSv1.3; HTTP/2 is offered'],
    [
      'unverified',
      agreed({ verified: false, http2: false }),
      'info',
      'TLSv1.3; HTTP/2 is not offered; its certificate is not verified',
    ],
    [
      'about to end',
      agreed({ certificateEndsAt: 3 * DAY }),
      'warn',
      'TLSv1.3; HTTP/2 is offered; the certificate ends in 48 h',
    ],
    [
      'ended',
      agreed({ certificateEndsAt: 0, verified: false }),
      'warn',
      'TLSv1.3; HTTP/2 is offered; its certificate is not verified; the certificate ended 24 h ago',
    ],
    ['broken off', { kind: 'failed', detail: 'ECONNRESET' }, 'skip', 'a second handshake failed: ECONNRESET'],
    ['none', undefined, 'info', 'no TLS: plain http'],
  ])('%s', (_, handshake, result, words) => {
    expect(secured(handshake, DAY)).toMatchObject({ result, answer: words });
  });
});

describe('the list', () => {
  const list = (resourceVersion: string) => answer({ document: { kind: 'PodList', metadata: { resourceVersion } } });

  it('has an RV that can be compared', () => {
    expect(listable(list('42'))).toEqual({
      said: { result: 'pass', answer: 'RV 42', facts: { rv: '42', comparable: true } },
      newest: '42',
    });
    expect(listable(list('c0ffee'))).toMatchObject({
      said: { result: 'warn', facts: { comparable: false } },
      newest: 'c0ffee',
    });
  });

  it.each([
    [
      answer({ http: 403, status: status(403, 'pods is forbidden') }),
      'HTTP 403: pods is forbidden',
      'a Role with verbs',
    ],
    [answer({ http: 401 }), 'HTTP 401', 'a valid token'],
    [answer({ http: 404 }), 'HTTP 404', 'kubectl api-resources'],
    [unanswered(), 'no answer: ECONNREFUSED', 'is it the right address'],
    [
      unanswered({ end: 'tls', detail: 'SELF_SIGNED_CERT_IN_CHAIN' }),
      'no answer: SELF_SIGNED_CERT_IN_CHAIN',
      '--certificate-authority',
    ],
    [answer(PAGE), 'HTTP 200, but no list with a resourceVersion: text/html; charset=utf-8', 'kubectl get --raw'],
    [
      answer({ document: { kind: 'Pod' } }),
      'HTTP 200, but no list with a resourceVersion: a document that is no list',
      'kubectl get --raw',
    ],
  ])('%# or says why there is none', (given, words, next) => {
    const { said, newest } = listable(given);
    expect(newest).toBeUndefined();
    expect(said).toMatchObject({ result: 'fail', answer: words });
    expect(said.next).toContain(next);
  });

  it('has its RV in the document, or where that is too long at its beginning', () => {
    const beginning =
      '{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"42","continue":"x"},"items":[{"metadata":{"resourceVersion":"7"';
    expect(listRv(list('5'))).toBe('5');
    expect(listRv(answer({ beginning }))).toBe('42');
    expect(listRv(answer({ document: { metadata: {} }, beginning }))).toBeUndefined();
    expect(listRv(answer({ beginning: '<html>' }))).toBeUndefined();
    expect(listRv(answer({ http: 403, beginning }))).toBeUndefined();
  });

  it('a refusal in words', () => {
    expect(refusalOf(unanswered())).toBe('no answer: ECONNREFUSED');
    expect(refusalOf(unanswered({ end: 'stopped', detail: '' }))).toBe('no answer within the time of the quick half');
  });
});
