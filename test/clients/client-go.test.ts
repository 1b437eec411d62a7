import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ClientLab, clientLab, type Held } from '../support/client-lab.ts';
import { builtInformer, GoInformer } from './go-informer.ts';

const built = await builtInformer();
const program = 'program' in built ? built.program : '';
const skipped = 'missing' in built ? ` (skipped: ${built.missing})` : '';

/** Events in a ring: a burst of more passes every watcher that is away. */
const RING = 20;

const sorted = (held: Held) => JSON.stringify(Object.entries(held).sort());

// client-go waits 0.8 s and more before it tries again.
describe.skipIf(program === '')(`client-go informer${skipped}`, { timeout: 60_000 }, () => {
  let lab: ClientLab;
  let informer: GoInformer;
  beforeEach(async () => {
    lab = await clientLab(RING);
  });
  afterEach(async () => {
    await informer.stop();
    await lab.close();
  });

  const start = async (resource: 'configmaps' | 'events') => {
    await lab.burst(resource, 5);
    informer = new GoInformer(program, lab.gate.url, resource);
    await converges(resource);
    await informer.until(() => informer.requests.at(-1)?.request === 'watch');
    // A watch that ends within a second and without an event is none to client-go: it would list anew.
    await lab.burst(resource, 5);
    await converges(resource);
  };
  const converges = async (resource: 'configmaps' | 'events') => {
    const expected = await lab.held(resource);
    await informer.until(() => sorted(informer.held) === sorted(expected));
    expect(await informer.dump()).toEqual(expected);
  };
  const refusals = () => lab.trace.filter((one) => one.what === 'refuse');
  /** Sends it away, does what is done meanwhile, and lets it back. */
  const whileAway = async (work: () => Promise<void>) => {
    const asked = informer.requests.length;
    await lab.gate.shut();
    await informer.until(() => informer.requests.length > asked);
    await work();
    await lab.gate.open();
  };

  it('lists, watches, and has what the server has after a burst', async () => {
    await start('configmaps');
    await lab.burst('configmaps', 100);
    await lab.remove('configmaps', 'o3');
    await converges('configmaps');
    expect(informer.lists).toMatchObject([{ rv: '0' }]);
  });

  it('resumes where it was when the ring still reaches back', async () => {
    await start('configmaps');
    await whileAway(() => lab.burst('configmaps', RING / 2));
    await converges('configmaps');
    expect(informer.lists).toHaveLength(1);
    expect(refusals()).toEqual([]);
  });

  it('lists again after a 410 of the ring', async () => {
    await start('configmaps');
    const held = Math.max(...Object.values(informer.held).map(Number));
    await whileAway(async () => {
      await lab.burst('configmaps', RING * 3);
      await lab.remove('configmaps', 'o1');
    });
    await converges('configmaps');
    expect(refusals()).toMatchObject([{ resource: 'configmaps', because: 'ring', requested: String(held) }]);
    // At its last RV first: at least as fresh as what it had.
    expect(informer.lists[1]).toMatchObject({ rv: String(held) });
    await lab.burst('configmaps', 20);
    await converges('configmaps');
    expect(informer.lists).toHaveLength(2);
  });

  it('lists events again after etcd compacted them', async () => {
    await start('events');
    await whileAway(async () => {
      await lab.burst('events', 30);
      await lab.store.compact(lab.store.state().revision);
    });
    await converges('events');
    expect(refusals()).toMatchObject([{ resource: 'events', refusedBy: 'etcd', because: 'compacted' }]);
    expect(informer.lists).toHaveLength(2);
  });

  it('comes through an apiserver that dies, and through one that is cut off the store', async () => {
    await start('configmaps');
    await lab.replica.kill();
    await lab.burst('configmaps', 5);
    await converges('configmaps');
    lab.replica.cut('configmaps');
    lab.replica.restore('configmaps');
    await lab.burst('configmaps', 5);
    await converges('configmaps');
  });
});
