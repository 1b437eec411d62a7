import type { Confidence } from '../../src/diagnosis/finding.ts';
import type { Judged } from './truth.ts';
import { wrongHigh } from './truth.ts';

const CONFIDENCES: readonly Confidence[] = ['high', 'medium', 'low'];
const RANK: Record<Confidence, number> = { high: 2, medium: 1, low: 0 };

interface Counts {
  all: number;
  decided: number;
  decidedRight: number;
  /** Right since the reason of a rebuild was left open. */
  open: number;
  undecided: number;
  /** Not decided, and the truth is among the candidates. */
  undecidedNamed: number;
  wrongHigh: number;
}

/** True class × told class with its confidence, counted. */
export class ConfusionMatrix {
  readonly #cells = new Map<string, Map<string, number>>();
  readonly #counts: Counts = {
    all: 0,
    decided: 0,
    decidedRight: 0,
    open: 0,
    undecided: 0,
    undecidedNamed: 0,
    wrongHigh: 0,
  };

  add(judged: Judged): void {
    const { finding, decided, right, outside, open } = judged;
    const truth = outside ? `${judged.truth}, for an RV from outside` : judged.truth;
    const row = this.#cells.get(truth) ?? new Map<string, number>();
    this.#cells.set(truth, row);
    const told = `${finding.class}${finding.sub === undefined ? '' : `/${finding.sub}`} ${finding.confidence}`;
    row.set(told, (row.get(told) ?? 0) + 1);
    const counts = this.#counts;
    counts.all += 1;
    if (decided) {
      counts.decided += 1;
      if (right) counts.decidedRight += 1;
      if (right && open) counts.open += 1;
    } else {
      counts.undecided += 1;
      if (right || finding.candidates.some((one) => one.class === judged.truth.split('/')[0]))
        counts.undecidedNamed += 1;
    }
    if (wrongHigh(judged)) counts.wrongHigh += 1;
  }

  get counts(): Readonly<Counts> {
    return this.#counts;
  }

  /** One block for each truth, the most frequent words first. */
  lines(): string[] {
    const lines: string[] = [];
    for (const [truth, row] of [...this.#cells].sort(([a], [b]) => (a < b ? -1 : 1))) {
      const total = [...row.values()].reduce((sum, count) => sum + count, 0);
      lines.push(`${truth} (${total})`);
      for (const [told, count] of [...row].sort(byConfidence)) lines.push(`  ${String(count).padStart(6)}  ${told}`);
    }
    return lines;
  }
}

function byConfidence([a, m]: [string, number], [b, n]: [string, number]): number {
  const rank = (told: string) => RANK[CONFIDENCES.find((one) => told.endsWith(one)) ?? 'low'];
  return rank(b) - rank(a) || n - m;
}
