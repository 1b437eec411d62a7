/**
 * What the machine room of `kwatch local` shows: plain values that the command copies out of the embedded server before
 * each frame. The screen knows no other type of the server, since in life the two meet on the wire only.
 */
export interface LocalView {
  /** `http://127.0.0.1:7410`. */
  server: string;
  /** The store's present revision. */
  revision: number;
  /** The revision that was compacted to; undefined where nothing was. */
  compacted?: number;
  /** False while the cacher is cut off from the store. */
  upstreamConnected: boolean;
  /** In the order to be shown; the first one's ring is drawn. */
  resources: CachedResourceView[];
  watchers: WatcherView[];
  /** Where the script stands; absent without a story. */
  story?: StoryView;
  /** Times faster than real time. */
  speed: number;
}

/** One cached resource: its ring and its ready gate. */
export interface CachedResourceView {
  resource: string;
  ready: boolean;
  /** Counts the cacher's runs; a step means that it was rebuilt and its watchers were closed. */
  generation: number;
  ring: RingView;
}

export interface RingView {
  capacity: number;
  /** Events it holds now. */
  used: number;
  /** True with `--cache-size N`: it does not grow. */
  pinned: boolean;
  /** RVs of the oldest and newest event it holds; absent while it is empty. */
  oldest?: number;
  newest?: number;
  /** The lowest RV that a watch may start from. */
  floor: number;
}

/** One watcher: a client of the embedded server and, where it is connected, the server's side of it. */
export interface WatcherView {
  /** `A`, `B`, … */
  label: string;
  /** `steady`, `traveller`, … */
  role: string;
  resource: string;
  /** One word in capitals: LIVE, AWAY, LOST, RELISTING, TERMINATED, ENDED … */
  state: string;
  /** The RV that it would resume from. */
  holdsRv?: number;
  /** How many revisions `holdsRv` lies above the ring's floor; negative: lost. Absent where no ring serves it. */
  toFloor?: number;
  /** Lengths of the server's two queues for it; absent where it has none now. */
  queues?: { input: number; result: number };
  /** What happened to it, in a few words. */
  story: string;
}

export interface StoryView {
  step: number;
  of: number;
  /** The next thing that the story will do, and when (ms of the clock). */
  next?: { text: string; at: number };
}
