import type { ProbeOutcome } from '../client/facts.ts';
import { probeReader } from '../client/probes.ts';
import { compareRv, type ResourceVersion, revisionsApart, rv } from '../protocol/resource-version.ts';
import { type Answer, refusalOf } from './ask.ts';
import type { Said } from './check.ts';
import type { Measured } from './measured.ts';
import { plural } from './plural.ts';

/** Questions of the bisection at most: of a million revisions they leave a range of some hundreds. */
const MAX_QUESTIONS = 12;

/** Puts the question whether etcd still holds an RV. */
export type AskHeld = (rv: ResourceVersion) => Promise<ProbeOutcome>;

/**
 * The lowest RV that etcd still holds, between two that were asked for: a bisection from RV 1 to the newest. The first question is
 * RV 1 itself, since a young or uncompacted etcd holds everything.
 */
export async function findEtcdFloor(head: ResourceVersion, held: AskHeld, into: Measured): Promise<Said> {
  let [gone, alive] = [0n, BigInt(head)];
  let asked = 0;
  for (let at = 1n; asked < MAX_QUESTIONS && alive - gone > 1n; at = (gone + alive) / 2n) {
    const outcome = await held(rv(String(at)));
    asked += 1;
    if (outcome.kind === 'alive') alive = at;
    else if (outcome.kind === 'compacted') gone = at;
    else {
      const why = outcome.kind === 'failed' ? outcome.detail : outcome.kind;
      const so = gone > 0n ? ` (RV ${gone} is compacted, ${alive} is not)` : '';
      return { result: 'skip', answer: `etcd did not tell: ${why}${so}`, facts: { asked } };
    }
  }
  const high = rv(String(alive));
  into.etcdFloor = { low: rv(String(gone)), high };
  const window = beyondWindow(into, high);
  const facts = { etcd_floor: high, asked, ...(window === undefined ? {} : { reaches_beyond_window: window }) };
  if (alive === 1n) {
    return {
      result: 'info',
      answer: 'it holds everything since RV 1: nothing was compacted yet',
      detail:
        'A young cluster, or one whose apiserver does not compact (--etcd-compaction-interval=0). From outside the two look alike.',
      facts,
    };
  }
  const back = revisionsApart(high, head) ?? 0;
  const between = alive - gone > 1n ? `between RV ${gone} and ${alive}` : `at RV ${alive}`;
  return {
    result: 'info',
    answer: `it begins ${between}, about ${plural(back, 'revision')} back`,
    detail: [
      'By default the apiserver compacts every 5 m, so etcd holds 5 to 10 m.',
      ...(window === undefined ? [] : [BEYOND[window ? 'further' : 'nearer']]),
    ].join(' '),
    facts: { ...facts, etcd_compacted: String(gone) },
  };
}

const BEYOND = {
  further: 'That is further than the cache’s window: what a watch is refused, a LIST at that RV can still read.',
  nearer: 'The cache’s window reaches further: a watch is served from RVs that etcd has compacted.',
};

/** Does etcd's history reach further back than the cache's window? Undefined where either is not known. */
function beyondWindow({ floors }: Measured, high: ResourceVersion): boolean | undefined {
  const [first] = floors;
  const order = first && compareRv(high, first.floor);
  return order === undefined || order === 0 ? undefined : order < 0;
}

/** Reads the answer to `exact` as `tail` reads it. */
export function heldOutcome(asked: ResourceVersion, answer: Answer): ProbeOutcome {
  if (!answer.head) return { kind: 'failed', detail: refusalOf(answer) };
  const reader = probeReader({ kind: 'exact', rv: asked, urgent: false });
  if (answer.head) reader.head(answer.head);
  if (answer.document) reader.bytes([new TextEncoder().encode(JSON.stringify(answer.document))]);
  return reader.outcome({ end: answer.end, detail: answer.detail }, 0);
}
