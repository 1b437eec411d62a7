import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startApiServer } from '../src/apiserver/apiserver.ts';
import { MvccStore } from '../src/store/mvcc-store.ts';
import { ObjectStore } from '../src/store/object-store.ts';
import { SystemClock } from '../src/util/clock.ts';
import { seededRandom } from '../src/util/random.ts';
import { podEvent } from './feed.ts';

/**
 * One server of the fan-out contest, in a process of its own: `naive` keeps objects in a Map and stringifies each event for each
 * watcher; `kwatch` is the apiserver of `kwatch local`. Over IPC it says where it listens, and takes `{burst: N}`: N writes.
 */
interface Contestant {
  port: number;
  /** Makes one change that every watcher gets. */
  write(change: number): Promise<void> | void;
}

const pod = (JSON.parse(podEvent(1, '1', seededRandom(3))) as { object: { metadata: Record<string, unknown> } }).object;
delete pod.metadata.resourceVersion;
const changed = (change: number) => ({
  ...pod,
  metadata: { ...pod.metadata, name: 'web-0', namespace: 'default', annotations: { change: String(change) } },
});

async function naive(): Promise<Contestant> {
  const watchers = new Set<ServerResponse>();
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json' }).flushHeaders();
    watchers.add(response);
    response.on('close', () => watchers.delete(response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  let rv = 1;
  return {
    port: (server.address() as AddressInfo).port,
    write(change) {
      const object = changed(change);
      object.metadata = { ...object.metadata, resourceVersion: String(++rv) } as typeof object.metadata;
      for (const watcher of watchers) watcher.write(`${JSON.stringify({ type: 'MODIFIED', object })}\n`);
    },
  };
}

async function kwatch(): Promise<Contestant> {
  const clock = new SystemClock();
  const random = seededRandom(1);
  const store = new MvccStore({ clock });
  const server = await startApiServer({ store, clock, random, cacheSize: 'auto', port: 0 });
  const pods = new ObjectStore({
    store,
    clock,
    random,
    resourcePrefix: '/registry/pods',
    namespaced: true,
    groupResource: 'pods',
  });
  await pods.create('/registry/pods/default/web-0', changed(0));
  return {
    port: server.port,
    async write(change) {
      await pods.guaranteedUpdate('/registry/pods/default/web-0', {}, () => changed(change));
    },
  };
}

const contestant = await (process.argv[2] === 'naive' ? naive() : kwatch());
let changes = 0;
process.on('message', async ({ burst }: { burst: number }) => {
  for (let n = 0; n < burst; n++) await contestant.write(++changes);
});
process.on('disconnect', () => process.exit(0));
process.send?.({ port: contestant.port });
