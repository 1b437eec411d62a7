import { mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isOwnKubeconfig, kubeconfigText, writeKubeconfig } from '../../src/cli/kubeconfig-file.ts';
import { localAccess, OPEN_ACCESS } from '../../src/cli/local-access.ts';
import { resolveEndpoint } from '../../src/client/endpoint.ts';

const SERVERS = ['https://127.0.0.1:7410', 'https://127.0.0.1:7411'];
const ACCESS = localAccess({ tls: true, token: 's3"cret' }, Date.now());
const THEIRS = `apiVersion: v1
kind: Config
clusters:
- cluster:
    server: https://prod.example
  name: prod
contexts:
- context: {cluster: prod, user: me}
  name: prod
current-context: prod
`;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kwatch-kubeconfig-'));
});
afterEach(() => rm(folder, { recursive: true }));

describe('a kubeconfig of ours', () => {
  it('leads our own client to the first apiserver, with authority and token', async () => {
    const file = join(folder, 'config');
    await writeKubeconfig(file, kubeconfigText(SERVERS, ACCESS));
    const endpoint = await resolveEndpoint({ env: { KUBECONFIG: file } });
    expect(endpoint).toMatchObject({ scheme: 'https', host: '127.0.0.1:7410', title: 'kwatch-0' });
    expect(endpoint.tls.ca).toBe(ACCESS.certificate?.ca);
    expect(await endpoint.authorization()).toBe('Bearer s3"cret');
  });

  it('has a context for each apiserver, and a credential even where none is asked for', () => {
    const text = kubeconfigText(['http://127.0.0.1:1', 'http://127.0.0.1:2'], OPEN_ACCESS);
    expect(text.match(/^- name: kwatch-\d$/gm)).toEqual([0, 1, 0, 1].map((index) => `- name: kwatch-${index}`));
    expect(text).toContain('    token: "not-needed"\n');
    expect(text).not.toContain('certificate-authority');
  });

  it('is for its owner’s eyes alone, and replaces one of ours, changed by kubectl or not', async () => {
    const file = join(folder, 'config');
    await writeKubeconfig(file, kubeconfigText(SERVERS, ACCESS));
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const changed = (await readFile(file, 'utf8')).replace('current-context: kwatch-0', 'current-context: kwatch-1');
    await writeFile(file, `${changed}preferences: {}\n`, { mode: 0o644 });
    await writeKubeconfig(file, kubeconfigText(['https://127.0.0.1:1'], ACCESS));
    expect(await readFile(file, 'utf8')).not.toContain('kwatch-1');
  });

  it('goes where a link leads, and into an empty file', async () => {
    const file = join(folder, 'empty');
    const link = join(folder, 'link');
    await writeFile(file, '');
    await symlink(file, link);
    await writeKubeconfig(link, kubeconfigText(SERVERS, ACCESS));
    expect(await readFile(file, 'utf8')).toContain('kwatch-0');
  });
});

describe('a file that is not ours', () => {
  it.each([
    ['a cluster of somebody else', THEIRS],
    ['one of theirs beside ours', `${kubeconfigText(SERVERS, ACCESS)}${THEIRS}`],
    ['a name that only begins as ours', kubeconfigText(SERVERS, ACCESS).replaceAll('kwatch-1', 'kwatch-1-prod')],
    ['names in quotes', kubeconfigText(SERVERS, ACCESS).replaceAll('name: kwatch', 'name: "prod"')],
    ['another kind', 'kind: Pod\nmetadata:\n  name: kwatch-0\n'],
    ['notes', 'remember the milk\n'],
  ])('stays as it is: %s', async (_, text) => {
    expect(isOwnKubeconfig(text)).toBe(false);
    const file = join(folder, 'config');
    await writeFile(file, text);
    await expect(writeKubeconfig(file, 'x')).rejects.toThrow(`${file}: it is there and was not written by kwatch`);
    expect(await readFile(file, 'utf8')).toBe(text);
  });

  it('is refused in one line that says why', async () => {
    await mkdir(join(folder, 'a'));
    await expect(writeKubeconfig(join(folder, 'a'), 'x')).rejects.toThrow('it is there and is no file');
    await expect(writeKubeconfig(join(folder, 'b', 'c'), 'x')).rejects.toThrow('there is no such folder');
    await writeFile(join(folder, 'd'), 'x'.repeat(2_000_000));
    await expect(writeKubeconfig(join(folder, 'd'), 'x')).rejects.toThrow('was not written by kwatch');
    await writeFile(join(folder, 'f'), '');
    await expect(writeKubeconfig(join(folder, 'f', 'g'), 'x')).rejects.toThrow('part of its path is no folder');
  });
});
