import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { recogniseExpired } from '../../src/protocol/expired-text.ts';
import { continueTooOld, listTooOld, tooOldResourceVersion, watchTooOld } from '../../src/protocol/status.ts';

describe('recogniseExpired', () => {
  const cache = 'watch-cache';
  it.each([
    ['too old resource version: 41877 (96214)', { label: 'A', refusedBy: cache, requested: '41877', floor: '96214' }],
    [
      'W0611 x.go:1] watch ended: too old resource version: 5 (7), relisting',
      { label: 'A', refusedBy: cache, requested: '5', floor: '7' },
    ],
    [
      'too old resource version: 18446744073709551615 (18446744073709551615)',
      { label: 'A', refusedBy: cache, requested: '18446744073709551615', floor: '18446744073709551615' },
    ],
    ['too old resource version: 41877', { label: 'G', refusedBy: cache, requested: '41877' }],
    ['too old resource version: 41877 (x)', { label: 'G', refusedBy: cache, requested: '41877' }],
    [watchTooOld().message, { label: 'B', refusedBy: 'etcd' }],
    [listTooOld().message, { label: 'D', refusedBy: 'etcd' }],
    [continueTooOld('t').message, { label: 'E', refusedBy: 'etcd' }],
    [continueTooOld().message, { label: 'F', refusedBy: 'etcd' }],
    ['etcdserver: mvcc: required revision has been compacted', { label: 'raw', refusedBy: 'etcd' }],
    ['too old resource version: 123456789012345678901 (5)', undefined],
    ['too old resource version: abc (5)', undefined],
    ['Gone', undefined],
    ['', undefined],
  ])('%s', (text, expected) => {
    expect(recogniseExpired(text!)).toEqual(expected);
  });

  it('reads what the maker writes', () => {
    const rv = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(String);
    fc.assert(
      fc.property(rv, rv, (requested, floor) => {
        const { message } = tooOldResourceVersion(requested, floor);
        expect(recogniseExpired(`x ${message} y`)).toEqual({ label: 'A', refusedBy: cache, requested, floor });
      }),
    );
  });
});
