import { readFile } from 'node:fs/promises';
import { UsageError } from '../util/usage-error.ts';
import { parseObject } from './answer-body.ts';

/** What of a credential a request needs. `tokenFile` comes before `token` (facts/client §11 rule 12). */
export interface TokenSource {
  token?: string;
  /** Absolute path. */
  tokenFile?: string;
}

/** The value of an Authorization header that a token makes; refuses what no header can carry. `where`: for the message. */
export function bearer(token: string, where: string): string {
  const trimmed = token.trim();
  if (trimmed === '') throw new UsageError(`${where}: the token is empty`);
  if (/[^\x21-\x7e]/.test(trimmed))
    throw new UsageError(`${where}: the token holds characters that no HTTP header can carry`);
  return `Bearer ${trimmed}`;
}

/**
 * Reads a token file. Undefined where it is missing and there is a token to fall back to, as kubectl does in silence. Read
 * anew for each request: a projected service account token changes under a running watch.
 */
export async function readTokenFile(path: string, hasFallback: boolean): Promise<string | undefined> {
  try {
    return bearer(await readFile(path, 'utf8'), path);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    if (hasFallback) return undefined;
    throw new UsageError(`cannot read tokenFile ${path}: ${(error as NodeJS.ErrnoException).code ?? 'error'}`);
  }
}

/** `exp` of a JWT, ms since the epoch; undefined for any other token. The signature is the server's affair. */
export function tokenExpiry(token: string): number | undefined {
  const parts = token.trim().split('.');
  if (parts.length !== 3) return undefined;
  const claims = parseObject(Buffer.from(parts[1] as string, 'base64url').toString('utf8'));
  return typeof claims?.exp === 'number' && Number.isFinite(claims.exp) ? claims.exp * 1000 : undefined;
}
