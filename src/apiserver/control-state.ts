import type { CacherState } from '../cacher/cacher-state.ts';
import type { MvccStoreState } from '../store/mvcc-store.ts';
import type { LinkState } from '../store/store-link.ts';
import type { Replica } from './replica.ts';

/** Body of `GET /kwatch/state` (contract §4): the machine room, for programs. */
export interface ControlState extends MvccStoreState {
  apiservers: ApiServerState[];
}

export interface ApiServerState {
  url: string;
  state: Replica['state'];
  /** How it is joined to the store, and the resources that are cut off alone. */
  link: LinkState;
  cutOff: Record<string, LinkState>;
  resources: CacherState[];
}

/** What is shown of a replica. */
type Shown = Pick<Replica, 'url' | 'state' | 'link' | 'cachers'>;

/** How things stand in the store and in every watch cache. */
export function controlState(store: { state(): MvccStoreState }, replicas: readonly Shown[]): ControlState {
  return {
    ...store.state(),
    apiservers: replicas.map(({ url, state, link, cachers }) => ({
      url,
      state,
      link: link.state(),
      cutOff: Object.fromEntries(link.exceptions()),
      resources: [...cachers.values()].map((cacher) => cacher.state()),
    })),
  };
}
