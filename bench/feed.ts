import { realpathSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { seededRandom } from '../src/util/random.ts';
import { podEvent } from './pod-event.ts';

/**
 * A watch feed as fast as Node can write one: pod events of about 3.2 KB in the byte order of a Go apiserver, one HTTP chunk
 * an event, resourceVersions that rise. Events are made before the first byte is sent; afterwards only the RV's digits are
 * written over, so that the consumer is what is measured. Run as a process of its own: `tsx bench/feed.ts --events N`.
 */

/** Events in the block that is sent over and over. */
const BLOCK_EVENTS = 1000;
const RV_DIGITS = 10;
const FIRST_RV = 1_000_000_001;

interface Block {
  bytes: Buffer;
  /** Where the RV's digits of each event begin. */
  rvAt: number[];
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
