import type { RunFacts } from '../client/facts.ts';
import type { Finding } from './finding.ts';

/**
 * How long a 410 of the watch cache is not told while the probes that it set off are on their way, ms, and an end that nothing
 * explains while the answer to the resume is. A healthy server gives them in a few; a verdict that is turned round a moment
 * later is worse than one that comes a moment later.
 */
const WAIT_MS = 1_500;

/** True for a finding that the answers to questions just asked may still turn into another one. */
export function awaitsAnswers(finding: Finding, run: RunFacts): boolean {
  if (!run.probing || run.finished || finding.confidence === 'high') return false;
  if (finding.facts.refused_by !== 'watch-cache' && finding.class !== 'ambiguous-end') return false;
  return run.now - finding.at < WAIT_MS;
}
