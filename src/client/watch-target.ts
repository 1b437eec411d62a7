import type { WatchTarget } from './facts.ts';

export interface ReadPath {
  target: WatchTarget;
  /** Path of the collection, never the legacy /watch/ form. */
  listPath: string;
  /** The legacy form, `/api/v1/watch/…`: a watch whatever the query says. */
  watchInPath: boolean;
}

/**
 * What a path watches (facts/server §1.1): `/api/V/…`, `/apis/G/V/…`, with or without `watch/` and `namespaces/N/`, behind
 * any prefix. A path of another shape is watched all the same, only less is known of it.
 */
export function watchTarget(index: number, path: string): ReadPath {
  const root = /^(?:.*\/)?(?:api\/(v[^/]+)|apis\/([^/]+)\/(v[^/]+))\//.exec(path);
  const rest = root ? path.slice(root[0].length).replace(/\/$/, '').split('/') : [];
  if (!root || rest[0] === '') return { target: { index, path }, listPath: path, watchInPath: false };
  const watchInPath = rest[0] === 'watch' && rest.length > 1;
  if (watchInPath) rest.shift();
  // `namespaces/x` alone is the namespace itself, an object of the cluster's scope.
  const scoped = rest[0] === 'namespaces' && rest.length > 2;
  const collection = rest.slice(0, scoped ? 3 : 1);
  const [resource = '', name] = scoped ? rest.slice(2) : rest;
  const target: WatchTarget = { index, path, group: root[2] ?? '', version: (root[1] ?? root[3]) as string, resource };
  if (scoped) target.namespace = decodeURIComponentOr(rest[1] as string);
  if (name !== undefined) target.name = decodeURIComponentOr(name);
  return { target, listPath: root[0] + collection.join('/'), watchInPath };
}

function decodeURIComponentOr(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // No valid escape: the server will say so, the name is shown as it was written.
    return text;
  }
}
