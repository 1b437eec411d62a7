import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { resolveEndpoint } from '../../src/client/endpoint.ts';
import { startRun } from '../../src/client/session-runner.ts';
import { diagnose } from '../../src/diagnosis/diagnose.ts';
import type { Finding } from '../../src/diagnosis/finding.ts';
import { verdictOf } from '../../src/diagnosis/verdict.ts';
import { SystemClock } from '../../src/util/clock.ts';
import { seededRandom } from '../../src/util/random.ts';
import { type FaultCase, play } from '../players/case-player.mjs';

/** Constructed faults, played over a real socket: the verdict on what the client measured. Each was once told wrongly or not at all. */

const CASES = new URL('../../fixtures/cases/', import.meta.url);
/** A busy machine stays within the rules' slack of 2 s: 40 real ms. */
const SPEED = 50;
const RANK = { low: 0, medium: 1, high: 2 };

interface Expected {
  class: string;
  sub?: string;
  also_accept?: string[];
  confidence: 'low' | 'medium' | 'high';
  not_class?: string[];
  must_mention: (string | string[])[];
  must_not_say?: string[];
  facts?: Record<string, string | number>;
}

type ConstructedCase = FaultCase & {
  expect: Expected;
  request: { pin_query?: boolean; headers?: Record<string, string> };
};

async function verdictOn({ request, run_ms, ...theCase }: ConstructedCase): Promise<Finding> {
  const player = await play({ request, run_ms, ...theCase }, { speed: SPEED });
  const run = startRun({
    endpoint: await resolveEndpoint({ server: `http://127.0.0.1:${player.port}`, env: {} }),
    targets: [request, ...(request.also ?? [])].map(({ path, query }) => ({
      path,
      query: new URLSearchParams(query).toString(),
      raw: true,
      start: request.mode === 'list-watch' ? 'list' : 'url',
    })),
    version: '0.0.0',
    probing: theCase.probes !== undefined,
    ...(request.headers ? { headers: request.headers } : {}),
    pinQuery: request.pin_query ?? false,
    forMs: run_ms,
    clock: new SystemClock(SPEED),
    random: seededRandom(1),
    onOutput: () => undefined,
  });
  await run.done;
  await player.close();
  return verdictOf(diagnose(run.facts()), run.facts());
}

describe.concurrent('constructed faults', () => {
  it.each([
    'anonymous',
    'bookmark-below-event',
    'bookmark-without-rv',
    'burst-after-quiet',
    'compressed-clumps',
    'counter-stands-still',
    'deleted-unseen',
    'end-mark-not-allowed',
    'etcd-behind-not-ready',
    'exact-list-without-floor',
    'gone-without-code',
    'half-line-proper-end',
    'headers-late-planned-end',
    'held-back',
    'leases-together',
    'missed-event',
    'named-object-deleted',
    'other-replica',
    'page-in-the-stream',
    'pinned-bookmarks',
    'proper-end-then-refused',
    'retry-after-date',
    'rv-fell-in-stream',
    'selection-left-and-back',
    'sibling-lived-on',
    'stale-apiserver',
    'survived-silence',
  ])('%s', { timeout: 60_000 }, async (name) => {
    const theCase = JSON.parse(readFileSync(new URL(`${name}.json`, CASES), 'utf8')) as ConstructedCase;
    const { expect: wanted } = theCase;
    const verdict = await verdictOn(theCase);
    expect([wanted.class, ...(wanted.also_accept ?? [])]).toContain(verdict.class);
    if (wanted.sub !== undefined) expect(verdict.sub).toBe(wanted.sub);
    expect(RANK[verdict.confidence]).toBeLessThanOrEqual(verdict.class === 'healthy' ? 2 : RANK[wanted.confidence]);
    expect(wanted.not_class ?? []).not.toContain(verdict.class);
    expect(verdict.facts).toMatchObject(wanted.facts ?? {});
    const read = [verdict.title, verdict.text, ...verdict.evidence, ...verdict.next].join('\n').toLowerCase();
    for (const words of wanted.must_mention) {
      const any = [words].flat().map((word) => word.toLowerCase());
      expect(
        any.some((word) => read.includes(word)),
        `${any.join(' or ')} in: ${read}`,
      ).toBe(true);
    }
    for (const words of wanted.must_not_say ?? []) expect(read).not.toContain(words.toLowerCase());
  });
});
