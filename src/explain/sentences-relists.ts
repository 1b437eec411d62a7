import { KUBERNETES_BY_NAME } from './about-kubernetes.ts';
import type { Sentence } from './sentence.ts';

const GONE = {
  class: 'ambiguous-410',
  confidence: 'medium',
  refusedBy: 'unknown',
  harm: 'harmless-once',
  others: ['ring-buffer-expiry', 'upstream-compaction', 'cache-rebuilt'],
} as const;

/** A 410 that the program itself answers with a new list. */
export const RELIST_SENTENCES: readonly Sentence[] = [
  {
    ...GONE,
    pattern:
      /410 Gone encountered|Restarting the watch-stream for|#Watch expired, will re-list|ResourceVersion \d+ expired, will retry|Handling desync|getting 410 GONE responses/,
    title: '410: the history was gone, and this program lists again by itself',
    text: 'The program met a 410 (Gone, Expired) and does what is right: it drops its RV, lists again and watches from there (relist). It heals by itself; once, or now and then on a quiet resource, is normal and nobody has to act. The line does not say who refused, the watch cache or etcd; many of these in a row would mean that the new RV expires, too.',
    next: [
      'nothing is to be done for a single one; how often does it come? kwatch explain FILE counts it',
      'allowWatchBookmarks=true keeps the RV of a quiet watch young, where the client can ask for it',
    ],
  },
  {
    ...GONE,
    pattern:
      /(?:\b(?:returned|got|HTTP|status|code)[ :=]+410\b|\((?:possibl[ey] )?(?:410|Gone|410 Gone|Expired)\)|\bresource ?version\b.{0,30}\b(?:too old|expired|outdated)\b).{0,60}\b(?:re-?list|re-?sync|dropping|reset|restart|start(?:ing)? over|from scratch)/i,
    beside: KUBERNETES_BY_NAME,
    title: '410: the history was gone, and this program lists again by itself',
    text: 'The program met a 410 (Gone, Expired) and does what is right: it drops its RV, lists again and watches from there (relist). It heals by itself; once, or now and then on a quiet resource, is normal and nobody has to act. The line does not say who refused, the watch cache or etcd; many of these in a row would mean that the new RV expires, too.',
    next: [
      'nothing is to be done for a single one; how often does it come? kwatch explain FILE counts it',
      'allowWatchBookmarks=true keeps the RV of a quiet watch young, where the client can ask for it',
    ],
  },
];
