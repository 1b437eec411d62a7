import { apiVersionOf, type Resource } from './resource.ts';
import type { Route } from './route.ts';

/** The version that the embedded apiserver is measured against and says it is. */
export const VERSION = {
  major: '1',
  minor: '30',
  gitVersion: 'v1.30.3',
  gitCommit: '6fc0a69044f1ac4c13841ec4391224a2df241460',
  gitTreeState: 'clean',
  buildDate: '2024-07-16T23:48:12Z',
  goVersion: 'go1.22.5',
  compiler: 'gc',
  platform: 'linux/amd64',
};

type DiscoveryRoute = Extract<Route, { kind: 'discovery' }>;

/** The legacy, unaggregated discovery documents; every kubectl and client-go can do with them (facts/client §2.3). */
export function discoveryDocument(route: DiscoveryRoute, resources: readonly Resource[], host: string): object {
  switch (route.document) {
    case 'api':
      return {
        kind: 'APIVersions',
        versions: ['v1'],
        serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: host }],
      };
    case 'apis':
      return {
        kind: 'APIGroupList',
        apiVersion: 'v1',
        groups: groupsOf(resources).map((one) => apiGroup(one, resources)),
      };
    case 'group':
      return { kind: 'APIGroup', apiVersion: 'v1', ...apiGroup(route.group, resources) };
    case 'resources':
      return {
        kind: 'APIResourceList',
        ...(route.groupVersion.includes('/') ? { apiVersion: 'v1' } : {}),
        groupVersion: route.groupVersion,
        resources: resources
          .filter((one) => apiVersionOf(one) === route.groupVersion)
          .flatMap(apiResources)
          .sort((a, b) => (a.name < b.name ? -1 : 1)),
      };
  }
}

function groupsOf(resources: readonly Resource[]): string[] {
  return [...new Set(resources.map((one) => one.group))].filter((group) => group !== '');
}

function apiGroup(group: string, resources: readonly Resource[]): object {
  const versions = [...new Set(resources.filter((one) => one.group === group).map((one) => one.version))].map(
    (version) => ({ groupVersion: `${group}/${version}`, version }),
  );
  return { name: group, versions, preferredVersion: versions[0] };
}

interface ApiResource {
  name: string;
  [field: string]: unknown;
}

/** A type and its subresources, as `kubectl api-resources` wants them. */
function apiResources(resource: Resource): ApiResource[] {
  const { name, singular, namespaced, kind, verbs, shortNames, categories } = resource;
  return [
    {
      name,
      singularName: singular,
      namespaced,
      kind,
      verbs,
      ...(shortNames.length > 0 ? { shortNames } : {}),
      ...(categories.length > 0 ? { categories } : {}),
    },
    ...resource.subresources.map((subresource) => ({
      name: `${name}/${subresource}`,
      singularName: '',
      namespaced,
      kind,
      ...subresourceKind(subresource),
      verbs: subresourceVerbs(subresource),
    })),
  ];
}

const SUBRESOURCE_VERBS: Readonly<Record<string, readonly string[]>> = {
  status: ['get', 'patch', 'update'],
  binding: ['create'],
  finalize: ['update'],
  scale: ['get', 'patch', 'update'],
};

export const subresourceVerbs = (subresource: string): readonly string[] => SUBRESOURCE_VERBS[subresource] ?? [];

/** The kind of which a subresource speaks, where that is not its object's. */
export function subresourceKind(subresource: string): { group?: string; version?: string; kind?: string } {
  if (subresource === 'scale') return { group: 'autoscaling', version: 'v1', kind: 'Scale' };
  return subresource === 'binding' ? { kind: 'Binding' } : {};
}
