import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { kwatch, recordsOf, startKwatch } from '../support/kwatch.ts';

const installed = spawnSync('kubectl', ['version', '--client']).status === 0;
const run = promisify(execFile);

/** The command itself, with TLS and a token, and clients that know nothing but the kubeconfig that it wrote. */
describe('kwatch local --tls --token --kubeconfig-out', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kwatch-clients-'));
  const kubeconfig = join(folder, 'config');
  const flags = ['--tls', '--token', 's3cret', '--replicas', '2', '--kubeconfig-out', kubeconfig];
  let local: ReturnType<typeof startKwatch>;

  beforeAll(async () => {
    local = startKwatch(['local', '--no-story', '--objects', '3', '--port', '0', '-o', 'json', ...flags]);
    await once(createInterface(local.stdout), 'line');
  }, 20_000);

  afterAll(async () => {
    local.kill();
    await once(local, 'close');
    rmSync(folder, { recursive: true });
  });

  const kubectl = async (...args: string[]) =>
    (await run('kubectl', ['--kubeconfig', kubeconfig, `--cache-dir=${join(folder, 'cache')}`, ...args])).stdout;

  it.skipIf(!installed)('kubectl writes through one apiserver and watches the other, over HTTP/2', async () => {
    const watch = spawn('kubectl', [
      '--kubeconfig',
      kubeconfig,
      '--context',
      'kwatch-1',
      'get',
      'cm',
      '-w',
      '-o',
      'name',
    ]);
    const lines = createInterface(watch.stdout)[Symbol.asyncIterator]();
    try {
      expect(await kubectl('create', 'configmap', 'a', '--from-literal=k=v')).toBe('configmap/a created\n');
      expect((await lines.next()).value).toBe('configmap/a');
      expect(await kubectl('label', 'cm', 'a', 'l=1')).toBe('configmap/a labeled\n');
      expect((await lines.next()).value).toBe('configmap/a');
      expect(await kubectl('delete', 'cm', 'a')).toBe('configmap "a" deleted\n');
      expect((await lines.next()).value).toBe('configmap/a');
    } finally {
      watch.kill();
      await once(watch, 'close');
    }
  });

  it.skipIf(!installed)('kubectl without the token is told so', async () => {
    const [server] = (await kubectl('config', 'view', '-o', 'jsonpath={.clusters[0].cluster.server}')).split('\n');
    const args = ['-s', server ?? '', '--insecure-skip-tls-verify', '--token', 'other', 'get', '--raw', '/version'];
    const { stderr } = await run('kubectl', args, { env: { ...process.env, KUBECONFIG: '/nonexistent' } }).catch(
      (error: { stderr: string }) => error,
    );
    expect(stderr).toContain('You must be logged in to the server');
  });

  it.each([
    ['the current context', []],
    ['another one', ['--context', 'kwatch-1']],
    ['HTTP/2', ['--http2']],
  ])('kwatch tail watches: %s', async (_, more) => {
    const args = ['tail', 'pods', '--kubeconfig', kubeconfig, '--for', '500ms', '--no-probe', '-o', 'json', ...more];
    const outcome = await kwatch(args);
    expect(outcome).toMatchObject({ code: 0, stderr: '' });
    const records = recordsOf(outcome);
    expect(records.find(({ record }) => record === 'list')).toMatchObject({ items: 3 });
    expect(records.at(-1)).toMatchObject({ record: 'summary', verdict: { class: 'healthy' } });
  });
});
