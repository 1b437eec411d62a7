import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Replica, startReplica } from '../../src/apiserver/replica.ts';
import { MvccStore } from '../../src/store/mvcc-store.ts';
import { SystemClock } from '../../src/util/clock.ts';
import { seededRandom } from '../../src/util/random.ts';
import { kwatch, type Outcome, outcomeOf, recordsOf, startKwatch } from '../support/kwatch.ts';

let replica: Replica;
let proxy: Server;
let via: string;

beforeAll(async () => {
  const clock = new SystemClock();
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
  proxy = holdingProxy(replica.port);
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  via = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
});

afterAll(async () => {
  proxy.closeAllConnections();
  proxy.close();
  await replica.close();
});

/** Names itself, and sends the headers of a watch only with the first byte of its body. */
function holdingProxy(port: number): Server {
  return createServer((incoming, outgoing) => {
    const { url: path = '/', headers } = incoming;
    request({ host: '127.0.0.1', port, path, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, { ...answer.headers, via: '1.1 held' });
      answer.pipe(outgoing);
    }).end();
  });
}

describe.concurrent('kwatch probe', () => {
  it('a healthy endpoint: text, each check once, then the budget; exit 0', async () => {
    const { code, stdout, stderr } = await kwatch(['probe', 'pods', '-s', replica.url]);
    expect(stderr).toBe('');
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^pods at http:\/\/127\.0\.0\.1:\d+\/api\/v1\/namespaces\/default\/pods\nPASS it can be listed +RV \d+\nPASS who answers +v1\.30\.3 over HTTP\/1\.1/,
    );
    expect(stdout).toMatch(/^PASS timeoutSeconds is honoured +a proper end after \d+\.\d s$/m);
    expect(stdout).toMatch(/\n\n\d+ PASS {2}\d+ INFO {2}\d+ requests in \d+\.\d s\n/);
    expect(stdout).toMatch(
      /\nHow long a client may be away\n {2}up to date when it is cut off\n {4}(?:\d+ s at the present write rate|no time is certain)/,
    );
  });

  it('--via: what differs, path by path; exit 1 for a failure', async () => {
    const outcome = await kwatch(['probe', 'pods', '-s', replica.url, '--via', via, '-o', 'json']);
    const records = recordsOf(outcome);
    expect(outcome.code).toBe(1);
    expect(records.filter(({ record, path }) => record === 'check' && path === 'direct')).toHaveLength(17);
    expect(records.filter(({ record, path }) => record === 'check' && path === 'via')).toHaveLength(17);
    expect(records.filter(({ record }) => record === 'difference').map(({ id, kind }) => [id, kind])).toEqual(
      expect.arrayContaining([
        ['headers', 'worse'],
        ['path', 'other'],
      ]),
    );
    expect(records.filter(({ record }) => record === 'budget').map(({ path }) => path)).toEqual(['direct', 'via']);
    expect(records.at(-1)).toMatchObject({ record: 'summary', fail: 1, resource: 'pods', exit_code: 1 });
    for (const { schema, at } of records) expect([schema, typeof at]).toEqual(['kwatch/v1', 'string']);
  });

  it('reports: JUnit and Markdown on stdout, answers on stderr meanwhile', async () => {
    const [junit, markdown] = await Promise.all([
      kwatch(['probe', 'pods', '-s', via, '-o', 'junit']),
      kwatch(['probe', 'pods', '-s', replica.url, '-o', 'markdown']),
    ]);
    expect(junit?.code).toBe(1);
    expect(junit?.stdout).toMatch(/^<\?xml version="1\.0"[\s\S]*<failure message="[^"]*">[\s\S]*<\/testsuites>\n$/);
    expect(junit?.stderr).toMatch(/^kwatch: fail: headers come at once: /m);
    expect(markdown?.code).toBe(0);
    expect(markdown?.stdout).toMatch(/^### kwatch probe `pods` at `http:/);
    expect(markdown?.stdout).toContain('| headers come at once | pass |');
  });

  it('the deep half of --for', async () => {
    const { code, stdout } = await kwatch(['probe', 'pods', '-s', replica.url, '--for', '15s']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Deep half: 15 s$/m);
    expect(stdout).toMatch(/^PASS a long watch ends as planned +ended properly after \d/m);
    expect(stdout).toMatch(/^SKIP bookmarks come each minute/m);
  }, 40_000);

  it('what cannot be listed: one finding, exit 2', async () => {
    const asked = (...args: string[]) => kwatch(['probe', ...args]);
    const [missing, nobody, records, junit] = await Promise.all([
      asked('widgets.v1.example.com', '-s', replica.url),
      asked('pods', '-s', 'http://127.0.0.1:1'),
      asked('pods', '-s', 'http://127.0.0.1:1', '-o', 'json'),
      asked('pods', '-s', 'http://127.0.0.1:1', '-o', 'junit'),
    ]);
    expect([missing, nobody, records, junit].map((one) => one?.code)).toEqual([2, 2, 2, 2]);
    expect(missing?.stdout).toMatch(/^FAIL it can be listed +HTTP 404\n {5}→ kubectl api-resources/m);
    expect(nobody?.stdout).toMatch(/^FAIL it can be listed +no answer: ECONNREFUSED/m);
    expect(recordsOf(records as Outcome)).toMatchObject([
      { record: 'check', id: 'list', result: 'fail', facts: { end: 'refused' } },
      { record: 'summary', fail: 1, requests: 1, exit_code: 2 },
    ]);
    expect(junit?.stdout).toMatch(/<failure message="no answer: ECONNREFUSED/);
  });

  it('a second path that answers nothing: exit 2, and what the first said', async () => {
    const outcome = await kwatch(['probe', 'pods', '-s', replica.url, '--via', 'http://127.0.0.1:1', '-o', 'json']);
    const records = recordsOf(outcome);
    expect(outcome.code).toBe(2);
    expect(records.filter(({ record }) => record === 'difference')).toMatchObject([{ id: 'list', kind: 'worse' }]);
    expect(records.filter(({ record }) => record === 'budget')).toHaveLength(1);
  });

  it('what cannot be asked: one line, exit 2', async () => {
    const asked = (...args: string[]) => kwatch(['probe', ...args]);
    const [short, clear, none] = await Promise.all([
      asked('pods', '-s', replica.url, '--for', '3s'),
      asked('pods', '-s', replica.url, '--via', 'http://192.0.2.1', '--token', 'abc'),
      asked(),
    ]);
    expect([short, clear, none].map((one) => one?.code)).toEqual([2, 2, 2]);
    expect(short?.stderr).toBe('kwatch: --for: the deep half takes at least 15 s\n');
    expect(clear?.stderr).toMatch(/^kwatch: --token is not sent to 192\.0\.2\.1 over plain http/);
    expect(none?.stderr).toMatch(/missing required argument/);
  });

  it('Ctrl-C: what was answered so far, the summary, exit 130', async () => {
    const child = startKwatch(['probe', 'pods', '-s', replica.url, '-o', 'json']);
    child.stdout.once('data', () => child.kill('SIGINT'));
    const outcome = await outcomeOf(child);
    const records = recordsOf(outcome);
    expect(outcome.code).toBe(130);
    expect(records[0]).toMatchObject({ record: 'check', id: 'list', result: 'pass' });
    expect(records.at(-1)).toMatchObject({ record: 'summary', exit_code: 130, fail: 0, skip: 0 });
    expect(records.some(({ id }) => id === 'timeout')).toBe(false);
  });
});
