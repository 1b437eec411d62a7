import type { CacherState } from '../cacher/cacher-state.ts';
import type { MvccStoreState } from '../store/mvcc-store.ts';
import type { ApiServer } from './apiserver.ts';

/** Body of `GET /kwatch/state` (contract §4): the machine room, for programs. */
export interface ControlState extends MvccStoreState {
  apiservers: { url: string; resources: CacherState[] }[];
}

/** How things stand in the store and in every watch cache. */
export function controlState(store: { state(): MvccStoreState }, apiservers: readonly ApiServer[]): ControlState {
  return {
    ...store.state(),
    apiservers: apiservers.map(({ url, cachers }) => ({
      url,
      resources: [...cachers.values()].map((cacher) => cacher.state()),
    })),
  };
}
