import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { UsageError } from '../util/usage-error.ts';
import type { EndpointTls } from './endpoint.ts';
import { type Entry, flagOf, pathOf, quote, textOf } from './kubeconfig.ts';

/** kubectl's flags of these names. A kubeconfig's cluster says the same things. */
export interface TlsFlags {
  /** `--certificate-authority`: a PEM file. */
  certificateAuthority?: string;
  /** `--insecure-skip-tls-verify`. */
  insecureSkipTlsVerify?: boolean;
  /** `--tls-server-name`. */
  tlsServerName?: string;
}

/** What the flags alone say: with `--server`, where no kubeconfig is read. */
export async function readTlsFlags(flags: TlsFlags): Promise<EndpointTls> {
  const { certificateAuthority: file, insecureSkipTlsVerify: insecure, tlsServerName: name } = flags;
  if (file !== undefined && insecure) {
    throw new UsageError('--certificate-authority and --insecure-skip-tls-verify contradict each other: leave one out');
  }
  if (name === '') throw new UsageError('--tls-server-name is empty');
  const tls: EndpointTls = {
    ...(file === undefined ? {} : { ca: await pemFile(file, '--certificate-authority') }),
    ...(insecure ? { rejectUnauthorized: false } : {}),
    ...(name === undefined ? {} : { servername: name }),
  };
  check(tls, `--certificate-authority ${file}: it cannot be used`);
  return tls;
}

/**
 * CA, client certificate and name of a kubeconfig's cluster and user (facts/client §11 rules 4, 6, 7). A flag takes the place of what
 * the cluster says, and a CA and no verification take the place of each other, as with kubectl (clientcmd `getCluster`).
 */
export async function readTls(cluster: Entry, user: Entry | undefined, flags: TlsFlags): Promise<EndpointTls> {
  const given = await readTlsFlags(flags);
  const ours = given.ca !== undefined || given.rejectUnauthorized === false;
  const tls: EndpointTls = { ...(ours ? {} : await readVerification(cluster)) };
  const name = textOf(cluster, 'cluster', 'tls-server-name');
  if (name !== undefined) tls.servername = name;
  Object.assign(tls, given, user ? await readClientCertificate(user) : {});
  const entry = user ?? cluster;
  check(tls, `kubeconfig ${entry.file}: the certificates of ${quote(entry.name)} cannot be used`);
  return tls;
}

async function readVerification(cluster: Entry): Promise<EndpointTls> {
  const ca = await pem(cluster, 'cluster', 'certificate-authority');
  const insecure = flagOf(cluster, 'cluster', 'insecure-skip-tls-verify');
  if (insecure && ca !== undefined) {
    throw new UsageError(
      `kubeconfig ${cluster.file}: cluster ${quote(cluster.name)} has a certificate-authority and insecure-skip-tls-verify: remove one of them`,
    );
  }
  return { ...(ca === undefined ? {} : { ca }), ...(insecure ? { rejectUnauthorized: false } : {}) };
}

async function readClientCertificate(user: Entry): Promise<Pick<EndpointTls, 'cert' | 'key'>> {
  const cert = await pem(user, 'user', 'client-certificate');
  const key = await pem(user, 'user', 'client-key');
  if (cert === undefined && key === undefined) return {};
  if (cert === undefined || key === undefined) {
    const missing = cert === undefined ? 'client-certificate' : 'client-key';
    throw new UsageError(`kubeconfig ${user.file}: user ${quote(user.name)} has no ${missing} beside the other half`);
  }
  return { cert, key };
}

/** A PEM that stands in a file or, as base64, in the kubeconfig itself; undefined where it does not stand at all. */
async function pem(entry: Entry, kind: string, field: string): Promise<string | undefined> {
  const path = pathOf(entry, kind, field);
  const data = textOf(entry, kind, `${field}-data`);
  const where = `kubeconfig ${entry.file}: ${kind} ${quote(entry.name)}`;
  if (path !== undefined && data !== undefined) {
    throw new UsageError(`${where} has both ${field} and ${field}-data: remove one of them`);
  }
  if (data !== undefined) return decodePem(data, `${where}: ${field}-data`);
  return path === undefined ? undefined : pemFile(path, `${field} of ${where}:`);
}

async function pemFile(path: string, where: string): Promise<string> {
  try {
    return mustBePem(await readFile(path, 'utf8'), `${where} ${path}`);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`cannot read ${where} ${path}: ${(error as NodeJS.ErrnoException).code ?? 'error'}`);
  }
}

/** Newlines may stand in base64, nothing else that is foreign to it: Buffer.from would skip a typing error in silence. */
function decodePem(data: string, where: string): string {
  const packed = data.replace(/[\r\n]/g, '');
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(packed) || packed.length % 4 !== 0) throw new UsageError(`${where} is no base64`);
  return mustBePem(Buffer.from(packed, 'base64').toString('utf8'), where);
}

function mustBePem(text: string, where: string): string {
  if (!text.includes('-----BEGIN ')) throw new UsageError(`${where} holds no PEM`);
  return text;
}

/** OpenSSL's opinion before the first request: a key that does not belong to its certificate is a mistake in a file. */
function check(tls: EndpointTls, complaint: string): void {
  try {
    // A CA that is no certificate would be passed over in silence, and every server be refused for it.
    if (tls.ca !== undefined) new X509Certificate(tls.ca);
    createSecureContext(tls);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new UsageError(`${complaint}: ${code ?? message}`);
  }
}
