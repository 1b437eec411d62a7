import { describe, expect, it } from 'vitest';
import type { ListFacts } from '../../src/client/facts.ts';
import { listOnce } from '../../src/client/list-once.ts';
import type { SessionOutput } from '../../src/client/output.ts';
import type { RunEnd, RunOptions, TargetSpec } from '../../src/client/run.ts';
import { startRunOver } from '../../src/client/session-runner.ts';
import { watchTarget } from '../../src/client/watch-target.ts';
import { SystemClock } from '../../src/util/clock.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { FakeTransport, fakeEndpoint } from '../support/fake-transport.ts';
import { bookmark, errorEvent } from '../support/playbook.ts';

const PODS = '/api/v1/namespaces/default/pods';

function start(targets: Partial<TargetSpec>[], options: Partial<RunOptions> = {}) {
  const clock = new FakeClock();
  const transport = new FakeTransport();
  const outputs: SessionOutput[] = [];
  let end: RunEnd | undefined;
  const run = startRunOver(transport, {
    endpoint: fakeEndpoint(),
    targets: targets.map((over) => ({
      path: PODS,
      query: 'watch=1&resourceVersion=100',
      raw: true,
      start: 'url',
      ...over,
    })),
    version: '1',
    probing: false,
    clock,
    random: () => 0,
    onOutput: (output) => outputs.push(output),
    ...options,
  });
  void run.done.then((value) => {
    end = value;
  });
  return { clock, transport, outputs, run, ended: () => end };
}

describe('a run of the lab', () => {
  it('sends nothing of a target that is held, until it is asked to', async () => {
    const { clock, transport, run, ended } = start([{ held: true }]);
    await clock.advance(60_000);
    expect(transport.requests).toEqual([]);
    run.resume(0);
    await clock.turn();
    expect(transport.latest().path).toBe(`${PODS}?watch=1&resourceVersion=100`);
    run.stop();
    await clock.turn();
    expect(ended()).toMatchObject({ reason: 'asked' });
  });

  it('leaves a socket unread and reads on, and counts it as its own doing', async () => {
    const { clock, transport, run } = start([{}]);
    await clock.turn();
    const stream = transport.latest().accept();
    run.stall(0, true);
    expect(stream.paused).toBe(true);
    await clock.advance(2200);
    run.stall(0, false);
    expect(stream.paused).toBe(false);
    expect(run.facts().streams[0]).toMatchObject({ readStalledMs: 2200 });
  });

  it('comes back to another apiserver, with its probes', async () => {
    const other = fakeEndpoint({ host: 'other:1' });
    const { clock, transport, run } = start([{}], { probing: true });
    await clock.turn();
    transport.latest().accept().bytes(bookmark('120'));
    await clock.turn();
    run.drop(0);
    const before = transport.lanes;
    run.resume(0, { endpoint: other });
    await clock.turn();
    expect(transport.latest().path).toContain('resourceVersion=120');
    expect(run.facts().streams.map(({ endpoint }) => endpoint?.host)).toEqual([undefined, 'other:1']);
    transport.latest().accept().bytes(errorEvent(410, 'too old resource version: 120 (500)')).end();
    await clock.turn();
    expect(transport.probes('exact')).toHaveLength(1);
    expect(transport.endpoints.slice(before)).toEqual(transport.endpoints.slice(before).map(() => other));
  });

  it('takes a list that was read beside it into its facts, and tells it', () => {
    const { run, outputs } = start([{ held: true }]);
    const facts: ListFacts = {
      target: watchTarget(1, PODS).target,
      methodPath: PODS,
      why: 'user',
      askedAt: 1,
      endedAt: 2,
      headers: {},
      items: 0,
      pages: 1,
      truncated: false,
    };
    run.noteList(facts);
    expect(run.facts().lists).toEqual([facts]);
    expect(outputs.at(-1)).toEqual({ kind: 'list', at: 2, facts });
  });

  it('can be without targets, and ends when it is asked to', async () => {
    const { clock, run, ended } = start([]);
    run.stop();
    await clock.turn();
    expect(ended()).toMatchObject({ reason: 'asked' });
  });
});

describe('probes of a refusal that come too soon after others', () => {
  it('are put off, not dropped, and asked once for all who waited', async () => {
    const { clock, transport } = start([{}, {}, {}], { probing: true });
    await clock.turn();
    const streams = transport.requests.filter(({ probe }) => probe === undefined);
    for (const stream of streams) stream.accept();
    await clock.advance(10_000);
    expect(transport.probes('metrics')).toHaveLength(1);
    for (const stream of streams) {
      stream.bytes(errorEvent(410, 'too old resource version: 100 (500)')).end();
      await clock.advance(100);
    }
    expect(transport.probes('metrics')).toHaveLength(2);
    await clock.advance(2000);
    expect(transport.probes('metrics')).toHaveLength(3);
    await clock.advance(30_000);
    expect(transport.probes('metrics')).toHaveLength(3);
  });
});

describe('a list read once', () => {
  it('tells an endpoint where nobody listens as a list without an answer', async () => {
    const { facts } = await listOnce({
      endpoint: fakeEndpoint({ scheme: 'http', host: '127.0.0.1:1' }),
      target: watchTarget(0, PODS).target,
      path: `${PODS}?limit=5`,
      token: 'abc',
      version: '1',
      clock: new SystemClock(),
    });
    expect(facts).toMatchObject({
      methodPath: `${PODS}?limit=5&continue=abc`,
      items: 0,
      refusal: { hadContinue: true, end: 'refused' },
    });
    expect(facts.httpStatus).toBeUndefined();
  });
});
