import { execFile, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestServer, testServer } from '../support/test-server.ts';

const installed = spawnSync('kubectl', ['version', '--client']).status === 0;
const run = promisify(execFile);

const POD = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p1' },
  spec: { containers: [{ name: 'c', image: 'i' }] },
};

describe.skipIf(!installed)('kubectl', () => {
  let lab: TestServer;
  let folder: string;
  let file: string;
  beforeAll(async () => {
    lab = await testServer();
    folder = mkdtempSync(join(tmpdir(), 'kwatch-kubectl-'));
    file = join(folder, 'pod.json');
    writeFileSync(file, JSON.stringify(POD));
  });
  afterAll(async () => {
    await lab.close();
    rmSync(folder, { recursive: true });
  });

  const args = (...more: string[]) => [
    '--kubeconfig=/dev/null',
    `--cache-dir=${folder}/cache`,
    '--server',
    lab.url,
    ...more,
  ];
  const kubectl = async (...more: string[]) => (await run('kubectl', args(...more))).stdout;

  it('creates, gets with real columns, changes and deletes', async () => {
    expect(await kubectl('create', '-f', file)).toBe('pod/p1 created\n');
    expect(await kubectl('get', 'pods')).toMatch(/^NAME +READY +STATUS +RESTARTS +AGE\np1 +0\/1 +Pending +0 +\S+\n$/);
    expect(await kubectl('label', 'pod', 'p1', 'a=b')).toContain('labeled');
    expect(await kubectl('get', 'po', '-l', 'a=b', '-o', 'name')).toBe('pod/p1\n');
    expect(await kubectl('get', '--raw', '/api/v1/namespaces/default/pods/p1')).toContain('"labels":{"a":"b"}');
    expect(await kubectl('delete', 'pod', 'p1')).toContain('deleted');
    expect(await kubectl('get', 'ns', 'default', '-o', 'jsonpath={.status.phase}')).toBe('Active');
  });

  it('watches as a table and raw, until the server ends the watch', async () => {
    const watch = spawn('kubectl', args('get', 'pods', '-w'));
    const raw = spawn('kubectl', args('get', '--raw', '/api/v1/pods?watch=1'));
    const outputs = [watch, raw].map((child) => {
      const seen = { text: '', wake: () => {} };
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        seen.text += text;
        seen.wake();
      });
      return seen;
    });
    const saw = (index: number, what: RegExp) =>
      new Promise<void>((resolve) => {
        const seen = outputs[index] as (typeof outputs)[number];
        seen.wake = () => what.test(seen.text) && resolve();
        seen.wake();
      });
    // Both have listed and watch now: what comes is live.
    while (lab.watchers() < 2) await lab.clock.turn();
    await lab.call('POST', '/api/v1/namespaces/default/pods', { body: { ...POD, metadata: { name: 'w1' } } });
    await saw(0, /^NAME +READY +STATUS +RESTARTS +AGE\nw1 +0\/1 +Pending/);
    await saw(1, /^\{"type":"ADDED","object":\{"kind":"Pod".*"name":"w1"/);
    const ends = Promise.all([watch, raw].map((child) => new Promise((resolve) => child.once('close', resolve))));
    await lab.close();
    expect(await ends).toEqual([0, 0]);
    lab = await testServer();
  });
});
