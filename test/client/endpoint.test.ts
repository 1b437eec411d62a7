import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Endpoint, resolveEndpoint } from '../../src/client/endpoint.ts';
import { UsageError } from '../../src/util/usage-error.ts';
import { CERTIFICATE, KEY, OTHER_KEY } from '../support/certificate.ts';

let dir: string;
let count = 0;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'kwatch-kubeconfig-'));
});
afterAll(() => rmSync(dir, { recursive: true }));

function file(name: string, text: string): string {
  const path = join(dir, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

const base64 = (text: string) => Buffer.from(text).toString('base64');

interface Parts {
  cluster?: string;
  user?: string;
  context?: string;
  rest?: string;
}

/** A kubeconfig with one of each; the parts are lines of flow YAML. */
function config({
  cluster = 'server: "https://h:6443"',
  user = 'token: t0ken',
  context = 'cluster: c, user: u',
  rest = '',
}: Parts): string {
  return [
    'apiVersion: v1',
    'kind: Config',
    'current-context: main',
    `clusters: [{name: c, cluster: {${cluster}}}]`,
    `users: [{name: u, user: {${user}}}]`,
    `contexts: [{name: main, context: {${context}}}]`,
    rest,
  ].join('\n');
}

async function load(parts: Parts | string, flags: { token?: string } = {}): Promise<Endpoint> {
  count += 1;
  const path = file(`config-${count}`, typeof parts === 'string' ? parts : config(parts));
  return resolveEndpoint({ env: { KUBECONFIG: path, HOME: dir }, ...flags });
}

const bearerOf = (endpoint: Endpoint) => endpoint.authorization();

describe('endpoint from flags', () => {
  it.each([
    ['https://h:6443', { scheme: 'https', host: 'h:6443', prefix: '' }],
    ['h:8001', { scheme: 'http', host: 'h:8001' }],
    ['127.0.0.1', { scheme: 'http', host: '127.0.0.1' }],
    ['https://h/k8s/c-1/', { scheme: 'https', host: 'h', prefix: '/k8s/c-1' }],
    ['HTTPS://[::1]:6443', { scheme: 'https', host: '[::1]:6443' }],
  ])('%s', async (server, expected) => {
    expect(await resolveEndpoint({ server, env: {} })).toMatchObject({ ...expected, title: expected.host });
  });

  it.each([
    ['h/path', /no scheme/],
    ['', /no server address/],
    ['ftp://h', /neither http nor https/],
    ['https://amal:hunter2@h', /not supported/],
    ['https://h?x=1', /query/],
    ['http://', /no server address/],
  ])('%j is refused in one line', async (server, text) => {
    const error = await resolveEndpoint({ server, env: {} }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UsageError);
    expect((error as Error).message).toMatch(text);
    expect((error as Error).message).not.toMatch(/\n|hunter2/);
  });

  it.each(['http://127.0.0.1:1', 'http://localhost:1', 'http://[::1]:1', 'https://h'])(
    'a token goes to %s',
    async (server) => {
      expect(await bearerOf(await resolveEndpoint({ server, token: ' abc ', env: {} }))).toBe('Bearer abc');
    },
  );

  it.each(['http://h', 'http://10.0.0.1:8001', 'h:80', 'http://127.0.0.1.example.io', 'http://localhost.example.io'])(
    'a token does not go to %s in the clear',
    async (server) => {
      await expect(resolveEndpoint({ server, token: 'secr3t', env: {} })).rejects.toThrow(/not sent .* plain http/);
    },
  );

  it.each(['Authorization', 'authorization', 'Cookie'])('-H %s goes no further than a token', async (name) => {
    const headers = { 'X-Trace': '1', [name]: 'secr3t' };
    const error = await resolveEndpoint({ server: 'http://10.0.0.1:8001', headers, env: {} }).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(UsageError);
    expect((error as Error).message).toMatch(/not sent to 10\.0\.0\.1:8001 over plain http/);
    expect((error as Error).message).not.toContain('secr3t');
    await resolveEndpoint({ server: 'http://10.0.0.1:8001', headers: { 'X-Trace': '1' }, env: {} });
    for (const server of ['https://10.0.0.1', 'http://127.0.0.1:8001']) {
      expect((await resolveEndpoint({ server, headers, env: {} })).host).toBeTruthy();
    }
  });

  it('knows that it sends nothing that proves who we are', async () => {
    const anonymous = async (options: object) =>
      (await resolveEndpoint({ server: 'https://h', ...options, env: {} })).anonymous;
    expect(await anonymous({})).toBe(true);
    expect(await anonymous({ token: 'abc' })).toBeUndefined();
    expect(await anonymous({ headers: { authorization: 'Bearer x' } })).toBeUndefined();
    const env = { HOME: dir, KUBECONFIG: file('config-nobody', config({ user: '' })) };
    expect((await resolveEndpoint({ env })).anonymous).toBe(true);
  });

  it('takes CA, name and no verification from flags', async () => {
    const server = 'https://h';
    const ca = file('flag-ca.pem', CERTIFICATE);
    const named = await resolveEndpoint({ server, certificateAuthority: ca, tlsServerName: 'api.example.io', env: {} });
    expect(named.tls).toEqual({ ca: CERTIFICATE, servername: 'api.example.io' });
    const open = await resolveEndpoint({ server, insecureSkipTlsVerify: true, env: {} });
    expect(open.tls).toEqual({ rejectUnauthorized: false });
    expect(open.warnings?.[0]).toMatch(/not verified/);
    const plain = await resolveEndpoint({ server: 'http://127.0.0.1:1', insecureSkipTlsVerify: true, env: {} });
    expect([plain.tls, plain.warnings]).toEqual([{}, undefined]);
  });

  it.each([
    [{ certificateAuthority: '/nowhere/ca.pem' }, /cannot read --certificate-authority \/nowhere\/ca\.pem: ENOENT/],
    [{ certificateAuthority: '/nowhere/ca.pem', insecureSkipTlsVerify: true }, /contradict/],
    [{ tlsServerName: '' }, /--tls-server-name is empty/],
  ])('TLS flags that cannot be: %j', async (flags, text) => {
    await expect(resolveEndpoint({ server: 'https://h', ...flags, env: {} })).rejects.toThrow(text);
  });

  it('refuses a CA that is none', async () => {
    const bad = file('bad-ca.pem', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n');
    await expect(resolveEndpoint({ server: 'https://h', certificateAuthority: bad, env: {} })).rejects.toThrow(
      /--certificate-authority .* cannot be used/,
    );
  });

  it('refuses a token that no header can carry, without showing it', async () => {
    const error = await resolveEndpoint({ server: 'https://h', token: 'secr3t\nx: y', env: {} }).catch(
      (thrown: unknown) => thrown,
    );
    expect((error as Error).message).toMatch(/no HTTP header/);
    expect((error as Error).message).not.toContain('secr3t');
    await expect(resolveEndpoint({ server: 'https://h', token: '  ', env: {} })).rejects.toThrow(/empty/);
  });

  it('reads exp of a JWT, and nothing into another token', async () => {
    const jwt = `x.${Buffer.from('{"exp":1900000000}').toString('base64url')}.y`;
    expect((await resolveEndpoint({ server: 'https://h', token: jwt, env: {} })).tokenExpiresAt).toBe(
      1_900_000_000_000,
    );
    expect(await resolveEndpoint({ server: 'https://h', token: 'a.b.c', env: {} })).not.toHaveProperty(
      'tokenExpiresAt',
    );
  });
});

describe('endpoint from a kubeconfig', () => {
  it('reads server, namespace and token of the current context', async () => {
    const endpoint = await load({ context: 'cluster: c, user: u, namespace: payments' });
    expect(endpoint).toMatchObject({ scheme: 'https', host: 'h:6443', title: 'main', namespace: 'payments', tls: {} });
    expect(await bearerOf(endpoint)).toBe('Bearer t0ken');
  });

  it('reads ~/.kube/config where KUBECONFIG is not set', async () => {
    file('home/.kube/config', config({}));
    expect(await resolveEndpoint({ env: { HOME: join(dir, 'home') } })).toMatchObject({ title: 'main' });
  });

  it('merges files: the first entry of a name wins as a whole, missing files are skipped', async () => {
    const a = file('a.yaml', config({ user: 'token: of-a' }));
    const b = file(
      'b.yaml',
      config({ cluster: 'server: "https://other", insecure-skip-tls-verify: true', user: 'token: of-b' }),
    );
    const endpoint = await resolveEndpoint({ env: { KUBECONFIG: `${join(dir, 'none')}::${a}:${b}` } });
    expect(endpoint).toMatchObject({ host: 'h:6443', tls: {} });
    expect(endpoint.tls).not.toHaveProperty('rejectUnauthorized');
    expect(await bearerOf(endpoint)).toBe('Bearer of-a');
  });

  it('takes CA and client certificate from data and from files beside the kubeconfig', async () => {
    file('pki/ca.pem', CERTIFICATE);
    file('pki/key.pem', KEY);
    const endpoint = await load({
      cluster: 'server: "https://h", certificate-authority: pki/ca.pem, tls-server-name: kube.example.io',
      user: `client-certificate-data: ${base64(CERTIFICATE)}, client-key: pki/key.pem`,
    });
    expect(endpoint.tls).toEqual({ ca: CERTIFICATE, cert: CERTIFICATE, key: KEY, servername: 'kube.example.io' });
  });

  it('skips verification only where it is told to', async () => {
    const endpoint = await load({ cluster: 'server: "https://h", insecure-skip-tls-verify: true' });
    expect(endpoint.tls).toEqual({ rejectUnauthorized: false });
    expect(endpoint.warnings).toMatchObject([expect.stringMatching(/certificate of h is not verified/)]);
    expect(await load({})).not.toHaveProperty('warnings');
  });

  it('takes flags before what the cluster says: a CA and no verification take the place of each other', async () => {
    const path = file('config-flags', config({ cluster: 'server: "https://h", insecure-skip-tls-verify: true' }));
    const env = { HOME: dir, KUBECONFIG: path };
    const ca = file('flag-ca-2.pem', CERTIFICATE);
    expect(await resolveEndpoint({ certificateAuthority: ca, env })).toMatchObject({ tls: { ca: CERTIFICATE } });
    expect((await resolveEndpoint({ certificateAuthority: ca, env })).warnings).toBeUndefined();
    const verified = config({ cluster: `server: "https://h", certificate-authority-data: ${base64(CERTIFICATE)}` });
    const other = { HOME: dir, KUBECONFIG: file('config-flags-2', verified) };
    const { tls, warnings } = await resolveEndpoint({ insecureSkipTlsVerify: true, env: other });
    expect(tls).toEqual({ rejectUnauthorized: false });
    expect(warnings?.[0]).toMatch(/insecure-skip-tls-verify was given/);
  });

  it('prefers tokenFile, trims it, and reads it again for each request', async () => {
    const path = file('token', 'first\n');
    const endpoint = await load({ user: `token: fallback, tokenFile: ${path}` });
    expect(await bearerOf(endpoint)).toBe('Bearer first');
    writeFileSync(path, 'second\n');
    expect(await bearerOf(endpoint)).toBe('Bearer second');
    rmSync(path);
    expect(await bearerOf(endpoint)).toBe('Bearer fallback');
  });

  it('keeps the last token while the file is being replaced', async () => {
    const path = file('token-2', 'first');
    const endpoint = await load({ user: `tokenFile: ${path}` });
    rmSync(path);
    expect(await bearerOf(endpoint)).toBe('Bearer first');
  });

  it('reads the kubeconfig again after a 401', async () => {
    const path = file('renewed', config({ user: 'token: old' }));
    const endpoint = await resolveEndpoint({ env: { KUBECONFIG: path } });
    writeFileSync(path, config({ user: 'token: new' }));
    expect(await bearerOf(endpoint)).toBe('Bearer old');
    await endpoint.renew?.();
    expect(await bearerOf(endpoint)).toBe('Bearer new');
  });

  it('sends no credential of a file over plain http, whatever it is', async () => {
    const endpoint = await load({ cluster: 'server: "http://h:8001"', user: 'token: t, exec: {command: x}' });
    expect(await bearerOf(endpoint)).toBeUndefined();
    expect(endpoint.tls).toEqual({});
  });

  it('does not run a plugin where there is a token, and needs none with --token', async () => {
    expect(await bearerOf(await load({ user: 'token: t, exec: {command: x}' }))).toBe('Bearer t');
    expect(await bearerOf(await load({ user: 'exec: {command: x}' }, { token: 'typed' }))).toBe('Bearer typed');
  });

  it('is as lenient as kubectl: BOM, CRLF, unknown fields, a second document, a key twice', async () => {
    const text = `\uFEFF${config({ rest: 'x: y\nkind: Config\n---\nkind: Other' }).replaceAll('\n', '\r\n')}`;
    expect(await load(text)).toMatchObject({ title: 'main' });
  });

  it('knows disable-compression', async () => {
    expect(await load({ cluster: 'server: "https://h", disable-compression: true' })).toMatchObject({
      noEncodingHeader: true,
    });
  });

  const broken: [name: string, parts: Parts | string, text: RegExp][] = [
    ['no YAML', 'clusters: [', /no valid YAML: line 1/],
    ['another kind', 'kind: Pod', /no kubeconfig: its kind is "Pod"/],
    ['a list', '- a', /not a mapping/],
    ['no current context', config({}).replace('current-context: main', ''), /no current-context.*"main"/],
    [
      'a context that is not there',
      config({}).replace('current-context: main', 'current-context: prod'),
      /no context "prod" \(there are: "main"\)/,
    ],
    ['a cluster that is not there', { context: 'cluster: x, user: u' }, /cluster "x", which is not there/],
    ['a user that is not there', { context: 'cluster: c, user: x' }, /user "x", which is not there/],
    ['no cluster', { context: 'user: u' }, /names no cluster/],
    ['no server', { cluster: '' }, /has no server/],
    [
      'a name twice',
      config({}).replace('users: [', 'users: [{name: u, user: {token: hunter2}}, '),
      /user "u" stands there twice/,
    ],
    ['a token that is a number', { user: 'token: 12345678' }, /token of user "u" is not text/],
    [
      'a namespace that is a boolean',
      { context: 'cluster: c, user: u, namespace: on' },
      /namespace of context "main" is not text/,
    ],
    [
      'a flag that is text',
      { cluster: 'server: "https://h", insecure-skip-tls-verify: "true"' },
      /true or false, without quotes/,
    ],
    [
      'a CA as file and as data',
      { cluster: `server: "https://h", certificate-authority: x, certificate-authority-data: ${base64(CERTIFICATE)}` },
      /both certificate-authority and/,
    ],
    [
      'a CA without verification',
      {
        cluster: `server: "https://h", insecure-skip-tls-verify: true, certificate-authority-data: ${base64(CERTIFICATE)}`,
      },
      /remove one of them/,
    ],
    ['no base64', { cluster: 'server: "https://h", certificate-authority-data: "a!b"' }, /is no base64/],
    [
      'base64 of no PEM',
      { cluster: `server: "https://h", certificate-authority-data: ${base64('abc')}` },
      /holds no PEM/,
    ],
    [
      'a certificate that is none',
      {
        cluster: `server: "https://h", certificate-authority-data: ${base64('-----BEGIN CERTIFICATE-----\nMII\n-----END CERTIFICATE-----\n')}`,
      },
      /cannot be used/,
    ],
    [
      'a CA file that is not there',
      { cluster: 'server: "https://h", certificate-authority: nowhere.pem' },
      /cannot read certificate-authority .*nowhere.pem: ENOENT/,
    ],
    ['a certificate without a key', { user: `client-certificate-data: ${base64(CERTIFICATE)}` }, /no client-key/],
    [
      'a key of another certificate',
      { user: `client-certificate-data: ${base64(CERTIFICATE)}, client-key-data: ${base64(OTHER_KEY)}` },
      /cannot be used/,
    ],
    [
      'a tokenFile alone that is not there',
      { user: 'tokenFile: /nowhere/token' },
      /cannot read tokenFile \/nowhere\/token: ENOENT/,
    ],
    ['an empty token', { user: 'token: "  "' }, /the token is empty/],
    [
      'exec',
      { user: 'exec: {command: aws}' },
      /user "u" uses exec \("aws"\), which is not supported yet: run kubectl proxy .*--token/,
    ],
    ['auth-provider', { user: 'token: t, auth-provider: {name: gcp}' }, /uses auth-provider \("gcp"\)/],
    ['a password', { user: 'username: amal, password: hunter2' }, /uses username/],
    ['a proxy', { cluster: 'server: "https://h", proxy-url: "http://p"' }, /uses proxy-url/],
    ['impersonation', { user: 'token: t, as: bob' }, /uses as,/],
    ['impersonated groups', { user: 'token: t, as-groups: [a]' }, /uses as-groups/],
    ['impersonation over http', { cluster: 'server: "http://h"', user: 'as: bob' }, /uses as,/],
  ];
  it.each(broken)('%s: refused in one line that names the file, and no secret', async (_name, parts, text) => {
    const error = await load(parts).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UsageError);
    const { message } = error as Error;
    expect(message).toMatch(text);
    expect(message).not.toMatch(/\n|hunter2|t0ken/);
    expect(message.includes(dir) || message.includes('/nowhere/')).toBe(true);
  });

  it('says what to do where there is no kubeconfig at all', async () => {
    await expect(resolveEndpoint({ env: { HOME: join(dir, 'empty') } })).rejects.toThrow(
      /no kubeconfig: there is no .*\.kube\/config.*--server/,
    );
    await expect(resolveEndpoint({ env: { KUBECONFIG: '/nowhere/a:/nowhere/b' } })).rejects.toThrow(
      /no file that exists \(\/nowhere\/a, \/nowhere\/b\)/,
    );
  });

  it('takes the context that it is told, and names those that there are where it is not there', async () => {
    const text = `apiVersion: v1
kind: Config
clusters:
- {name: a, cluster: {server: "https://a"}}
- {name: b, cluster: {server: "https://b"}}
contexts:
- {name: kwatch-0, context: {cluster: a}}
- {name: kwatch-1, context: {cluster: b}}
current-context: kwatch-0
`;
    const env = { KUBECONFIG: file('contexts.yaml', text) };
    expect(await resolveEndpoint({ env })).toMatchObject({ host: 'a', title: 'kwatch-0' });
    expect(await resolveEndpoint({ env, context: 'kwatch-1' })).toMatchObject({ host: 'b', title: 'kwatch-1' });
    await expect(resolveEndpoint({ env, context: 'prod' })).rejects.toThrow(
      /has no context "prod" \(there are: "kwatch-0", "kwatch-1"\)/,
    );
  });

  it('a broken file is fatal, even when one before it would do', async () => {
    const good = file('good.yaml', config({}));
    const bad = file('bad.yaml', 'users: {');
    await expect(resolveEndpoint({ env: { KUBECONFIG: `${good}:${bad}` } })).rejects.toThrow(
      /bad\.yaml is no valid YAML/,
    );
    mkdirSync(join(dir, 'folder'), { recursive: true });
    await expect(resolveEndpoint({ env: { KUBECONFIG: `${good}:${join(dir, 'folder')}` } })).rejects.toThrow(
      /cannot read .*folder: EISDIR/,
    );
  });

  it('aliases that multiply without end are refused', async () => {
    const bomb = [
      'a: &a [x,x,x,x,x,x,x,x,x]',
      ...'bcdefgh'.split('').map((n, i) => `${n}: &${n} [${Array(9).fill(`*${'abcdefg'[i]}`).join(',')}]`),
    ].join('\n');
    await expect(load(bomb)).rejects.toThrow(/aliases/);
  });
});
