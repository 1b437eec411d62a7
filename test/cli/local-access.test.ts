import { X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { howToReach, localAccess, localEndpoint, OPEN_ACCESS } from '../../src/cli/local-access.ts';
import { kwatch } from '../support/kwatch.ts';

const NOW = Date.UTC(2026, 0, 1);

describe('access', () => {
  it.each([
    [{}, OPEN_ACCESS],
    [{ host: '127.0.0.1' }, { ...OPEN_ACCESS, host: '127.0.0.1' }],
    [{ host: 'localhost' }, { ...OPEN_ACCESS, host: 'localhost' }],
    [{ host: '[::1]' }, { ...OPEN_ACCESS, host: '::1' }],
    [
      { host: '0.0.0.0', token: ' t ' },
      { ...OPEN_ACCESS, host: '0.0.0.0', token: 't' },
    ],
  ])('%j', (flags, expected) => {
    expect(localAccess(flags, NOW)).toEqual(expected);
  });

  it.each([
    [{ host: '0.0.0.0' }, '--host 0.0.0.0 can be reached from elsewhere: it needs --token'],
    [{ host: '::' }, 'needs --token'],
    [{ host: '192.168.1.5' }, 'needs --token'],
    [{ host: 'box.lan' }, 'needs --token'],
    [{ host: '127.0.0.1.evil.example' }, 'needs --token'],
    [{ host: '' }, '--host is an address or a name'],
    [{ host: 'a b' }, '--host is an address or a name'],
    [{ token: '' }, '--token: the token is empty'],
    [{ token: 'a b' }, '--token: the token holds characters'],
  ])('%j is refused', (flags, message) => {
    expect(() => localAccess(flags, NOW)).toThrow(message);
  });

  it('has a certificate for every name it may be reached by', () => {
    const certificate = (host?: string) => {
      const { cert = '' } = localAccess({ tls: true, token: 't', ...(host && { host }) }, NOW).certificate ?? {};
      return new X509Certificate(cert);
    };
    for (const one of [certificate(), certificate('0.0.0.0'), certificate('192.0.2.7')]) {
      expect(one.checkHost('localhost')).toBe('localhost');
      expect(one.checkIP('127.0.0.1')).toBe('127.0.0.1');
      expect(one.checkIP('::1')).toBe('::1');
    }
    expect(certificate('192.0.2.7').checkIP('192.0.2.7')).toBe('192.0.2.7');
    expect(certificate('box.lan').checkHost('box.lan')).toBe('box.lan');
  });

  it('leads our own clients in', async () => {
    const access = localAccess({ tls: true, token: 't' }, NOW);
    const endpoint = localEndpoint('https://127.0.0.1:7410', access);
    expect(endpoint).toMatchObject({ scheme: 'https', host: '127.0.0.1:7410', tls: { ca: access.certificate?.ca } });
    expect(await endpoint.authorization()).toBe('Bearer t');
    expect(localEndpoint('http://127.0.0.1:1', OPEN_ACCESS)).toMatchObject({ scheme: 'http', tls: {} });
  });

  it('says what to type, and never the token', () => {
    const tls = localAccess({ tls: true, token: 's3cret' }, NOW);
    const clear = localAccess({ token: 's3cret' }, NOW);
    const all = [
      howToReach('https://a', tls, undefined),
      howToReach('https://a', tls, '/tmp/kc'),
      howToReach('http://a', clear, undefined),
      howToReach('http://a', clear, '/tmp/kc'),
    ].map((lines) => lines.join('\n'));
    for (const text of all) expect(text).not.toContain('s3cret');
    expect(all[0]).toContain('kubectl -s https://a --insecure-skip-tls-verify --token … get pods -w');
    expect(all[1]).toContain('kubectl --kubeconfig /tmp/kc get pods -w');
    expect(all[2]).toContain('kubectl sends no token over plain http');
    expect(all[3]).toContain('kubectl sends no token over plain http');
  });
});

describe('kwatch local', () => {
  it.each([
    [
      ['--host', '0.0.0.0'],
      '--host 0.0.0.0 can be reached from elsewhere: it needs --token, so that not everybody may write',
    ],
    [['--host', '203.0.113.9', '--token', 't'], '--host: this machine has no such address'],
    [
      ['--kubeconfig-out', '/nonexistent/kc'],
      '--kubeconfig-out /nonexistent/kc: it cannot be written: there is no such folder',
    ],
    [
      ['--kubeconfig-out', '/etc/hostname'],
      '--kubeconfig-out /etc/hostname: it is there and was not written by kwatch',
    ],
  ])('%j ends with 2 and one line', async (flags, message) => {
    const { code, stdout, stderr } = await kwatch(['local', '--no-story', '--port', '0', '-o', 'json', ...flags]);
    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toContain(message);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });
});
