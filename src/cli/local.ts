import type { RunClock } from '../client/run.ts';
import { verdictOf } from '../diagnosis/verdict.ts';
import type { RunSummary } from '../render/json.ts';
import type { ColorMode } from '../render/theme.ts';
import { WATCHERS } from '../scenario/story.ts';
import { Workload } from '../scenario/workload.ts';
import { SystemClock } from '../util/clock.ts';
import { PacedClock } from '../util/paced-clock.ts';
import { seededRandom } from '../util/random.ts';
import { EXIT } from './exit-codes.ts';
import { chooseOutput, type Face, type Output, openFace } from './face.ts';
import { checkKubeconfigPath, kubeconfigText, writeKubeconfig } from './kubeconfig-file.ts';
import { type LabBurst, LabKeys } from './lab-keys.ts';
import { type LabHands, performLabStep } from './lab-steps.ts';
import { howToReach, localAccess, localEndpoint } from './local-access.ts';
import { LocalRoom } from './local-room.ts';
import { type LocalServer, startLocalServer } from './local-server.ts';
import { listenForStop, type Stop } from './signals.ts';
import { StoryLab } from './story-lab.ts';
import { isAboutUnwatched, traceItem } from './trace-item.ts';
import { VerdictCheck } from './verdict-check.ts';

export interface LocalFlags {
  cacheSize: number | 'auto';
  burst: { count: number; durationMs: number | undefined };
  objects: number;
  /** `--objects` was given; without a story there are none otherwise. */
  objectsAsked: boolean;
  port?: number;
  replicas: number;
  featureGates?: { watchList: boolean };
  tls?: boolean;
  token?: string;
  host?: string;
  kubeconfigOut?: string;
  compactEvery: number | 'off';
  progressNotify: number;
  seed: number;
  speed: number;
  for?: number;
  keep?: boolean;
  story: boolean;
  object?: boolean;
  output?: Output;
  color: ColorMode;
  version: string;
}

/**
 * `kwatch local`: the embedded server and, unless `--no-story`, a story with clients on real sockets. Resolves to the exit
 * code: 1 where a verdict disagreed with the server's own trace, or the story came out otherwise than its numbers say.
 */
export async function local(flags: LocalFlags): Promise<number> {
  const clock = clockOf(flags.speed);
  const since = clock.now();
  const access = localAccess(flags, since);
  if (flags.kubeconfigOut !== undefined) await checkKubeconfigPath(flags.kubeconfigOut);
  const check = new VerdictCheck();
  let face: Face | undefined;
  let room: LocalRoom | undefined;
  // Programs are told everything.
  const quiet = chooseOutput(flags.output) !== 'json';
  const server = await startLocalServer({
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
    trace: (event) => {
      check.take(event);
      room?.takeTrace(event);
      if (room && !(quiet && isAboutUnwatched(event, room.watched()))) face?.push(traceItem(event, room.names));
    },
  });
  const watchers = flags.story ? WATCHERS : [];
  const shown = new LocalRoom(server, { speed: flags.speed, watchers, since, now: () => clock.now() });
  room = shown;
  const hands: { current: LabHands | undefined } = { current: undefined };
  const lab = new LabKeys({
    view: () => shown.view(),
    burst: labBurst(flags),
    perform: async (step) => hands.current && performLabStep(step, hands.current),
    say: (text) => face?.push({ kind: 'note', at: clock.now(), text }),
  });
  let stop: Stop | undefined;
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
      labels: flags.story ? 'watcher' : 'none',
      screen: { mode: 'local', title: 'kwatch local', getView: () => shown.view(), lab },
      onPressure: () => {},
    });
    const stopping = listenForStop(() => face?.restore());
    stop = stopping;
    void face.left.then((how) => stopping.ask(how === 'quit' ? EXIT.ok : EXIT.interrupted));
    announce(face, server, clock.now(), flags.kubeconfigOut);
    hands.current = { server, workload: workloadOf(flags, clock, server), signal: stopping.signal };
    if (flags.for !== undefined) clock.timer(flags.for, () => stopping.ask(EXIT.ok));
    const stay = flags.keep === true || chooseOutput(flags.output) === 'tui';
    const summary = flags.story
      ? await new StoryLab({ flags, clock, server, face, stop, check, room: shown, stay, hands: hands.current }).run()
      : await serve(flags, clock, server, stop);
    await face.finish(summary);
    return summary.exitCode;
  } finally {
    face?.restore();
    stop?.dispose();
    await server.close();
  }
}

/** The real clock, a slower one, or one that runs faster without outrunning the sockets. */
function clockOf(speed: number): RunClock {
  if (speed > 1) return new PacedClock(speed);
  const clock = new SystemClock(speed);
  clock.start();
  return clock;
}

/** `--no-story`: nothing but the server, until somebody stops it. */
async function serve(flags: LocalFlags, clock: RunClock, server: LocalServer, stop: Stop): Promise<RunSummary> {
  if (flags.objectsAsked) await seedObjects(flags, clock, server);
  const startedAt = clock.now();
  await new Promise<void>((resolve) => stop.signal.addEventListener('abort', () => resolve(), { once: true }));
  const now = clock.now();
  const endpoint = localEndpoint(server.replicas[0].url, server.access);
  const nothing = { startedAt, now, probing: false, streams: [], lists: [], probes: [], endpoint, finished: true };
  return {
    at: now,
    verdict: verdictOf([], nothing),
    findings: [],
    streams: 0,
    events: 0,
    bookmarks: 0,
    exitCode: stop.code() ?? EXIT.ok,
  };
}

function seedObjects(flags: LocalFlags, clock: RunClock, server: LocalServer): Promise<void> {
  return workloadOf(flags, clock, server).create();
}

/** The burst of `,b`: as the story's, by its own pace where no duration was given. */
function labBurst({ burst: { count, durationMs } }: LocalFlags): LabBurst {
  return { count, ...(durationMs === undefined ? {} : { withinMs: durationMs }) };
}

function workloadOf({ objects, seed }: LocalFlags, clock: RunClock, server: LocalServer): Workload {
  return new Workload({
    pods: server.writer('pods'),
    events: server.writer('events'),
    clock,
    random: seededRandom(seed + 1),
    namespace: 'default',
    objects,
  });
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
