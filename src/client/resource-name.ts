import { UsageError } from '../util/usage-error.ts';

/** A resource type as kubectl's users name it, resolved to where it lives. */
export interface ResourceType {
  /** "" for the core group. */
  group: string;
  version: string;
  /** Plural, as in the path. */
  resource: string;
  namespaced: boolean;
}

/** `group/version: plural singular [short…]`; a `*` before the plural marks cluster scope. kubectl 1.30's built-in types. */
const BUILT_IN = `
v1: pods pod po | services service svc | configmaps configmap cm | secrets secret | endpoints endpoint ep | events event ev |
  serviceaccounts serviceaccount sa | replicationcontrollers replicationcontroller rc | podtemplates podtemplate |
  limitranges limitrange limits | resourcequotas resourcequota quota | persistentvolumeclaims persistentvolumeclaim pvc |
  *namespaces namespace ns | *nodes node no | *persistentvolumes persistentvolume pv
apps/v1: deployments deployment deploy | replicasets replicaset rs | statefulsets statefulset sts |
  daemonsets daemonset ds | controllerrevisions controllerrevision
batch/v1: jobs job | cronjobs cronjob cj
autoscaling/v2: horizontalpodautoscalers horizontalpodautoscaler hpa
networking.k8s.io/v1: ingresses ingress ing | networkpolicies networkpolicy netpol | *ingressclasses ingressclass
policy/v1: poddisruptionbudgets poddisruptionbudget pdb
coordination.k8s.io/v1: leases lease
discovery.k8s.io/v1: endpointslices endpointslice
rbac.authorization.k8s.io/v1: roles role | rolebindings rolebinding | *clusterroles clusterrole |
  *clusterrolebindings clusterrolebinding
storage.k8s.io/v1: *storageclasses storageclass sc | *volumeattachments volumeattachment | *csinodes csinode |
  *csidrivers csidriver | csistoragecapacities csistoragecapacity
scheduling.k8s.io/v1: *priorityclasses priorityclass pc
node.k8s.io/v1: *runtimeclasses runtimeclass
certificates.k8s.io/v1: *certificatesigningrequests certificatesigningrequest csr
apiextensions.k8s.io/v1: *customresourcedefinitions customresourcedefinition crd crds
apiregistration.k8s.io/v1: *apiservices apiservice
admissionregistration.k8s.io/v1: *mutatingwebhookconfigurations mutatingwebhookconfiguration |
  *validatingwebhookconfigurations validatingwebhookconfiguration
flowcontrol.apiserver.k8s.io/v1: *flowschemas flowschema | *prioritylevelconfigurations prioritylevelconfiguration
`;

/** Every name to its type; `name.group` too. */
function buildIndex(): Map<string, ResourceType> {
  const index = new Map<string, ResourceType>();
  for (const [, groupVersion, rows] of BUILT_IN.matchAll(/^([a-z0-9./]+): ((?:.*\n(?![a-z0-9./]+:))*.*)$/gm)) {
    const slash = groupVersion!.indexOf('/');
    const group = slash < 0 ? '' : groupVersion!.slice(0, slash);
    const version = groupVersion!.slice(slash + 1);
    for (const row of rows!.split('|')) {
      const [first, ...others] = row.trim().split(/\s+/);
      if (!first) continue;
      const resource = first.replace(/^\*/, '');
      const type = { group, version, resource, namespaced: !first.startsWith('*') };
      for (const name of [resource, ...others]) {
        index.set(name, type);
        if (group) index.set(`${name}.${group}`, type);
      }
    }
  }
  return index;
}

const INDEX = buildIndex();

/**
 * Resolves `pods`, `po`, `pod`, `deployments.apps`, or, for any other resource, `plural.version.group` in full (taken to be
 * namespaced). Throws a UsageError with the nearest known name otherwise.
 */
export function resolveResource(name: string): ResourceType {
  const known = INDEX.get(name.toLowerCase());
  if (known) return known;
  const full = /^([a-z0-9-]+)\.(v\d+(?:(?:alpha|beta)\d+)?)\.([a-z0-9.-]+)$/.exec(name);
  if (full) return { resource: full[1]!, version: full[2]!, group: full[3]!, namespaced: true };
  const near = nearest(name.toLowerCase());
  const hint = near ? `did you mean ${near}? ` : '';
  throw new UsageError(
    `no resource type ${JSON.stringify(name.slice(0, 80))}: ${hint}a type that is not built in is written plural.version.group, or as a path: --raw '/apis/GROUP/VERSION/PLURAL'`,
  );
}

/** The path of a type's collection. */
export function collectionPath(type: ResourceType, namespace: string | undefined): string {
  const root = type.group === '' ? `/api/${type.version}` : `/apis/${type.group}/${type.version}`;
  const scope = type.namespaced && namespace !== undefined ? `/namespaces/${encodeURIComponent(namespace)}` : '';
  return `${root}${scope}/${type.resource}`;
}

/** The known name at the least edit distance: at most 2 letters, or a third of a long name. */
function nearest(name: string): string | undefined {
  let best: string | undefined;
  let least = Math.max(name.length > 3 ? 2 : 1, Math.floor(name.length / 3)) + 1;
  if (name.length > 60) return undefined;
  for (const known of INDEX.keys()) {
    if (known.includes('.')) continue;
    const distance = editDistance(name, known);
    if (distance < least) [best, least] = [known, distance];
  }
  return best;
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const swap = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(swap, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}

/** Whether a type's objects live in namespaces; undefined where the type is not built in. */
export function isNamespaced(group: string, resource: string): boolean | undefined {
  const type = INDEX.get(group ? `${resource}.${group}` : resource);
  return type?.group === group && type.resource === resource ? type.namespaced : undefined;
}
