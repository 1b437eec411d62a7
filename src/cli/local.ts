import type { RunClock } from '../client/run.ts';
import type { ColorMode } from '../render/theme.ts';
import type { TraceSink } from '../store/trace.ts';
import { SystemClock, type Timer } from '../util/clock.ts';
import { PacedClock } from '../util/paced-clock.ts';
import { seededRandom } from '../util/random.ts';
import { EXIT } from './exit-codes.ts';
import { chooseOutput, type Face, type Output, openFace } from './face.ts';
import { checkKubeconfigPath, kubeconfigText, writeKubeconfig } from './kubeconfig-file.ts';
import { type LabBurst, LabKeys } from './lab-keys.ts';
import { howToReach, type LocalAccess, localAccess } from './local-access.ts';
import { LocalRoom } from './local-room.ts';
import { type ScriptFlags, scriptOf, withNumbers } from './local-script.ts';
import { type LocalServer, startLocalServer } from './local-server.ts';
import type { RoomRole } from './room-watcher.ts';
import { ScriptLab } from './script-lab.ts';
import { shippedScripts } from './script-source.ts';
import { type Cast, castOf } from './script-targets.ts';
import { listenForStop, type Stop } from './signals.ts';
import { isAboutUnwatched, traceItem } from './trace-item.ts';
import { VerdictCheck } from './verdict-check.ts';

export interface LocalFlags extends ScriptFlags {
  port?: number;
  featureGates?: { watchList: boolean };
  tls?: boolean;
  token?: string;
  host?: string;
  kubeconfigOut?: string;
  speed: number;
  for?: number;
  keep?: boolean;
  object?: boolean;
  output?: Output;
  color: ColorMode;
  version: string;
}

/**
 * `kwatch local`: the embedded server and, unless `--no-story`, a script with clients on real sockets. Resolves to the exit
 * code: 1 where a verdict disagreed with the server's own trace, or something came out otherwise than the script expects.
 */
export async function local(given: LocalFlags): Promise<number> {
  if (given.script === LIST) return listScripts();
  const script = await scriptOf(given);
  const flags = withNumbers(given, script);
  const clock = clockOf(flags.speed);
  const since = clock.now();
  const access = localAccess(flags, since);
  if (flags.kubeconfigOut !== undefined) await checkKubeconfigPath(flags.kubeconfigOut);
  const check = new VerdictCheck();
  let face: Face | undefined;
  let room: LocalRoom | undefined;
  let lab: ScriptLab | undefined;
  // Programs are told everything.
  const quiet = chooseOutput(flags.output) !== 'json';
  const server = await serverOf(flags, clock, access, (event) => {
    check.take(event);
    room?.takeTrace(event);
    lab?.takeTrace(event);
    if (room && !(quiet && isAboutUnwatched(event, room.watched()))) face?.push(traceItem(event, room.names));
  });
  const watchers = rolesOf(castOf(script));
  const shown = new LocalRoom(server, { speed: flags.speed, watchers, since, now: () => clock.now() });
  room = shown;
  const keys = new LabKeys({
    view: () => shown.view(),
    burst: labBurst(flags),
    perform: async (step) => lab?.perform(step),
    say: (text) => face?.push({ kind: 'note', at: clock.now(), text }),
  });
  let stop: Stop | undefined;
  let limit: Timer | undefined;
  try {
    if (flags.kubeconfigOut !== undefined) {
      const servers = server.replicas.map(({ url }) => url);
      await writeKubeconfig(flags.kubeconfigOut, kubeconfigText(servers, access));
    }
    face = await openFace({
      output: flags.output,
      color: flags.color,
      object: flags.object ?? false,
      clock,
      since,
      labels: watchers.length > 0 ? 'watcher' : 'none',
      screen: { mode: 'local', title: 'kwatch local', getView: () => shown.view(), lab: keys },
      onPressure: () => {},
    });
    const stopping = listenForStop(() => face?.restore());
    stop = stopping;
    void face.left.then((how) => stopping.ask(how === 'quit' ? EXIT.ok : EXIT.interrupted));
    announce(face, server, clock.now(), flags.kubeconfigOut);
    if (flags.for !== undefined) limit = clock.timer(flags.for, () => stopping.ask());
    lab = new ScriptLab({
      script,
      numbers: { ...flags, create: script.steps.length > 0 || flags.given.has('objects') },
      version: flags.version,
      clock,
      server,
      face,
      stop,
      check,
      room: shown,
      stay: flags.keep === true || script.steps.length === 0 || chooseOutput(flags.output) === 'tui',
      onScreen: chooseOutput(flags.output) === 'tui',
    });
    const summary = await lab.run();
    await face.finish(summary);
    return summary.exitCode;
  } finally {
    face?.restore();
    stop?.dispose();
    // A timer that is still to come would keep the process there, with nobody left to take a signal in order.
    limit?.cancel();
    await server.close();
  }
}

function serverOf(flags: LocalFlags, clock: RunClock, access: LocalAccess, trace: TraceSink): Promise<LocalServer> {
  return startLocalServer({
    clock,
    budgetClock: new SystemClock(),
    random: seededRandom(flags.seed),
    cacheSize: flags.cacheSize,
    port: flags.port,
    replicas: flags.replicas,
    ...(flags.featureGates && { featureGates: flags.featureGates }),
    access,
    compactEveryMs: flags.compactEvery === 'off' ? undefined : flags.compactEvery,
    progressNotifyMs: flags.progressNotify,
    trace,
  });
}

/** The watchers of a script as the machine room lists them. */
function rolesOf({ watchers }: Cast): RoomRole[] {
  return watchers.map(({ watcher, role = '', resource, server = 0 }) => ({ name: watcher, role, resource, server }));
}

/** `--script list`: the scripts that are here. */
const LIST = 'list';

async function listScripts(): Promise<number> {
  const scripts = await shippedScripts();
  const width = Math.max(...scripts.map(({ name }) => name.length));
  process.stdout.write(scripts.map(({ name, title }) => `${name.padEnd(width)}  ${title}\n`).join(''));
  return EXIT.ok;
}

/** The real clock, a slower one, or one that runs faster without outrunning the sockets. */
function clockOf(speed: number): RunClock {
  if (speed > 1) return new PacedClock(speed);
  const clock = new SystemClock(speed);
  clock.start();
  return clock;
}

/** The burst of `,b`: as the story's, by its own pace where no duration was given. */
function labBurst({ burst: { count, durationMs } }: LocalFlags): LabBurst {
  return { count, ...(durationMs === undefined ? {} : { withinMs: durationMs }) };
}

/** Says where the server is, for programs and for people. */
function announce(face: Face, server: LocalServer, at: number, kubeconfig: string | undefined): void {
  const { passedOver } = server;
  const servers = server.replicas.map((replica) => replica.url);
  const { url } = server.replicas[0];
  face.push({ kind: 'trace', at, what: 'listening', servers, control: server.control });
  if (passedOver.length > 0) {
    const ports = passedOver.length === 1 ? `port ${passedOver[0]} is` : `ports ${passedOver.join(', ')} are`;
    face.push({ kind: 'note', at, text: `${ports} in use: the next free ones were taken` });
  }
  face.push({ kind: 'note', at, text: `serving ${servers.join(' and ')}, control door ${server.control}` });
  for (const text of howToReach(url, server.access, kubeconfig)) face.push({ kind: 'note', at, text });
}
