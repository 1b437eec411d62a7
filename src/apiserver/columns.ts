import type { KubeObject } from '../protocol/object.ts';
import { humanDuration } from '../util/human-duration.ts';
import { isObject, type JsonObject, objectsOf } from './strategy.ts';

/** One column of a `meta.k8s.io/v1` Table. `now`: ms of the server's clock, for ages. */
export interface Column {
  name: string;
  type: 'string' | 'integer' | 'date';
  format: string;
  /** 0: always shown; 1: with `-o wide`. */
  priority: 0 | 1;
  cell(object: KubeObject, now: number): string | number;
}

type Cell = Column['cell'];

const column = (name: string, cell: Cell, more: Partial<Column> = {}): Column => ({
  name,
  type: 'string',
  format: '',
  priority: 0,
  cell,
  ...more,
});
const wide = (name: string, cell: Cell): Column => column(name, cell, { priority: 1 });

const NONE = '<none>';
const name = column('Name', (o) => o.metadata.name ?? '', { format: 'name' });
const age = column('Age', (o, now) => since(o.metadata.creationTimestamp, now));
const createdAt = column('Created At', (o) => o.metadata.creationTimestamp ?? '', { format: '' });

/** Types without a printer of their own (upstream rest.NewDefaultTableConvertor). */
export const defaultColumns: readonly Column[] = [name, { ...createdAt, type: 'date' }];

/** Columns of each type as kube-apiserver v1.30 prints them (pkg/printers/internalversion AddHandlers). */
export const configMapColumns = [name, column('Data', (o) => keys(o.data) + keys(o.binaryData)), age];
export const secretColumns = [name, column('Type', (o) => text(o.type)), column('Data', (o) => keys(o.data)), age];
export const namespaceColumns = [name, column('Status', (o) => text(at(o, 'status').phase)), age];
export const serviceAccountColumns = [name, column('Secrets', (o) => objectsOf(o.secrets).length), age];
export const endpointsColumns = [name, column('Endpoints', endpointAddresses), age];
export const leaseColumns = [name, column('Holder', (o) => text(at(o, 'spec').holderIdentity)), age];

export const podTemplateColumns = [
  name,
  column('Containers', (o) => containers(at(o, 'template'), 'name')),
  column('Images', (o) => containers(at(o, 'template'), 'image')),
  column('Pod Labels', (o) => pairs(at(at(o, 'template'), 'metadata').labels)),
];

export const podColumns = [
  name,
  column('Ready', (o) => `${containerStatuses(o).filter((s) => s.ready === true).length}/${podContainers(o).length}`),
  column('Status', podStatus),
  column('Restarts', (o) => String(containerStatuses(o).reduce((sum, s) => sum + (Number(s.restartCount) || 0), 0))),
  age,
  wide('IP', (o) => text(at(o, 'status').podIP) || NONE),
  wide('Node', (o) => text(at(o, 'spec').nodeName) || NONE),
  wide('Nominated Node', (o) => text(at(o, 'status').nominatedNodeName) || NONE),
  wide('Readiness Gates', readinessGates),
];

export const deploymentColumns = [
  name,
  column('Ready', (o) => `${count(at(o, 'status').readyReplicas)}/${count(at(o, 'spec').replicas)}`),
  column('Up-to-date', (o) => count(at(o, 'status').updatedReplicas)),
  column('Available', (o) => count(at(o, 'status').availableReplicas)),
  age,
  wide('Containers', (o) => containers(at(at(o, 'spec'), 'template'), 'name')),
  wide('Images', (o) => containers(at(at(o, 'spec'), 'template'), 'image')),
  wide('Selector', (o) => pairs(at(at(o, 'spec'), 'selector').matchLabels)),
];

export const replicationControllerColumns = [
  name,
  column('Desired', (o) => count(at(o, 'spec').replicas), { type: 'integer' }),
  column('Current', (o) => count(at(o, 'status').replicas), { type: 'integer' }),
  column('Ready', (o) => count(at(o, 'status').readyReplicas), { type: 'integer' }),
  age,
  wide('Containers', (o) => containers(at(at(o, 'spec'), 'template'), 'name')),
  wide('Images', (o) => containers(at(at(o, 'spec'), 'template'), 'image')),
  wide('Selector', (o) => pairs(at(o, 'spec').selector)),
];

export const resourceQuotaColumns = [
  name,
  age,
  column('Request', (o) => quota(o, (key) => !key.startsWith('limits'))),
  column('Limit', (o) => quota(o, (key) => key.startsWith('limits'))),
];

export const serviceColumns = [
  name,
  column('Type', (o) => text(at(o, 'spec').type)),
  column('Cluster-IP', (o) => text(at(o, 'spec').clusterIP) || NONE),
  column('External-IP', () => NONE),
  column('Port(s)', servicePorts),
  age,
  wide('Selector', (o) => pairs(at(o, 'spec').selector)),
];

export const eventColumns = [
  column('Last Seen', (o, now) => since(o.lastTimestamp ?? o.eventTime ?? o.firstTimestamp, now, '<unknown>')),
  column('Type', (o) => text(o.type)),
  column('Reason', (o) => text(o.reason)),
  column('Object', (o) => involved(at(o, 'involvedObject'))),
  wide('Subobject', (o) => text(at(o, 'involvedObject').fieldPath)),
  wide('Source', (o) => [at(o, 'source').component, at(o, 'source').host].map(text).filter(Boolean).join(', ')),
  column('Message', (o) => text(o.message).trim()),
  wide('First Seen', (o, now) => since(o.firstTimestamp ?? o.eventTime, now, '<unknown>')),
  wide('Count', (o) => count(o.count) || 1),
  { ...wide('Name', (o) => o.metadata.name ?? ''), format: 'name' },
];

const at = (object: JsonObject, field: string): JsonObject => (isObject(object[field]) ? object[field] : {});
const text = (value: unknown): string => (value === undefined || value === null ? '' : String(value));
const count = (value: unknown): number => (typeof value === 'number' ? value : 0);
const keys = (value: unknown): number => (isObject(value) ? Object.keys(value).length : 0);

function since(timestamp: unknown, now: number, missing = '<unknown>'): string {
  return typeof timestamp === 'string' ? humanDuration(now - Date.parse(timestamp)) : missing;
}

function pairs(labels: unknown): string {
  if (!isObject(labels) || Object.keys(labels).length === 0) return NONE;
  return Object.keys(labels)
    .sort()
    .map((key) => `${key}=${text(labels[key])}`)
    .join(',');
}

const podContainers = (pod: KubeObject) => objectsOf(at(pod, 'spec').containers);
const containerStatuses = (pod: KubeObject) => objectsOf(at(pod, 'status').containerStatuses);
const containers = (template: JsonObject, field: string) =>
  objectsOf(at(template, 'spec').containers)
    .map((one) => text(one[field]))
    .join(',');

/** The word in the STATUS column: the phase, unless a reason or the deletion says more. */
function podStatus(pod: KubeObject): string {
  if (pod.metadata.deletionTimestamp !== undefined) return 'Terminating';
  const status = at(pod, 'status');
  const reasons = containerStatuses(pod).map((one) => at(one, 'state'));
  const waiting = reasons.map((state) => at(state, 'waiting').reason ?? at(state, 'terminated').reason).find(Boolean);
  return text(waiting ?? status.reason ?? status.phase);
}

function readinessGates(pod: KubeObject): string {
  const gates = objectsOf(at(pod, 'spec').readinessGates);
  if (gates.length === 0) return NONE;
  const met = objectsOf(at(pod, 'status').conditions).filter((condition) => condition.status === 'True');
  return `${gates.filter((gate) => met.some((one) => one.type === gate.conditionType)).length}/${gates.length}`;
}

function endpointAddresses(endpoints: KubeObject): string {
  const all = objectsOf(endpoints.subsets).flatMap((subset) => {
    const ports = objectsOf(subset.ports).map((port) => `:${text(port.port)}`);
    return objectsOf(subset.addresses).flatMap((address) =>
      (ports.length > 0 ? ports : ['']).map((port) => `${text(address.ip)}${port}`),
    );
  });
  if (all.length === 0) return NONE;
  return all.length <= 3 ? all.join(',') : `${all.slice(0, 3).join(',')} + ${all.length - 3} more...`;
}

function servicePorts(service: KubeObject): string {
  const ports = objectsOf(at(service, 'spec').ports);
  if (ports.length === 0) return NONE;
  return ports
    .map((one) => `${text(one.port)}${one.nodePort ? `:${text(one.nodePort)}` : ''}/${text(one.protocol)}`)
    .join(',');
}

function quota(object: KubeObject, wanted: (key: string) => boolean): string {
  const hard = at(at(object, 'status'), 'hard');
  const used = at(at(object, 'status'), 'used');
  return Object.keys(hard)
    .sort()
    .filter(wanted)
    .map((key) => `${key}: ${text(used[key])}/${text(hard[key])}`)
    .join(', ');
}

const involved = (object: JsonObject) => `${text(object.kind).toLowerCase()}/${text(object.name)}`;
