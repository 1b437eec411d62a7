import { apiVersionOf, type Resource } from './resource.ts';

/** What a path means, before the method is looked at. */
export type Route =
  /** `/api`, `/apis`, `/apis/GROUP`, `/api/v1`: `groupVersion` undefined for the lists of versions and groups. */
  | { kind: 'discovery'; document: 'api' | 'apis' }
  | { kind: 'discovery'; document: 'group'; group: string }
  | { kind: 'discovery'; document: 'resources'; groupVersion: string }
  | ResourceRoute
  /** In a group version that is served, but nothing is there: 404 as a Status. */
  | { kind: 'no-such-resource' }
  /** 404 in plain text, or one of the paths that are not about resources. */
  | { kind: 'other' };

export interface ResourceRoute {
  kind: 'resource';
  resource: Resource;
  namespace: string | undefined;
  name: string | undefined;
  subresource: string | undefined;
  /** The deprecated form `…/watch/…`: it watches whatever the query says (facts/server §1.1). */
  forceWatch: boolean;
}

/** Finds what a path means among the types of the table (upstream request.RequestInfoFactory and the installed routes). */
export function routeOf(path: string, resources: readonly Resource[]): Route {
  const segments = segmentsOf(path);
  if (segments === undefined) return { kind: 'other' };
  const [root, ...rest] = segments;
  if (root === 'api') return rest.length === 0 ? { kind: 'discovery', document: 'api' } : inGroup('', rest, resources);
  if (root !== 'apis') return { kind: 'other' };
  const [group, ...below] = rest;
  if (group === undefined) return { kind: 'discovery', document: 'apis' };
  if (below.length > 0) return inGroup(group, below, resources);
  const known = group !== '' && resources.some((one) => one.group === group);
  return known ? { kind: 'discovery', document: 'group', group } : { kind: 'other' };
}

/** A verb of the deprecated forms with nothing behind it: upstream's RequestInfoFactory fails on it, before all other checks. */
export function isBareVerb(path: string): boolean {
  return /^\/(?:api|apis\/[^/]+)\/[^/]+\/(?:watch|proxy)\/*$/.test(path);
}

/** Segments of a path, decoded. Undefined where an escape does not decode. A slash at the end does not count. */
function segmentsOf(path: string): string[] | undefined {
  try {
    return path
      .replace(/^\/|\/$/g, '')
      .split('/')
      .map(decodeURIComponent);
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}

function inGroup(group: string, [version, ...rest]: string[], all: readonly Resource[]): Route {
  const resources = all.filter((one) => one.group === group && one.version === version);
  const [first] = resources;
  // A version that a known group does not have is looked up, and not found, by the apiserver itself.
  if (first === undefined) return { kind: all.some((one) => one.group === group) ? 'no-such-resource' : 'other' };
  if (rest.length === 0) return { kind: 'discovery', document: 'resources', groupVersion: apiVersionOf(first) };
  const forceWatch = rest[0] === 'watch' && rest.length > 1;
  const found = target(forceWatch ? rest.slice(1) : rest, resources);
  if (found === undefined) return { kind: 'no-such-resource' };
  const route: ResourceRoute = { kind: 'resource', ...found, forceWatch };
  const canWatch = found.resource.verbs.includes('watch') && found.subresource === undefined;
  return forceWatch && !canWatch ? { kind: 'no-such-resource' } : route;
}

type Target = Pick<ResourceRoute, 'resource' | 'namespace' | 'name' | 'subresource'>;

function target(segments: string[], resources: readonly Resource[]): Target | undefined {
  const named = (name: string | undefined) => resources.find((one) => one.name === name);
  const [first, namespace, third] = segments;
  const isNamespaced = first === 'namespaces' && third !== undefined;
  const within = isNamespaced ? named(third) : undefined;
  if (within?.namespaced) return place(within, namespace, segments.slice(3));
  const resource = named(first);
  if (resource === undefined) return undefined;
  // Without a namespace in the path, a namespaced type has only its collection across all of them.
  if (resource.namespaced && segments.length > 1) return undefined;
  return place(resource, undefined, segments.slice(1));
}

function place(resource: Resource, namespace: string | undefined, rest: string[]): Target | undefined {
  const [name, subresource, ...more] = rest;
  if (more.length > 0 || name === '' || namespace === '') return undefined;
  if (subresource !== undefined && !resource.subresources.includes(subresource)) return undefined;
  return { resource, namespace, name, subresource };
}
