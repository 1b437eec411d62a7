/** Pods that events are about, in turn. */
const OBJECTS = 500;

/** One event of about 3.26 KB, as kube-apiserver writes a pod with managedFields. `rv` has RV_DIGITS digits. */
export function podEvent(index: number, rv: string, random: () => number): string {
  const hex = (n: number) => Array.from({ length: n }, () => Math.floor(random() * 16).toString(16)).join('');
  const object = {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: {
      name: `web-${hex(9)}-${String(index % OBJECTS).padStart(5, '0')}`,
      generateName: 'web-7c9f8d6b5-',
      namespace: `team-${index % 7}`,
      uid: `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`,
      resourceVersion: rv,
      creationTimestamp: '2031-03-01T10:00:00Z',
      labels: { app: 'web', 'pod-template-hash': '7c9f8d6b5' },
      ownerReferences: [
        {
          apiVersion: 'apps/v1',
          kind: 'ReplicaSet',
          name: 'web-7c9f8d6b5',
          uid: hex(32),
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
      managedFields: ['kube-controller-manager', 'kube-scheduler', 'kubelet'].map((manager) => ({
        manager,
        operation: 'Update',
        apiVersion: 'v1',
        time: '2031-03-01T10:00:00Z',
        fieldsType: 'FieldsV1',
        fieldsV1: {
          'f:metadata': { 'f:generateName': {}, 'f:labels': { '.': {}, 'f:app': {}, 'f:pod-template-hash': {} } },
          'f:spec': {
            'f:containers': { 'k:{"name":"web"}': { '.': {}, 'f:image': {}, 'f:name': {}, 'f:resources': {} } },
          },
          'f:status': { 'f:conditions': {}, 'f:containerStatuses': {}, 'f:hostIP': {}, 'f:phase': {}, 'f:podIP': {} },
        },
      })),
    },
    spec: {
      volumes: [
        {
          name: 'kube-api-access',
          projected: {
            sources: [{ serviceAccountToken: { expirationSeconds: 3607, path: 'token' } }],
            defaultMode: 420,
          },
        },
      ],
      containers: [
        {
          name: 'web',
          image: `registry.example.io/web@sha256:${hex(64)}`,
          ports: [{ containerPort: 8080, protocol: 'TCP' }],
          env: Array.from({ length: 6 }, (_, n) => ({ name: `SETTING_${n}`, value: hex(12) })),
          resources: { limits: { cpu: '500m', memory: '256Mi' }, requests: { cpu: '100m', memory: '128Mi' } },
          terminationMessagePath: '/dev/termination-log',
          imagePullPolicy: 'IfNotPresent',
        },
      ],
      restartPolicy: 'Always',
      nodeName: `node-${index % 40}`,
      schedulerName: 'default-scheduler',
      priority: 0,
    },
    status: {
      phase: 'Running',
      conditions: ['Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map((type) => ({
        type,
        status: 'True',
        lastProbeTime: null,
        lastTransitionTime: '2031-03-01T10:00:00Z',
      })),
      hostIP: '192.0.2.7',
      podIP: '192.0.2.90',
      startTime: '2031-03-01T10:00:00Z',
      containerStatuses: [
        {
          name: 'web',
          state: { running: { startedAt: '2031-03-01T10:00:00Z' } },
          lastState: {},
          ready: true,
          restartCount: 0,
          image: 'web',
          imageID: hex(64),
          containerID: `containerd://${hex(64)}`,
          started: true,
        },
      ],
      qosClass: 'Burstable',
    },
  };
  return JSON.stringify({ type: index % 50 === 0 ? 'ADDED' : 'MODIFIED', object });
}
