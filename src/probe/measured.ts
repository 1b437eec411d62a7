import type { ResourceVersion } from '../protocol/resource-version.ts';
import { revisionsApart } from '../protocol/resource-version.ts';
import { type RateRange, rateRange } from './count-range.ts';
import type { Floor, Newest } from './window-age.ts';

/** What the quick half has learnt, for the checks that come after and for the budget. It grows as answers come. */
export interface Measured {
  serverVersion?: string;
  /** Server's clock minus ours, ms; half a second better or worse. */
  dateSkewMs?: number;
  /** Served through a watch cache? */
  cached?: boolean;
  floors: Floor[];
  /** What etcd, and the cache, said to be the newest. */
  heads: Newest[];
  newest: Newest[];
  /** The lowest RV that etcd still holds lies in between (`low` was refused, `high` granted). */
  etcdFloor?: { low: ResourceVersion; high: ResourceVersion };
  /** Of the resource, where /metrics may be read. */
  samples?: Record<string, number>;
}

/** Revisions a second, from the first and the last reading of etcd's RV. */
export function revisionRate({ heads }: Pick<Measured, 'heads'>): RateRange | undefined {
  const [first, last] = [heads[0], heads.at(-1)];
  if (!first || !last || last.answeredAt - first.askedAt < 1000) return undefined;
  const apart = revisionsApart(first.rv, last.rv);
  return apart === undefined || apart < 0 ? undefined : rateRange(apart, last.answeredAt - first.askedAt);
}
