import { PATTERN } from './cut-patterns.ts';
import type { Rule } from './decision.ts';
import { earlyCandidates, endedAsAsked, mayBeChance } from './end-causes.ts';
import type { EndSigns } from './end-signs.ts';

/** Ends at the time that the watch itself, or the server by default, had set. */
export const PLANNED_RULES: readonly Rule<EndSigns>[] = [
  {
    name: 'as asked',
    when: (signs) => endedAsAsked(signs) && !mayBeChance(signs),
    class: 'server-timeout',
    confidence: ({ stream }) => (stream.end === 'eof' ? 'high' : 'medium'),
  },
  {
    name: 'as asked, perhaps by chance',
    when: endedAsAsked,
    class: 'server-timeout',
    confidence: 'medium',
    others: earlyCandidates,
  },
  {
    name: 'as asked, without the last chunk',
    when: ({ planned, cut, stream }) => planned === 'timeoutSeconds' && cut && stream.tailBytes === 0,
    class: 'server-timeout',
    confidence: ({ plannedCuts }) => (plannedCuts >= 2 ? 'high' : 'medium'),
    others: () => ['connection-lost'],
  },
  {
    // That limit is drawn anew for each watch: a fixed age is somebody else's.
    name: 'fixed age, none asked for',
    when: (signs) => signs.planned === 'server default' && signs.sameAge.length >= PATTERN,
    class: 'age-cut-by-proxy',
    confidence: 'medium',
    others: () => ['server-timeout'],
    repeats: 'run',
  },
  {
    name: 'server’s own timeout',
    when: ({ planned }) => planned === 'server default',
    class: 'server-timeout',
    confidence: ({ sameAge }) => (sameAge.length >= 2 ? 'low' : 'medium'),
    others: ({ sameAge }) => (sameAge.length >= 2 ? ['age-cut-by-proxy'] : []),
  },
];
