import type { KubeObject, ObjectMeta } from '../protocol/object.ts';

/** Resources that scripts can write. Pods and the two others have a watch cache, events have none (facts/server §3). */
export const LAB_RESOURCES = ['pods', 'events', 'configmaps', 'secrets'] as const;
export type LabResource = (typeof LAB_RESOURCES)[number];

/** Bytes of padding in each pod: as large as a real pod with managedFields (design §5). */
export const POD_PAD_BYTES = 12 * 1024;
/** Nothing on the way compresses, so plain repetition is enough. */
const PAD_LETTER = 'x';

export interface NewObject {
  name: string;
  namespace: string;
  uid: string;
  /** ms of the clock. */
  at: number;
}

/** A fresh object of a resource, as its API server would have stored it. */
export function labObject(resource: LabResource, fresh: NewObject): KubeObject {
  const { name, namespace, uid, at } = fresh;
  const metadata: ObjectMeta = { name, namespace, uid, creationTimestamp: timestamp(at) };
  switch (resource) {
    case 'pods':
      return pod({ ...metadata, labels: { app: 'web' } });
    case 'events':
      return event(metadata);
    case 'configmaps':
      return { kind: 'ConfigMap', apiVersion: 'v1', metadata, data: {} };
    case 'secrets':
      return { kind: 'Secret', apiVersion: 'v1', metadata, type: 'Opaque', data: {} };
  }
}

/** A changed copy: the annotation makes every write a change, the padding gives it its size. */
export function changedObject(
  object: KubeObject,
  change: { nth: number; size: number | undefined; labels: Readonly<Record<string, string>> | undefined; at: number },
): KubeObject {
  const { nth, size, labels, at } = change;
  const pad = size === undefined ? {} : { 'lab.kwatch/pad': PAD_LETTER.repeat(size) };
  const annotations = { ...object.metadata.annotations, ...pad, 'lab.kwatch/change': String(nth) };
  const metadata = {
    ...object.metadata,
    annotations,
    ...(labels === undefined ? {} : { labels: { ...object.metadata.labels, ...labels } }),
  };
  if (object.kind !== 'Event') return { ...object, metadata };
  return { ...object, metadata, lastTimestamp: timestamp(at), count: Number(object.count ?? 0) + 1 };
}

function pod(metadata: ObjectMeta): KubeObject {
  const time = metadata.creationTimestamp;
  return {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata,
    spec: {
      containers: [
        {
          name: 'web',
          image: IMAGE,
          resources: {},
          terminationMessagePath: '/dev/termination-log',
          terminationMessagePolicy: 'File',
          imagePullPolicy: 'IfNotPresent',
        },
      ],
      restartPolicy: 'Always',
      // No kubelet is here to confirm the end of a pod: who deletes one is not kept waiting.
      terminationGracePeriodSeconds: 0,
      dnsPolicy: 'ClusterFirst',
      nodeName: 'node-a',
      securityContext: {},
      schedulerName: 'default-scheduler',
      enableServiceLinks: true,
    },
    status: {
      phase: 'Running',
      conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: time }],
      podIP: '192.0.2.10',
      startTime: time,
      containerStatuses: [
        { name: 'web', ready: true, restartCount: 0, image: IMAGE, state: { running: { startedAt: time } } },
      ],
    },
  };
}

const IMAGE = 'registry.example.io/web:1.0';

/** About the pod that its name begins with, as a kubelet writes them. */
function event(metadata: ObjectMeta): KubeObject {
  const [name] = (metadata.name ?? '').split('.');
  return {
    kind: 'Event',
    apiVersion: 'v1',
    metadata,
    involvedObject: { kind: 'Pod', namespace: metadata.namespace, name, apiVersion: 'v1' },
    reason: 'Pulled',
    message: 'image is present',
    source: { component: 'lab' },
    firstTimestamp: metadata.creationTimestamp,
    lastTimestamp: metadata.creationTimestamp,
    count: 0,
    type: 'Normal',
  };
}

/** RFC 3339 in whole seconds, as metadata has it. `at`: ms. */
function timestamp(at: number): string {
  return new Date(at).toISOString().replace(/\.\d+Z$/, 'Z');
}
