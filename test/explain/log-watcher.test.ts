import { describe, expect, it } from 'vitest';
import { apiserverOf, listForm, watcherOf } from '../../src/explain/log-watcher.ts';

describe('who watched', () => {
  it.each([
    [
      'W0611 reflector.go:470] example.io/farm/cache.go:114: watch of *v1.Node ended with: x',
      'example.io/farm/cache.go:114 v1.Node',
    ],
    [
      'E0611 reflector.go:150] k8s.io/client-go@v0.26.3/tools/cache/reflector.go:169: Failed to watch *v1.Pod: failed to list *v1.Pod: x',
      'k8s.io/client-go@v0.26.3/tools/cache/reflector.go:169 v1.Pod',
    ],
    [
      'I0604 reflector.go:1010] "Watch closed" reflector="k8s.io/client-go/informers/factory.go:160" type="*v1.Pod" err="x"',
      'k8s.io/client-go/informers/factory.go:160 v1.Pod',
    ],
    [
      '{"msg":"Failed","reflector":"a/informers.go:114","type":"*v1beta1.Orchard","error":"x"}',
      'a/informers.go:114 v1beta1.Orchard',
    ],
    ['{"log":"… \\"reflector\\":\\"a.go:1\\",\\"type\\":\\"*v1.Pod\\""}', 'a.go:1 v1.Pod'],
    ['E0903 cacher.go:478] cacher (pods): unexpected ListAndWatch error: failed to list *core.Pod: x', 'pods'],
    [
      'W0903 cacher.go:171] Terminating all watchers from cacher leases.coordination.k8s.io',
      'leases.coordination.k8s.io',
    ],
    [
      'Forcing pods watcher close due to unresponsiveness: key: "/pods/", labels: "", fields: "spec.nodeName=worker-1". len',
      'pods /pods/ spec.nodeName=worker-1',
    ],
    ['Watcher for orders.v1alpha1.shop.example.io@none has failed: (x)', 'orders.v1alpha1.shop.example.io@none'],
    ['[controller-reflector-io.kubernetes.client.openapi.models.V1Pod-1] INFO  [] - Watch connection expired', 'V1Pod'],
    [
      'msg="Failed to watch Certificate.cert-manager.io on https://192.0.2.1:443: Resyncing"',
      'Certificate.cert-manager.io',
    ],
    ['Failed to watch *v1alpha1.Route: failed', 'v1alpha1.Route'],
    ['GET https://192.0.2.1:443/apis/farm.example.io/v1/namespaces/a/orchards?watch=true: 502', 'orchards'],
    ['watch chan error: etcdserver: mvcc: required revision has been compacted', undefined],
  ])('%s', (record, name) => expect(watcherOf(record)).toBe(name));

  it('tells the two lines of one failed list apart', () => {
    expect(listForm('a.go:1: failed to list *v1.Pod: x')).toBe('list');
    expect(listForm('a.go:1: Failed to watch *v1.Pod: failed to list *v1.Pod: x')).toBe('both');
    expect(listForm('watch of *v1.Pod ended')).toBe('none');
  });

  it.each([
    [
      'Get "https://192.0.2.10:6443/api/v1/pods?x": dial tcp 192.0.2.10:6443: connect: connection refused',
      '192.0.2.10:6443',
    ],
    ['read tcp 192.0.2.41:51944->192.0.2.10:6443: use of closed network connection', '192.0.2.10:6443'],
    ['server="https://[2001:db8::1]:6443" x', '[2001:db8::1]:6443'],
    ['conversion webhook failed: Post "https://hook.farm.svc:443/convert": dial tcp 192.0.2.77:443', undefined],
    ['PUT https://blobs.example.io/farm/82557: 410 Gone', undefined],
  ])('%s', (record, server) => expect(apiserverOf(record)).toBe(server));

  it.each([
    'a'.repeat(60_000),
    'watch of '.repeat(8_000),
    '/api/v1/'.repeat(8_000),
    '-'.repeat(60_000),
    'x.go:1: '.repeat(8_000),
  ])('takes no longer than a record is long', (hostile) => {
    expect(watcherOf(hostile)).toBe(watcherOf(hostile));
    expect(apiserverOf(hostile)).toBeUndefined();
  });
});
