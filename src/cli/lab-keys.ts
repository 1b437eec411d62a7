import { UPPER_BOUND_CAPACITY } from '../cacher/watch-cache-history.ts';
import type { LocalView, WatcherView } from '../render/local-view.ts';
import { shownRing } from '../render/replica-words.ts';
import type { ScriptStep } from '../scenario/script.ts';
import { scriptLine } from '../scenario/script-line.ts';
import type { LabDoor, LabKey, LabKeyName } from '../ui/lab.ts';

/** A lab key, and the step of a script that it equals now. */
export interface LabOffer extends LabKey {
  step: ScriptStep;
}

/** Numbers of `,b`: those of the story's burst. */
export interface LabBurst {
  count: number;
  withinMs?: number;
}

export interface LabKeysOptions {
  view(): LocalView;
  burst: LabBurst;
  /** Does a step as a script's would be done. Rejects with the reason in words. */
  perform(step: ScriptStep): Promise<void>;
  /** Tells a sentence to the person at the screen. */
  say(text: string): void;
}

/** The keys behind `,`: each is a step of a script, made from how things stand at the moment it is pressed. */
export class LabKeys implements LabDoor {
  readonly #options: LabKeysOptions;

  constructor(options: LabKeysOptions) {
    this.#options = options;
  }

  keys(view: LocalView, selected: string | undefined): readonly LabKey[] {
    return labOffers(view, selected, this.#options.burst);
  }

  press(key: LabKeyName, selected: string | undefined): void {
    const { view, burst, perform, say } = this.#options;
    const offer = labOffers(view(), selected, burst).find((each) => each.key === key);
    if (offer === undefined) return;
    say(`,${key} is in a script: ${scriptLine(offer.step)}`);
    perform(offer.step).catch((error: unknown) => {
      say(`,${key} came to nothing: ${error instanceof Error ? error.message : String(error)}`);
    });
  }
}

/** What each key would do now; a key that would do nothing is missing. Pure. */
export function labOffers(view: LocalView, selected: string | undefined, burst: LabBurst): LabOffer[] {
  const watcher = view.watchers.find(({ label }) => label === selected);
  return [
    burstOffer(burst),
    ...compactOffer(view),
    ...watcherOffer(watcher),
    ...upstreamOffer(view, selected),
    ...ringOffers(view, selected),
  ];
}

function burstOffer({ count, withinMs }: LabBurst): LabOffer {
  const step: ScriptStep = { verb: 'burst', count, ...(withinMs === undefined ? {} : { withinMs }) };
  return { key: 'b', says: `burst ${count}`, short: 'burst', step };
}

/** At the head: what is compacted there already would be refused. */
function compactOffer({ revision, compacted }: LocalView): LabOffer[] {
  if (compacted === revision) return [];
  const step: ScriptStep = { verb: 'compact', revision: 'head' };
  return [{ key: 'c', says: `compact at ${revision}`, short: 'compact', step }];
}

/** Resume for one that is away or leaves its socket unread; drop for one that has, or wants, a stream. */
function watcherOffer(watcher: WatcherView | undefined): LabOffer[] {
  if (watcher === undefined || NOTHING_TO_DROP.has(watcher.state)) return [];
  const { label, state } = watcher;
  if (state !== 'AWAY' && state !== 'LOST') {
    return [{ key: 'd', says: `drop ${label}`, short: 'drop', step: { verb: 'disconnect', watcher: label } }];
  }
  return [{ key: 'd', says: `resume ${label}`, short: 'resume', step: { verb: 'resume', watcher: label } }];
}

/** A session that has not begun, or will not go on. */
const NOTHING_TO_DROP = new Set(['ENDED', 'STARTING']);

/** Of the apiserver that the selected watcher is on. */
function upstreamOffer(view: LocalView, selected: string | undefined): LabOffer[] {
  const { replica } = shownRing(view, selected);
  if (replica === undefined || replica.state === 'starting') return [];
  const of = serverOf(view, selected);
  const name = of.server === undefined ? 'upstream' : replica.name;
  if (replica.upstream !== 'connected') {
    return [
      { key: 'u', says: `restore ${name}`, short: 'restore', step: { verb: 'restore', resource: 'upstream', ...of } },
    ];
  }
  return [{ key: 'u', says: `cut ${name}`, short: 'cut', step: { verb: 'cut', resource: 'upstream', ...of } }];
}

/** A dynamic ring is pinned by it, and says so. */
function ringOffers(view: LocalView, selected: string | undefined): LabOffer[] {
  const { cached } = shownRing(view, selected);
  if (cached === undefined) return [];
  const { capacity, pinned } = cached.ring;
  const offer = (key: '+' | '-', to: number): LabOffer[] => {
    if (to < 1 || to > UPPER_BOUND_CAPACITY) return [];
    const step: ScriptStep = {
      verb: 'resize',
      resource: cached.resource,
      capacity: to,
      ...serverOf(view, selected),
    };
    return [{ key, says: pinned ? `ring ${to}` : `pin ring at ${to}`, short: String(to), step }];
  };
  return [...offer('+', capacity * 2), ...offer('-', Math.floor(capacity / 2))];
}

/** The index of the selected watcher's apiserver, where there are several. */
function serverOf(view: LocalView, selected: string | undefined): { server?: number } {
  if (view.replicas.length < 2) return {};
  const { replica } = shownRing(view, selected);
  return replica === undefined ? {} : { server: view.replicas.indexOf(replica) };
}
