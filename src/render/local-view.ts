/**
 * What the machine room of `kwatch local` shows: plain values that the command copies out of the embedded server before
 * each frame. The screen knows no other type of the server, since in life the two meet on the wire only.
 */
export interface LocalView {
  /** The apiservers over the one store, by index; at least one. */
  replicas: ReplicaView[];
  /** The store's present revision. */
  revision: number;
  /** The revision that was compacted to; undefined where nothing was. */
  compacted?: number;
  /** The lab's own watchers. */
  watchers: WatcherView[];
  /** Watchers that came from outside (kubectl, a `kwatch tail`): some of them, and how many there are in all. */
  foreign: { some: WatcherView[]; total: number };
  /** Where the script stands; absent without a story. */
  story?: StoryView;
  /** Times faster than real time. */
  speed: number;
}

/** One apiserver. */
export interface ReplicaView {
  /** `http://127.0.0.1:7410`. */
  server: string;
  /** What tells it from the others in a row: `:7410`. */
  name: string;
  state: 'serving' | 'shutting-down' | 'starting';
  /** Its link to the store as a whole. */
  upstream: UpstreamState;
  /** In the order to be shown; the first one's ring is drawn where the selected watcher has none. */
  resources: CachedResourceView[];
}

/** `cut`: nothing is heard of the store, and that is known; `blackholed`: nothing is heard, and nobody knows. */
export type UpstreamState = 'connected' | 'cut' | 'blackholed';

/** One cached resource of one apiserver: its ring and its ready gate. */
export interface CachedResourceView {
  resource: string;
  /** This resource's own link to the store. */
  upstream: UpstreamState;
  ready: boolean;
  /** Counts the cacher's runs; a step means that it was rebuilt and its watchers were closed. */
  generation: number;
  ring: RingView;
}

export interface RingView {
  capacity: number;
  /** What it could hold before, where it was resized a moment ago. */
  resizedFrom?: number;
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
  /** `A`, `B`, …; `–` for one from outside. */
  label: string;
  /** `steady`, `traveller`, …; for one from outside what its User-Agent says. */
  role: string;
  resource: string;
  /** Name of the apiserver that serves it; absent where there is one only, or none serves it. */
  replica?: string;
  /** One word in capitals: LIVE, AWAY, LOST, NOT READY, STALLED, TERMINATED … */
  state: string;
  /** The RV that it would resume from; for one from outside, the last that it was sent. */
  holdsRv?: number;
  /** How many revisions `holdsRv` lies above the ring's floor; negative: lost. Absent where no ring serves it. */
  toFloor?: number;
  /** Lengths of the server's two queues for it, and how long each may get; absent where it has none now. */
  queues?: { input: number; result: number; size: number };
  /** What happened to it, in a few words. */
  story: string;
}

export interface StoryView {
  /** A script of somebody's own, and not the built-in story. */
  script?: boolean;
  step: number;
  of: number;
  /** The next thing that the story will do, and when (ms of the clock). */
  next?: { text: string; at: number };
}
