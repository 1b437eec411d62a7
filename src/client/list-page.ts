import { parseObject } from './answer-body.ts';
import type { ListedObject } from './object-map.ts';

/** One page of a LIST, as far as the session reads it. */
export interface ListPage {
  /** metadata.resourceVersion; undefined where there is none. */
  rv?: string;
  /** Token of the next page; undefined on the last one. */
  continue?: string;
  objects: ListedObject[];
}

/** Bytes of one page: 500 full pods of 10 KiB are 5 MB; a server that ignores `limit` may send all there are. */
export const MAX_PAGE_BYTES = 64 * 1024 * 1024;

/** Reads a page. Undefined: it is no list (no JSON object, or one without an array of items). */
export function readListPage(bytes: Uint8Array): ListPage | undefined {
  const document = parseObject(new TextDecoder().decode(bytes));
  if (!document || !('items' in document)) return undefined;
  // Go writes an empty list of a nil slice as null.
  const items = document.items ?? [];
  if (!Array.isArray(items)) return undefined;
  const metadata = asRecord(document.metadata);
  const page: ListPage = { objects: items.flatMap(readObject) };
  if (typeof metadata.resourceVersion === 'string' && metadata.resourceVersion !== '')
    page.rv = metadata.resourceVersion;
  if (typeof metadata.continue === 'string' && metadata.continue !== '') page.continue = metadata.continue;
  return page;
}

function readObject(item: unknown): ListedObject[] {
  const { uid, name, namespace, resourceVersion } = asRecord(asRecord(item).metadata);
  if (typeof name !== 'string') return [];
  const full = typeof namespace === 'string' && namespace !== '' ? `${namespace}/${name}` : name;
  return [
    {
      key: typeof uid === 'string' && uid !== '' ? uid : full,
      name: full,
      rv: typeof resourceVersion === 'string' ? resourceVersion : '',
    },
  ];
}

/**
 * The RV inside a continue token (base64url of `{"v":…,"rv":N,"start":…}`; facts/server §2.3), or undefined: the format is
 * the server's own affair, and others may have another.
 */
export function continueTokenRv(token: string): string | undefined {
  const decoded = parseObject(Buffer.from(token, 'base64url').toString('utf8'));
  return typeof decoded?.rv === 'number' && decoded.rv > 0 ? String(decoded.rv) : undefined;
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
