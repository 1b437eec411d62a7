import type { WatchTarget } from '../client/facts.ts';
import type { FeedItem } from '../render/feed.ts';
import type { LocalView } from '../render/local-view.ts';
import type { Clock } from '../util/clock.ts';
import type { LabDoor } from './lab.ts';

/** What a command hands to `startScreen` (ui/start.tsx). */
export interface ScreenOptions {
  mode: 'tail' | 'local';
  /**
   * The endpoint in the header, as people know it. tail: context name or host (`prod-eu`); local: `kwatch local`.
   * It is sanitised before it is drawn.
   */
  title: string;
  /** Gives the present time in the same terms as the items' `at`. Frames are paced in real time, whatever its speed. */
  clock: Pick<Clock, 'now'>;
  /** tail: all that will be watched, so that equal resources have labels that differ. */
  targets?: readonly WatchTarget[];
  /** local: pulled before each frame, so it must be cheap and must not change what it returned before. */
  getView?: () => LocalView | undefined;
  /** local: what the lab keys do. Absent: there are none. */
  lab?: LabDoor;
  /** False with --no-probe: then the header says why the window is unknown. Default true. */
  probing?: boolean;
  /** When time 0:00.0 was: then times are shown since it. Absent: time of day, UTC. */
  since?: number;
  /** `auto` (default) colours unless NO_COLOR or TERM=dumb say no. */
  color?: 'auto' | 'always' | 'never';
}

/** A screen that runs. All methods may be called at any time, also after it ended. */
export interface Screen {
  /** Shows `item`; bounded and cheap (no drawing), so a reader never waits for the screen. */
  push(item: FeedItem): void;
  /** How the person left: `q` (exit code 0) or Ctrl-C (130). Rejects when drawing failed. Restored by then. */
  readonly done: Promise<'quit' | 'interrupt'>;
  /**
   * Leaves the alternate screen, shows the cursor, ends raw mode. Synchronous and idempotent: call it from signal
   * handlers before anything is printed. It also runs by itself on `done`, on exit and before a crash is printed.
   */
  restore(): void;
}
