import { describe, expect, it } from 'vitest';
import type { SessionOutput } from '../../src/client/output.ts';
import type { Run, RunEnd, RunOptions, TargetSpec } from '../../src/client/run.ts';
import { startRunOver } from '../../src/client/session-runner.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { FakeTransport, fakeEndpoint } from '../support/fake-transport.ts';
import { bookmark, errorEvent, event } from '../support/playbook.ts';

const spec = (path: string, over: Partial<TargetSpec> = {}): TargetSpec => ({
  path,
  query: 'watch=1&resourceVersion=100',
  raw: true,
  start: 'url',
  ...over,
});
const PODS = '/api/v1/namespaces/shop/pods';
const NODES = '/api/v1/nodes';

interface Lab {
  clock: FakeClock & { speed?: number; start?: () => void };
  transport: FakeTransport;
  outputs: SessionOutput[];
  run: Run;
  ended: () => RunEnd | undefined;
}

/** A run over a transport that waits for its answers; the first requests are out when this resolves. */
async function lab(options: Partial<RunOptions> = {}, speed?: number): Promise<Lab> {
  const clock: Lab['clock'] = Object.assign(new FakeClock(), speed === undefined ? {} : { speed });
  const transport = new FakeTransport();
  const outputs: SessionOutput[] = [];
  let end: RunEnd | undefined;
  const run = startRunOver(transport, {
    endpoint: fakeEndpoint(),
    targets: [spec(PODS)],
    version: '1.2.3',
    probing: false,
    clock,
    random: () => 0,
    onOutput: (output) => outputs.push(output),
    ...options,
  });
  void run.done.then((value) => {
    end = value;
  });
  await clock.turn();
  return { clock, transport, outputs, run, ended: () => end };
}

const kinds = (outputs: SessionOutput[]) => outputs.filter(({ kind }) => kind !== 'phase').map(({ kind }) => kind);

describe('run: requests', () => {
  it('says who it is and what it takes; -H takes the place of any header', async () => {
    const { transport } = await lab({
      endpoint: fakeEndpoint({ authorization: async () => 'Bearer t' }),
      headers: { Accept: 'application/cbor', 'X-Trace': '1' },
    });
    expect(transport.latest().headers).toEqual({
      accept: 'application/cbor',
      'user-agent': 'kwatch/1.2.3',
      authorization: 'Bearer t',
      'x-trace': '1',
    });
  });

  it('numbers streams over all targets, each on a lane of its own', async () => {
    const { transport, run, clock } = await lab({ targets: [spec(PODS), spec(NODES)] });
    transport.latest(NODES).accept().bytes(bookmark('101')).end();
    await clock.turn();
    expect(run.facts().streams.map(({ stream, target }) => [stream, target.index])).toEqual([
      [1, 0],
      [2, 1],
      [3, 1],
    ]);
    expect(transport.latest(PODS).lane).not.toBe(transport.latest(NODES).lane);
  });

  it('lists in pages of metadata, and hands over the whole', async () => {
    const { transport, outputs, run, clock } = await lab({
      targets: [spec(PODS, { start: 'list', query: '', raw: false })],
    });
    expect(transport.latest().headers.accept).toContain('PartialObjectMetadataList');
    expect(run.facts().pendingLists).toMatchObject([{ methodPath: `${PODS}?limit=500`, why: 'start' }]);
    transport
      .latest()
      .answer(200, '{"metadata":{"resourceVersion":"7","continue":"t"},"items":[{"metadata":{"name":"a"}}]}');
    await clock.turn();
    transport.latest().answer(200, '{"metadata":{"resourceVersion":"7"},"items":[]}');
    await clock.turn();
    expect(kinds(outputs)).toEqual(['open', 'open', 'list']);
    expect(run.facts()).toMatchObject({ lists: [{ rv: '7', items: 1, pages: 2 }], pendingLists: [] });
    expect(transport.latest().path).toContain('resourceVersion=7');
  });

  it('a page that is no list, or a body that breaks off, is a failed list', async () => {
    const { transport, run, clock } = await lab({ targets: [spec(PODS, { start: 'list' })] });
    transport.latest().written().head().bytes('{"items":[').end('truncated', 'UND_ERR_SOCKET');
    await clock.advance(1000);
    transport.latest().answer(200, '<html>');
    expect(run.facts().lists.map(({ refusal }) => refusal?.end)).toEqual(['truncated', 'not-a-stream']);
  });

  it('reads 64 KiB of a refusal, and waits two seconds for it', async () => {
    const { transport, run, clock } = await lab();
    transport.latest().written().head(503).bytes('x'.repeat(70_000));
    expect(transport.latest().closed).toBe(true);
    expect(run.facts().streams[0]).toMatchObject({ end: 'rejected', httpStatus: 503, body: { size: 70_000 } });
    await clock.advance(1000);
    transport.latest().written().head(503).bytes('half');
    expect(run.facts().streams[1]?.end).toBeUndefined();
    await clock.advance(2000);
    expect(run.facts().streams[1]).toMatchObject({ end: 'rejected', body: { text: 'half' } });
  });

  it('reads credentials again after a 401, and tries once more', async () => {
    let token = 'old';
    const endpoint = fakeEndpoint({
      authorization: async () => token,
      renew: async () => {
        token = 'new';
      },
    });
    const { transport, clock, ended } = await lab({ endpoint });
    transport.latest().answer(401, '');
    await clock.turn();
    expect(transport.latest().headers.authorization).toBe('new');
    transport.latest().answer(401, '');
    await clock.turn();
    expect(ended()).toEqual({ reason: 'refused', granted: false });
  });

  it('takes a request that cannot be sent for one without an answer', async () => {
    const endpoint = fakeEndpoint({ authorization: () => Promise.reject(new Error('no plugin')) });
    const { run } = await lab({ endpoint });
    expect(run.facts().streams[0]).toMatchObject({ end: 'no-response', endDetail: 'not sent: no plugin' });
  });
});

describe('run: time', () => {
  it('starts its clock with the first request, and counts --for from there', async () => {
    const started: number[] = [];
    const { transport, clock, ended } = await lab({
      forMs: 5000,
      clock: Object.assign(new FakeClock(), { start: () => started.push(1) }),
    });
    expect(started).toEqual([]);
    expect(ended()).toBeUndefined();
    transport.latest().accept();
    expect(started).toEqual([1]);
    await clock.turn();
  });

  it('ends after --for, with the end of each stream told, and leaves no timer', async () => {
    const { transport, clock, outputs, ended, run } = await lab({ forMs: 5000, probing: true });
    transport.latest().accept();
    await clock.advance(4999);
    expect(ended()).toBeUndefined();
    await clock.advance(1);
    expect(ended()).toEqual({ reason: 'time', granted: true });
    expect(outputs.filter(({ kind }) => kind === 'end')).toMatchObject([{ facts: { end: 'stopped' } }]);
    expect(run.facts().finished).toBe(true);
    expect(clock.timers).toBe(0);
    expect(transport.closedLanes).toBe(transport.lanes);
  });

  it('counts the 10 s for headers in real time, however fast its clock runs', async () => {
    const { transport, clock, outputs, run } = await lab({}, 100);
    transport.latest().written();
    await clock.advance(999_999);
    expect(run.facts().streams[0]?.noAnswerAt).toBeUndefined();
    await clock.advance(1);
    expect(run.facts().streams[0]?.noAnswerAt).toBe(clock.now());
    expect(outputs.at(-1)).toMatchObject({ kind: 'phase', phase: { state: 'no-answer' } });
    transport.latest().head();
    expect(run.facts().streams[0]).toMatchObject({ openedAt: clock.now() });
  });

  it('wakes after its back-off', async () => {
    const { transport, clock } = await lab();
    transport.latest().end('refused', 'ECONNREFUSED');
    await clock.advance(799);
    expect(transport.requests).toHaveLength(1);
    await clock.advance(1);
    expect(transport.requests).toHaveLength(2);
  });
});

describe('run: its end', () => {
  it('stops by its signal, also before the first answer', async () => {
    const abort = new AbortController();
    const { transport, clock, ended } = await lab({ signal: abort.signal });
    abort.abort();
    await clock.turn();
    expect(ended()).toEqual({ reason: 'asked', granted: false });
    expect(transport.latest().closed).toBe(true);
    const dead = await lab({ signal: abort.signal });
    expect(dead.ended()).toMatchObject({ reason: 'asked' });
  });

  it('ends as refused only when every target was', async () => {
    const { transport, clock, ended } = await lab({ targets: [spec(PODS), spec(NODES)] });
    transport.latest(PODS).answer(403, '');
    await clock.turn();
    expect(ended()).toBeUndefined();
    transport.latest(NODES).answer(404, '');
    await clock.turn();
    expect(ended()).toEqual({ reason: 'refused', granted: false });
  });

  it('--once ends with its streams', async () => {
    const { transport, clock, ended } = await lab({ once: true });
    transport.latest().accept().end();
    await clock.turn();
    expect(ended()).toEqual({ reason: 'once', granted: true });
  });
});

describe('run: reading', () => {
  it('--read-stall leaves stream 1 unread from its headers on, and no other', async () => {
    const { transport, clock, run } = await lab({ readStallMs: 4000, targets: [spec(PODS), spec(NODES)] });
    transport.latest(PODS).accept();
    transport.latest(NODES).accept();
    expect([transport.latest(PODS).paused, transport.latest(NODES).paused]).toEqual([true, false]);
    await clock.advance(4000);
    expect(transport.latest(PODS).paused).toBe(false);
    expect(run.facts().streams[0]).toMatchObject({ readStalledMs: 4000, readStallEndedAt: clock.now() });
    transport.latest(PODS).end();
    await clock.turn();
    transport.latest(PODS).accept();
    expect(transport.latest(PODS).paused).toBe(false);
  });

  it('stops reading while the output is full, streams that open meanwhile too', async () => {
    const { transport, clock, run } = await lab({ targets: [spec(PODS), spec(NODES)] });
    transport.latest(PODS).accept();
    run.pause(true);
    transport.latest(NODES).accept();
    expect([transport.latest(PODS).paused, transport.latest(NODES).paused]).toEqual([true, true]);
    await clock.advance(700);
    run.pause(false);
    expect([transport.latest(PODS).paused, transport.latest(NODES).paused]).toEqual([false, false]);
    expect(run.facts().streams.map(({ readStalledMs }) => readStalledMs)).toEqual([700, 700]);
  });
});

describe('run: leaving and coming back', () => {
  it('holds the RV, and comes back with it', async () => {
    const { transport, run, clock } = await lab();
    transport.latest().accept().bytes(bookmark('120'));
    run.drop(0);
    expect(transport.latest().closed).toBe(true);
    expect(run.resumeRv(0)).toBe('120');
    await clock.advance(100_000);
    expect(transport.requests).toHaveLength(1);
    run.resume(0, { timeoutSeconds: 5 });
    await clock.turn();
    expect(transport.latest().path).toBe(`${PODS}?watch=1&resourceVersion=120&timeoutSeconds=5`);
  });

  it('tells nothing of a stream that it left', async () => {
    const { transport, run, outputs } = await lab();
    const left = transport.latest().accept();
    run.drop(0);
    const before = outputs.length;
    left.bytes(event('ADDED', 'a', '101')).end('reset');
    expect(outputs).toHaveLength(before);
  });
});

describe('run: probes', () => {
  it('sends each on a lane of its own, names it, and tells the answer with its connection', async () => {
    const { transport, clock, run } = await lab({ probing: true, headers: { 'User-Agent': 'x', Accept: 'y' } });
    const watch = transport.latest().accept();
    await clock.turn();
    const [version] = transport.probes('version');
    const [window] = transport.probes('window');
    expect(version?.headers).toEqual({ accept: 'application/json', 'user-agent': 'kwatch/1.2.3 probe/version' });
    expect(new Set([watch.lane, version?.lane, window?.lane]).size).toBe(3);
    version?.answer(200, '{"gitVersion":"v1.30.3"}');
    window?.accept().bytes(errorEvent(410, 'too old resource version: 1 (985)'));
    expect(window?.closed).toBe(true);
    expect(run.facts()).toMatchObject({
      serverVersion: 'v1.30.3',
      probes: [
        { kind: 'version', connection: version?.lane },
        { kind: 'window', outcome: { kind: 'floor', floor: '985' }, connection: window?.lane, httpStatus: 200 },
      ],
    });
  });

  it('reads the counters once for all resources of the run', async () => {
    const { transport, clock, run } = await lab({ probing: true, targets: [spec(PODS), spec(NODES)] });
    transport.latest(PODS).accept();
    transport.latest(NODES).accept();
    await clock.turn();
    expect(transport.probes('metrics')).toHaveLength(1);
    transport
      .probes('metrics')[0]
      ?.answer(200, 'watch_cache_capacity{resource="pods"} 100\nwatch_cache_capacity{resource="nodes"} 200\n');
    expect(
      run
        .facts()
        .probes.filter(({ kind }) => kind === 'metrics')
        .map(({ target, outcome }) => [target.index, outcome]),
    ).toEqual([
      [0, { kind: 'metrics', samples: { watch_cache_capacity: 100 } }],
      [1, { kind: 'metrics', samples: { watch_cache_capacity: 200 } }],
    ]);
  });

  it('asks etcd in a namespace where it saw that the objects have one', async () => {
    const { transport, clock } = await lab({ probing: true, targets: [spec('/apis/x.io/v1/widgets')] });
    transport
      .latest()
      .accept()
      .bytes(event('ADDED', 'a', '101'), errorEvent(410));
    await clock.turn();
    expect(transport.probes('exact')[0]?.path).toMatch(
      /^\/apis\/x.io\/v1\/namespaces\/default\/widgets\?.*resourceVersion=101/,
    );
  });

  it('gives up a probe after ten real seconds', async () => {
    const { transport, clock, run } = await lab({ probing: true }, 2);
    transport.latest().accept();
    await clock.advance(19_999);
    expect(run.facts().probes).toEqual([]);
    await clock.advance(1);
    expect(run.facts().probes.map(({ outcome }) => outcome)).toContainEqual({
      kind: 'failed',
      detail: 'no answer: not answered within 10 s',
    });
    expect(transport.probes('version')[0]?.closed).toBe(true);
  });

  it('asks for the version alone where the path is no resource’s', async () => {
    const { transport, clock } = await lab({ probing: true, targets: [spec('/stream')] });
    transport.latest().accept().bytes(errorEvent(410));
    await clock.advance(60_000);
    expect(transport.requests.flatMap(({ probe }) => probe ?? [])).toEqual(['version']);
  });

  it('sends nothing under --no-probe', async () => {
    const { transport, clock, run } = await lab();
    transport.latest().accept().bytes(errorEvent(410)).end();
    await clock.advance(60_000);
    expect(transport.requests.every(({ probe }) => probe === undefined)).toBe(true);
    expect(run.facts().probing).toBe(false);
  });
});

describe('run: facts', () => {
  it('keeps the last 200 streams, and the running ones always', async () => {
    const { transport, clock, run } = await lab({ targets: [spec(PODS), spec(NODES)] });
    transport.latest(NODES).accept();
    for (let n = 0; n < 300; n++) {
      transport
        .latest(PODS)
        .accept()
        .bytes(bookmark(String(200 + n)))
        .end();
      await clock.advance(5000);
    }
    const { streams } = run.facts();
    expect(streams).toHaveLength(200);
    expect(streams[0]).toMatchObject({ stream: 2, target: { index: 1 } });
  });

  it('never goes back in time, whatever the wall clock does', async () => {
    const { transport, clock, run } = await lab();
    const real = clock.now.bind(clock);
    transport.latest().accept();
    Object.assign(clock, { now: () => real() - 3_600_000 });
    transport.latest().bytes(bookmark('101')).end();
    const [first] = run.facts().streams;
    expect((first?.endedAt ?? 0) - (first?.openedAt ?? 0)).toBe(0);
  });
});
