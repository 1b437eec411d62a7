import type { Clock } from '../util/clock.ts';
import { BACKGROUND_PER_SECOND, EVENTS_PER_SECOND, type Story, type StoryStep, type WatcherName } from './story.ts';
import type { Workload } from './workload.ts';

/** What the story does to its watchers. They are clients on the far side of a socket, so the caller supplies them. */
export interface WatcherControl {
  leave(watcher: WatcherName): void;
  comeBack(watcher: WatcherName): void;
  /** Leaves and watches again from the RV it holds, with this timeout. */
  watchAgain(watcher: WatcherName, timeoutSeconds: number): void;
}

export interface StoryOptions {
  story: Story;
  workload: Workload;
  watchers: WatcherControl;
  /** Compacts the store at its present revision. */
  compactAtHead(): Promise<void>;
  /** Told before each step is done. */
  onStep(step: StoryStep, index: number): void;
  clock: Clock;
  signal: AbortSignal;
}

/**
 * Plays a story on the clock, with a trickle of background writes beside it. Resolves at its end or when `signal` aborts.
 * The burst runs beside the steps that follow it in time, as a controller's would.
 */
export async function playStory(options: StoryOptions): Promise<void> {
  const { story, clock, signal } = options;
  const start = clock.now();
  const over = new AbortController();
  const stop = AbortSignal.any([signal, over.signal]);
  const running = background(options, stop);
  try {
    for (const [index, step] of story.steps.entries()) {
      const wait = start + step.at - clock.now();
      if (wait > 0) await clock.sleep(wait, signal);
      if (signal.aborted) break;
      options.onStep(step, index);
      const beside = perform(step, options, stop);
      if (step.do === 'burst') running.push(beside);
      else await beside;
    }
  } finally {
    over.abort();
    await Promise.all(running);
  }
}

/** Writes that go on all the time, whether or not the story plays: the life of a cluster. Ends with `signal`. */
export function background(options: Pick<StoryOptions, 'workload' | 'clock'>, signal: AbortSignal): Promise<void>[] {
  const { workload, clock } = options;
  const every = async (ms: number, write: () => Promise<void>) => {
    while (!signal.aborted) {
      await clock.sleep(ms, signal);
      if (!signal.aborted) await write();
    }
  };
  return [
    every(1000 / BACKGROUND_PER_SECOND, () => workload.changePod()),
    every(1000 / EVENTS_PER_SECOND, () => workload.writeEvent()),
  ];
}

async function perform(step: StoryStep, options: StoryOptions, signal: AbortSignal): Promise<void> {
  switch (step.do) {
    case 'leave':
      for (const watcher of step.watchers) options.watchers.leave(watcher);
      return;
    case 'burst':
      return options.workload.burst(step.burst, signal);
    case 'return':
      return options.watchers.comeBack(step.watcher);
    case 'compact':
      return options.compactAtHead();
    case 'planned-end':
      return options.watchers.watchAgain(step.watcher, step.timeoutSeconds);
    case 'end':
      return;
  }
}
