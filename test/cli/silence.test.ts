import { afterEach, describe, expect, it } from 'vitest';
import { DiagnosedRun } from '../../src/cli/diagnosed-run.ts';
import type { RunClock, RunOptions } from '../../src/client/run.ts';
import { verdictOf } from '../../src/diagnosis/verdict.ts';
import type { FeedItem } from '../../src/render/feed.ts';
import { targetOf } from '../../src/render/feed-target.ts';
import { WindowWatch } from '../../src/render/window-watch.ts';
import { SystemClock } from '../../src/util/clock.ts';
import { Condition } from '../../src/util/condition.ts';
import { FrozenPath } from '../support/frozen-path.ts';
import { PODS, type SilentScript, silentServer } from '../support/silent-server.ts';

/**
 * Real sockets that fall silent in every way, on a clock that runs fast. Nothing tells it so: what waits for a socket is as fast as the
 * rest.
 */
function fastClock(speed: number): RunClock {
  const clock = new SystemClock(speed);
  return {
    start: () => clock.start(),
    now: () => clock.now(),
    timer: (ms, fire) => clock.timer(ms, fire),
    sleep: (ms, signal) => clock.sleep(ms, signal),
    turn: () => clock.turn(),
  };
}

const SPEED = 40;
const QUERY = 'watch=1&resourceVersion=100&allowWatchBookmarks=true&timeoutSeconds=3000';

const closers: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

interface Watched {
  items: FeedItem[];
  run: DiagnosedRun;
  windows: WindowWatch;
  seen: readonly string[];
  path: FrozenPath;
  /** Until `is` holds; looked at after each thing that happened. */
  until(is: () => boolean): Promise<void>;
}

async function watch(script: SilentScript, over: Partial<RunOptions> = {}): Promise<Watched> {
  const server = await silentServer(script, over.http2);
  closers.push(server.close);
  const path = await new FrozenPath(server.port).open();
  closers.push(() => path.close());
  const items: FeedItem[] = [];
  const happened = new Condition();
  const windows = new WindowWatch();
  const host = `127.0.0.1:${path.port}`;
  const run = new DiagnosedRun({
    run: {
      endpoint: { scheme: 'http', host, prefix: '', tls: {}, authorization: async () => undefined, title: host },
      targets: [{ path: PODS, query: QUERY, raw: true, start: 'url' }],
      version: 'test',
      clock: fastClock(SPEED),
      random: () => 0,
      control: true,
      ...over,
    },
    face: {
      push(item) {
        items.push(item);
        windows.take(item, targetOf(item));
        happened.broadcast();
      },
    },
  });
  closers.push(async () => {
    run.run.stop();
    await run.done();
  });
  const until = async (is: () => boolean) => {
    while (!is()) await happened.wait(undefined);
  };
  return { items, run, windows, seen: server.seen, path, until };
}

const finding = ({ items }: Watched, name: string) =>
  items.flatMap((item) => (item.kind === 'finding' && item.finding.class === name ? [item.finding] : [])).at(-1);
const control = ({ items }: Watched) => items.flatMap((item) => (item.kind === 'control' ? [item.facts.state] : []));
const first = ({ run }: Watched) => run.run.facts().streams[0];

describe('a stream that is open and dead', () => {
  it('stalls after its headers, while a second watch gets events: cut, and resumed from where it was', async () => {
    const watched = await watch({ watch: (send, nth) => nth > 0 && send('MODIFIED', '900'), side: () => 2 });
    await watched.until(() => finding(watched, 'silent-stall') !== undefined);
    expect(finding(watched, 'silent-stall')).toMatchObject({ confidence: 'high', stream: 1 });
    expect(finding(watched, 'silent-stall')?.text).toContain('Node leases kept coming over another connection');
    await watched.until(() => watched.run.run.facts().streams.length > 1);
    expect(first(watched)).toMatchObject({ end: 'stalled', events: 0 });
  });

  it('stalls after bookmarks, on a connection of which nothing comes any more: half open, and the path lives', async () => {
    const watched = await watch({
      watch: (send, nth) => {
        if (nth === 0) for (const rv of ['101', '102', '103']) send('BOOKMARK', rv);
      },
      side: () => 1,
    });
    await watched.until(() => (first(watched)?.bookmarks ?? 0) === 3 && control(watched).includes('live'));
    watched.path.freeze(0);
    await watched.until(() => finding(watched, 'silent-stall') !== undefined);
    expect(finding(watched, 'silent-stall')?.evidence.join()).toContain('a second watch from the same RV got 1 frame');
    expect(first(watched)).toMatchObject({ end: 'stalled', lastRv: '103' });
  });

  it('and nothing else answers either: the path or the apiserver, and the stream is left alone', async () => {
    const watched = await watch({ watch: (send) => send('BOOKMARK', '101'), side: () => 1 });
    await watched.until(() => control(watched).includes('live'));
    watched.path.freeze();
    await watched.until(() => finding(watched, 'silent-stall') !== undefined);
    expect(control(watched)).toContain('unanswered');
    const told = finding(watched, 'silent-stall');
    expect(told?.candidates.map((one) => one.class)).toContain('unreachable');
    expect(told?.text).toContain('a new connection gets no answer');
    expect(first(watched)?.endedAt).toBeUndefined();
  });
});

describe('a stream that is only quiet', () => {
  it('is healthy beside a path that lives, however long', async () => {
    const watched = await watch({ watch: (send) => send('MODIFIED', '101'), side: () => 0 });
    await watched.until(() => watched.seen.filter((kind) => kind === 'side').length >= 2);
    const facts = watched.run.run.facts();
    expect(first(watched)?.endedAt).toBeUndefined();
    expect(watched.run.findings()).toEqual([]);
    expect(verdictOf(watched.run.findings(), facts).class).toBe('healthy');
    expect(facts.streams).toHaveLength(1);
  });

  it.each([
    ['forbidden', 'refused'],
    ['empty', 'none'],
  ] as const)('goes on where leases are %s, which is said once', async (leases, state) => {
    let more = () => {};
    const watched = await watch({
      watch: (send) => {
        send('MODIFIED', '101');
        more = () => send('MODIFIED', '102');
      },
      leases,
    });
    await watched.until(() => control(watched).length > 0);
    more();
    await watched.until(() => first(watched)?.events === 2);
    expect(control(watched)).toEqual([state]);
    expect(watched.run.findings()).toEqual([]);
  });

  it('is not called dead where the leases stall from the start: the control stream never lived', async () => {
    const watched = await watch({ watch: (send) => send('MODIFIED', '101'), leases: 'stall' });
    await watched.until(() => control(watched).includes('unanswered'));
    await watched.until(() => watched.seen.filter((kind) => kind === 'control').length >= 3);
    expect(watched.run.findings()).toEqual([]);
    expect(first(watched)?.endedAt).toBeUndefined();
  });
});

describe('over HTTP/2', () => {
  it('a frozen connection does not answer pings: told at once where another one lives, cut by nothing but a second watch', async () => {
    const watched = await watch({ watch: (send) => send('MODIFIED', '101'), side: () => 0 }, { http2: true });
    await watched.until(() => control(watched).includes('live') && first(watched)?.events === 1);
    watched.path.freeze(0);
    await watched.until(() => finding(watched, 'silent-stall') !== undefined);
    await watched.until(() => finding(watched, 'silent-stall')?.confidence === 'high');
    expect(finding(watched, 'silent-stall')?.text).toContain('HTTP/2 ping of its connection has had no answer');
    expect(first(watched)?.endedAt).toBeUndefined();
  });

  it('a quiet connection answers them, and is healthy', async () => {
    const watched = await watch({ watch: (send) => send('MODIFIED', '101'), side: () => 0 }, { http2: true });
    await watched.until(() => watched.seen.filter((kind) => kind === 'side').length >= 2);
    expect(first(watched)?.pongAt).toBeGreaterThan(0);
    expect(watched.run.findings()).toEqual([]);
  });
});

describe('the window behind a balancer', () => {
  it('of two apiservers is a range, each answer on its connection; of one whose floor creeps it is none', async () => {
    const floors = ['500', '300', '510', '310', '520', '320'];
    const two = await watch({
      watch: (send) => send('MODIFIED', '601'),
      floor: (nth) => floors[nth % 6] ?? '1',
      side: () => 0,
    });
    const answered = (of: Watched) =>
      of.items.filter((item) => item.kind === 'probe' && item.answer.kind === 'window').length;
    await two.until(() => answered(two) >= 3);
    const [window] = two.windows.summary(two.run.run.facts().now);
    expect(window?.estimate).toMatchObject({ replicas: 2, floor: '510', lowest: '300' });
    expect(new Set(window?.estimate?.told.map(({ connection }) => connection)).size).toBe(2);
    const one = await watch({
      watch: (send) => send('MODIFIED', '601'),
      floor: (nth) => String(300 + nth),
      side: () => 0,
    });
    await one.until(() => answered(one) >= 3);
    expect(one.windows.summary(one.run.run.facts().now)[0]?.estimate).toMatchObject({ replicas: 1, floor: '302' });
  });
});
