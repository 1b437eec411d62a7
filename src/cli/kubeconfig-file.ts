import { open, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import { UsageError } from '../util/usage-error.ts';
import type { LocalAccess } from './local-access.ts';

/** A file that is larger was not written by us, bytes. */
const MAX_OWN_BYTES = 1024 * 1024;

/**
 * A kubeconfig for the embedded apiservers: one context for each (`kwatch-0`, `kwatch-1`, …), the first is the current one.
 * kubectl asks for a name where a user of an HTTPS cluster has no credential, so there is a token even where none is needed.
 */
export function kubeconfigText(servers: readonly string[], { certificate, token }: LocalAccess): string {
  const names = servers.map((_, index) => `kwatch-${index}`);
  const ca = certificate && Buffer.from(certificate.ca).toString('base64');
  return [
    'apiVersion: v1',
    'kind: Config',
    'clusters:',
    ...servers.flatMap((server, index) => [
      `- name: ${names[index]}`,
      '  cluster:',
      `    server: ${JSON.stringify(server)}`,
      ...(ca ? [`    certificate-authority-data: ${ca}`] : []),
    ]),
    'contexts:',
    ...names.flatMap((name) => [`- name: ${name}`, '  context:', `    cluster: ${name}`, '    user: kwatch']),
    'users:',
    '- name: kwatch',
    '  user:',
    `    token: ${JSON.stringify(token ?? 'not-needed')}`,
    `current-context: ${names[0]}`,
    '',
  ].join('\n');
}

/** Was this file written by us? kubectl may have changed it since; every name in it is one of ours all the same. */
export function isOwnKubeconfig(text: string): boolean {
  if (text.trim() === '') return true;
  const named = text.match(/^\s*(?:- )?name:.*$/gm) ?? [];
  const ours = named.every((line) => /^\s*(?:- )?name: kwatch(?:-\d+)?\s*$/.test(line));
  return named.length > 0 && ours && /^kind: Config\s*$/m.test(text);
}

/**
 * Where `path` really is, if it may be written: a new file, or one that is empty or ours. Throws a UsageError of one line otherwise: a
 * kubeconfig that somebody else wrote is never replaced.
 */
export async function checkKubeconfigPath(path: string): Promise<string> {
  try {
    const file = await realpath(path);
    const { size, isFile } = await stat(file).then((found) => ({ size: found.size, isFile: found.isFile() }));
    if (!isFile) throw new UsageError(`--kubeconfig-out ${path}: it is there and is no file`);
    if (size > MAX_OWN_BYTES || !isOwnKubeconfig(await readFile(file, 'utf8'))) {
      throw new UsageError(`--kubeconfig-out ${path}: it is there and was not written by kwatch; name another file`);
    }
    return file;
  } catch (error) {
    if (error instanceof UsageError) throw error;
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return path;
    throw cannotWrite(path, error);
  }
}

/** Writes it whole or not at all, for its owner's eyes alone. Throws a UsageError of one line. */
export async function writeKubeconfig(path: string, text: string): Promise<void> {
  const file = await checkKubeconfigPath(path);
  const draft = `${file}.${process.pid}.tmp`;
  try {
    const handle = await open(draft, 'wx', 0o600);
    try {
      await handle.writeFile(text);
    } finally {
      await handle.close();
    }
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined);
    throw cannotWrite(path, error);
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such folder',
  ENOTDIR: 'part of its path is no folder',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
};

function cannotWrite(path: string, error: unknown): UsageError {
  const { code = 'error' } = error as NodeJS.ErrnoException;
  return new UsageError(`--kubeconfig-out ${path}: it cannot be written: ${REASONS[code] ?? code}`);
}
