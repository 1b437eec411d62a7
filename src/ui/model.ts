import type { ControlFacts } from '../client/control-facts.ts';
import type { WatchTarget } from '../client/facts.ts';
import type { Finding } from '../diagnosis/finding.ts';
import type { FeedItem } from '../render/feed.ts';
import { targetOf } from '../render/feed-target.ts';
import { Ledgers } from '../render/ledgers.ts';
import type { LocalView } from '../render/local-view.ts';
import type { Line } from '../render/spans.ts';
import type { Stall } from '../render/state-word.ts';
import type { StreamLedger } from '../render/stream-ledger.ts';
import { TargetLabels } from '../render/target-labels.ts';
import { Timeline, type TimelineEntry } from '../render/timeline.ts';
import { WriteRate } from '../render/write-rate.ts';
import { Cursor, type DrawnWindow } from './cursor.ts';
import type { Action } from './keys.ts';
import type { LabKey, LabKeyName } from './lab.ts';
import { Lanes } from './lanes.ts';

/** What was on the screen last, so that a key means what the person saw. */
export interface Drawn {
  window: DrawnWindow;
  /** Lines of the detail pane in all, and how many are shown. */
  detail: { total: number; height: number };
}

/** Everything that a screen shows and how keys change it. No drawing, no terminal, no clock. */
export class ScreenModel {
  readonly mode: 'tail' | 'local';
  readonly timeline = new Timeline();
  readonly cursor = new Cursor(this.timeline);
  readonly lanes: Lanes;
  readonly #ledgers = new Ledgers();
  readonly writes = new WriteRate();
  /** What the targets are called beside each other. */
  readonly labels: TargetLabels;
  overlay: 'none' | 'help' | 'detail' = 'none';
  detailScroll = 0;
  /** The leader was pressed: the next key may be the lab's. */
  leading = false;
  /** The lab's keys that were on the screen last, or could be: those that do something now. */
  labKeys: readonly LabKey[] = [];
  /** Findings that say that a silence is a fault, by target: the last one of each. */
  readonly stalls = new Map<number, Stall>();
  /** With `--control`. It goes on changing. */
  control: ControlFacts | undefined;
  /** Set by the frame that was drawn last. */
  drawn: Drawn | undefined;
  #detail: { entry: TimelineEntry; width: number; lines: Line[] } | undefined;

  /** `targets`: all that will be watched, where it is known. */
  constructor(mode: 'tail' | 'local', targets: readonly WatchTarget[] = []) {
    this.mode = mode;
    this.labels = new TargetLabels(targets);
    this.lanes = new Lanes(mode);
  }

  push(item: FeedItem): void {
    const target = targetOf(item);
    if (target) this.#ledgers.take(item, target);
    if (item.kind === 'control') this.control = item.facts;
    if (item.kind === 'trace' && item.what === 'write') this.writes.add(item.at);
    if (item.kind === 'finding' && item.finding.class === 'silent-stall') this.#stalled(item.finding, item.at);
    if (this.mode === 'tail' && target) {
      this.labels.add(target);
      this.lanes.add(String(target.index));
    }
    this.timeline.push(item);
  }

  /** The watchers of the machine room are lanes from the start, before any of them has said anything. */
  see(view: LocalView | undefined): void {
    for (const { label } of view?.watchers ?? []) this.lanes.add(label);
  }

  /** Ledgers of what is selected, in the order in which the targets were named. */
  shownLedgers(): StreamLedger[] {
    const { selected } = this.lanes;
    const { all } = this.#ledgers;
    return this.mode === 'tail' && selected !== undefined
      ? all.filter(({ target }) => String(target.index) === selected)
      : all;
  }

  /** The lines of a detail pane, made once for as long as the same entry is shown at the same width. */
  detailOf(entry: TimelineEntry, width: number, make: () => Line[]): Line[] {
    if (this.#detail?.entry !== entry || this.#detail.width !== width) this.#detail = { entry, width, lines: make() };
    return this.#detail.lines;
  }

  /** The lab's key that `action` is, where it does something now. The screen knows nothing of what it does. */
  labKeyOf(action: Action | undefined): LabKeyName | undefined {
    return this.labKeys.find(({ key }) => action === `lab:${key}`)?.key;
  }

  /**
   * `quit`, `interrupt` and what the lab does are the caller's; everything else is done here. Whatever follows the
   * leader ends it, also a key that means nothing.
   */
  act(action: Action | undefined): void {
    const led = this.leading;
    this.leading = action === 'leader' && !led && this.labKeys.length > 0;
    if (action === undefined || action === 'leader' || action.startsWith('lab:')) return;
    // Only the leader was taken back.
    if (led && action === 'back') return;
    this.#do(action);
  }

  #do(action: Action): void {
    const { drawn } = this;
    if (action === 'help') this.overlay = this.overlay === 'help' ? 'none' : 'help';
    else if (action === 'back') this.#back();
    else if (this.overlay === 'detail' && this.#scroll(action)) return;
    else if (action === 'open') this.#open();
    else if (action === 'pause') this.#togglePause();
    else if (action === 'newest') this.cursor.follow();
    else if (action === 'next-lane') this.#nextLane();
    else if (drawn && this.overlay !== 'help') this.#move(action, drawn.window);
  }

  #stalled({ stream, target, confidence, lines }: Finding, at: number): void {
    if (stream === undefined) return;
    // Missing bookmarks are counted in the header itself.
    const [why = ''] = lines.why.split(/[:;]/);
    this.stalls.set(target, { stream, at, sure: confidence === 'high', why: /bookmark/.test(why) ? '' : why });
  }

  #back(): void {
    if (this.overlay !== 'none') this.overlay = 'none';
    else this.cursor.follow();
  }

  #open(): void {
    if (this.overlay !== 'none') {
      this.overlay = 'none';
      return;
    }
    const seq = this.cursor.at ?? this.drawn?.window.bottom;
    if (seq === undefined || !this.timeline.at(seq)) return;
    this.cursor.pause(this.drawn?.window);
    this.cursor.at = seq;
    this.#showDetail();
  }

  #showDetail(): void {
    this.overlay = 'detail';
    this.detailScroll = 0;
  }

  #togglePause(): void {
    if (this.cursor.following) this.cursor.pause(this.drawn?.window);
    else this.cursor.follow();
  }

  #nextLane(): void {
    this.lanes.next();
    this.cursor.follow();
    this.overlay = 'none';
  }

  #move(action: Action, window: DrawnWindow): void {
    const page = Math.max(1, window.request.height - 1);
    if (action === 'up') this.cursor.up(window);
    else if (action === 'down') this.cursor.down(window);
    else if (action === 'top') this.cursor.top(window);
    else if (action === 'page-up') for (let i = 0; i < page; i++) this.cursor.up(window);
    else if (action === 'page-down') for (let i = 0; i < page; i++) this.cursor.down(window);
    else if (action === 'next-finding') {
      this.cursor.nextFinding(window);
      if (this.overlay === 'detail') this.#showDetail();
    }
  }

  /** True where the key scrolled the detail pane instead of moving through the list. */
  #scroll(action: Action): boolean {
    const { total, height } = this.drawn?.detail ?? { total: 0, height: 1 };
    const last = Math.max(0, total - height);
    const to: Partial<Record<Action, number>> = {
      up: this.detailScroll - 1,
      down: this.detailScroll + 1,
      'page-up': this.detailScroll - height,
      'page-down': this.detailScroll + height,
      top: 0,
      newest: last,
    };
    const wanted = to[action];
    if (wanted === undefined) return false;
    this.detailScroll = Math.min(last, Math.max(0, wanted));
    return true;
  }
}
