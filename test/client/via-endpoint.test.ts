import { describe, expect, it } from 'vitest';
import type { Endpoint } from '../../src/client/endpoint.ts';
import { viaEndpoint } from '../../src/client/via-endpoint.ts';

/** As a kubeconfig gives it. */
const direct: Endpoint = {
  scheme: 'https',
  host: '10.0.0.1:6443',
  prefix: '',
  tls: { ca: 'CA', cert: 'CERT', key: 'KEY', servername: 'kubernetes' },
  authorization: async () => 'Bearer secret',
  namespace: 'team',
  title: 'prod',
};
const FLAGS = { env: {} };

describe('viaEndpoint', () => {
  it('over https the kubeconfig’s credentials go along, its server name does not', async () => {
    const via = await viaEndpoint(direct, 'https://proxy.example:8443/k8s/', FLAGS);
    expect(via).toMatchObject({
      scheme: 'https',
      host: 'proxy.example:8443',
      prefix: '/k8s',
      title: 'proxy.example:8443',
    });
    expect(via.tls).toEqual({ ca: 'CA', cert: 'CERT', key: 'KEY' });
    expect(await via.authorization()).toBe('Bearer secret');
  });

  it('over plain http they never do, not even to a loopback address', async () => {
    for (const url of ['http://127.0.0.1:8001', 'http://proxy.example']) {
      const via = await viaEndpoint(direct, url, FLAGS);
      expect(await via.authorization()).toBeUndefined();
      expect(via.tls).toEqual({});
    }
  });

  it('a typed token goes over https, and over http to a loopback address only', async () => {
    const flags = { server: 'http://127.0.0.1:1', token: 'typed', env: {} };
    expect(await (await viaEndpoint(direct, 'http://127.0.0.1:8001', flags)).authorization()).toBe('Bearer typed');
    expect(await (await viaEndpoint(direct, 'https://proxy.example', flags)).authorization()).toBe('Bearer typed');
    await expect(viaEndpoint(direct, 'http://proxy.example', flags)).rejects.toThrow('over plain http');
  });

  it('neither does a header that proves who we are', async () => {
    const flags = { headers: { Authorization: 'Basic eA==' }, env: {} };
    await expect(viaEndpoint(direct, 'http://proxy.example', flags)).rejects.toThrow('over plain http');
    await expect(viaEndpoint(direct, 'http://proxy.example', { headers: { Cookie: 'a=b' }, env: {} })).rejects.toThrow(
      'over plain http',
    );
  });

  it('names the flag where the address is none', async () => {
    await expect(viaEndpoint(direct, 'ftp://x', FLAGS)).rejects.toThrow(/^--via: .*neither http nor https$/);
  });
});
