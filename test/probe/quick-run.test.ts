import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Replica, startReplica } from '../../src/apiserver/replica.ts';
import type { Endpoint } from '../../src/client/endpoint.ts';
import { undiciTransport } from '../../src/client/transport.ts';
import { planRequests } from '../../src/client/watch-request.ts';
import type { CheckOutcome } from '../../src/probe/check.ts';
import type { Measured } from '../../src/probe/measured.ts';
import { runQuick } from '../../src/probe/quick-run.ts';
import { MvccStore } from '../../src/store/mvcc-store.ts';
import { SystemClock } from '../../src/util/clock.ts';
import { seededRandom } from '../../src/util/random.ts';
import { type Break, type BrokenPath, brokenPath } from '../support/broken-path.ts';

/** What the quick half says over one path, on real sockets. */
interface Said {
  measured: Measured | undefined;
  outcomes: CheckOutcome[];
  requests: BrokenPath['requests'];
}

const clock = new SystemClock();
let replica: Replica;

beforeAll(async () => {
  const store = new MvccStore({ clock, initialRevision: 1000, trace: () => undefined });
  replica = await startReplica({
    store,
    clock,
    random: seededRandom(1),
    cacheSize: 'auto',
    port: 0,
    index: 0,
    trace: () => undefined,
  });
});

afterAll(() => replica.close());

/** All of them at once, since each waits for some watches to end. */
const ALL: readonly Break[] = [
  'nothing',
  'headers-held',
  'no-last-chunk',
  'timeout-ignored',
  'http-410',
  'two-errors',
  'gzip-watch',
  'any-rv',
  'html',
  'html-watch',
  'silent',
  'silent-watch',
  'throttled',
  'throttled-at-times',
  'wrong-date',
  'forbids-extras',
  'opaque-rv',
  'slow',
  'hangs-up',
];
const running = new Map<Break, Promise<Said>>();

async function said(broken: Break): Promise<Said> {
  for (const one of running.size === 0 ? ALL : []) running.set(one, over(one));
  return running.get(broken) ?? over(broken);
}

async function over(broken: Break, signal?: AbortSignal): Promise<Said> {
  const path = await brokenPath(replica.port, broken);
  const host = path.url.slice('http://'.length);
  const endpoint: Endpoint = {
    scheme: 'http',
    host,
    prefix: '',
    tls: {},
    authorization: async () => undefined,
    title: host,
  };
  const transport = undiciTransport(endpoint);
  const outcomes: CheckOutcome[] = [];
  const measured = await runQuick(
    {
      lane: () => transport.lane(),
      headers: async (about, accept) => ({ accept, 'user-agent': `kwatch/test probe/${about}` }),
      plan: planRequests(0, { path: '/api/v1/namespaces/default/pods', query: '', raw: false, start: 'list' }),
      namespaced: true,
      clock,
      ...(signal ? { signal } : {}),
    },
    (outcome) => outcomes.push(outcome),
  );
  await path.close();
  return { measured, outcomes, requests: path.requests };
}

/** Results by check. */
function results({ outcomes }: Said): Record<string, string> {
  return Object.fromEntries(outcomes.map(({ check, result }) => [check.id, result]));
}

function answerOf({ outcomes }: Said, id: string): string | undefined {
  return outcomes.find(({ check }) => check.id === id)?.answer;
}

describe('the quick half over a path that', () => {
  it('breaks nothing: nothing is wrong; few requests, each says what it is for', async () => {
    const heard = await said('nothing');
    expect(Object.values(results(heard))).not.toContain('fail');
    expect(heard.requests.length).toBeLessThan(30);
    expect(heard.outcomes.reduce((sum, { requests }) => sum + requests, 0)).toBe(heard.requests.length);
    for (const { agent } of heard.requests) expect(agent).toMatch(/^kwatch\/test probe\/[a-z-]+$/);
    for (const { path } of heard.requests.filter(({ path }) => path.includes('watch='))) {
      expect(path).toMatch(/fieldSelector=metadata\.name%3Dkwatch-probe-matches-nothing/);
      expect(path).toMatch(/timeoutSeconds=\d\b/);
    }
  });

  it.each<[Break, Record<string, string>]>([
    ['headers-held', { headers: 'fail', timeout: 'pass' }],
    ['no-last-chunk', { headers: 'pass', timeout: 'fail', refusal: 'warn' }],
    ['timeout-ignored', { headers: 'pass', timeout: 'fail', refusal: 'warn' }],
    ['http-410', { headers: 'pass', timeout: 'pass', refusal: 'warn', 'window-floor': 'info' }],
    ['two-errors', { refusal: 'warn' }],
    ['gzip-watch', { headers: 'fail', gzip: 'warn', timeout: 'skip', refusal: 'pass', 'window-floor': 'info' }],
    ['any-rv', { 'malformed-rv': 'warn' }],
    ['html-watch', { list: 'pass', headers: 'fail', timeout: 'skip', refusal: 'skip', 'window-floor': 'skip' }],
    ['silent-watch', { list: 'pass', headers: 'fail', timeout: 'skip', bookmark: 'skip', 'etcd-floor': 'info' }],
    ['throttled-at-times', { list: 'pass', headers: 'pass', timeout: 'pass', 'flow-control': 'warn' }],
    ['wrong-date', { 'date-skew': 'warn' }],
    ['forbids-extras', { list: 'pass', path: 'pass', metrics: 'info', 'etcd-floor': 'skip', timeout: 'pass' }],
    ['opaque-rv', { list: 'warn', headers: 'fail', 'cache-lag': 'warn' }],
  ])('breaks %s', async (broken, expected) => {
    const heard = await said(broken);
    expect(heard.measured).toBeDefined();
    expect(results(heard)).toMatchObject(expected);
  });

  it.each<[Break, RegExp]>([
    ['html', /^HTTP 200, but no list with a resourceVersion: text\/html$/],
    ['silent', /^no answer: we gave up after 10 s$/],
    ['throttled', /^HTTP 429$/],
    ['hangs-up', /^no answer: UND_ERR_SOCKET/],
  ])('answers nothing (%s): one finding', async (broken, words) => {
    const heard = await said(broken);
    expect(heard.measured).toBeUndefined();
    expect(heard.outcomes.map(({ check, result }) => [check.id, result])).toEqual([['list', 'fail']]);
    expect(answerOf(heard, 'list')).toMatch(words);
  });

  it('is slow: what is not answered in time is skipped, and slow headers are not called held back', async () => {
    const heard = await said('slow');
    expect(results(heard)).toMatchObject({ list: 'pass', headers: 'pass', 'watch-list': 'skip' });
    expect(answerOf(heard, 'gzip')).toBe('no answer within the time of the quick half');
  });

  it('is left: nothing more is told, nothing more is sent', async () => {
    const leave = new AbortController();
    const left = over('silent-watch', leave.signal);
    leave.abort();
    expect((await left).outcomes).toEqual([]);
  });
});
