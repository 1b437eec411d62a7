import { subresourceKind, subresourceVerbs } from './discovery.ts';
import { parseAccept } from './media-type.ts';
import { apiVersionOf, type Resource } from './resource.ts';

const GROUP = 'apidiscovery.k8s.io';
const KIND = 'APIGroupDiscoveryList';
const VERSIONS: readonly (string | undefined)[] = ['v2', 'v2beta1'];

/** All versions and types below `/api` or `/apis` at once, as clients from 1.26 on ask for it. */
export interface AggregatedDiscovery {
  contentType: string;
  document: object;
}

/**
 * The aggregated form of `/api` (`root` 'api') or `/apis`, where Accept prefers it to the legacy one; undefined: it does not
 * (discovery/aggregated wrapper.go).
 */
export function aggregatedDiscovery(
  root: 'api' | 'apis',
  accept: string | undefined,
  resources: readonly Resource[],
): AggregatedDiscovery | undefined {
  for (const { type, subtype, params } of accept ? parseAccept(accept) : []) {
    const isJson = (type === 'application' || type === '*') && (subtype === 'json' || subtype === '*');
    if (!isJson) continue;
    if (params.get('as') !== KIND) return undefined;
    const version = params.get('v');
    if (params.get('g') !== GROUP || version === undefined || !VERSIONS.includes(version)) continue;
    return {
      contentType: `application/json;g=${GROUP};v=${version};as=${KIND}`,
      document: {
        kind: KIND,
        apiVersion: `${GROUP}/${version}`,
        metadata: {},
        items: itemsOf(resources.filter(({ group }) => (group === '') === (root === 'api'))),
      },
    };
  }
  return undefined;
}

function itemsOf(resources: readonly Resource[]): object[] {
  const groups = [...new Set(resources.map(({ group }) => group))];
  return groups.map((group) => {
    const own = resources.filter((one) => one.group === group);
    const versions = [...new Set(own.map(apiVersionOf))].map((version) => {
      const served = own.filter((one) => apiVersionOf(one) === version).sort(byName);
      return { version: version.replace(/^.*\//, ''), resources: served.map(discovered), freshness: 'Current' };
    });
    return { metadata: { ...(group === '' ? {} : { name: group }), creationTimestamp: null }, versions };
  });
}

const byName = (a: Pick<Resource, 'name'>, b: Pick<Resource, 'name'>) => (a.name < b.name ? -1 : 1);

/** Kinds of the type's own group version are told without it. */
const ownKind = (kind: string) => ({ group: '', version: '', kind });

function discovered(resource: Resource): object {
  const { name, kind, namespaced, singular, verbs, shortNames, categories, subresources } = resource;
  return {
    resource: name,
    responseKind: ownKind(kind),
    scope: namespaced ? 'Namespaced' : 'Cluster',
    singularResource: singular,
    verbs,
    ...(shortNames.length > 0 && { shortNames }),
    ...(categories.length > 0 && { categories }),
    ...(subresources.length > 0 && {
      subresources: [...subresources].sort().map((subresource) => ({
        subresource,
        responseKind: { ...ownKind(kind), ...subresourceKind(subresource) },
        verbs: subresourceVerbs(subresource),
      })),
    }),
  };
}
