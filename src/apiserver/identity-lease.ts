import type { KubeObject } from '../protocol/object.ts';
import { ObjectStore } from '../store/object-store.ts';
import type { Storage } from '../store/storage.ts';
import type { Clock } from '../util/clock.ts';
import type { Random } from '../util/random.ts';
import { timestamp } from './registry.ts';
import { apiVersionOf, groupResource, type Resource, storageKey } from './resource.ts';
import { uuid } from './uuid.ts';

/** instance.go: how long the lease of an apiserver's identity is good for, s. Upstream renews it every 10 s. */
const LEASE_SECONDS = 3_600;

const NAMESPACE = 'kube-system';

export interface IdentityLeaseOptions {
  store: Storage;
  leases: Resource;
  clock: Clock;
  random: Random;
  /** Which of the apiservers it is, from 0. */
  index: number;
}

/**
 * Writes what an apiserver writes of itself when it has started (instance.go kube-apiserver-identity-lease-controller): its Lease, by
 * which the revision moves on. Upstream renews it every 10 s; here there is nobody who would look.
 */
export async function writeIdentityLease(options: IdentityLeaseOptions): Promise<void> {
  const { store, leases, clock, random, index } = options;
  const name = `apiserver-${index}`;
  const storage = new ObjectStore({
    store,
    clock,
    random,
    resourcePrefix: leases.prefix ?? '',
    namespaced: true,
    groupResource: groupResource(leases),
  });
  await storage.guaranteedUpdate(storageKey(leases, NAMESPACE, name), { ignoreNotFound: true }, (current) => ({
    ...(current?.object ?? leaseNamed(name, options)),
    spec: {
      holderIdentity: `${name}_${uuid(random)}`,
      leaseDurationSeconds: LEASE_SECONDS,
      renewTime: `${timestamp(clock.now()).slice(0, -1)}.000000Z`,
    },
  }));
}

function leaseNamed(name: string, { leases, clock, random }: IdentityLeaseOptions): KubeObject {
  return {
    kind: leases.kind,
    apiVersion: apiVersionOf(leases),
    metadata: {
      name,
      namespace: NAMESPACE,
      uid: uuid(random),
      creationTimestamp: timestamp(clock.now()),
      labels: { 'apiserver.kubernetes.io/identity': 'kube-apiserver' },
    },
  };
}
