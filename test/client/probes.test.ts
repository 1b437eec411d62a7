import { describe, expect, it } from 'vitest';
import type { AnswerHead } from '../../src/client/answer-head.ts';
import type { ProbeKind, ProbeOutcome } from '../../src/client/facts.ts';
import { MetricsReader, probeReader } from '../../src/client/probes.ts';
import { rv } from '../../src/protocol/resource-version.ts';
import { bookmark, errorEvent, event } from '../support/playbook.ts';

const head = (status: number): AnswerHead => ({ status, httpVersion: '1.1', headers: {}, framed: true, connection: 2 });
const EOF = { end: 'eof', detail: '' } as const;
const status = (message: string, code: number) =>
  JSON.stringify({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code });

function outcome(
  kind: ProbeKind,
  code: number,
  body: string,
  end: { end: 'eof' | 'truncated' | 'stopped'; detail: string } = EOF,
): ProbeOutcome {
  const reader = probeReader({ kind, rv: rv('41'), urgent: true });
  reader.head(head(code));
  reader.bytes([Buffer.from(body)]);
  return reader.outcome(end, 1234);
}

const WATCH_TOO_OLD = 'The resourceVersion for the provided watch is too old.';
const LIST_TOO_OLD = 'The resourceVersion for the provided list is too old.';

it('a page is no watch, though its line never ends', () => {
  const reader = probeReader({ kind: 'window', urgent: false });
  reader.head({ ...head(200), headers: { 'content-type': 'text/html; charset=utf-8' } });
  reader.bytes([Buffer.from('<html>')]);
  expect(reader.outcome(EOF, 5)).toEqual({ kind: 'failed', detail: 'the answer is no watch' });
});

describe('probe answers', () => {
  it.each<[string, ProbeKind, number, string, ProbeOutcome]>([
    [
      'the cache names its floor',
      'window',
      200,
      errorEvent(410, 'too old resource version: 1 (985)'),
      { kind: 'floor', floor: rv('985') },
    ],
    [
      'a floor as HTTP status',
      'window',
      410,
      status('too old resource version: 1 (985)', 410),
      { kind: 'floor', floor: rv('985') },
    ],
    ['etcd has compacted RV 1', 'window', 200, errorEvent(410, WATCH_TOO_OLD), { kind: 'compacted' }],
    ['nothing for a second: history reaches back to 1', 'window', 200, '', { kind: 'open' }],
    ['an event: the same', 'window', 200, event('ADDED', 'a', '7'), { kind: 'open' }],
    ['a page with 200', 'window', 200, '<html>login</html>\n', { kind: 'failed', detail: 'the answer is no watch' }],
    ['a page with 200', 'side', 200, '<html>login</html>\n', { kind: 'failed', detail: 'the answer is no watch' }],
    ['forbidden', 'window', 403, status('no', 403), { kind: 'failed', detail: 'HTTP 403: no' }],
    [
      'words of a 410 without its code',
      'window',
      200,
      errorEvent(500, 'too old resource version: 1 (985)'),
      { kind: 'failed', detail: 'HTTP 200: too old resource version: 1 (985)' },
    ],
    ['a 410 in foreign words', 'window', 200, errorEvent(410, 'gone'), { kind: 'failed', detail: 'HTTP 200: gone' }],
    [
      'etcd still has it',
      'exact',
      200,
      '{"kind":"PodList","metadata":{"resourceVersion":"99"},"items":[]}',
      { kind: 'alive', rv: rv('41') },
    ],
    ['etcd has compacted it', 'exact', 410, status(LIST_TOO_OLD, 410), { kind: 'compacted', rv: rv('41') }],
    [
      'a gateway’s own 410 says nothing of etcd',
      'exact',
      410,
      '<html>gone</html>',
      { kind: 'failed', detail: 'HTTP 410' },
    ],
    [
      'a 410 of the cache neither',
      'exact',
      410,
      status('too old resource version: 41', 410),
      { kind: 'failed', detail: 'HTTP 410: too old resource version: 41' },
    ],
    [
      'a login page is no list',
      'exact',
      200,
      '<html>sign in</html>',
      { kind: 'failed', detail: 'the answer is no list' },
    ],
    ['a list that is cut', 'exact', 200, '{"kind":"PodList","apiVersion":"v1","it', { kind: 'alive', rv: rv('41') }],
    [
      'it lies ahead',
      'exact',
      500,
      status('etcdserver: mvcc: required revision is a future revision', 500),
      { kind: 'failed', detail: 'HTTP 500: etcdserver: mvcc: required revision is a future revision' },
    ],
    [
      'the cache RV',
      'cache-rv',
      200,
      '{"metadata":{"resourceVersion":"88940"},"items":[]}',
      { kind: 'rv', rv: rv('88940') },
    ],
    ['a list without an RV', 'cache-rv', 200, '{"items":[]}', { kind: 'failed', detail: 'a list without an RV' }],
    ['a version', 'version', 200, '{"gitVersion":"v1.30.3"}', { kind: 'version', gitVersion: 'v1.30.3' }],
    ['a page', 'version', 200, '<html>', { kind: 'failed', detail: 'no gitVersion in it' }],
    [
      'a second watch',
      'side',
      200,
      event('ADDED', 'a', '42') + bookmark('50'),
      { kind: 'side', frames: 1, waitedMs: 1234, lastRv: rv('50') },
    ],
    ['a second watch, as silent', 'side', 200, '', { kind: 'side', frames: 0, waitedMs: 1234 }],
    [
      'a second watch, refused',
      'side',
      200,
      errorEvent(410, 'too old resource version: 41 (50)'),
      { kind: 'failed', detail: 'HTTP 200: too old resource version: 41 (50)' },
    ],
  ])('%s', (_name, kind, code, body, expected) => {
    expect(outcome(kind, code, body)).toEqual(expected);
  });

  it('says nothing of a window that broke off, or was not answered', () => {
    expect(outcome('window', 200, '', { end: 'truncated', detail: 'closed' })).toEqual({
      kind: 'failed',
      detail: 'the stream broke off: closed',
    });
    const reader = probeReader({ kind: 'window', urgent: true });
    expect(reader.outcome({ end: 'refused', detail: 'ECONNREFUSED' }, 0)).toEqual({
      kind: 'failed',
      detail: 'no answer: ECONNREFUSED',
    });
  });

  it('needs no more bytes once the window has its answer, nor of an endless body', () => {
    const window = probeReader({ kind: 'window', urgent: true });
    window.head(head(200));
    expect(window.bytes([Buffer.from(errorEvent(410, 'x'))])).toBe(true);
    const version = probeReader({ kind: 'version', urgent: false });
    version.head(head(200));
    expect(version.bytes([Buffer.alloc(64 * 1024)])).toBe(false);
    expect(version.bytes([Buffer.alloc(1)])).toBe(true);
  });
});

const UP_TO_1_33 = `# HELP apiserver_terminated_watchers_total x
# TYPE apiserver_terminated_watchers_total counter
apiserver_terminated_watchers_total{resource="deployments.apps"} 3
apiserver_terminated_watchers_total{resource="pods"} 4
apiserver_watch_cache_initializations_total{resource="deployments.apps"} 2
apiserver_watch_events_total{group="apps",kind="Deployment",version="v1"} 99
process_start_time_seconds 1.75e+09
watch_cache_capacity{resource="deployments.apps"} 100
watch_cache_capacity{resource="pods"} 102400
watch_cache_capacity_increase_total{resource="pods"} 10
workqueue_adds_total{name="x"} 5
watch_cache_capacity{resource="pods"} 1
`;
const FROM_1_34 = `apiserver_watch_cache_initializations_total{group="",resource="pods"} 7
apiserver_watch_cache_initializations_total{group="apps",resource="deployments"} 8
apiserver_watch_cache_initializations_total{group="metrics.k8s.io",resource="pods"} 9
`;

describe('metrics', () => {
  const resources = [
    { group: '', resource: 'pods' },
    { group: 'apps', resource: 'deployments' },
  ];
  const read = (text: string, slice = text.length) => {
    const reader = new MetricsReader(resources);
    reader.head(head(200));
    let done = false;
    for (let at = 0; at < text.length; at += slice)
      done = reader.bytes([Buffer.from(text.slice(at, at + slice))]) || done;
    return { outcomes: reader.outcomes(EOF), done };
  };

  it.each([1, 7, 64, 10_000])(
    'reads labels as up to 1.33, whatever the slices (%i), and stops behind the last name',
    (slice) => {
      const { outcomes, done } = read(UP_TO_1_33, slice);
      expect(outcomes[0]).toEqual({
        kind: 'metrics',
        samples: {
          apiserver_terminated_watchers_total: 4,
          process_start_time_seconds: 1_750_000_000,
          watch_cache_capacity: 102_400,
          watch_cache_capacity_increase_total: 10,
        },
      });
      expect(outcomes[1]).toMatchObject({
        samples: { apiserver_watch_cache_initializations_total: 2, watch_cache_capacity: 100 },
      });
      expect(done).toBe(true);
    },
  );

  it('reads labels as from 1.34 on', () => {
    const { outcomes, done } = read(FROM_1_34);
    expect(outcomes).toMatchObject([
      { samples: { apiserver_watch_cache_initializations_total: 7 } },
      { samples: { apiserver_watch_cache_initializations_total: 8 } },
    ]);
    expect(done).toBe(false);
  });

  it('holds no more than a line of a body without line ends', () => {
    const reader = new MetricsReader(resources);
    reader.head(head(200));
    for (let n = 0; n < 100; n++) reader.bytes([Buffer.alloc(64 * 1024, 'x')]);
    expect(reader.outcomes(EOF)[0]).toEqual({ kind: 'failed', detail: 'none of the names wanted' });
  });

  it('tells a refusal for each resource', () => {
    const reader = new MetricsReader(resources);
    reader.head(head(403));
    reader.bytes([Buffer.from(status('forbidden', 403))]);
    expect(reader.outcomes(EOF)).toEqual([
      { kind: 'failed', detail: 'HTTP 403: forbidden' },
      { kind: 'failed', detail: 'HTTP 403: forbidden' },
    ]);
  });
});
