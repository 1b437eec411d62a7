import type { Candidate, Confidence, FindingClass } from './finding.ts';

/**
 * A table of rules: tried from top to bottom, the first that fits counts. The same shape for each kind of question, so that
 * a rule reads as one sentence: when these signs are seen, it is this class, with this confidence, or else those.
 */
export interface Rule<Signs> {
  /** What words and tests call the rule by. */
  name: string;
  when(signs: Signs): boolean;
  class: FindingClass;
  sub?: string;
  confidence: Confidence | ((signs: Signs) => Confidence);
  /** Further candidates, best first; for an `ambiguous-*` class: what it could be. */
  others?: (signs: Signs) => readonly FindingClass[];
  /**
   * What repeats is one finding. `adjacent` (default): with the one before, if that was decided by the same rule.
   * `run`: with all of the target's that the same rule decided. `never`: each is a finding of its own.
   */
  repeats?: 'adjacent' | 'run' | 'never';
}

export interface Decision {
  rule: string;
  class: FindingClass;
  sub?: string;
  confidence: Confidence;
  candidates: Candidate[];
  repeats: 'adjacent' | 'run' | 'never';
}

export function decide<Signs>(rules: readonly Rule<Signs>[], signs: Signs): Decision | undefined {
  const rule = rules.find((one) => one.when(signs));
  if (!rule) return undefined;
  const confidence = typeof rule.confidence === 'function' ? rule.confidence(signs) : rule.confidence;
  return {
    rule: rule.name,
    class: rule.class,
    ...(rule.sub === undefined ? {} : { sub: rule.sub }),
    confidence,
    candidates: [
      { class: rule.class, confidence },
      ...(rule.others?.(signs) ?? []).map((name): Candidate => ({ class: name, confidence: 'low' })),
    ],
    repeats: rule.repeats ?? 'adjacent',
  };
}
