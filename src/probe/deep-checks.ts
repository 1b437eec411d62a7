import type { Check, CheckOutcome, Said } from './check.ts';
import { bookmarkRhythm, closingBookmark } from './deep-bookmarks.ts';
import { idleCuts, plannedEnd } from './deep-cuts.ts';
import type { DeepFacts } from './deep-facts.ts';
import { etcdHistory, windowReach, writeRate } from './deep-window.ts';

const deep = (id: string, title: string): Check => ({ id, title, half: 'deep' });

/** The questions that take minutes, in the order of telling. All of them are answered by the same watches. */
const DEEP_CHECKS: readonly { check: Check; answer: (facts: DeepFacts) => Said }[] = [
  { check: deep('bookmark-rhythm', 'bookmarks come each minute'), answer: bookmarkRhythm },
  { check: deep('closing-bookmark', 'bookmark before a planned end'), answer: closingBookmark },
  { check: deep('planned-end', 'a long watch ends as planned'), answer: plannedEnd },
  { check: deep('idle-cut', 'silent watches are left alone'), answer: idleCuts },
  { check: deep('window-age', 'how far back the window goes'), answer: windowReach },
  { check: deep('etcd-age', 'how far back etcd goes'), answer: etcdHistory },
  { check: deep('write-rate', 'write rate'), answer: writeRate },
];

const FREE = { tookMs: 0, requests: 0 };

/** What the minutes showed, check by check. `facts` undefined: not even an RV to begin with could be read. */
export function deepOutcomes(facts: DeepFacts | undefined): CheckOutcome[] {
  return DEEP_CHECKS.map(({ check, answer }, index) => {
    const said: Said = facts
      ? answer(facts)
      : { result: 'skip', answer: 'no RV to begin with could be read', facts: {} };
    // All of them are answered by the same minutes and requests: the first is given the bill.
    const bill = index === 0 && facts ? { tookMs: facts.endedAt - facts.startedAt, requests: facts.requests } : FREE;
    return { check, ...said, ...bill };
  });
}
