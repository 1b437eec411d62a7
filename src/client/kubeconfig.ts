import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { UsageError } from '../util/usage-error.ts';

/**
 * kubectl's configuration files, as far as an endpoint needs them (facts/client §11). Between files the first entry of a
 * name wins as a whole. What is not understood is refused by name when it is used, never skipped: a request that leaves
 * without the proxy or the identity that somebody wrote down would go to the wrong place.
 */

/** One cluster, user or context, and where it stands. */
export interface Entry {
  name: string;
  /** The file, for messages and for paths in the entry, which are relative to its folder. */
  file: string;
  fields: Record<string, unknown>;
}

export interface Kubeconfig {
  /** For messages: the file, or the first of several. */
  file: string;
  currentContext: string | undefined;
  contexts: Map<string, Entry>;
  clusters: Map<string, Entry>;
  users: Map<string, Entry>;
}

export interface Environment {
  KUBECONFIG?: string | undefined;
  HOME?: string | undefined;
}

/** A kubeconfig of thousands of contexts is some 5 MB; anything above this is no kubeconfig. */
const MAX_FILE_BYTES = 16 * 1024 * 1024;

/** Reads the files that `env` names. Throws a UsageError where there is none, or one is broken. */
export async function loadKubeconfig(env: Environment): Promise<Kubeconfig> {
  const listed = (env.KUBECONFIG ?? '').split(delimiter).filter((path) => path !== '');
  const paths =
    listed.length > 0 ? listed.map((path) => resolve(path)) : [join(env.HOME || homedir(), '.kube', 'config')];
  const merged: Kubeconfig = {
    file: paths[0] as string,
    currentContext: undefined,
    contexts: new Map(),
    clusters: new Map(),
    users: new Map(),
  };
  let found = 0;
  for (const path of paths) {
    const text = await readIfThere(path);
    if (text === undefined) continue;
    if (found === 0) merged.file = path;
    found += 1;
    merge(merged, await parse(text, path), path);
  }
  if (found > 0) return merged;
  const where =
    listed.length > 0 ? `KUBECONFIG names no file that exists (${paths.join(', ')})` : `there is no ${paths[0]}`;
  throw new UsageError(`no kubeconfig: ${where}. Name the endpoint with --server URL, or set KUBECONFIG`);
}

async function readIfThere(path: string): Promise<string | undefined> {
  let bytes: Buffer;
  try {
    bytes = await readFile(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Files that are not there are skipped, as kubectl does; all other trouble is fatal even if another file would do.
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new UsageError(`cannot read kubeconfig ${path}: ${code ?? 'error'}`);
  }
  if (bytes.length > MAX_FILE_BYTES)
    throw new UsageError(`${path} is too large for a kubeconfig (${bytes.length} bytes)`);
  return bytes.toString('utf8');
}

/** YAML 1.1 and lenient, as Go's reader is: a key twice means the last, a second document is ignored. */
async function parse(text: string, path: string): Promise<Record<string, unknown>> {
  // By its default: that is the whole module both for Node and in the bundle, which has no names of a CommonJS chunk.
  const { LineCounter, parseAllDocuments } = (await import('yaml')).default;
  const lines = new LineCounter();
  const options = { version: '1.1', uniqueKeys: false, prettyErrors: false, lineCounter: lines } as const;
  const documents = parseAllDocuments(text, options);
  const [document] = Array.isArray(documents) ? documents : [];
  const error = document?.errors[0];
  if (error) {
    // Only the place: the parser's own message quotes the line, and that may be a token.
    const { line, col } = lines.linePos(error.pos[0]);
    throw new UsageError(`kubeconfig ${path} is no valid YAML: line ${line}, column ${col}`);
  }
  const value: unknown = document ? toJs(document, path) : {};
  if (value === null || value === undefined) return {};
  if (!isRecord(value)) throw new UsageError(`${path} is no kubeconfig: it is not a mapping`);
  if (value.kind !== undefined && value.kind !== '' && value.kind !== 'Config') {
    throw new UsageError(`${path} is no kubeconfig: its kind is ${JSON.stringify(value.kind).slice(0, 60)}`);
  }
  return value;
}

function toJs(document: { toJS(): unknown }, path: string): unknown {
  try {
    return document.toJS();
  } catch {
    // Aliases that multiply without end; the library's message may quote values.
    throw new UsageError(`kubeconfig ${path} is no valid YAML: its aliases cannot be resolved`);
  }
}

function merge(into: Kubeconfig, from: Record<string, unknown>, file: string): void {
  const current = from['current-context'];
  if (current !== undefined && current !== null && typeof current !== 'string') {
    throw new UsageError(`kubeconfig ${file}: current-context is not text; write it in quotes`);
  }
  into.currentContext ??= current || undefined;
  addEntries(into.contexts, from.contexts, 'context', file);
  addEntries(into.clusters, from.clusters, 'cluster', file);
  addEntries(into.users, from.users, 'user', file);
}

function addEntries(into: Map<string, Entry>, list: unknown, kind: string, file: string): void {
  if (list === undefined || list === null) return;
  if (!Array.isArray(list)) throw new UsageError(`kubeconfig ${file}: ${kind}s is not a list`);
  const here = new Set<string>();
  for (const item of list) {
    if (!isRecord(item) || typeof item.name !== 'string') {
      throw new UsageError(`kubeconfig ${file}: a ${kind} has no name that is text`);
    }
    const { name } = item;
    if (here.has(name)) throw new UsageError(`kubeconfig ${file}: ${kind} ${quote(name)} stands there twice`);
    here.add(name);
    const fields = item[kind] ?? {};
    if (!isRecord(fields)) throw new UsageError(`kubeconfig ${file}: ${kind} ${quote(name)} is not a mapping`);
    if (!into.has(name)) into.set(name, { name, file, fields });
  }
}

/** The context in use with its cluster and user; a context without a user has none. */
export function pickContext(
  config: Kubeconfig,
  wanted?: string,
): { context: Entry; cluster: Entry; user: Entry | undefined } {
  const name = wanted ?? config.currentContext;
  const names = [...config.contexts.keys()].slice(0, 10).map(quote).join(', ') || 'none';
  if (name === undefined) {
    throw new UsageError(
      `kubeconfig ${config.file} has no current-context: kubectl config use-context NAME (there are: ${names}), or --server URL`,
    );
  }
  const context = config.contexts.get(name);
  if (!context) throw new UsageError(`kubeconfig ${config.file} has no context ${quote(name)} (there are: ${names})`);
  const cluster = lookUp(config.clusters, context, 'cluster');
  if (!cluster) throw new UsageError(`kubeconfig ${context.file}: context ${quote(name)} names no cluster`);
  return { context, cluster, user: lookUp(config.users, context, 'user') };
}

function lookUp(entries: Map<string, Entry>, context: Entry, kind: 'cluster' | 'user'): Entry | undefined {
  const name = textOf(context, 'context', kind);
  if (name === undefined) return undefined;
  const entry = entries.get(name);
  if (entry) return entry;
  throw new UsageError(
    `kubeconfig ${context.file}: context ${quote(context.name)} names ${kind} ${quote(name)}, which is not there`,
  );
}

/** A field that must be text; undefined where it is absent or empty. YAML 1.1 makes numbers and booleans of many words. */
export function textOf(entry: Entry, kind: string, field: string): string | undefined {
  const value = entry.fields[field];
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value === 'string') return value;
  throw new UsageError(
    `kubeconfig ${entry.file}: ${field} of ${kind} ${quote(entry.name)} is not text: write it in quotes`,
  );
}

export function flagOf(entry: Entry, kind: string, field: string): boolean {
  const value = entry.fields[field];
  if (value === undefined || value === null) return false;
  if (typeof value === 'boolean') return value;
  throw new UsageError(
    `kubeconfig ${entry.file}: ${field} of ${kind} ${quote(entry.name)} must be true or false, without quotes`,
  );
}

/** A path in an entry, made absolute. */
export function pathOf(entry: Entry, kind: string, field: string): string | undefined {
  const value = textOf(entry, kind, field);
  return value === undefined ? undefined : resolve(dirname(entry.file), value);
}

/** Refuses a field that would change where a request goes or who sends it, and that is not understood. */
export function refuse(entry: Entry, kind: string, fields: readonly string[], remedy: string): void {
  const field = fields.find((name) => {
    const value = entry.fields[name];
    return value !== undefined && value !== null && value !== '' && !(Array.isArray(value) && value.length === 0);
  });
  if (field === undefined) return;
  const value = entry.fields[field];
  // The name of a legacy provider or the command of a plugin: what somebody searches for.
  const { name, command = name } = isRecord(value) ? value : {};
  const which = typeof command === 'string' ? ` (${quote(command)})` : '';
  throw new UsageError(
    `kubeconfig ${entry.file}: ${kind} ${quote(entry.name)} uses ${field}${which}, which is not supported yet: ${remedy}`,
  );
}

export function quote(name: string): string {
  return JSON.stringify(name.slice(0, 100));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
