import type { WatchTarget } from '../client/facts.ts';
import { targetLabel } from './row.ts';
import { sanitize } from './sanitize.ts';
import { textWidth, truncate } from './width.ts';

/** Targets whose labels are kept apart; `tail` itself takes fewer. */
const MAX_TARGETS = 64;

/** A column of labels is no wider than this, cells: the names of the objects need the room. */
const MAX_WIDTH = 24;

/** More and more of what tells one target from another. */
const LEVELS: readonly ((target: WatchTarget) => string)[] = [
  targetLabel,
  (target) => grouped(target),
  (target) => under(target.namespace, targetLabel(target)),
  (target) => under(target.namespace, grouped(target)),
  (target) => [under(target.namespace, grouped(target)), safe(target.name)].filter(Boolean).join('/'),
];

/**
 * What targets are called beside each other: `pods`, and where two would be called the same, `team-a/pods` and
 * `team-b/pods`, or as much more as it takes. What is equal even then (two selectors on one path) gets a number.
 */
export class TargetLabels {
  readonly #targets = new Map<number, WatchTarget>();
  #labels: ReadonlyMap<number, string> = new Map();

  /** `targets`: those that are known beforehand, so that the first one's label does not change when the others come. */
  constructor(targets: Iterable<WatchTarget> = []) {
    for (const target of targets) this.add(target);
  }

  add(target: WatchTarget): void {
    if (this.#targets.has(target.index) || this.#targets.size >= MAX_TARGETS) return;
    this.#targets.set(target.index, target);
    this.#labels = labelsOf([...this.#targets.values()]);
  }

  /** Of the target with this index; undefined where it was never added. Safe for a terminal, at most MAX_WIDTH cells. */
  of(index: number | undefined): string | undefined {
    return index === undefined ? undefined : this.#labels.get(index);
  }

  /** Cells of the widest. */
  get width(): number {
    return Math.max(0, ...[...this.#labels.values()].map(textWidth));
  }
}

function labelsOf(targets: readonly WatchTarget[]): Map<number, string> {
  const labels = new Map<number, string>();
  for (const alike of groupBy(targets, targetLabel)) {
    const level = LEVELS.find((each) => new Set(alike.map((target) => shorten(each(target)))).size === alike.length);
    alike.forEach((target, nth) => {
      const suffix = level ? '' : `#${nth + 1}`;
      labels.set(target.index, shorten((level ?? targetLabel)(target), MAX_WIDTH - suffix.length) + suffix);
    });
  }
  return labels;
}

function groupBy(targets: readonly WatchTarget[], keyOf: (target: WatchTarget) => string): WatchTarget[][] {
  const groups = new Map<string, WatchTarget[]>();
  for (const target of targets) {
    const key = shorten(keyOf(target));
    groups.set(key, [...(groups.get(key) ?? []), target]);
  }
  return [...groups.values()];
}

function shorten(label: string, width = MAX_WIDTH): string {
  return truncate(label, width);
}

function grouped(target: WatchTarget): string {
  return target.group ? `${targetLabel(target)}.${safe(target.group)}` : targetLabel(target);
}

function under(namespace: string | undefined, label: string): string {
  return namespace === undefined ? label : `${safe(namespace)}/${label}`;
}

function safe(text: string | undefined): string {
  return sanitize(text ?? '', 100);
}
