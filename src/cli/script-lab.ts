import type { RunClock } from '../client/run.ts';
import type { Finding } from '../diagnosis/finding.ts';
import type { FeedItem } from '../render/feed.ts';
import type { RunSummary } from '../render/json.ts';
import type { LabResource } from '../scenario/lab-object.ts';
import { Middleboxes } from '../scenario/middleboxes.ts';
import type { ExpectStep, Script, ScriptStep } from '../scenario/script.ts';
import { scriptLine } from '../scenario/script-line.ts';
import { ScriptRunner } from '../scenario/script-runner.ts';
import { StepFailure } from '../scenario/step-failure.ts';
import { STORY_NAME } from '../scenario/story.ts';
import { Workload } from '../scenario/workload.ts';
import type { TraceEvent } from '../store/trace.ts';
import { humanDuration } from '../util/human-duration.ts';
import { seededRandom } from '../util/random.ts';
import { EXIT } from './exit-codes.ts';
import type { Face } from './face.ts';
import { howToReach, localEndpoint } from './local-access.ts';
import type { LocalRoom } from './local-room.ts';
import type { LocalServer } from './local-server.ts';
import { ScriptExpectations } from './script-expectations.ts';
import { castOf, LAB_NAMESPACE } from './script-targets.ts';
import { ScriptWatchers } from './script-watchers.ts';
import type { Stop } from './signals.ts';
import type { VerdictCheck } from './verdict-check.ts';

export interface ScriptLabOptions {
  script: Script;
  /** As the script or the command line says. */
  numbers: { objects: number; seed: number; cacheSize: number | 'auto'; create: boolean };
  version: string;
  clock: RunClock;
  server: LocalServer;
  face: Face;
  stop: Stop;
  check: VerdictCheck;
  room: LocalRoom;
  /** Go on after the script until somebody stops us. */
  stay: boolean;
  /** There is a screen, with keys. */
  onScreen: boolean;
}

/** A script played: clients on real sockets, scripted writes and faults, and what was expected of them. */
export class ScriptLab {
  readonly #options: ScriptLabOptions;
  readonly #workload: Workload;
  readonly #watchers: ScriptWatchers;
  readonly #middleboxes: Middleboxes;
  readonly #runner: ScriptRunner;
  readonly #expectations: ScriptExpectations;
  /** Ends the writes: by the end of the script, or when we are stopped. */
  readonly #over = new AbortController();
  #startedAt = 0;

  constructor(options: ScriptLabOptions) {
    const { script, numbers, clock, server, stop, check } = options;
    const { seed, objects, cacheSize } = numbers;
    this.#options = options;
    stop.signal.addEventListener('abort', () => this.#over.abort(), { once: true });
    const { access } = server;
    this.#middleboxes = new Middleboxes(clock);
    const [first, ...others] = server.replicas;
    this.#workload = new Workload({
      storage: (resource: LabResource) => server.writer(resource),
      clock,
      random: seededRandom(seed + 1),
      namespace: LAB_NAMESPACE,
      objects,
    });
    this.#watchers = new ScriptWatchers({
      cast: castOf(script),
      endpoints: [localEndpoint(first.url, access), ...others.map(({ url }) => localEndpoint(url, access))],
      endpointVia: (proxy) => {
        const scheme = access.certificate ? 'https' : 'http';
        return localEndpoint(`${scheme}://127.0.0.1:${this.#middleboxes.portOf(proxy)}`, access);
      },
      version: options.version,
      clock,
      random: seededRandom(seed + 2),
      signal: stop.signal,
      pinned: cacheSize === 'auto' ? undefined : cacheSize,
      tell: (item) => this.#tell(item),
      agree: (finding) => check.judge(finding, this.#watchers.facts),
      onStall: (watcher, on) => this.#onStall(watcher, on),
    });
    this.#expectations = new ScriptExpectations({
      cast: castOf(script),
      watchers: this.#watchers,
      server,
      check,
      clock,
      signal: this.#over.signal,
      tell: (item) => options.face.push(item),
      complain: (step, text) => this.#complain(step, text),
    });
    this.#runner = new ScriptRunner({
      store: server.store,
      replicas: server.replicas,
      workload: this.#workload,
      clients: this.#clients(),
      middleboxes: this.#middleboxes,
      clock,
      signal: this.#over.signal,
    });
  }

  /** Takes what the server did. */
  takeTrace(event: TraceEvent): void {
    this.#expectations.takeTrace(event);
    if (event.what !== 'write') this.#watchers.poke();
  }

  /** Does one step, as a script's would be done: what a person at the screen asks for. Rejects with the reason. */
  perform(step: ScriptStep): Promise<void> {
    return this.#runner.perform(step);
  }

  /** Plays it. Resolves to what the run came to; rejects with a fault of the program only. */
  async run(): Promise<RunSummary> {
    const { script, numbers, clock, stop, stay } = this.#options;
    if (numbers.create) await this.#workload.create();
    this.#expectations.begin();
    this.#startedAt = clock.now();
    if (script.title !== undefined && script.name !== STORY_NAME) this.#note(`script ${script.name}: ${script.title}`);
    let failure: StepFailure | undefined;
    try {
      await this.#runner.play(script, (step, index) => this.#onStep(step, index));
    } catch (error) {
      if (!(error instanceof StepFailure)) throw error;
      failure = error;
      const why = `${scriptLine(error.step).slice(2)}: ${error.message}`;
      this.#note(`✗ ends here: ${why}`);
      this.#complain(error.step, why);
    }
    if (!stop.signal.aborted && failure === undefined) this.#tellEnd();
    // A burst of a lab key that is refused: the person at the screen is told.
    this.#runner.failed.catch(
      (error: StepFailure) => error !== failure && this.#note(`${scriptLine(error.step).slice(2)}: ${error.message}`),
    );
    if (stay && !stop.signal.aborted) await this.#stay();
    this.#over.abort();
    await this.#runner.done();
    await this.#watchers.close();
    await this.#middleboxes.close();
    const wrong = this.#disagreements();
    for (const { target, title } of wrong) this.#complainOf(target, title);
    const failed = this.#expectations.held < this.#expectations.count || wrong.length > 0;
    const code = failure !== undefined ? EXIT.cannot : failed ? EXIT.condition : EXIT.ok;
    const summary = this.#watchers.diagnosed.summary(stop.code() ?? code);
    if (script.steps.length === 0) return served(summary, clock.now() - this.#startedAt);
    return castOf(script).watchers.length > 0 || summary.findings.length > 0 ? summary : unwatched(summary);
  }

  #clients() {
    const watchers = this.#watchers;
    return {
      watch: watchers.watch.bind(watchers),
      list: watchers.list.bind(watchers),
      stall: watchers.stall.bind(watchers),
      disconnect: watchers.disconnect.bind(watchers),
      resume: watchers.resume.bind(watchers),
      expect: (step: ExpectStep) => this.#expectations.expect(step),
    };
  }

  #tell(item: FeedItem): void {
    this.#options.room.take(item);
    this.#options.face.push(item);
  }

  #note(text: string): void {
    this.#options.face.push({ kind: 'note', at: this.#options.clock.now(), text });
  }

  /** What is told by itself (a farewell, a compaction, a verdict) needs no line of its own. */
  #onStep(step: ScriptStep, index: number): void {
    const { script, room, clock } = this.#options;
    const next = script.steps[index + 1];
    room.step({
      step: index + 1,
      of: script.steps.length,
      script: script.name !== STORY_NAME,
      ...(next === undefined
        ? {}
        : {
            next: {
              text: next.says ?? scriptLine(next).slice(2),
              at: next.at === undefined ? clock.now() : this.#startedAt + next.at,
            },
          }),
    });
    if (TOLD_BY_ITSELF.has(step.verb)) return;
    if (step.says !== undefined) this.#note(step.says);
    else if (NEEDS_A_LINE.has(step.verb)) this.#note(scriptLine(step).slice(2));
  }

  #onStall(name: string, on: boolean): void {
    const watcher = this.#options.room.watcher(name);
    if (watcher) watcher.stalled = on;
    this.#note(on ? `${name} stops reading` : `${name} reads on`);
  }

  /** On stderr too: in json nobody sees the notes, and a screen is gone when it matters. */
  #complain({ line }: ScriptStep, text: string): void {
    const { name } = this.#options.script;
    this.#options.face.complain(`kwatch: script ${name}${line === undefined ? '' : `:${line}`}: ${text}`);
  }

  #complainOf(target: number, title: string): void {
    const who = this.#watchers.nameOf(target);
    this.#options.face.complain(`kwatch: the server’s own trace contradicts a finding of ${who}: ${title}`);
  }

  #tellEnd(): void {
    const { name, steps } = this.#options.script;
    if (steps.length === 0) return;
    const { held, count } = this.#expectations;
    this.#note(`the end of ${name === STORY_NAME ? 'the story' : name}: ${held} of ${count} expectations held`);
  }

  /** Life goes on until somebody stops us. */
  async #stay(): Promise<void> {
    const { script, server, stop, onScreen } = this.#options;
    const [first] = server.replicas;
    const [type = ''] = howToReach(first.url, server.access, undefined);
    if (script.steps.length > 0) this.#note(`you drive: ${onScreen ? LAB_HINT : ''}${type}`);
    if (stop.signal.aborted) return;
    await new Promise<void>((resolve) => stop.signal.addEventListener('abort', () => resolve(), { once: true }));
  }

  /** Findings of the whole run that the server's trace contradicts; what a later one explains is taken back. */
  #disagreements(): Finding[] {
    const { check } = this.#options;
    const { diagnosed, facts } = this.#watchers;
    const standing = diagnosed.findings().filter(({ explainedBy }) => explainedBy === undefined);
    return standing.filter((finding) => check.judge(finding, facts)?.ok === false);
  }
}

const LAB_HINT = 'the keys behind , do what a script does, ? names all keys; ';

const TOLD_BY_ITSELF: ReadonlySet<string> = new Set(['disconnect', 'resume', 'stall', 'wait', 'expect']);
const NEEDS_A_LINE: ReadonlySet<string> = new Set([
  'write',
  'burst',
  'delete',
  'throttle',
  'proxy',
  'break',
  'watch',
  'list',
]);

/** A script without watchers: nothing was seen, and nobody is to be told to look longer. */
function unwatched(summary: RunSummary): RunSummary {
  const title = 'the script has no watchers, so no watch was judged';
  const { watcher: _nobody, ...rest } = summary;
  return {
    ...rest,
    verdict: {
      ...summary.verdict,
      title,
      text: `${title}.`,
      next: [],
      lines: { ...summary.verdict.lines, why: title },
    },
  };
}

/** Without watchers of our own there is nothing to judge: how long it served is what there is to say. */
function served(summary: RunSummary, ms: number): RunSummary {
  const { verdict } = summary;
  const how = `SERVED · ${humanDuration(ms)}`;
  const title = `served ${humanDuration(ms)}; no watchers of our own, so nothing was judged`;
  return {
    ...summary,
    verdict: { ...verdict, title, text: `${title}.`, lines: { ...verdict.lines, verdict: how, why: title } },
  };
}
