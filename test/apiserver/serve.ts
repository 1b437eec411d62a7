import { parseArgs } from 'node:util';
import { startApiServer } from '../../src/apiserver/apiserver.ts';
import { compactVerb, startControlDoor } from '../../src/apiserver/control.ts';
import { controlState } from '../../src/apiserver/control-state.ts';
import { MvccStore } from '../../src/store/mvcc-store.ts';
import { SystemClock } from '../../src/util/clock.ts';
import { systemRandom } from '../../src/util/random.ts';

/** One apiserver and its control door until SIGTERM, for the conformance kit: nothing is compacted but by the door. */
const { values } = parseArgs({
  options: { port: { type: 'string', default: '0' }, 'watch-list': { type: 'boolean', default: false } },
});
const clock = new SystemClock();
const random = systemRandom;
// A cluster that has come up stands at some hundreds: scenarios ask for revision 1 and expect it gone.
const store = new MvccStore({ clock, progressNotifyMs: 5_000, initialRevision: 1_000 });
const featureGates = { watchList: values['watch-list'] };
const start = (port: number) => startApiServer({ store, clock, random, cacheSize: 'auto', port, featureGates });
let server = await start(Number(values.port));
const control = await startControlDoor({
  port: 0,
  clock,
  random,
  verbs: {
    compact: compactVerb(store),
    'restart-apiserver': async () => {
      await server.close();
      server = await start(server.port);
      return { url: server.url };
    },
  },
  state: async () => controlState(store, [server]),
  onFault: (error) => process.emitWarning(String(error)),
});
console.log(JSON.stringify({ server: server.url, control: control.url }));

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, async () => {
    await Promise.all([server.close(), control.close()]);
    process.exit(0);
  });
}
