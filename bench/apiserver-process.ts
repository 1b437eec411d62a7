import { startApiServer } from '../src/apiserver/apiserver.ts';
import { selfSignedCertificate } from '../src/apiserver/self-signed-certificate.ts';
import { MvccStore } from '../src/store/mvcc-store.ts';
import { SystemClock } from '../src/util/clock.ts';
import { seededRandom } from '../src/util/random.ts';

/** The embedded apiserver in a process of its own, plain or with `tls`; over IPC it says where it listens. */
const clock = new SystemClock();
const certificate = process.argv[2] === 'tls' ? selfSignedCertificate(['127.0.0.1'], clock.now()) : undefined;
const store = new MvccStore({ clock });
const server = await startApiServer({ store, clock, random: seededRandom(1), cacheSize: 'auto', port: 0, certificate });
process.on('disconnect', () => process.exit(0));
process.send?.({ port: server.port });
