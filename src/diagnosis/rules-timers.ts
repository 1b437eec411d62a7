import {
  isAgeCap,
  isIdleOrAge,
  isIdleTimer,
  isIdleTimerOfAll,
  isWholePattern,
  outlivedSince,
  outlivedSinceByOthers,
  PATTERN,
} from './cut-patterns.ts';
import type { Rule } from './decision.ts';
import type { EndSigns } from './end-signs.ts';

/** Ends that a timer in between made, of silence or of age: judged over all ends of the target (cut-patterns.ts). */
export const TIMER_RULES: readonly Rule<EndSigns>[] = [
  {
    name: 'idle timer',
    when: isIdleTimer,
    class: 'idle-cut-by-proxy',
    confidence: (signs) => {
      const whole = isWholePattern(signs, signs.sameSilence);
      if (outlivedSince(signs)) return whole ? 'medium' : 'low';
      return whole ? 'high' : 'medium';
    },
    others: () => ['connection-lost'],
    repeats: 'run',
  },
  {
    name: 'age cap',
    when: isAgeCap,
    class: 'age-cut-by-proxy',
    confidence: (signs) => (signs.cut && isWholePattern(signs, signs.sameAge) ? 'high' : 'medium'),
    others: ({ cut }) => (cut ? ['connection-lost'] : ['cache-rebuilt']),
    repeats: 'run',
  },
  {
    name: 'idle timer or age cap',
    when: isIdleOrAge,
    class: 'idle-cut-by-proxy',
    confidence: (signs) => (signs.sameSilence.length >= PATTERN ? 'medium' : 'low'),
    others: () => ['age-cut-by-proxy', 'connection-lost'],
    repeats: 'run',
  },
  {
    name: 'idle timer of several watches',
    when: (signs) => signs.outage === undefined && isIdleTimerOfAll(signs),
    class: 'idle-cut-by-proxy',
    confidence: (signs) => (outlivedSinceByOthers(signs) ? 'low' : 'medium'),
    others: () => ['connection-lost'],
    repeats: 'run',
  },
];
