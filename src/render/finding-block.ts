import type { Finding, Severity } from '../diagnosis/finding.ts';
import type { FindingItem } from './feed.ts';
import { sanitize } from './sanitize.ts';
import { fitLine, type Line, lineWidth, type Span, type StyleName, span, spread } from './spans.ts';
import { textWidth, wrap } from './width.ts';

const SEVERITY_STYLE: Record<Severity, StyleName> = { info: 'info', note: 'note', warning: 'warning', error: 'alarm' };

/** The bar's colour, and that of anything else that stands for a finding. Its words say the same without colour. */
export function severityStyle(finding: Finding): StyleName {
  return finding.explainedBy === undefined ? SEVERITY_STYLE[finding.severity] : 'dim';
}

/** Below this width a verdict is shortened and nothing stands at its right. */
const NARROW = 60;

/** The five parts of a finding, sanitised, in the order in which every face shows them. */
export interface FindingParts {
  /** `RING-BUFFER EXPIRY · rolled over · high`. */
  verdict: string;
  /** Label and text of the lines below it; those with nothing to say are left out. */
  rest: { label: string; text: string }[];
}

/** A verdict without its middle part: on a narrow screen class and confidence matter more than the refinement. */
export function shortVerdict(verdict: string, width: number): string {
  const parts = verdict.split(' · ');
  return width < NARROW && parts.length > 2 ? `${parts[0]} · ${parts.at(-1)}` : verdict;
}

export function findingParts(finding: Finding): FindingParts {
  const { lines } = finding;
  const who = finding.facts.refused_by === undefined ? 'by' : 'refused by';
  const rest = [
    { label: who, text: lines.refusedBy },
    { label: 'why', text: lines.why },
    { label: 'ruled out', text: lines.ruledOut },
    { label: 'do', text: lines.do },
  ].map(({ label, text }) => ({ label, text: sanitize(text, 400).trim() }));
  return { verdict: sanitize(lines.verdict, 200), rest: rest.filter(({ text }) => text !== '') };
}

/**
 * `full`: verdict and all lines, long ones going on in a second row; `folded`: the verdict alone; `terse` for the
 * smallest screens: verdict and what to do.
 */
export type BlockForm = 'full' | 'folded' | 'terse';

export interface BlockOptions {
  form: BlockForm;
  width: number;
  selected: boolean;
  /** `B`, `team-a/pods`: whose finding it is, where several share the list. */
  watcher?: string | undefined;
  /** A lab is at hand in which the ring can be made larger now. */
  largerRing?: boolean;
}

/** Label column of the lines below the verdict. */
const LABEL_WIDTH = 12;

/** A finding as a block with a bar at its left; every line fits `width`. */
export function findingBlock(item: FindingItem, options: BlockOptions): Line[] {
  const { finding } = item;
  const { verdict, rest } = findingParts(finding);
  const bar = span(options.selected ? '▸┃ ' : ' ┃ ', severityStyle(finding));
  const first = verdictLine(item, shortVerdict(verdict, options.width), bar, options);
  if (options.form === 'folded' || finding.explainedBy !== undefined) return [first];
  const told = options.largerRing ? rest.map((line) => ({ ...line, text: withLab(line.text, options.form) })) : rest;
  const lines = options.form === 'terse' ? told.filter(({ label }) => label === 'do') : told;
  const label = options.form === 'terse' ? 3 : LABEL_WIDTH;
  const indent = span(options.selected ? ' ┃ ' : ' ┃ ', severityStyle(finding));
  const maxRows = options.form === 'terse' ? 1 : 2;
  return [first, ...lines.flatMap((line) => bodyLines(line, label, indent, options.width, maxRows))];
}

/** What to do about a ring that was too small, where a key makes it larger: in two lines' room only that. */
function withLab(text: string, form: BlockForm): string {
  const advice = /^in a cluster: (.*)\. Here: (try --cache-size \d+)$/.exec(text);
  if (!advice) return text;
  return form === 'terse' ? `${advice[1]}; here try ,+` : `${text}, or ,+ now`;
}

function verdictLine(item: FindingItem, verdict: string, bar: Span, options: BlockOptions): Line {
  const { finding, agrees } = item;
  const bold = finding.explainedBy === undefined ? span(verdict, 'strong') : span(verdict, 'dim');
  // A long label gives way on a narrow screen: the verdict must survive.
  const named = options.watcher !== undefined && (options.width >= NARROW || options.watcher.length <= 3);
  const who = named ? `${options.watcher}  ` : '';
  const left: Line = [bar, span(who, 'dim'), bold];
  const right: Line = [];
  if (options.width >= NARROW) {
    right.push(
      span(finding.explainedBy ? `explained by ${findingName(finding.explainedBy)}` : findingName(finding.id), 'dim'),
    );
    if (agrees) right.push(span(' · ', 'dim'), agreement(agrees));
    right.push(span(' '));
  }
  const whole = lineWidth(left) + lineWidth(right) + 1;
  return right.length > 0 && whole <= options.width ? spread(left, right, options.width) : fitLine(left, options.width);
}

/** `server agrees ✓`, or what the server says instead; where an unsure finding names that among its candidates, without alarm. */
export function agreement({ ok, says }: { ok: boolean; says?: string }): Span {
  if (ok && says !== undefined) return span(`server says ${sanitize(says, 60)}: a candidate`, 'dim');
  return ok ? span('server agrees ✓', 'good') : span(`server says ${sanitize(says ?? 'otherwise', 40)}`, 'alarm');
}

/** `f3` is finding 3 to a person. */
export function findingName(id: string): string {
  return `finding ${sanitize(id.replace(/^f(?=\d)/, ''), 12)}`;
}

function bodyLines(
  { label, text }: { label: string; text: string },
  labelWidth: number,
  bar: Span,
  width: number,
  maxRows: number,
): Line[] {
  const room = Math.max(8, width - textWidth(bar.text) - labelWidth - 1);
  const rows = wrap(text, room);
  const shown = rows.slice(0, maxRows);
  if (rows.length > maxRows) shown[maxRows - 1] = `${shown[maxRows - 1]} ${rows.slice(maxRows).join(' ')}`;
  const style = label === 'do' ? 'strong' : 'plain';
  return shown.map((row, i) =>
    fitLine([bar, span((i === 0 ? label : '').padEnd(labelWidth), 'dim'), span(row, style)], width),
  );
}
