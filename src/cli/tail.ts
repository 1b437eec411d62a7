import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import type { RunEnd } from '../client/run.ts';
import { watchTarget } from '../client/watch-target.ts';
import type { FindingClass } from '../diagnosis/finding.ts';
import type { FeedItem } from '../render/feed.ts';
import { targetOf } from '../render/feed-target.ts';
import { RecordMaker, type RunSummary, recordLine, summaryRecord } from '../render/json.ts';
import type { ColorMode } from '../render/theme.ts';
import { WindowWatch } from '../render/window-watch.ts';
import { SystemClock } from '../util/clock.ts';
import { systemRandom } from '../util/random.ts';
import { UsageError } from '../util/usage-error.ts';
import { type ConnectionFlags, endpointOf } from './connection.ts';
import type { DiagnosedRun } from './diagnosed-run.ts';
import { EXIT } from './exit-codes.ts';
import { type Face, openFace } from './face.ts';
import { listenForStop } from './signals.ts';
import { type TargetFlags, targetsOf } from './tail-targets.ts';

export interface TailFlags extends TargetFlags, ConnectionFlags {
  pinQuery?: boolean;
  http2?: boolean;
  for?: number;
  once?: boolean;
  exitOn?: readonly FindingClass[];
  control?: boolean;
  probe: boolean;
  object?: boolean;
  readStall?: number;
  save?: string;
  output?: 'tui' | 'line' | 'json';
  color: ColorMode;
  version: string;
}

/** `kwatch tail`: watches, shows and explains until it is stopped. Resolves to the exit code (contract §5). */
export async function tail(flags: TailFlags): Promise<number> {
  const clock = new SystemClock(clockSpeed());
  const endpoint = await endpointOf(flags);
  const targets = targetsOf(flags, endpoint.namespace ?? 'default');
  const capture = flags.save === undefined ? undefined : await openCapture(flags.save);
  let run: DiagnosedRun | undefined;
  const windows = new WindowWatch();
  const face = await openFace({
    output: flags.output,
    color: flags.color,
    object: flags.object ?? false,
    clock,
    labels: targets.length > 1 ? 'target' : 'none',
    screen: {
      mode: 'tail',
      title: endpoint.title,
      probing: flags.probe,
      targets: targets.map(({ path }, index) => watchTarget(index, path).target),
    },
    onPressure: (full) => run?.run.pause(full),
  });
  const stop = listenForStop(() => face.restore());
  try {
    // Only now: the screen's first frame need not wait for the HTTP client to be loaded.
    const { DiagnosedRun } = await import('./diagnosed-run.ts');
    run = new DiagnosedRun({
      run: {
        endpoint,
        targets,
        version: flags.version,
        clock,
        random: systemRandom,
        probing: flags.probe,
        signal: stop.signal,
        ...(flags.header ? { headers: flags.header } : {}),
        ...(flags.once ? { once: true } : {}),
        ...(flags.pinQuery ? { pinQuery: true } : {}),
        ...(flags.control ? { control: true } : {}),
        ...(flags.http2 ? { http2: true } : {}),
        ...(flags.for === undefined ? {} : { forMs: flags.for }),
        ...(flags.readStall === undefined ? {} : { readStallMs: flags.readStall }),
      },
      face: watched(windows, capture ? both(face, capture) : face, (found) => {
        if (flags.exitOn?.includes(found)) stop.ask(EXIT.condition);
      }),
    });
    void face.left.then((how) => stop.ask(how === 'quit' ? EXIT.ok : EXIT.interrupted));
    const end = await run.done();
    const code = stop.code() ?? exitCode(end, run, flags.once ?? false);
    const summary = withWindows(run, code, windows);
    await face.finish(summary);
    if (code === EXIT.cannot) process.stderr.write(`kwatch: ${summary.verdict.title}\n`);
    await capture?.close(summary);
    return code;
  } finally {
    face.restore();
    stop.dispose();
  }
}

/** Beside the verdict: how far back the windows reach, and what became of the control stream. */
function withWindows(run: DiagnosedRun, code: number, windows: WindowWatch): RunSummary {
  const { now, control, probing } = run.run.facts();
  const known = windows.summary(now);
  return {
    ...run.summary(code),
    ...(known.length > 0 ? { windows: known } : {}),
    ...(probing ? {} : { windowsUnasked: true as const }),
    ...(control ? { control } : {}),
  };
}

/** The same feed, with a word where a window becomes short. `onFound`: the class of a finding that no other one explains. */
function watched(
  windows: WindowWatch,
  face: Pick<Face, 'push'>,
  onFound: (found: FindingClass) => void,
): Pick<Face, 'push'> {
  return {
    push(item) {
      face.push(item);
      if (item.kind === 'finding' && item.finding.explainedBy === undefined) onFound(item.finding.class);
      for (const said of windows.take(item, targetOf(item))) face.push(said);
    },
  };
}

/** A run that no signal ended: refused or never answered, `--once` without its planned end, or all well. */
function exitCode(end: RunEnd, run: DiagnosedRun, once: boolean): number {
  if (end.reason === 'refused' || !end.granted) return EXIT.cannot;
  if (!once) return EXIT.ok;
  const { streams } = run.run.facts();
  const planned = run.findings().filter((finding) => finding.class === 'server-timeout');
  // One that was still open when we stopped has not ended.
  const ended = streams.filter((stream) => stream.end !== 'stopped');
  const all = ended.every(({ stream }) => planned.some((finding) => finding.streams.includes(stream)));
  return all ? EXIT.ok : EXIT.condition;
}

/** Test hook, documented as such (contract §4): every clock of the client runs so many times faster. */
function clockSpeed(): number {
  const text = process.env.KWATCH_CLOCK_SPEED;
  if (text === undefined || text === '') return 1;
  const value = Number(text);
  if (!(value > 0 && value <= 10_000)) {
    throw new UsageError(
      `KWATCH_CLOCK_SPEED=${JSON.stringify(text.slice(0, 40))}: it must be a number from 0 to 10000`,
    );
  }
  return value;
}

interface Capture {
  push(item: FeedItem): void;
  close(summary: RunSummary): Promise<void>;
}

/** `--save`: every record with its object, one a line, appended as it comes, so that a crash loses nothing before it. */
async function openCapture(path: string): Promise<Capture> {
  const file: WriteStream = createWriteStream(path, { flags: 'w', mode: 0o600 });
  try {
    await once(file, 'open');
  } catch (error) {
    throw new UsageError(`--save: ${(error as Error).message}`);
  }
  file.on('error', (error) =>
    process.stderr.write(`kwatch: --save: ${error.message}; nothing more is written to it\n`),
  );
  const records = new RecordMaker({ object: true });
  return {
    push(item) {
      const record = records.record(item);
      if (record && !file.destroyed) file.write(`${recordLine(record)}\n`);
    },
    async close(summary) {
      if (file.destroyed) return;
      file.end(`${recordLine(summaryRecord(summary))}\n`);
      await once(file, 'close');
    },
  };
}

function both(face: Face, capture: Capture): Pick<Face, 'push'> {
  return {
    push(item) {
      face.push(item);
      capture.push(item);
    },
  };
}
