import { realpathSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { seededRandom } from '../src/util/random.ts';

/**
 * A watch feed as fast as Node can write one: pod events of about 3.2 KB in the byte order of a Go apiserver, one HTTP chunk
 * an event, resourceVersions that rise. Events are made before the first byte is sent; afterwards only the RV's digits are
 * written over, so that the consumer is what is measured. Run as a process of its own: `tsx bench/feed.ts --events N`.
 */

/** Events in the block that is sent over and over. */
const BLOCK_EVENTS = 1000;
const RV_DIGITS = 10;
const FIRST_RV = 1_000_000_001;
const OBJECTS = 500;

interface Block {
  bytes: Buffer;
  /** Where the RV's digits of each event begin. */
  rvAt: number[];
}

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

/** The same event as a client gets it that asked for a Table (kubectl get -w). */
function tableEvent(index: number, rv: string, random: () => number): string {
  const { object } = JSON.parse(podEvent(index, rv, random)) as { object: { metadata: { name: string } } };
  const columns = ['Name', 'Ready', 'Status', 'Restarts', 'Age'].map((name) => ({
    name,
    type: 'string',
    format: '',
    description: name,
    priority: 0,
  }));
  const row = {
    cells: [object.metadata.name, '1/1', 'Running', '0', '5m'],
    object: { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: object.metadata },
  };
  const table = {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata: { resourceVersion: rv },
    columnDefinitions: columns,
    rows: [row],
  };
  return JSON.stringify({ type: 'MODIFIED', object: table });
}

/** Chunk-framed events with the places of their RVs. */
export function makeBlock(make: typeof podEvent): Block {
  const random = seededRandom(7);
  const parts: Buffer[] = [];
  const rvAt: number[] = [];
  let length = 0;
  for (let index = 0; index < BLOCK_EVENTS; index++) {
    const line = Buffer.from(`${make(index, '0'.repeat(RV_DIGITS), random)}\n`);
    const chunk = Buffer.concat([Buffer.from(`${line.length.toString(16)}\r\n`), line, Buffer.from('\r\n')]);
    for (
      let at = chunk.indexOf('"resourceVersion":"0000000000"');
      at >= 0;
      at = chunk.indexOf('"resourceVersion":"0000000000"', at + 1)
    ) {
      rvAt.push(length + at + '"resourceVersion":"'.length, index);
    }
    parts.push(chunk);
    length += chunk.length;
  }
  return { bytes: Buffer.concat(parts), rvAt };
}

/** Resolves when the socket takes more, or is gone. */
function writable(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      socket.off('drain', done).off('close', done);
      resolve();
    };
    socket.on('drain', done).on('close', done);
  });
}

async function stream(response: ServerResponse, block: Block, events: number): Promise<void> {
  response.writeHead(200, { 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' });
  response.flushHeaders();
  const socket = response.socket;
  if (!socket) return;
  for (let sent = 0; sent < events; sent += BLOCK_EVENTS) {
    const bytes = Buffer.from(block.bytes);
    for (let n = 0; n < block.rvAt.length; n += 2) {
      bytes.write(String(FIRST_RV + sent + (block.rvAt[n + 1] as number)), block.rvAt[n] as number, 'latin1');
    }
    if (!socket.write(bytes)) await writable(socket);
    if (socket.destroyed) return;
  }
  socket.end('0\r\n\r\n');
}

const DISCOVERY: Record<string, object> = {
  '/api': { kind: 'APIVersions', versions: ['v1'] },
  '/apis': { kind: 'APIGroupList', apiVersion: 'v1', groups: [] },
  '/api/v1': {
    kind: 'APIResourceList',
    groupVersion: 'v1',
    resources: [{ name: 'pods', singularName: 'pod', namespaced: true, kind: 'Pod', verbs: ['get', 'list', 'watch'] }],
  },
  '/version': { major: '1', minor: '30', gitVersion: 'v1.30.3' },
};

function main(): void {
  const events = Number(process.argv[process.argv.indexOf('--events') + 1]);
  const blocks = { pod: makeBlock(podEvent), table: makeBlock(tableEvent) };
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    const table = (request.headers.accept ?? '').includes('as=Table');
    if (url.searchParams.has('watch')) void stream(response, table ? blocks.table : blocks.pod, events);
    else if (url.pathname.endsWith('/pods')) {
      const list = table
        ? {
            kind: 'Table',
            apiVersion: 'meta.k8s.io/v1',
            metadata: { resourceVersion: '1000000000' },
            columnDefinitions: [],
            rows: [],
          }
        : { kind: 'PodList', apiVersion: 'v1', metadata: { resourceVersion: '1000000000' }, items: [] };
      response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(list));
    } else {
      const found = DISCOVERY[url.pathname];
      response.writeHead(found ? 200 : 404, { 'Content-Type': 'application/json' }).end(JSON.stringify(found ?? {}));
    }
  });
  server.listen(0, '127.0.0.1', () => console.log(JSON.stringify(server.address())));
  process.stdin.resume().on('end', () => process.exit(0));
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) main();
