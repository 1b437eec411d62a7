import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { kwatch, mainFile, outcomeOf, recordsOf, startKwatch } from '../support/kwatch.ts';
import { rawServer } from '../support/raw-server.ts';

describe('exit codes of tail (contract §5)', () => {
  let server: ChildProcess;
  let url: string;

  beforeAll(async () => {
    server = spawn(process.execPath, [mainFile(), 'local', '--no-story', '--port', '0', '-o', 'json']);
    const first = await new Promise<string>((resolve) =>
      server.stdout?.once('data', (bytes) => resolve(String(bytes))),
    );
    url = (JSON.parse(first.split('\n')[0] as string) as { servers: string[] }).servers[0] as string;
  });

  afterAll(() => server.kill());

  const planned = ['--raw', '/api/v1/pods?watch=1&timeoutSeconds=1', '--once', '--no-probe'];

  it('0: --once and the planned end', async () => {
    expect((await kwatch(['tail', ...planned, '-s', url, '-o', 'json'])).code).toBe(0);
  });

  it('0: --once and nothing has ended when the time is over', async () => {
    expect((await kwatch(['tail', 'pods', '--once', '--no-probe', '--for', '1s', '-s', url])).code).toBe(0);
  });

  it('1: --once and another end', async () => {
    const gone = ['--raw', '/api/v1/pods?watch=1&resourceVersion=1', '--once', '--no-probe'];
    expect((await kwatch(['tail', ...gone, '-s', url, '-o', 'json'])).code).toBe(1);
  });

  it.each([
    ['SIGHUP', 129],
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('%s: %i, after the summary was written', async (signal, code) => {
    const child = startKwatch(['tail', 'pods', '-s', url, '-o', 'json', '--no-probe']);
    const ended = outcomeOf(child);
    child.stdout.once('data', () => child.kill(signal));
    const outcome = await ended;
    expect(outcome.code).toBe(code);
    expect(recordsOf(outcome).at(-1)).toMatchObject({ record: 'summary', exit_code: code });
  });

  it('1: --exit-on and a finding of that class ends the run; another class does not', async () => {
    const gone = [
      'tail',
      '--raw',
      '/api/v1/pods?watch=1&resourceVersion=1',
      '--no-probe',
      '--pin-query',
      '-s',
      url,
      '-o',
      'json',
    ];
    const met = await kwatch([
      ...gone,
      '--exit-on',
      'forbidden,ring-buffer-expiry',
      '--exit-on',
      'cache-rebuilt',
      '--for',
      '60s',
    ]);
    expect(met.code).toBe(1);
    expect(recordsOf(met).at(-1)).toMatchObject({ record: 'summary', exit_code: 1 });
    expect((await kwatch([...gone, '--exit-on', 'forbidden', '--for', '500ms'])).code).toBe(0);
  });

  it('2: --exit-on with a name that is no class, with the list of them', async () => {
    const outcome = await kwatch(['tail', 'pods', '-s', url, '--exit-on', 'ring-buffer-expiry,gone']);
    expect(outcome.code).toBe(2);
    expect(outcome.stderr).toMatch(/the classes are ring-buffer-expiry, .*upstream-compaction/s);
  });

  it('ends in silence when nobody reads any more', async () => {
    const child = startKwatch(['tail', 'pods', '-s', url, '--no-probe', '--for', '5s']);
    child.stdout.once('data', () => child.stdout.destroy());
    let stderr = '';
    child.stderr.on('data', (bytes) => {
      stderr += String(bytes);
    });
    const code = await new Promise((resolve) => child.on('exit', resolve));
    expect([code, stderr]).toEqual([0, '']);
  });
});

describe('exit codes where nothing is granted', () => {
  it.each([429, 503])('2: nothing but %i from the first request to the end', async (status) => {
    const busy = await rawServer((socket) => {
      socket.write(`HTTP/1.1 ${status} Busy\r\nContent-Length: 4\r\n\r\nbusy`);
    });
    const args = ['tail', 'pods', '-s', `http://127.0.0.1:${busy.port}`, '--no-probe', '--for', '2s', '-o', 'json'];
    const outcome = await kwatch(args);
    await busy.close();
    expect(outcome.code).toBe(2);
    expect(recordsOf(outcome).at(-1)).toMatchObject({ record: 'summary', exit_code: 2 });
    expect(busy.requests.length).toBeGreaterThan(1);
  });
});

describe.skipIf(!existsSync('/dev/full'))('an output that takes nothing', () => {
  it('is one line on stderr, and exit code 2', async () => {
    const full = openSync('/dev/full', 'w');
    const args = [mainFile(), 'local', '--port', '0', '--speed', '100', '-o', 'json'];
    const child = spawn(process.execPath, args, { stdio: ['ignore', full, 'pipe'] });
    closeSync(full);
    let stderr = '';
    child.stderr?.setEncoding('utf8').on('data', (text) => {
      stderr += text;
    });
    const [code] = await once(child, 'close');
    expect(stderr).toMatch(/^kwatch: standard output cannot be written: ENOSPC[^\n]*\n$/);
    expect(code).toBe(2);
  });
});
