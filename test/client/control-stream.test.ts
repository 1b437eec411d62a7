import { describe, expect, it } from 'vitest';
import type { ControlOutput, SessionOutput } from '../../src/client/output.ts';
import type { Run, RunOptions } from '../../src/client/run.ts';
import { startRunOver } from '../../src/client/session-runner.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { type FakeRequest, FakeTransport, fakeEndpoint } from '../support/fake-transport.ts';
import { bookmark, event } from '../support/playbook.ts';

const PODS = '/api/v1/namespaces/shop/pods';
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';
const LEASE = '{"type":"MODIFIED","object":{"kind":"PartialObjectMetadata","metadata":{"name":"n1"}}}\n';

function leases(count: number, more = ''): string {
  const items = Array.from({ length: count }, (_, i) => ({
    metadata: { name: `n${i}`, namespace: 'kube-node-lease' },
  }));
  const list = JSON.stringify({ kind: 'PartialObjectMetadataList', metadata: { resourceVersion: '500' }, items });
  return list.replace('"metadata":{', `"metadata":{${more}`);
}

interface Lab {
  clock: FakeClock;
  transport: FakeTransport;
  outputs: SessionOutput[];
  run: Run;
  /** The control stream's newest request. */
  control(): FakeRequest;
  states(): string[];
}

/** A run whose one stream is open and bookmarked once, with a control stream beside it. */
async function lab(options: Partial<RunOptions> = {}): Promise<Lab> {
  const clock = new FakeClock();
  const transport = new FakeTransport();
  const outputs: SessionOutput[] = [];
  const run = startRunOver(transport, {
    endpoint: fakeEndpoint(),
    targets: [{ path: PODS, query: 'watch=1&resourceVersion=100&allowWatchBookmarks=true', raw: true, start: 'url' }],
    version: '1.2.3',
    probing: false,
    control: true,
    clock,
    random: () => 0,
    onOutput: (output) => outputs.push(output),
    ...options,
  });
  await clock.turn();
  transport.latest(PODS).accept().bytes(bookmark('101'));
  await clock.turn();
  const states = () =>
    outputs.filter((output): output is ControlOutput => output.kind === 'control').map(({ facts }) => facts.state);
  return {
    clock,
    transport,
    outputs,
    run,
    control: () => transport.probes('control').at(-1) as FakeRequest,
    states,
  };
}

/** The same, with node leases listed and watched. */
async function live(options: Partial<RunOptions> = {}): Promise<Lab> {
  const made = await lab(options);
  made.control().answer(200, leases(3));
  await made.clock.turn();
  made.control().accept().bytes(LEASE);
  await made.clock.turn();
  return made;
}

describe('control stream', () => {
  it('asks nothing before the run was granted something, and nothing at all without --control', async () => {
    const { transport } = await lab({ control: false });
    expect(transport.probes('control')).toEqual([]);
    const refused = new FakeTransport();
    const clock = new FakeClock();
    startRunOver(refused, {
      endpoint: fakeEndpoint(),
      targets: [{ path: PODS, query: 'watch=1', raw: true, start: 'url' }],
      version: '1',
      control: true,
      clock,
      random: () => 0,
      onOutput: () => undefined,
    });
    await clock.turn();
    refused.latest().answer(403, '{"kind":"Status","code":403}');
    await clock.advance(60_000);
    expect(refused.probes('control')).toEqual([]);
  });

  it('lists node leases and watches them as metadata, on a connection of its own, without a number', async () => {
    const { transport, run, control, clock } = await lab();
    const list = control();
    expect(list).toMatchObject({ path: `${LEASES}?limit=50` });
    expect(list.headers).toMatchObject({
      'user-agent': 'kwatch/1.2.3 probe/control',
      accept: expect.stringContaining('PartialObjectMetadataList'),
    });
    list.answer(200, leases(3));
    await clock.turn();
    const watch = control();
    expect(watch.path).toBe(`${LEASES}?watch=1&timeoutSeconds=300&resourceVersion=500`);
    expect(watch.headers.accept).toMatch(/^application\/json;as=PartialObjectMetadata;/);
    expect(watch.lane).not.toBe(transport.latest(PODS).lane);
    watch.accept().bytes(LEASE, LEASE);
    await clock.turn();
    expect(run.facts()).toMatchObject({
      streams: [{ stream: 1, events: 0, bookmarks: 1, pathAliveAt: clock.now() }],
      control: { state: 'live', frames: 2, opens: 1, lastByteAt: clock.now() },
    });
    expect(run.facts().streams).toHaveLength(1);
  });

  it('watches one lease alone where there are more than a page of them', async () => {
    const { control, clock } = await lab();
    control().answer(200, leases(50, '"continue":"t",'));
    await clock.turn();
    expect(control().path).toContain('fieldSelector=metadata.name%3Dn0');
    control().accept();
    // That node says nothing: another one is asked.
    await clock.advance(15_000);
    control().answer(200, leases(50, '"continue":"t",'));
    await clock.turn();
    expect(control().path).toContain('fieldSelector=metadata.name%3Dn1');
  });

  it.each<[number, string, string]>([
    [403, '{"kind":"Status","status":"Failure","message":"leases is forbidden","code":403}', 'refused'],
    [404, '404 page not found', 'refused'],
    [200, leases(0), 'none'],
  ])('answered with %i %s it says so once and goes on without', async (status, body, state) => {
    const { control, clock, transport, states, run } = await lab();
    control().answer(status, body, { 'audit-id': 'a' });
    await clock.advance(600_000);
    expect(states()).toEqual([state]);
    expect(transport.probes('control')).toHaveLength(1);
    expect(run.facts().control).toMatchObject({ state, endedAt: expect.any(Number) });
    expect(run.facts().streams[0]?.endedAt).toBeUndefined();
  });

  it('asks again after a 429, no sooner than it was told to', async () => {
    const { control, clock, transport } = await lab();
    control().answer(429, 'Too many requests', { 'audit-id': 'a', 'retry-after': '20' });
    await clock.advance(19_999);
    expect(transport.probes('control')).toHaveLength(1);
    await clock.advance(1);
    expect(transport.probes('control')).toHaveLength(2);
  });

  it('puts the question anew on a new connection when the rhythm stops, and is alive again when it is answered', async () => {
    const { control, clock, transport, outputs } = await live();
    const before = transport.closedLanes;
    await clock.advance(14_999);
    expect(transport.closedLanes).toBe(before);
    await clock.advance(1);
    expect(transport.closedLanes).toBe(before + 1);
    expect(control().path).toBe(`${LEASES}?limit=50`);
    control().answer(200, leases(3));
    await clock.turn();
    control().accept().bytes(LEASE);
    await clock.turn();
    expect(outputs.filter(({ kind }) => kind === 'control')).toHaveLength(3);
  });

  it('knows a path on which nobody answers any more, and one that comes back', async () => {
    const { control, clock, run, outputs } = await live();
    const lastByteAt = clock.now();
    await clock.advance(15_000);
    const askedAt = clock.now();
    // A new connection hangs: ten real seconds, then it is tried again and again.
    await clock.advance(10_000);
    expect(run.facts().control).toMatchObject({ state: 'unanswered', unansweredSince: askedAt, lastByteAt });
    await clock.advance(56_000);
    expect(run.facts().control).toMatchObject({ unansweredSince: askedAt, lastByteAt });
    control().answer(200, leases(1));
    await clock.turn();
    expect(run.facts().control).not.toHaveProperty('unansweredSince');
    control().accept().bytes(LEASE);
    await clock.turn();
    expect(run.facts().control?.state).toBe('live');
    expect(outputs.filter(({ kind }) => kind === 'control').length).toBeLessThan(6);
  });

  it('tells a path on which nothing comes back from an apiserver that refuses connections', async () => {
    const { control, clock, run } = await live();
    await clock.advance(15_000);
    control().end('refused', 'ECONNREFUSED');
    await clock.turn();
    expect(run.facts().control).toMatchObject({ state: 'unanswered', unansweredBy: 'refusal' });
    await clock.advance(5_000);
    control().end('no-response', 'UND_ERR_CONNECT_TIMEOUT');
    await clock.turn();
    expect(run.facts().control?.unansweredBy).toBe('silence');
    await clock.advance(5_000);
    control().answer(200, leases(1));
    await clock.turn();
    expect(run.facts().control).not.toHaveProperty('unansweredBy');
  });

  it('does not take a gateway’s error for a sign of life', async () => {
    const { control, clock, run } = await live();
    const lastByteAt = clock.now();
    await clock.advance(15_000);
    control().answer(502, '<html>bad gateway</html>', { server: 'nginx' });
    await clock.turn();
    expect(run.facts().control).toMatchObject({ state: 'unanswered', lastByteAt });
  });

  it('lists again when its watch ends, an early end or a reset being no news', async () => {
    const { control, clock, transport, run } = await live();
    for (const end of ['eof', 'reset', 'truncated'] as const) {
      control().end(end);
      await clock.advance(1_000);
      expect(control().path).toBe(`${LEASES}?limit=50`);
      control().answer(200, leases(3));
      await clock.turn();
      control().accept().bytes(LEASE);
    }
    await clock.turn();
    expect(run.facts().control).toMatchObject({ state: 'live', opens: 4 });
    expect(transport.probes('control').length).toBe(8);
  });

  it('ends with the run', async () => {
    const { control, run, clock, transport } = await live();
    const watch = control();
    run.stop();
    await run.done;
    expect(watch.closed).toBe(true);
    await clock.advance(60_000);
    expect(transport.probes('control')).toHaveLength(2);
    expect(clock.timers).toBe(0);
  });
});

describe('a stream beside a control stream', () => {
  it('is asked about after 15 s of silence, and cut where a second watch gets what it does not', async () => {
    const { control, clock, transport, run } = await live({ probing: true });
    await clock.advance(10_000);
    control().bytes(LEASE);
    await clock.advance(4_999);
    expect(transport.probes('side')).toHaveLength(0);
    await clock.advance(1);
    const [side] = transport.probes('side');
    side?.accept().bytes(event('MODIFIED', 'web-0', '102'), event('MODIFIED', 'web-0', '103'));
    control().bytes(LEASE);
    await clock.advance(5_000);
    side?.end();
    await clock.turn();
    expect(run.facts().streams[0]).toMatchObject({ end: 'stalled', bookmarks: 1 });
    expect(transport.latest(PODS).path).toContain('resourceVersion=101');
  });

  it('is cut also where nobody ends the second watch at its timeoutSeconds', async () => {
    const { control, clock, transport, run } = await live({ probing: true });
    await clock.advance(10_000);
    control().bytes(LEASE);
    await clock.advance(5_000);
    const [side] = transport.probes('side');
    side?.accept().bytes(event('MODIFIED', 'web-0', '102'));
    await clock.advance(6_999);
    expect(side?.closed).toBe(false);
    await clock.advance(1);
    expect(side?.closed).toBe(true);
    expect(run.facts().streams[0]).toMatchObject({ end: 'stalled' });
  });

  it('that is as quiet as the second watch is left alone, and asked about once a minute', async () => {
    const { control, clock, transport, run } = await live({ probing: true });
    for (let s = 0; s < 180; s += 5) {
      control().bytes(LEASE);
      await clock.advance(5_000);
      for (const side of transport.probes('side')) if (!side.closed) side.accept().end();
    }
    expect(run.facts().streams[0]?.endedAt).toBeUndefined();
    expect(transport.probes('side').length).toBeLessThanOrEqual(3);
    expect(transport.probes('cache-rv').length).toBeLessThanOrEqual(3);
  });

  it('is asked about more rarely the longer it has nothing to miss, and soon again once an event came', async () => {
    const { control, clock, transport } = await live({ probing: true });
    const asked: number[] = [];
    const from = clock.now();
    const pass = async (until: number) => {
      while (clock.now() - from < until * 1000) {
        control().bytes(LEASE);
        await clock.advance(5_000);
        for (const side of transport.probes('side').slice(asked.length)) {
          asked.push((clock.now() - from) / 1000);
          side.accept().end();
        }
      }
    };
    await pass(600);
    expect(asked).toEqual([15, 75, 195, 435]);
    transport.latest(PODS).bytes(event('MODIFIED', 'web-0', '200'));
    await pass(800);
    expect(asked.slice(4)).toEqual([615, 675, 795]);
  });

  it('is not cut for a frame that a second watch got just before its own end: it may be on its way', async () => {
    const { control, clock, transport, run } = await live({ probing: true });
    control().bytes(LEASE);
    await clock.advance(10_000);
    control().bytes(LEASE);
    await clock.advance(5_000);
    const [side] = transport.probes('side');
    side?.accept();
    await clock.advance(4_500);
    side?.bytes(event('MODIFIED', 'web-0', '102'));
    await clock.advance(500);
    side?.end();
    await clock.turn();
    expect(run.facts().streams[0]?.endedAt).toBeUndefined();
  });

  it('is asked about after minutes only, once the control stream is silent too', async () => {
    const { clock, transport } = await live({ probing: true });
    await clock.advance(15_000);
    const asked = transport.probes('side').length;
    await clock.advance(100_000);
    expect(transport.probes('side').length - asked).toBeLessThanOrEqual(0);
  });
});

describe('HTTP/2: a ping after 30 s of silence', () => {
  async function open(
    speed?: number,
  ): Promise<{ clock: FakeClock; request: FakeRequest; run: Run; transport: FakeTransport }> {
    const clock = Object.assign(new FakeClock(), speed === undefined ? {} : { speed });
    const transport = new FakeTransport();
    const run = startRunOver(transport, {
      endpoint: fakeEndpoint(),
      targets: [{ path: PODS, query: 'watch=1&resourceVersion=100', raw: true, start: 'url' }],
      version: '1.2.3',
      clock,
      random: () => 0,
      onOutput: () => undefined,
    });
    await clock.turn();
    const request = transport
      .latest(PODS)
      .written()
      .head(200, {}, '2')
      .bytes(event('MODIFIED', 'web-0', '101'));
    await clock.turn();
    return { clock, request, run, transport };
  }
  const facts = (run: Run) => run.facts().streams[0];

  it('is answered: the connection lives, and is asked again after another 30 s', async () => {
    const { clock, request, run } = await open();
    await clock.advance(29_999);
    expect(request.pings).toHaveLength(0);
    await clock.advance(1);
    expect(request.pings).toHaveLength(1);
    request.pings[0]?.();
    await clock.advance(29_999);
    expect([request.pings.length, facts(run)?.pongAt]).toEqual([1, clock.now() - 29_999]);
    await clock.advance(1);
    expect(request.pings).toHaveLength(2);
    expect(facts(run)).not.toHaveProperty('pingUnansweredSince');
  });

  it('is not sent while something comes, nor over HTTP/1.1', async () => {
    const { clock, request } = await open();
    for (let i = 0; i < 6; i++) {
      await clock.advance(20_000);
      request.bytes(event('MODIFIED', 'web-0', String(200 + i)));
    }
    expect(request.pings).toHaveLength(0);
    const { clock: other, transport } = await lab();
    await other.advance(100_000);
    expect(transport.latest(PODS).pings).toHaveLength(0);
  });

  it('has no answer for 15 s: a fact, a question to a second watch, and no cut', async () => {
    const { clock, request, run, transport } = await open();
    await clock.advance(30_000);
    const sentAt = clock.now();
    await clock.advance(14_999);
    expect(facts(run)).not.toHaveProperty('pingUnansweredSince');
    await clock.advance(1);
    expect(facts(run)).toMatchObject({ pingUnansweredSince: sentAt });
    expect(facts(run)?.endedAt).toBeUndefined();
    expect(transport.probes('side')).toHaveLength(1);
    await clock.advance(600_000);
    expect(request.pings).toHaveLength(1);
    expect(facts(run)?.endedAt).toBeUndefined();
  });

  it('cannot be sent on a connection that goes away: that says nothing', async () => {
    const { clock, request, run } = await open();
    request.leaving = true;
    await clock.advance(100_000);
    expect(facts(run)).not.toHaveProperty('pingUnansweredSince');
    expect(facts(run)).not.toHaveProperty('pongAt');
  });

  it('is answered late, or the stream brings something after all: it was not dead', async () => {
    const late = await open();
    await late.clock.advance(50_000);
    late.request.pings[0]?.();
    await late.clock.turn();
    expect(facts(late.run)).toMatchObject({ pongAt: late.clock.now() });
    expect(facts(late.run)).not.toHaveProperty('pingUnansweredSince');
    const alive = await open();
    await alive.clock.advance(50_000);
    alive.request.bytes(event('MODIFIED', 'web-0', '102'));
    await alive.clock.turn();
    expect(facts(alive.run)).not.toHaveProperty('pingUnansweredSince');
  });

  it('waits for its answer in real seconds, however fast the clock runs', async () => {
    const { clock, run } = await open(100);
    await clock.advance(30_000);
    await clock.advance(1_499_000);
    expect(facts(run)).not.toHaveProperty('pingUnansweredSince');
    await clock.advance(1_000);
    expect(facts(run)).toHaveProperty('pingUnansweredSince');
  });
});
