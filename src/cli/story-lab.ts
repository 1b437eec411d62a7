import type { RunClock, TargetSpec } from '../client/run.ts';
import type { RunSummary } from '../render/json.ts';
import {
  BURST_PER_SECOND,
  planStory,
  type Story,
  type StoryStep,
  WATCHERS,
  type WatcherName,
} from '../scenario/story.ts';
import { background, playStory, type WatcherControl } from '../scenario/story-runner.ts';
import { Workload } from '../scenario/workload.ts';
import { seededRandom } from '../util/random.ts';
import { DiagnosedRun } from './diagnosed-run.ts';
import { EXIT } from './exit-codes.ts';
import type { Face } from './face.ts';
import { invocation } from './invocation.ts';
import type { LabHands } from './lab-steps.ts';
import type { LocalFlags } from './local.ts';
import { localEndpoint } from './local-access.ts';
import type { LocalRoom } from './local-room.ts';
import type { LocalServer } from './local-server.ts';
import type { Stop } from './signals.ts';
import { judgeStory, type StoryVerdict, verdictLine } from './story-verdicts.ts';
import type { VerdictCheck } from './verdict-check.ts';

export interface StoryLabOptions {
  flags: LocalFlags;
  clock: RunClock;
  server: LocalServer;
  face: Face;
  stop: Stop;
  check: VerdictCheck;
  room: LocalRoom;
  /** Go on after the story until somebody stops us. */
  stay: boolean;
  /** What the lab's keys lay hands on: the story's own objects and watchers. */
  hands: LabHands;
}

/** Where the story's objects live: `kubectl get pods` finds them without `-n`. */
const NAMESPACE = 'default';

/** The story of `kwatch local`: clients on real sockets, scripted writes, and at the end a table of verdicts. */
export class StoryLab {
  readonly #options: StoryLabOptions;
  readonly #story: Story;
  readonly #workload: Workload;
  /** Set by `run`, after the first objects are there. */
  #watchers: DiagnosedRun | undefined;

  constructor(options: StoryLabOptions) {
    const { flags, clock, server } = options;
    this.#options = options;
    const { count, durationMs = (count * 1000) / BURST_PER_SECOND } = flags.burst;
    this.#story = planStory({ cacheSize: flags.cacheSize, burst: { count, durationMs } });
    this.#workload = new Workload({
      pods: server.writer('pods'),
      events: server.writer('events'),
      clock,
      random: seededRandom(flags.seed + 1),
      namespace: NAMESPACE,
      objects: flags.objects,
    });
  }

  async run(): Promise<RunSummary> {
    const { clock, stop, stay } = this.#options;
    await this.#workload.create();
    const watchers = this.#watch();
    this.#watchers = watchers;
    const control = this.#control(watchers);
    Object.assign(this.#options.hands, { workload: this.#workload, watchers: control });
    await playStory({
      story: this.#story,
      workload: this.#workload,
      watchers: control,
      compactAtHead: () => this.#compactAtHead(),
      onStep: (step, index) => this.#onStep(step, index),
      clock,
      signal: stop.signal,
    });
    const verdicts = stop.signal.aborted ? [] : this.#tellVerdicts(watchers);
    if (stay && !stop.signal.aborted) await this.#stay(stop.signal);
    watchers.run.stop();
    await watchers.done();
    const failed = verdicts.some(({ ok }) => !ok) || this.#disagreements(watchers) > 0;
    return watchers.summary(stop.code() ?? (failed ? EXIT.condition : EXIT.ok));
  }

  #watch(): DiagnosedRun {
    const { flags, clock, server, stop, check, room, face } = this.#options;
    const { url } = server.replicas[0];
    return new DiagnosedRun({
      run: {
        endpoint: localEndpoint(url, server.access),
        targets: WATCHERS.map(({ resource }) => targetOn(resource)),
        version: flags.version,
        clock,
        random: seededRandom(flags.seed + 2),
        probing: true,
        signal: stop.signal,
      },
      face: {
        push(item) {
          room.take(item);
          face.push(item);
        },
      },
      ...(flags.cacheSize === 'auto' ? {} : { pinned: flags.cacheSize }),
      label: labelOf,
      agree: (finding) => check.judge(finding, this.#streamOf(finding.stream)),
    });
  }

  #streamOf(stream: number | undefined) {
    return this.#watchers?.run.facts().streams.find((one) => one.stream === stream);
  }

  #control({ run }: DiagnosedRun): WatcherControl {
    const { face, clock, room } = this.#options;
    const tell = (what: 'away' | 'back', watcher: WatcherName) => {
      const holdsRv = run.resumeRv(indexOf(watcher));
      const item = { kind: 'trace' as const, at: clock.now(), what, watcher, ...(holdsRv ? { holdsRv } : {}) };
      room.take(item);
      face.push(item);
    };
    return {
      leave(watcher) {
        tell('away', watcher);
        run.drop(indexOf(watcher));
      },
      comeBack(watcher) {
        tell('back', watcher);
        run.resume(indexOf(watcher));
      },
      watchAgain(watcher, timeoutSeconds) {
        run.drop(indexOf(watcher));
        run.resume(indexOf(watcher), { timeoutSeconds });
      },
    };
  }

  async #compactAtHead(): Promise<void> {
    const { store } = this.#options.server;
    await store.compact(await store.revision());
  }

  #onStep(step: StoryStep, index: number): void {
    const { face, clock, room } = this.#options;
    room.step(this.#story, index, clock.now());
    // Leaving and coming back are told as traces, with the RV that the watcher holds.
    if (step.do !== 'leave' && step.do !== 'return') face.push({ kind: 'note', at: clock.now(), text: step.says });
  }

  #tellVerdicts(watchers: DiagnosedRun): StoryVerdict[] {
    const { face, clock, check } = this.#options;
    const verdicts = judgeStory(this.#story.expectations, watchers.findings(), (finding) =>
      check.judge(finding, this.#streamOf(finding.stream)),
    );
    for (const verdict of verdicts) {
      const { watcher, found, agrees, because } = verdict;
      const at = clock.now();
      face.push({
        kind: 'trace',
        at,
        what: 'verdict',
        watcher,
        class: found,
        agrees,
        because,
        expected: verdict.expected,
      });
      // Not as that watcher's: the table is everybody's, whichever of them the screen shows.
      face.push({ kind: 'note', at, text: verdictLine(verdict) });
    }
    return verdicts;
  }

  /** Life goes on: background writes, until somebody stops us. */
  async #stay(signal: AbortSignal): Promise<void> {
    const { face, clock, server } = this.#options;
    face.push({
      kind: 'note',
      at: clock.now(),
      text: `you drive: ${invocation()} tail pods -s ${server.replicas[0].url}`,
    });
    await Promise.all(background({ workload: this.#workload, clock }, signal));
  }

  /** Findings of the whole run that the server's trace contradicts. */
  #disagreements(watchers: DiagnosedRun): number {
    const { check } = this.#options;
    return watchers.findings().filter((finding) => check.judge(finding, this.#streamOf(finding.stream))?.ok === false)
      .length;
  }
}

function targetOn(resource: string): TargetSpec {
  return { path: `/api/v1/namespaces/${NAMESPACE}/${resource}`, query: '', raw: false, start: 'list' };
}

function labelOf(target: number): string {
  return WATCHERS[target]?.name ?? '?';
}

function indexOf(watcher: WatcherName): number {
  return WATCHERS.findIndex(({ name }) => name === watcher);
}
