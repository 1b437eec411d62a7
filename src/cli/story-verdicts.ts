import type { Finding } from '../diagnosis/finding.ts';
import { type Expectation, type Outcome, WATCHERS, type WatcherName } from '../scenario/story.ts';
import type { Agreement } from './verdict-check.ts';

/** How one watcher's part of the story came out. */
export interface StoryVerdict {
  watcher: WatcherName;
  expected: readonly Outcome[];
  because: string;
  /** The class that the client named, or `resumed` where its history was never refused. */
  found: string;
  /** The finding in words, where there is one: `RING-BUFFER EXPIRY · overrun · high`. */
  words: string;
  /** The server's trace says the same. */
  agrees: boolean;
  /** As expected, and the server agrees. */
  ok: boolean;
  says?: string;
}

/** Compares what was expected of each watcher with what its client found and with what the server knows. */
export function judgeStory(
  expectations: readonly Expectation[],
  findings: readonly Finding[],
  judge: (finding: Finding) => Agreement | undefined,
): StoryVerdict[] {
  return expectations.map(({ watcher, outcomes, because }) => {
    const target = WATCHERS.findIndex(({ name }) => name === watcher);
    const own = findings.filter((finding) => finding.target === target && finding.explainedBy === undefined);
    const finding = own.find((one) => isAbout(one, outcomes));
    const found = finding?.class ?? 'resumed';
    const agreement = finding === undefined ? { ok: true } : (judge(finding) ?? { ok: true });
    return {
      watcher,
      expected: outcomes,
      because,
      found,
      words: finding?.lines.verdict ?? 'RESUMED · nothing was lost',
      agrees: agreement.ok,
      ok: agreement.ok && outcomes.some((outcome) => outcome === found),
      ...(agreement.says === undefined ? {} : { says: agreement.says }),
    };
  });
}

/** The finding that a watcher's part is about: its 410, or for a planned end its end. */
function isAbout(finding: Finding, outcomes: readonly Outcome[]): boolean {
  if (outcomes.includes('server-timeout')) return finding.class === 'server-timeout' || finding.severity !== 'info';
  return finding.facts.refused_by !== undefined;
}

/** One line of the table of verdicts. */
export function verdictLine({ watcher, words, agrees, ok, because, expected, says }: StoryVerdict): string {
  const role = WATCHERS.find(({ name }) => name === watcher)?.role ?? '';
  const server = agrees ? 'server agrees ✓' : `server says ${says ?? 'otherwise'}`;
  const why = ok ? because : `expected ${expected.join(' or ')}: ${because}`;
  return `${watcher} ${role}: ${words} · ${server} · ${why}`;
}
