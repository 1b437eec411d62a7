import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isIP } from 'node:net';
import * as der from './der.ts';

/** What an apiserver shows to its clients, and what they verify it with. PEM, all three. */
export interface ServingCertificate {
  readonly cert: string;
  readonly key: string;
  /** The authority that signed `cert`: made for it alone, its key is forgotten. */
  readonly ca: string;
}

const DAY_MS = 86_400_000;
/** Valid from a day before, for clocks that are behind, and for a year, as upstream's (client-go util/cert maxAge). */
const BEFORE_MS = DAY_MS;
const VALID_MS = 365 * DAY_MS;

const ECDSA_WITH_SHA256 = der.sequence(der.objectIdentifier('1.2.840.10045.4.3.2'));
const OID = {
  commonName: '2.5.4.3',
  subjectKeyIdentifier: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectAltName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  authorityKeyIdentifier: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',
  serverAuth: '1.3.6.1.5.5.7.3.1',
};

/**
 * A certificate for these DNS names and IP addresses, and the authority that it is verified with, as kube-apiserver makes
 * both when it has none (client-go util/cert GenerateSelfSignedCertKey). Two of them, since some TLS libraries refuse an
 * authority that serves itself. P-256; takes about a millisecond. `now`: ms since 1970.
 */
export function selfSignedCertificate(names: readonly string[], now: number): ServingCertificate {
  const authority = keyPair();
  const server = keyPair();
  const ca: Subject = { name: `kwatch-ca@${Math.floor(now / 1000)}`, publicKey: authority.publicKey };
  const issued = { issuer: ca, signer: authority.privateKey, now };
  const subject: Subject = { name: 'kwatch', publicKey: server.publicKey };
  return {
    ca: certificate({ ...issued, subject: ca, extensions: authorityExtensions() }),
    cert: certificate({ ...issued, subject, extensions: serverExtensions(names, keyIdentifier(authority.publicKey)) }),
    key: server.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

const keyPair = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });

interface Subject {
  name: string;
  publicKey: KeyObject;
}

interface CertificateFields {
  subject: Subject;
  issuer: Subject;
  /** Private key of the issuer. */
  signer: KeyObject;
  now: number;
  extensions: Buffer[];
}

function certificate({ subject, issuer, signer, now, extensions }: CertificateFields): string {
  const identifier = extension(OID.subjectKeyIdentifier, der.octetString(keyIdentifier(subject.publicKey)));
  const toBeSigned = der.sequence(
    der.explicit(0, der.integer(Buffer.of(2))),
    der.integer(randomBytes(16)),
    ECDSA_WITH_SHA256,
    distinguishedName(issuer.name),
    der.sequence(der.time(now - BEFORE_MS), der.time(now + VALID_MS)),
    distinguishedName(subject.name),
    spki(subject.publicKey),
    der.explicit(3, der.sequence(identifier, ...extensions)),
  );
  const signature = sign('sha256', toBeSigned, signer);
  return pem(der.sequence(toBeSigned, ECDSA_WITH_SHA256, der.bitString(signature)));
}

const spki = (key: KeyObject) => key.export({ type: 'spki', format: 'der' });

const distinguishedName = (name: string) =>
  der.sequence(der.set(der.sequence(der.objectIdentifier(OID.commonName), der.utf8String(name))));

/** Any value that tells the key from others will do (RFC 5280 §4.2.1.2). */
const keyIdentifier = (key: KeyObject) => createHash('sha256').update(spki(key)).digest().subarray(0, 20);

function extension(id: string, value: Buffer, critical = false): Buffer {
  return der.sequence(der.objectIdentifier(id), ...(critical ? [der.derTrue()] : []), der.octetString(value));
}

/** keyCertSign and cRLSign are bits 5 and 6, digitalSignature is bit 0. */
const authorityExtensions = () => [
  extension(OID.basicConstraints, der.sequence(der.derTrue()), true),
  extension(OID.keyUsage, der.bitString(Buffer.of(0b0000_0110), 1), true),
];

const serverExtensions = (names: readonly string[], issuerKey: Uint8Array) => [
  extension(OID.keyUsage, der.bitString(Buffer.of(0b1000_0000), 7), true),
  extension(OID.extendedKeyUsage, der.sequence(der.objectIdentifier(OID.serverAuth))),
  extension(OID.authorityKeyIdentifier, der.sequence(der.implicit(0, issuerKey))),
  extension(OID.subjectAltName, der.sequence(...names.map(alternativeName))),
];

const alternativeName = (name: string) =>
  isIP(name) === 0 ? der.implicit(2, Buffer.from(name)) : der.implicit(7, addressBytes(name));

/** 4 or 16 bytes. */
function addressBytes(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split('.').map(Number));
  // A URL writes any IPv6 address in hexadecimal groups, those that end in four decimal numbers too.
  const [head = '', tail] = new URL(`http://[${address.split('%')[0]}]`).hostname.slice(1, -1).split('::');
  const groups = (text: string) => text.split(':').filter((group) => group !== '');
  const [left, right] = [groups(head), groups(tail ?? '')];
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0');
  return Buffer.from([...left, ...zeros, ...right].map((group) => group.padStart(4, '0')).join(''), 'hex');
}

function pem(bytes: Buffer): string {
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}
