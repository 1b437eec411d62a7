import { compareRv } from '../protocol/resource-version.ts';

/** One answer about the floor. */
export interface FloorSample {
  rv: string;
  askedAt: number;
  /** When it was answered. */
  at: number;
  /** Id of the connection that it came on; another one may lead to another apiserver. */
  connection?: number;
  /** The newest RV that was known then. */
  present?: string;
}

/** What one apiserver may have told: floors that never fall. */
interface Chain {
  top: FloorSample;
  samples: number;
  /** When a sample was higher than the one before it. */
  roseAt: number | undefined;
  /** When it was seen to creep: see `creeps`. */
  creptAt: number | undefined;
}

/** An apiserver that did not answer for so long is not counted any more, ms: ten probes that all went elsewhere. */
const FORGOTTEN_MS = 300_000;
/** A floor that was not seen to rise for so long stands still, ms: two samples and a margin. */
const STILL_MS = 75_000;
/** More apiservers than any cluster has; beyond them the one that was silent longest is forgotten. */
const MAX_CHAINS = 16;

export interface KnownFloors {
  /** The last word of each, the highest first. */
  told: FloorSample[];
  highest: FloorSample;
  lowest: FloorSample;
  replicas: number;
  /** Whether the highest floor creeps; undefined: it was told once only, or leapt, as it does where a cache begins anew. */
  moved: boolean | undefined;
  samples: number;
}

/**
 * How many apiservers must stand behind a row of floors. A floor never falls in one cache, so a lower answer to a later question is
 * another apiserver's; one that is higher may be the same's, which has crept on. Answers go to the apiserver whose floor lies
 * closest below, which needs the fewest of them (the chains of a partial order). Two questions that were under way
 * together prove nothing against each other.
 */
export class FloorChains {
  #chains: Chain[] = [];

  add(sample: FloorSample): void {
    this.#forget(sample.at);
    let best: Chain | undefined;
    for (const chain of this.#chains) {
      const order = compareRv(chain.top.rv, sample.rv);
      // RVs without an order tell of no fall.
      if (order === undefined) {
        this.#chains = [{ top: sample, samples: 1, roseAt: undefined, creptAt: undefined }];
        return;
      }
      const fits = order !== 1 || chain.top.at > sample.askedAt;
      if (fits && (best === undefined || compareRv(chain.top.rv, best.top.rv) === 1)) best = chain;
    }
    if (best) extend(best, sample);
    else this.#begin(sample);
  }

  at(now: number): KnownFloors | undefined {
    this.#forget(now);
    const [first, ...others] = this.#chains;
    if (!first) return undefined;
    const high = others.reduce((most, chain) => (compareRv(chain.top.rv, most.top.rv) === 1 ? chain : most), first);
    const told = this.#chains.map(({ top }) => top).sort((a, b) => compareRv(b.rv, a.rv) ?? 0);
    return {
      told,
      highest: high.top,
      lowest: told.at(-1) ?? high.top,
      replicas: told.length,
      moved: moves(high, now),
      samples: high.samples,
    };
  }

  #begin(sample: FloorSample): void {
    this.#chains.push({ top: sample, samples: 1, roseAt: undefined, creptAt: undefined });
    if (this.#chains.length <= MAX_CHAINS) return;
    const oldest = Math.min(...this.#chains.map(({ top }) => top.at));
    this.#chains.splice(
      this.#chains.findIndex(({ top }) => top.at === oldest),
      1,
    );
  }

  /** The last word is kept however old it is: the faces say when it was told. */
  #forget(now: number): void {
    const newest = Math.max(...this.#chains.map(({ top }) => top.at));
    this.#chains = this.#chains.filter(({ top }) => top.at === newest || now - top.at < FORGOTTEN_MS);
  }
}

function extend(chain: Chain, sample: FloorSample): void {
  const rose = compareRv(sample.rv, chain.top.rv);
  chain.samples += 1;
  // Of two that were under way together the higher one is the later one.
  if (rose === -1) return;
  if (rose === 1) {
    if (creeps(chain, sample)) chain.creptAt = sample.at;
    chain.roseAt = sample.at;
  }
  chain.top = sample;
}

/**
 * A ring that drops its oldest comes to RVs that went by before the last answer, or rises time and again. A cache that begins anew
 * leaps once, beyond all that was known, and then stands still until its ring is full.
 */
function creeps({ top, roseAt }: Chain, sample: FloorSample): boolean {
  const wentBy = top.present !== undefined && compareRv(sample.rv, top.present) === -1;
  return wentBy || (roseAt !== undefined && sample.at - roseAt < STILL_MS);
}

function moves({ samples, roseAt, creptAt }: Chain, now: number): boolean | undefined {
  const lately = (at: number | undefined) => at !== undefined && now - at < STILL_MS;
  if (samples === 1) return undefined;
  if (lately(creptAt)) return true;
  return lately(roseAt) ? undefined : false;
}
