import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, createServer as createNetServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { kwatch, recordsOf } from '../support/kwatch.ts';

const servers: { close(): unknown }[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function serve(listener: RequestListener): Promise<string> {
  const server: Server = createServer(listener);
  servers.push({
    close() {
      server.closeAllConnections();
      server.close();
    },
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** One line for people, and never a stack trace. */
function expectOneLine(stderr: string): void {
  expect(stderr).toMatch(/^kwatch: [^\n]+\n$/);
  expect(stderr).not.toMatch(/\n\s+at /);
}

describe('flags and names: one line on stderr, exit code 2', () => {
  it.each([
    [['--frobnicate'], /unknown option '--frobnicate'/],
    [['tail', 'pods', '--for', 'soon'], /--for.*Go: 500ms/],
    [['tail', 'pods', '--rv', '-5'], /--rv.*list, now, unset/],
    [['tail', 'pods', '-o', 'yaml'], /Allowed choices are tui, line, json/],
    [['tail', 'pods', '-H', 'no colon'], /Name: value/],
    [['tail', '--raw', 'api/v1/pods', '-s', 'http://127.0.0.1:1'], /path with an optional query/],
    [['tail', '-s', 'http://127.0.0.1:1'], /name a resource/],
    [['tail', 'pods', '-s', 'ftp://127.0.0.1'], /ftp/],
    [['tail', 'pods', '-s', 'http://['], /--server/],
    [['podz'], /no resource type "podz": did you mean pods\?|kubeconfig/],
    [['frobnicate', '-s', 'http://127.0.0.1:1'], /no resource type "frobnicate"/],
    [['tail', 'pods/a/b', '-s', 'http://127.0.0.1:1'], /is no resource/],
    [['tail', 'pods', '-s', 'http://192.0.2.1', '--token', 'sesame'], /not sent to 192\.0\.2\.1 over plain http/],
    [['tail', 'pods', '-s', 'http://127.0.0.1:1', '--save', '/nonexistent/x'], /--save: ENOENT/],
    [['tail', 'pods', '-s', 'http://127.0.0.1:1', '-o', 'tui'], /-o tui needs a terminal/],
    [['local', '--cache-size', '0'], /at least 1|from 1 to/],
    [['local', '--cache-size', '102401'], /from 1 to 102400/],
    [['local', '--burst', '5/2/1'], /N or N\/D/],
    [['local', '--compact-every', '10ms'], /at least 1s, or off/],
    [['local', '--speed', '-1'], /greater than 0/],
    [['local', '--replicas', '0'], /from 1 to 16/],
    [['local', '--replicas', '17'], /from 1 to 16/],
    [['local', '--feature-gates', 'WatchLists=true'], /the gates known here: WatchList; write it WatchList=true/],
    [['local', '--feature-gates', 'WatchList'], /the gates known here: WatchList/],
    [['local', '--feature-gates', 'WatchList=maybe'], /WatchList is either true or false/],
    [['local', 'extra'], /too many arguments/],
    [['explain', ''], /nothing to explain/],
    [['explain', '', '--live', 'pods'], /nothing to ask about: .* --rv N/],
  ])('%j', async (args, message) => {
    const { code, stdout, stderr } = await kwatch(args);
    expectOneLine(stderr);
    expect(stderr).toMatch(message);
    expect(stderr).not.toContain('sesame');
    expect(stdout).toBe('');
    expect(code).toBe(2);
  });

  it('a kubeconfig that cannot be read is named', async () => {
    const { code, stderr } = await kwatch(['tail', 'pods'], { env: { KUBECONFIG: '/nonexistent/config' } });
    expectOneLine(stderr);
    expect(stderr).toMatch(/kubeconfig/);
    expect(code).toBe(2);
  });

  it('a port in use is told', async () => {
    const holder = createNetServer();
    servers.push(holder);
    await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve));
    const { port } = holder.address() as AddressInfo;
    const { code, stderr } = await kwatch(['local', '--port', String(port)]);
    expectOneLine(stderr);
    expect(stderr).toContain(`port ${port} is in use`);
    expect(code).toBe(2);
  });
});

describe('a refusal at the first request: finding, summary, one line, exit code 2', () => {
  const html = '<html><body><h1>Forbidden</h1></body></html>';
  const status = (code: number, reason: string, message: string) =>
    JSON.stringify({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, code });
  it.each([
    [401, 'application/json', status(401, 'Unauthorized', 'Unauthorized'), 'auth-expired'],
    [
      403,
      'application/json',
      status(
        403,
        'Forbidden',
        'pods is forbidden: User "u" cannot watch resource "pods" in API group "" at the cluster scope',
      ),
      'forbidden',
    ],
    [404, 'text/plain', '404 page not found\n', 'not-a-watch'],
    [
      405,
      'application/json',
      status(405, 'MethodNotAllowed', 'watch is not supported on resources of kind "pods"'),
      'not-a-watch',
    ],
    [
      406,
      'application/json',
      status(406, 'NotAcceptable', 'only the following media types are accepted: application/yaml'),
      'request-rejected',
    ],
    [422, 'application/json', status(422, 'Invalid', 'ListOptions.meta.k8s.io "" is invalid'), 'request-rejected'],
    [400, 'application/json', status(400, 'BadRequest', 'unable to parse requirement'), 'request-rejected'],
    [403, 'text/html', html, undefined],
  ] as const)('%i %s', async (code, type, body, expected) => {
    const url = await serve((_request, response) => {
      response.writeHead(code, { 'Content-Type': type, 'Audit-Id': 'a' }).end(body);
    });
    const outcome = await kwatch([
      'tail',
      '--raw',
      '/api/v1/pods?watch=1',
      '-s',
      url,
      '-o',
      'json',
      '--no-probe',
      '--for',
      '20s',
    ]);
    const records = recordsOf(outcome);
    const summary = records.at(-1) as { record: string; verdict: { class: string }; exit_code: number };
    expect(summary.record).toBe('summary');
    expect(records.filter(({ record }) => record === 'finding').length).toBeGreaterThan(0);
    if (expected !== undefined) expect(summary.verdict.class).toBe(expected);
    expect(summary.exit_code).toBe(2);
    expect(outcome.code).toBe(2);
    expectOneLine(outcome.stderr);
  });

  it.each([
    [429, 'text/plain', 'Too many requests, please try again later.\n', 'apf-rejected'],
    [503, 'text/html', '<html>no backend</html>', 'gateway-error'],
  ] as const)('%i is retried until --for', async (code, type, body, expected) => {
    let requests = 0;
    const url = await serve((_request, response) => {
      requests++;
      response.writeHead(code, { 'Content-Type': type, 'X-Kubernetes-Pf-Flowschema-Uid': 'x' }).end(body);
    });
    const env = { KWATCH_CLOCK_SPEED: '20' };
    const outcome = await kwatch(
      ['tail', '--raw', '/api/v1/pods?watch=1', '-s', url, '-o', 'json', '--no-probe', '--for', '20s'],
      { env },
    );
    const summary = recordsOf(outcome).at(-1) as { verdict: { class: string } };
    expect(summary.verdict.class).toBe(expected);
    expect(requests).toBeGreaterThan(1);
  });

  it('a 200 that is no stream', async () => {
    const url = await serve((_request, response) => {
      response
        .writeHead(200, { 'Content-Type': 'application/json' })
        .end('{"kind":"PodList","apiVersion":"v1","metadata":{},"items":[]}\n');
    });
    const outcome = await kwatch([
      'tail',
      '--raw',
      '/api/v1/pods?watch=1',
      '-s',
      url,
      '-o',
      'json',
      '--no-probe',
      '--for',
      '20s',
    ]);
    expect((recordsOf(outcome).at(-1) as { verdict: { class: string } }).verdict.class).toBe('not-a-watch');
    expect(outcome.code).toBe(2);
  });

  it('nobody listens: unreachable, exit code 2', async () => {
    const env = { KWATCH_CLOCK_SPEED: '10' };
    const outcome = await kwatch(['tail', 'pods', '-s', 'http://127.0.0.1:9', '-o', 'json', '--for', '5s'], { env });
    expect((recordsOf(outcome).at(-1) as { verdict: { class: string } }).verdict.class).toBe('unreachable');
    expect(outcome.code).toBe(2);
    expectOneLine(outcome.stderr);
  });

  it('100 MB without a newline end in a finding, not in memory', async () => {
    const url = await serve((_request, response) => {
      response.writeHead(200, { 'Content-Type': 'application/json' });
      const block = Buffer.alloc(1024 * 1024, 'x');
      let sent = 0;
      const send = () => {
        while (sent < 300) {
          sent++;
          if (!response.write(sent === 1 ? '{"type":"ADDED","object":{"metadata":{"name":"' : block)) {
            response.once('drain', send);
            return;
          }
        }
        response.end();
      };
      send();
    });
    const outcome = await kwatch([
      'tail',
      '--raw',
      '/api/v1/pods?watch=1',
      '-s',
      url,
      '-o',
      'json',
      '--no-probe',
      '--once',
      '--for',
      '30s',
    ]);
    const records = recordsOf(outcome);
    expect(records.find(({ record }) => record === 'end')?.end).toBe('frame-too-large');
    expect(records.at(-1)?.record).toBe('summary');
  });
});

describe('nothing of a Secret and no token in any output', () => {
  it.each(['line', 'json'])('-o %s', async (output) => {
    const event = (more: string) =>
      `{"type":"ADDED","object":{"kind":"Secret","apiVersion":"v1","metadata":{"name":"s","namespace":"n","uid":"u","resourceVersion":"5"},"data":{"p":"OPEN-SESAME"}${more}`;
    const url = await serve((_request, response) => {
      response.writeHead(200, { 'Content-Type': 'application/json' });
      response.write(`${event('}}')}\n${event('}} x')}\n`);
      response.write(event('').slice(0, -1));
      setTimeout(() => response.socket?.destroy(), 100);
    });
    const args = [
      'tail',
      '--raw',
      '/api/v1/secrets?watch=1',
      '-s',
      url,
      '-o',
      output,
      '--object',
      '--no-probe',
      '--once',
    ];
    const { stdout, stderr } = await kwatch([...args, '--token', 'T0P-SECRET', '--for', '10s']);
    expect(stdout).toContain(output === 'json' ? '"type":"ADDED"' : ' A ');
    expect(stdout + stderr).not.toContain('SESAME');
    expect(stdout + stderr).not.toContain('T0P-SECRET');
  });

  it('a watch that nobody answered before we stopped is no fault of anybody', async () => {
    const url = await serve(() => {});
    const outcome = await kwatch([
      'tail',
      '--raw',
      '/api/v1/pods?watch=1',
      '-s',
      url,
      '-o',
      'json',
      '--no-probe',
      '--for',
      '1s',
    ]);
    const records = recordsOf(outcome);
    expect(records.filter(({ record }) => record === 'finding')).toEqual([]);
    expect(records.at(-1)).toMatchObject({ record: 'summary', exit_code: 2 });
  });
});
