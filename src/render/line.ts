import type { WatchTarget } from '../client/facts.ts';
import type { FeedItem, FindingItem } from './feed.ts';
import { agreement, findingName, findingParts, severityStyle } from './finding-block.ts';
import { type Row, toRow } from './row.ts';
import { type Line, span } from './spans.ts';
import { TargetLabels } from './target-labels.ts';
import type { Theme } from './theme.ts';
import { sinceStart, timeOfDay } from './time-format.ts';
import { textWidth } from './width.ts';

export interface LineOptions {
  theme: Theme;
  /** Times are written since this moment (`0:03.512`); absent: time of day, UTC. */
  since?: number;
  /** Rows carry the label of whom they are about: the watcher (`local`), or the resource where several are watched. */
  labels: 'watcher' | 'target' | 'none';
  /** All that will be watched, where it is known: labels of equal resources differ from the first line on. */
  targets?: readonly WatchTarget[];
}

/** Findings whose text is remembered. */
const MAX_PRINTED = 500;

/** Width of the name column: most pod names fit; a longer one moves its own row only. */
const NAME_WIDTH = 48;
const LABEL_WIDTH = { watcher: 3, target: 14, none: 0 } as const;

/**
 * `-o line`: each item as plain lines, for pipes, logs and people without a screen. The columns (time, label, letter,
 * name, RV, step) are those of the screen; an item that has no row (a phase, a floor) gives no line.
 */
export class LineFace {
  readonly #options: LineOptions;
  readonly #targets: TargetLabels;
  readonly #labelWidth: number;
  /** What was printed of each finding, so that a revision which reads the same is not printed again. */
  readonly #printed = new Map<string, string>();

  constructor(options: LineOptions) {
    this.#options = options;
    this.#targets = new TargetLabels(options.targets);
    // Brackets included.
    const widest = options.labels === 'target' ? this.#targets.width + 2 : 0;
    this.#labelWidth = Math.max(LABEL_WIDTH[options.labels], widest);
  }

  /** The lines of `item`, without newlines. */
  lines(item: FeedItem): string[] {
    if (item.kind === 'finding') return this.#isNews(item) ? this.#finding(item, item.watcher) : [];
    const row = toRow(item);
    return row ? [this.#paint(this.#row(row))] : [];
  }

  /** True for a finding, or a revision of one, that reads otherwise than what was printed last. */
  #isNews({ finding, agrees }: FindingItem): boolean {
    const { id, severity, lines, explainedBy } = finding;
    // One thing more that is ruled out changes nothing for who has read the rest.
    const { ruledOut: _, ...read } = lines;
    const text = JSON.stringify([severity, read, explainedBy, agrees]);
    if (this.#printed.get(id) === text) return false;
    // What another finding explained before anything was said of it, needs no word.
    if (explainedBy !== undefined && !this.#printed.has(id)) return false;
    this.#printed.delete(id);
    this.#printed.set(id, text);
    const [oldest] = this.#printed.keys();
    if (this.#printed.size > MAX_PRINTED && oldest !== undefined) this.#printed.delete(oldest);
    return true;
  }

  #row(row: Row): Line {
    const start = this.#start(row.at, row.watcher, this.#targets.of(row.target) ?? row.targetName);
    const letter = span(row.letter, row.style);
    if (!row.isEvent || row.letter === 'E') {
      const text = span(` ${row.what}`, row.style === 'error' ? 'plain' : row.style);
      return [...start, letter, text];
    }
    const name = row.what + ' '.repeat(Math.max(0, NAME_WIDTH - textWidth(row.what)));
    return [
      ...start,
      letter,
      span(` ${name}`, row.style),
      span(` ${(row.rv ?? '').padStart(10)}`),
      span(` ${(row.step ?? '').padStart(7)}`, 'dim'),
    ];
  }

  #finding(item: FindingItem, watcher: string | undefined): string[] {
    const { verdict, rest } = findingParts(item.finding);
    const start = this.#start(item.at, watcher, this.#targets.of(item.finding.target));
    const bar = span('! ', severityStyle(item.finding));
    const [who, ...more] = rest;
    const told = who ? `: ${who.label === 'refused by' ? `${who.label} ` : ''}${who.text}` : '';
    const lines: Line[] = [[...start, bar, span(verdict.replaceAll(' · ', ', '), 'strong'), span(told)]];
    for (const { label, text } of more) lines.push([...start, bar, span(`  ${label}: ${text}`)]);
    if (item.finding.explainedBy !== undefined) {
      lines.splice(1, lines.length, [
        ...start,
        bar,
        span(`  explained by ${findingName(item.finding.explainedBy)}`, 'dim'),
      ]);
    }
    if (item.agrees) lines.push([...start, bar, span('  '), agreement(item.agrees)]);
    return lines.map((line) => this.#paint(line));
  }

  #start(at: number, watcher: string | undefined, targetName: string | undefined): Line {
    const { since, labels } = this.#options;
    const time = since === undefined ? timeOfDay(at) : sinceStart(at - since, 3).padStart(9);
    const label = labels === 'watcher' ? watcher : labels === 'target' ? targetName : undefined;
    const column = labels === 'none' ? '' : ` ${(label ? `[${label}]` : '').padEnd(this.#labelWidth)}`;
    return [span(`${time}${column} `, 'dim')];
  }

  #paint(line: Line): string {
    return this.#options.theme.paint(trimEnd(line));
  }
}

/** Without the spaces that fill the last column. */
function trimEnd(line: Line): Line {
  const kept = [...line];
  for (let last = kept.at(-1); last; last = kept.at(-1)) {
    const text = last.text.trimEnd();
    kept.pop();
    if (text !== '') return [...kept, { ...last, text }];
  }
  return kept;
}
