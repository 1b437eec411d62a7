import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { startApiServer } from '../src/apiserver/apiserver.ts';
import { MvccStore } from '../src/store/mvcc-store.ts';
import { ObjectStore } from '../src/store/object-store.ts';
import { SystemClock } from '../src/util/clock.ts';
import { seededRandom } from '../src/util/random.ts';
import { podEvent } from './pod-event.ts';

/**
 * One server of the fan-out contest, in a process of its own; over IPC it says where it listens, and makes bursts of changes.
 *
 *  naive   what one writes first: objects in a Map, `JSON.stringify` and `res.write` for each watcher and event (perf baseline)
 *  kwatch  the apiserver of `kwatch local`, written to as its scripts do
 *  floor   no store, nothing serialised: one constant block of the same size, written to each socket: what loopback itself takes
 */
interface Contestant {
  port: number;
  burst(writes: number, mark: string): Promise<void> | void;
}

export interface BurstRequest {
  writes: number;
  /** Stands at the end of the last event. */
  mark: string;
}

const OBJECTS = 500;
const random = seededRandom(3);
type Pod = Record<string, unknown> & { metadata: Record<string, unknown> & { name: string } };
const pods = Array.from({ length: OBJECTS }, (_, n) => {
  const { object } = JSON.parse(podEvent(n, '1000000001', random)) as { object: Pod };
  object.metadata.namespace = 'default';
  object.metadata.name = `web-${n}`;
  return object;
});
let changes = 0;

function nextPod(mark: string): Pod {
  const pod = pods[changes % OBJECTS] as Pod;
  changes += 1;
  const { managedFields, resourceVersion: _, ownerReferences, ...metadata } = pod.metadata;
  const annotations = { change: String(changes) };
  // In the order in which Go writes them, as everything in the store is.
  return { ...pod, metadata: { ...metadata, annotations, ownerReferences, managedFields }, mark };
}

const markOf = (n: number, writes: number, mark: string) => (n === writes - 1 ? mark : '0'.repeat(mark.length));

async function naive(): Promise<Contestant> {
  const watchers = new Set<ServerResponse>();
  const state = new Map<string, Pod>();
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json' }).flushHeaders();
    watchers.add(response);
    response.on('close', () => watchers.delete(response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  let rv = 1_000_000_000;
  return {
    port: (server.address() as AddressInfo).port,
    burst(writes, mark) {
      for (let n = 0; n < writes; n++) {
        const object = nextPod(markOf(n, writes, mark));
        object.metadata.resourceVersion = String(++rv);
        state.set(object.metadata.name, object);
        for (const watcher of watchers) watcher.write(`${JSON.stringify({ type: 'MODIFIED', object })}\n`);
      }
    },
  };
}

async function floor(): Promise<Contestant> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    socket.on('error', () => sockets.delete(socket));
    socket.on('close', () => sockets.delete(socket));
    socket.once('data', () => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n');
      sockets.add(socket);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const blocks = new Map<number, Buffer>();
  return {
    port: (server.address() as AddressInfo).port,
    burst(writes, mark) {
      const block = blocks.get(writes) ?? constantBlock(writes, mark);
      blocks.set(writes, block);
      block.write(mark, block.length - mark.length - 6, 'latin1');
      for (const socket of sockets) socket.write(block);
    },
  };
}

function constantBlock(writes: number, mark: string): Buffer {
  const lines = Array.from({ length: writes }, (_, n) => {
    const object = nextPod(markOf(n, writes, mark));
    object.metadata.resourceVersion = '1000000001';
    const line = `${JSON.stringify({ type: 'MODIFIED', object })}\n`;
    return `${line.length.toString(16)}\r\n${line}\r\n`;
  });
  return Buffer.from(lines.join(''));
}

async function kwatch(): Promise<Contestant> {
  const clock = new SystemClock();
  const store = new MvccStore({ clock, initialRevision: 1_000_000_000 });
  const server = await startApiServer({ store, clock, random, cacheSize: 'auto', port: 0 });
  const storage = new ObjectStore({
    store,
    clock,
    random,
    resourcePrefix: '/registry/pods',
    namespaced: true,
    groupResource: 'pods',
  });
  const key = (name: string) => `/registry/pods/default/${name}`;
  for (let n = 0; n < OBJECTS; n++) {
    const pod = nextPod('0');
    await storage.create(key(pod.metadata.name), pod);
  }
  return {
    port: server.port,
    async burst(writes, mark) {
      for (let n = 0; n < writes; n++) {
        const pod = nextPod(markOf(n, writes, mark));
        await storage.guaranteedUpdate(key(pod.metadata.name), {}, () => pod);
      }
    },
  };
}

/** Several times and with pauses: what ends in one turn is free after the next. */
async function collectGarbage(): Promise<void> {
  for (let n = 0; n < 6; n++) {
    globalThis.gc?.();
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  process.send?.({ collected: true });
}

const CONTESTANTS: Record<string, () => Promise<Contestant>> = { naive, floor, kwatch };
const make = CONTESTANTS[process.argv[2] ?? ''];
if (make === undefined) throw new Error(`no such contestant: ${process.argv[2]}`);
const contestant = await make();
process.on('message', async (asked: BurstRequest | { collect: true }) => {
  if ('mark' in asked) await contestant.burst(asked.writes, asked.mark);
  else await collectGarbage();
});
process.on('disconnect', () => process.exit(0));
process.send?.({ port: contestant.port });
