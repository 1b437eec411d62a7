import { createPrivateKey, X509Certificate } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { integer, objectIdentifier, octetString, time } from '../../src/apiserver/der.ts';
import { selfSignedCertificate } from '../../src/apiserver/self-signed-certificate.ts';

const NOW = Date.UTC(2026, 5, 1, 12);
const DAY_MS = 86_400_000;

describe('DER', () => {
  it.each([
    ['0', '00', '020100'],
    ['127', '7f', '02017f'],
    ['128 is not negative', '80', '02020080'],
    ['leading zeros go', '000001', '020101'],
  ])('integer %s', (_, bytes, encoded) => {
    expect(integer(Buffer.from(bytes, 'hex')).toString('hex')).toBe(encoded);
  });

  it('writes an object identifier', () => {
    expect(objectIdentifier('1.2.840.10045.4.3.2').toString('hex')).toBe('06082a8648ce3d040302');
  });

  it.each([
    [0x7f, '047f'],
    [0x80, '048180'],
    [0x100, '04820100'],
  ])('a length of %d', (length, head) => {
    expect(
      octetString(Buffer.alloc(length))
        .subarray(0, head.length / 2)
        .toString('hex'),
    ).toBe(head);
  });

  it('gives the year four digits from 2050 on', () => {
    expect(time(Date.UTC(2049, 11, 31)).toString('latin1', 2)).toBe('491231000000Z');
    expect(time(Date.UTC(2050, 0, 1)).toString('latin1', 2)).toBe('20500101000000Z');
  });
});

describe('the certificate', () => {
  const { ca, cert, key } = selfSignedCertificate(['localhost', 'box.lan', '127.0.0.1', '::1', 'fe80::1:2'], NOW);
  const server = new X509Certificate(cert);
  const authority = new X509Certificate(ca);

  it('is verified by its authority, and the authority by itself', () => {
    expect(server.verify(authority.publicKey)).toBe(true);
    expect(authority.verify(authority.publicKey)).toBe(true);
    expect(server.checkIssued(authority)).toBe(true);
    expect(authority.ca).toBe(true);
    expect(server.ca).toBe(false);
    expect(server.checkPrivateKey(createPrivateKey(key))).toBe(true);
  });

  it('is for its names and no others', () => {
    for (const name of ['localhost', 'box.lan']) expect(server.checkHost(name)).toBe(name);
    for (const address of ['127.0.0.1', '::1', 'fe80::1:2']) expect(server.checkIP(address)).toBe(address);
    expect(server.checkHost('evil.example')).toBeUndefined();
    expect(server.checkIP('127.0.0.2')).toBeUndefined();
  });

  it('serves servers only, from a day before for a year', () => {
    expect(server.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
    expect(Date.parse(server.validFrom)).toBe(NOW - DAY_MS);
    expect(Date.parse(server.validTo)).toBe(NOW + 365 * DAY_MS);
  });

  it('is another one each time', () => {
    const again = new X509Certificate(selfSignedCertificate(['localhost'], NOW).cert);
    expect(again.serialNumber).not.toBe(server.serialNumber);
    expect(again.verify(authority.publicKey)).toBe(false);
  });

  it('takes every address', () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (address) => {
        const made = new X509Certificate(selfSignedCertificate([address], NOW).cert);
        expect(made.checkIP(address)).toBe(address);
      }),
      { numRuns: 30 },
    );
  });
});
