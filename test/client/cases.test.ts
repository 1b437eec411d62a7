import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { resolveEndpoint } from '../../src/client/endpoint.ts';
import type { RunFacts, StreamFacts } from '../../src/client/facts.ts';
import type { TargetSpec } from '../../src/client/run.ts';
import { startRun } from '../../src/client/session-runner.ts';
import { SystemClock } from '../../src/util/clock.ts';
import { seededRandom } from '../../src/util/random.ts';
import { type FaultCase, type PlayedRequest, play } from '../players/case-player.mjs';

/** Constructed cases, played over a real socket; what is looked at is what was measured, not what it means. */

const CASES = new URL('../../fixtures/cases/', import.meta.url);
/** Slow enough that a busy machine stays within the cases' tolerance of 3 s or 3 %: 75 real ms. */
const SPEED = 40;

function target({ path, query = {} }: FaultCase['request'], start: TargetSpec['start']): TargetSpec {
  return { path, query: new URLSearchParams(query).toString(), raw: true, start };
}

async function playCase(id: string, speed = SPEED): Promise<{ facts: RunFacts; requests: PlayedRequest[] }> {
  const theCase = JSON.parse(readFileSync(new URL(`${id}.json`, CASES), 'utf8')) as FaultCase;
  const player = await play(theCase, { speed });
  const { mode, also = [] } = theCase.request;
  const stall = theCase.client?.backpressure_ms;
  const run = startRun({
    endpoint: await resolveEndpoint({ server: `http://127.0.0.1:${player.port}`, env: {} }),
    targets: [
      target(theCase.request, mode === 'list-watch' ? 'list' : 'url'),
      ...also.map((one) => target({ ...one, mode: 'watch' }, 'url')),
    ],
    version: '0.0.0',
    probing: theCase.probes !== undefined,
    forMs: theCase.run_ms,
    ...(stall === undefined ? {} : { readStallMs: stall }),
    clock: new SystemClock(speed),
    random: seededRandom(1),
    onOutput: () => undefined,
  });
  await run.done;
  await player.close();
  return { facts: run.facts(), requests: player.requests };
}

const ofMain = (facts: RunFacts) => facts.streams.filter(({ target: { index } }) => index === 0);
const age = ({ openedAt, endedAt }: StreamFacts) => (endedAt ?? 0) - (openedAt ?? 0);
const rvs = (requests: PlayedRequest[]) =>
  requests.filter(({ kind, of }) => kind === 'watch' && of === 0).map(({ query }) => query.resourceVersion);

/** Within 3 s or 3 %, as the cases want it. */
function expectAbout(ms: number, wanted: number): void {
  expect(Math.abs(ms - wanted), `${ms} ms, wanted ${wanted}`).toBeLessThanOrEqual(Math.max(3000, 0.03 * wanted));
}

describe.concurrent('cases, over a real socket', () => {
  it('C01: an in-stream 410 on a legacy path: relisted, the RV never used again', async () => {
    const { facts, requests } = await playCase('C01');
    expect(ofMain(facts)).toMatchObject([
      {
        end: 'eof',
        httpStatus: 200,
        requestedRv: '41877',
        requestedRvOrigin: 'url',
        errorStatus: { code: 410 },
        events: 0,
      },
      { end: 'stopped', requestedRv: '98002', requestedRvOrigin: 'list', events: 1, lastRv: '98044' },
    ]);
    expect(facts.lists).toMatchObject([{ why: '410', rv: '98002', items: 1 }]);
    expect(rvs(requests)).toEqual(['41877', '98002']);
    expect(requests.find(({ kind }) => kind === 'list')).toMatchObject({
      path: '/api/v1/namespaces/shop/endpoints',
      query: { fieldSelector: 'metadata.name=cart' },
    });
    expect(requests.every(({ probe }) => probe === null)).toBe(true);
  });

  it('C09: cut three times after 50 idle seconds: ages and silences measured, each time resumed', async () => {
    const { facts, requests } = await playCase('C09');
    const cuts = ofMain(facts).slice(0, 3);
    expect(ofMain(facts).map(({ end }) => end)).toEqual(['truncated', 'truncated', 'truncated', 'stopped']);
    expectAbout(age(cuts[0] as StreamFacts), 53_000);
    for (const cut of cuts) expectAbout((cut.endedAt ?? 0) - (cut.lastByteAt ?? cut.openedAt ?? 0), 50_000);
    expect(rvs(requests)).toEqual(['7700', '7712', '7712', '7712']);
  });

  it('C52: a slow reader between a burst and its end, a sibling beside it, counters before and after', async () => {
    const { facts, requests } = await playCase('C52');
    const [first, second] = ofMain(facts);
    expect(first).toMatchObject({ end: 'eof', events: 300, lastRv: '5100300', peakPerSecond: 300 });
    expectAbout(first?.readStalledMs ?? 0, 6000);
    expect(second).toMatchObject({ requestedRv: '5100300', errorStatus: { code: 410 } });
    expect(rvs(requests)).toEqual(['5100000', '5100300', '5100790']);
    const sibling = facts.streams.filter(({ target: { index } }) => index === 1);
    expect(sibling).toMatchObject([{ end: 'stopped', readStalledMs: 0 }]);
    const kills = facts.probes.flatMap(({ outcome }) =>
      outcome.kind === 'metrics' ? [outcome.samples.apiserver_terminated_watchers_total] : [],
    );
    expect(kills).toEqual([0, 1]);
  });

  it('C54: an early end, a refused resume, and all that can be asked about it', async () => {
    const { facts } = await playCase('C54');
    const [first, second] = ofMain(facts);
    expect(first).toMatchObject({
      end: 'eof',
      framed: true,
      events: 1,
      bookmarks: 1,
      lastRv: '41011',
      lastRvOrigin: 'event',
      timeoutSeconds: 420,
    });
    expectAbout(age(first as StreamFacts), 71_000);
    expect(second).toMatchObject({ requestedRv: '41011', requestedRvOrigin: 'event', errorStatus: { code: 410 } });
    expectAbout((second?.askedAt ?? 0) - (second?.requestedRvAt ?? 0), 7000);
    const answers = facts.probes.map(({ outcome }) => outcome);
    expect(answers[0]).toEqual({ kind: 'version', gitVersion: 'v1.33.3' });
    expect(answers).toContainEqual({ kind: 'compacted', rv: '41011' });
    const builds = answers.flatMap((one) =>
      one.kind === 'metrics' ? [one.samples.apiserver_watch_cache_initializations_total] : [],
    );
    expect(builds).toEqual([2, 3]);
    const floors = facts.probes.flatMap(({ outcome, askedAt }) =>
      outcome.kind === 'floor' ? [{ floor: outcome.floor, after: askedAt - facts.startedAt }] : [],
    );
    expect(floors.filter(({ floor }) => floor === '40511').length).toBeGreaterThanOrEqual(1);
    expect(floors.filter(({ floor }) => floor === '41066').length).toBeGreaterThanOrEqual(3);
    expect(new Set(facts.probes.map(({ connection }) => connection)).size).toBe(facts.probes.length);
  });

  it('C29: half a frame at the end does not count', async () => {
    // Twelve minutes of bookmarks, of which no time is compared.
    const { facts, requests } = await playCase('C29', 400);
    const [first] = ofMain(facts);
    expect(first).toMatchObject({ end: 'truncated', events: 1, bookmarks: 10, lastRv: '109467395' });
    expect(first?.tailBytes).toBeGreaterThan(100);
    expect(first?.tailText).toMatch(/^\{"type":"MODIFIED"/);
    expect(rvs(requests)[1]).toBe('109467395');
  });
});
