import { describe, expect, it } from 'vitest';
import type { Replica } from '../../src/apiserver/replica.ts';
import type { Middleboxes } from '../../src/scenario/middleboxes.ts';
import type { BreakStep, ProxyStep, Script, ScriptStep } from '../../src/scenario/script.ts';
import { type ScriptClients, ScriptRunner } from '../../src/scenario/script-runner.ts';
import { StepFailure } from '../../src/scenario/step-failure.ts';
import type { WriteRequest } from '../../src/scenario/workload.ts';
import { Workload } from '../../src/scenario/workload.ts';
import { MvccStore } from '../../src/store/mvcc-store.ts';
import { ObjectStore } from '../../src/store/object-store.ts';
import { seededRandom } from '../../src/util/random.ts';
import { FakeClock } from '../support/fake-clock.ts';

/** A runner whose clients and apiservers only note what is asked of them, each with its time. */
function lab({
  refused = () => false,
  write: slow = async () => {},
  restart,
}: {
  refused?: (request: WriteRequest) => boolean;
  write?: () => Promise<void>;
  restart?: () => Promise<void>;
} = {}) {
  const clock = new FakeClock();
  const start = clock.now();
  const done: string[] = [];
  const note = (text: string) => done.push(`${clock.now() - start} ${text}`);
  const random = seededRandom(1);
  const store = new MvccStore({ clock, trace: (event) => event.what === 'compact' && note(`compact ${event.rv}`) });
  const storage = (resource: string) =>
    new ObjectStore({
      store,
      clock,
      random,
      resourcePrefix: `/registry/${resource}`,
      namespaced: true,
      groupResource: resource,
    });
  const workload = new Workload({ storage, clock, random, namespace: 'default', objects: 3 });
  const write = workload.write.bind(workload);
  workload.write = async (request) => {
    if (refused(request)) throw new Error('no space');
    await slow();
    await write(request);
    note(`write ${request.resource}`);
  };
  const client = async (step: ScriptStep) => void note(step.verb);
  const clients: ScriptClients = {
    watch: client,
    list: client,
    stall: client,
    disconnect: client,
    resume: client,
    expect: client,
  };
  const replica = {
    cut: (resource?: string) => note(`cut ${resource ?? 'all'}`),
    blackhole: (resource?: string) => note(`blackhole ${resource ?? 'all'}`),
    restore: (resource?: string) => note(`restore ${resource ?? 'all'}`),
    link: { state: () => 'cut' },
    flowControl: { throttle: (how: object) => note(`throttle ${JSON.stringify(how)}`) },
    url: 'http://127.0.0.1:1',
    restart:
      restart ??
      (async () => {
        await clock.sleep(60_000);
        note('restarted');
      }),
    kill: async () => void note('killed'),
    cachers: new Map([['pods', { setRingCapacity: (capacity: number) => note(`ring ${capacity}`) }]]),
  } as unknown as Replica;
  const over = new AbortController();
  const middleboxes = {
    put: async ({ proxy }: ProxyStep, { url }: { url: string }) => note(`${proxy} before ${url}`),
    strike: async ({ proxy, by }: BreakStep) => note(`${proxy} broken by ${by}`),
  } as unknown as Middleboxes;
  const runner = new ScriptRunner({
    store,
    replicas: [replica],
    workload,
    clients,
    middleboxes,
    clock,
    signal: over.signal,
  });
  const play = (steps: ScriptStep[], numbers: Script['numbers'] = {}) =>
    runner.play({ name: 't', numbers, steps }, () => {});
  return { clock, done, runner, play, over };
}

describe('a script that is played', () => {
  it('takes one step after the other, each not before its time', async () => {
    const { clock, done, play } = lab();
    const played = play([
      { verb: 'watch', watcher: 'A', resource: 'pods' },
      { verb: 'disconnect', watcher: 'A', at: 1000 },
      { verb: 'wait', forMs: 500 },
      { verb: 'cut', resource: 'upstream' },
      { verb: 'cut', resource: 'pods', silent: true },
      { verb: 'restore', resource: 'pods', at: 1200 },
      { verb: 'resize', resource: 'pods', capacity: 7 },
      { verb: 'throttle', server: 0, forMs: 2000, retryAfter: 3 },
      { verb: 'proxy', proxy: 'P' },
      { verb: 'break', proxy: 'P', by: 'reset' },
      { verb: 'restart', server: 0, kill: true },
      { verb: 'restart', server: 0 },
      { verb: 'expect', of: 'A', state: 'live' },
    ]);
    await clock.advance(120_000);
    await played;
    expect(done).toEqual([
      '0 watch',
      '1000 disconnect',
      '1500 cut all',
      '1500 blackhole pods',
      '1500 restore pods',
      '1500 ring 7',
      '1500 throttle {"retryAfterSeconds":3,"forMs":2000}',
      '1500 P before http://127.0.0.1:1',
      '1500 P broken by reset',
      '1500 killed',
      '61500 restarted',
      '61500 expect',
    ]);
  });

  it('lets a burst go on beside the steps, and background writes beside both', async () => {
    const { clock, done, play } = lab();
    const played = play(
      [
        { verb: 'burst', count: 4, withinMs: 2000 },
        { verb: 'compact', revision: 'head', at: 1100 },
      ],
      {
        background: 1,
      },
    );
    await clock.advance(2000);
    await played;
    expect(done).toEqual([
      '0 write pods',
      '500 write pods',
      '500 write events',
      '500 write pods',
      '1000 write pods',
      '1100 compact 6',
      '1500 write pods',
      '1500 write events',
      '1500 write pods',
    ]);
  });

  it.each<[ScriptStep, string]>([
    [{ verb: 'compact', revision: 999 }, 'etcdserver: mvcc: required revision is a future revision'],
    [{ verb: 'resize', resource: 'events', capacity: 5 }, 'events has no watch cache'],
    [{ verb: 'cut', resource: 'upstream', server: 3 }, 'there is no apiserver 3'],
    [{ verb: 'delete', resource: 'pods', name: 'gone' }, 'pods "gone" not found'],
  ])('ends with a step that cannot be done: %j', async (step, why) => {
    const { play } = lab();
    const failed = await play([step]).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(StepFailure);
    expect(failed).toMatchObject({ message: why, step });
  });

  it('gives up on an apiserver that does not serve again', async () => {
    const { clock, play } = lab({ restart: () => new Promise(() => {}) });
    const step: ScriptStep = { verb: 'restart', server: 0 };
    const failed = play([step]).catch((error: unknown) => error);
    await clock.advance(120_000);
    expect(await failed).toMatchObject({
      step,
      message: 'the apiserver does not serve again within 120 s: it is cut off from the store (restore comes first)',
    });
  });

  it('takes the steps below along where one is late, and makes good what is little', async () => {
    const { clock, done, play } = lab({ restart: () => clock.sleep(3000) });
    const played = play([
      { verb: 'restart', server: 0, at: 1000 },
      { verb: 'cut', resource: 'upstream', at: 2000 },
      { verb: 'write', resource: 'pods', at: 2000 },
      { verb: 'restore', resource: 'upstream', at: 4500 },
      { verb: 'wait', forMs: 200 },
      { verb: 'disconnect', watcher: 'A', at: 4600 },
      { verb: 'resume', watcher: 'A', at: 5000 },
    ]);
    await clock.advance(10_000);
    await played;
    expect(done).toEqual(['4000 cut all', '4000 write pods', '6500 restore all', '6700 disconnect', '7000 resume']);
  });

  it('begins a step when everything that was due before it has been written, and counts on from there', async () => {
    const { clock, done, play } = lab({ write: () => clock.sleep(100) });
    const played = play([
      { verb: 'burst', count: 20, withinMs: 100 },
      { verb: 'compact', revision: 'head', at: 500 },
      { verb: 'disconnect', watcher: 'A', at: 800 },
    ]);
    await clock.advance(4000);
    await played;
    expect(done.filter((line) => !line.includes('write'))).toEqual(['2000 compact 21', '2300 disconnect']);
  });

  it('compacts at a head that is compacted already', async () => {
    const { done, play } = lab();
    const head: ScriptStep = { verb: 'compact', revision: 'head' };
    await play([{ verb: 'write', resource: 'pods' }, head, head]);
    expect(done).toEqual(['0 write pods', '0 compact 2']);
  });

  it('ends with a burst whose write is refused, while the steps wait', async () => {
    let writes = 0;
    const { clock, play } = lab({ refused: () => ++writes > 2 });
    const burst: ScriptStep = { verb: 'burst', count: 10, withinMs: 1000 };
    const failed = play([burst, { verb: 'wait', forMs: 60_000 }]).catch((error: unknown) => error);
    await clock.advance(300);
    expect(await failed).toMatchObject({ message: 'no space', step: burst });
  });

  it('stops in the middle of a wait, of a burst and of a step of somebody else', async () => {
    const { clock, done, play, over, runner } = lab();
    const played = play([
      { verb: 'burst', count: 100, withinMs: 100_000 },
      { verb: 'restart', server: 0 },
      { verb: 'compact', revision: 'head' },
    ]);
    await clock.advance(1500);
    over.abort();
    await clock.advance(1);
    await played;
    await runner.done();
    await clock.advance(1000);
    expect(done).toEqual(['0 write pods', '1000 write pods']);
  });
});
