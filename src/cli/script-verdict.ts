import type { TraceItem } from '../render/feed.ts';
import type { ExpectStep } from '../scenario/script.ts';
import { expectedWords, type Standing } from './script-judge.ts';
import type { Agreement } from './verdict-check.ts';

/** How one expectation came out. */
export interface ScriptVerdict {
  step: ExpectStep;
  standing: Standing;
  /** What the server's trace says to the finding; undefined where it has nothing to say. */
  agreement: Agreement | undefined;
  /** As expected, and the server does not contradict. */
  ok: boolean;
}

/** The `trace` record of a verdict (contract §1). */
export function verdictItem(
  { step, standing, agreement, ok }: ScriptVerdict,
  at: number,
  isWatcher: boolean,
): TraceItem {
  return {
    kind: 'trace',
    at,
    what: 'verdict',
    ...(isWatcher ? { watcher: step.of } : { of: step.of }),
    class: standing.finding?.class ?? (step.resumed && standing.held ? 'resumed' : undefined),
    found: standing.found,
    expected: expectedWords(step),
    ok,
    agrees: agreement?.ok ?? true,
    ...(agreement?.says === undefined ? {} : { says: agreement.says }),
    ...(step.because === undefined ? {} : { because: step.because }),
    ...(step.line === undefined ? {} : { line: step.line }),
  };
}

/** `B: expected ring-buffer-expiry; there is: no finding`. */
export function failureLine(step: ExpectStep, { found }: Standing, who: string): string {
  return `${who}: expected ${expectedWords(step)}; there is: ${found}`;
}

function serverWords({ ok, says }: Agreement): string {
  if (says === undefined) return ok ? 'server agrees ✓' : 'server says otherwise';
  return ok ? `server says ${says}: a candidate` : `server says ${says}`;
}

/** One line of the table of verdicts. `who`: name and role. */
export function verdictLine({ step, standing, agreement, ok }: ScriptVerdict, who: string): string {
  const because = step.because === undefined ? [] : [step.because];
  if (!standing.held) {
    return [`✗ ${failureLine(step, standing, who)}`, ...because].join(' · ');
  }
  const words = standing.finding?.lines.verdict ?? standing.found;
  const server = agreement === undefined ? [] : [serverWords(agreement)];
  return [`${ok ? '✓' : '✗'} ${who}: ${words}`, ...server, ...because].join(' · ');
}
