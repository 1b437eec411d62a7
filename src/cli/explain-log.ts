import { recognise } from '../explain/explain.ts';
import { mayTell } from '../explain/hints.ts';
import { type Intake, LogIntake } from '../explain/log-intake.ts';
import { SystemClock } from '../util/clock.ts';
import { ReadProgress } from './explain-progress.ts';
import { type ByteSource, type ReadNotes, textOf } from './explain-source.ts';
import { listenForStop } from './signals.ts';

/** What was read, and how. */
export interface Reading {
  intake: Intake;
  notes: readonly string[];
  /** A text ended before its end: damaged gzip, a read error. */
  incomplete: boolean;
  /** The exit code of the signal that ended the reading. */
  stopped: number | undefined;
}

/** Reads all sources, one after the other, as one text. A signal ends the reading: what was read so far counts. */
export async function readAll(sources: readonly ByteSource[], file: boolean): Promise<Reading> {
  const intake = new LogIntake({ mayTell, recognise }, file);
  const notes: ReadNotes = { all: new Set(), incomplete: false };
  const progress = new ReadProgress(new SystemClock(), process.stderr, totalOf(sources));
  const stop = listenForStop(() => progress.wipe());
  const abort = () => {
    for (const { stream } of sources) stream.destroy();
  };
  stop.signal.addEventListener('abort', abort);
  let read = 0;
  try {
    for (const source of sources) {
      const onBytes = (count: number) => {
        read += count;
        progress.tell(read, intake.kinds);
      };
      for await (const text of textOf(source, notes, onBytes)) {
        intake.push(text);
        if (stop.signal.aborted) break;
      }
      intake.endFile();
      if (stop.signal.aborted) break;
    }
  } finally {
    stop.dispose();
    progress.wipe();
    abort();
  }
  if (stop.signal.aborted) notes.all.add('interrupted: told is what was read so far');
  return { intake: intake.end(), notes: [...notes.all], incomplete: notes.incomplete, stopped: stop.code() };
}

/** A text that was given as an argument: a question, or a log where it has many lines. */
export function readText(text: string): Reading {
  const intake = new LogIntake({ mayTell, recognise }, false);
  intake.push(text);
  return { intake: intake.end(), notes: [], incomplete: false, stopped: undefined };
}

function totalOf(sources: readonly ByteSource[]): number | undefined {
  let total = 0;
  for (const { bytes } of sources) {
    if (bytes === undefined) return undefined;
    total += bytes;
  }
  return total;
}
