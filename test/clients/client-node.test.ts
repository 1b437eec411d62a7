import {
  CoreV1Api,
  type Informer,
  KubeConfig,
  makeInformer,
  type ObjectCache,
  type V1ConfigMap,
} from '@kubernetes/client-node';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ClientLab, clientLab, type Held } from '../support/client-lab.ts';

/** Events in a ring: a burst of more passes every watcher that is away. */
const RING = 20;

/** The informer of @kubernetes/client-node with what it says of itself. */
class Client {
  readonly informer: Informer<V1ConfigMap> & ObjectCache<V1ConfigMap>;
  /** RV of every list that it read. */
  readonly lists: string[] = [];
  readonly errors: unknown[] = [];
  #look = () => {};

  constructor(server: string) {
    const config = new KubeConfig();
    config.loadFromOptions({
      clusters: [{ name: 'lab', server, skipTLSVerify: true }],
      users: [{ name: 'lab' }],
      contexts: [{ name: 'lab', cluster: 'lab', user: 'lab' }],
      currentContext: 'lab',
    });
    const api = config.makeApiClient(CoreV1Api);
    this.informer = makeInformer(config, '/api/v1/namespaces/default/configmaps', async () => {
      const list = await api.listNamespacedConfigMap({ namespace: 'default' });
      this.lists.push(list.metadata?.resourceVersion ?? '');
      return list;
    });
    for (const what of ['add', 'update', 'delete'] as const) this.informer.on(what, () => this.#look());
    this.informer.on('connect', () => this.#look());
    this.informer.on('error', (error) => {
      this.errors.push(error);
      this.#look();
    });
  }

  held(): Held {
    return Object.fromEntries(
      this.informer.list().map(({ metadata }) => [`default/${metadata?.name}`, metadata?.resourceVersion ?? '']),
    );
  }

  /** Resolves once something that the informer says makes it true. */
  until(what: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      this.#look = () => {
        if (what()) resolve();
      };
      this.#look();
    });
  }

  async comesTo(expected: Held): Promise<void> {
    await this.until(() => JSON.stringify(sorted(this.held())) === JSON.stringify(sorted(expected)));
    expect(this.held()).toEqual(expected);
  }
}

const sorted = (held: Held) => Object.entries(held).sort();

describe('@kubernetes/client-node', () => {
  let lab: ClientLab;
  let client: Client;
  beforeEach(async () => {
    lab = await clientLab(RING);
    await lab.burst('configmaps', 5);
    client = new Client(lab.gate.url);
    await client.informer.start();
    await client.comesTo(await lab.held('configmaps'));
  });
  afterEach(async () => {
    await client.informer.stop();
    await lab.close();
  });

  const refusals = () => lab.trace.filter((one) => one.what === 'refuse');
  /** Sends it away, does what is done meanwhile, and lets it back. */
  const whileAway = async (work: () => Promise<void>) => {
    const heard = client.errors.length;
    await lab.gate.shut();
    // It says that its watch broke, or that nobody is there, and leaves it to its user to start again.
    await client.until(() => client.errors.length > heard);
    await work();
    await lab.gate.open();
    await client.informer.start();
  };

  it('lists, watches, and has what the server has after a burst', async () => {
    await lab.burst('configmaps', 100);
    await lab.remove('configmaps', 'o3');
    await client.comesTo(await lab.held('configmaps'));
    expect(client.lists).toHaveLength(1);
  });

  it('resumes where it was when the ring still reaches back', async () => {
    await whileAway(() => lab.burst('configmaps', RING / 2));
    await client.comesTo(await lab.held('configmaps'));
    expect(client.lists).toHaveLength(1);
    expect(refusals()).toEqual([]);
  });

  it('lists again after a 410 of the ring', async () => {
    await whileAway(async () => {
      await lab.burst('configmaps', RING * 3);
      await lab.remove('configmaps', 'o1');
    });
    await client.comesTo(await lab.held('configmaps'));
    expect(client.lists).toHaveLength(2);
    expect(refusals()).toMatchObject([{ resource: 'configmaps', because: 'ring' }]);
    await lab.burst('configmaps', 50);
    await client.comesTo(await lab.held('configmaps'));
  });
});
