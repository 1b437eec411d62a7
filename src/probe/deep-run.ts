import type { ProbeOutcome } from '../client/facts.ts';
import type { ProbeAsk } from '../client/probe-policy.ts';
import { MetricsReader, type ProbeReader, probeReader, probeRequest } from '../client/probes.ts';
import type { OpenRequest } from '../client/transport.ts';
import { MATCHES_NOTHING, WATCH_ACCEPT } from '../client/watch-request.ts';
import { type ResourceVersion, rv } from '../protocol/resource-version.ts';
import type { Asker } from './ask.ts';
import { BUCKET_MS, type DeepFacts } from './deep-facts.ts';
import { openLongWatch, type WatchRecord } from './long-watch.ts';

/** What the deep half asks with. */
export interface DeepOptions extends Asker {
  cached: boolean | undefined;
  /** `/metrics` may be read. */
  metrics: boolean;
  /** How long it may take, ms. */
  forMs: number;
  /** What has just been seen, one line. */
  note(text: string): void;
}

/** Metadata only: objects are not looked at. */
const MAIN_ACCEPT = `application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,${WATCH_ACCEPT}`;
/** The watches end by plan so long before the run does, ms. */
const BEFORE_END_MS = 6_000;
/** The second silent watch begins so much later: the same silence then ends both at different moments, ms. */
const APART_MS = 20_000;
/** A silent watch that would live for less shows nothing, ms. */
const LEAST_QUIET_MS = 10_000;
/** Looks at the cache's RV between two looks at the floor and at etcd: one window probe in 30 s (design §4, a good guest). */
const FLOOR_EVERY = 3;
/** Time for one answer, real ms. */
const PATIENCE_MS = 10_000;
/** Questions to etcd at the end: a bisection of what was seen. */
const MAX_EXACT = 5;

/**
 * Watches for some minutes, at most four connections at a time: a watch with bookmarks, two silent ones, and short questions one
 * after the other. undefined where not even an RV to begin with could be read.
 */
export async function runDeep(options: DeepOptions): Promise<DeepFacts | undefined> {
  return new DeepRun(options).run();
}

class DeepRun {
  readonly #options: DeepOptions;
  readonly #over = new AbortController();
  readonly #watches: { stop(): void; done: Promise<void>; record: WatchRecord }[] = [];
  readonly #until: number;
  #requests = 0;

  constructor(options: DeepOptions) {
    this.#options = options;
    this.#until = options.clock.now() + options.forMs;
    options.signal?.addEventListener('abort', () => this.#over.abort(), { once: true });
    if (options.signal?.aborted) this.#over.abort();
  }

  async run(): Promise<DeepFacts | undefined> {
    const { clock, cached, plan } = this.#options;
    const startedAt = clock.now();
    const first = cached === false ? await this.#head() : await this.#newest();
    if (first === undefined) return undefined;
    await this.#open(first.rv, 'main');
    const [main] = this.#watches;
    if (!main) return undefined;
    const facts: DeepFacts = {
      startedAt,
      endedAt: startedAt,
      requests: 0,
      cached,
      seesAll: plan.target.namespace === undefined,
      main: main.record,
      mainRv: first.rv,
      quiet: [],
      eventCounts: [],
      newest: cached === false ? [] : [first],
      floors: [],
      heads: [],
      counters: [],
      etcd: [],
    };
    const sampling = this.#sample(facts);
    await this.#openQuiet(facts, first.rv);
    await this.#waitForEnds();
    this.#over.abort();
    await sampling;
    for (const watch of this.#watches) watch.stop();
    if (!this.#options.signal?.aborted) await this.#askEtcd(facts);
    await this.#count(facts);
    facts.endedAt = clock.now();
    facts.requests = this.#requests;
    return facts;
  }

  /** Both silent watches, the second some time after the first. */
  async #openQuiet(facts: DeepFacts, from: ResourceVersion): Promise<void> {
    for (const wait of [0, APART_MS]) {
      await this.#options.clock.sleep(wait, this.#over.signal);
      if (this.#over.signal.aborted || this.#left() < LEAST_QUIET_MS) return;
      facts.quiet.push(await this.#open(from, 'quiet'));
    }
  }

  async #open(from: ResourceVersion, kind: 'main' | 'quiet'): Promise<WatchRecord> {
    const { plan, clock, note } = this.#options;
    const timeoutSeconds = Math.max(1, Math.floor(this.#left() / 1000));
    const query = new URLSearchParams({ watch: '1', resourceVersion: from, timeoutSeconds: String(timeoutSeconds) });
    if (kind === 'main') query.set('allowWatchBookmarks', 'true');
    else query.set('fieldSelector', MATCHES_NOTHING);
    const headers = await this.#options.headers(kind, kind === 'main' ? MAIN_ACCEPT : WATCH_ACCEPT);
    this.#requests += 1;
    const watch = openLongWatch({
      lane: this.#options.lane(),
      clock,
      path: `${plan.listPath}?${query}`,
      headers,
      timeoutSeconds,
      onBookmark: (nth) =>
        note(`bookmark ${nth} after ${seconds(clock.now() - (watch.record.openedAt ?? clock.now()))}`),
    });
    this.#watches.push(watch);
    void watch.done.then(() => this.#tellEnd(watch.record, kind));
    return watch.record;
  }

  #tellEnd(record: WatchRecord, kind: 'main' | 'quiet'): void {
    if (record.end === 'stopped' || record.openedAt === undefined || record.endedAt === undefined) return;
    const which = kind === 'main' ? 'the watch with bookmarks' : 'a silent watch';
    const how = record.end === 'eof' ? 'ended properly' : `ended without a proper end (${record.end})`;
    this.#options.note(`${which} ${how} after ${seconds(record.endedAt - record.openedAt)}`);
  }

  #left(): number {
    return this.#until - BEFORE_END_MS - this.#options.clock.now();
  }

  async #waitForEnds(): Promise<void> {
    const { clock } = this.#options;
    const all = Promise.all(this.#watches.map(({ done }) => done));
    await Promise.race([all, clock.sleep(this.#until - clock.now(), this.#over.signal)]);
    // Cut early, all of them: what the window does may still be seen.
    await clock.sleep(this.#left(), this.#over.signal);
  }

  async #sample(facts: DeepFacts): Promise<void> {
    const { clock, cached } = this.#options;
    await this.#count(facts);
    let events = facts.main.events;
    for (let round = 0; !this.#over.signal.aborted; round += 1) {
      const at = clock.now();
      if (round > 0) facts.eventCounts.push(facts.main.events - events);
      events = facts.main.events;
      if (cached !== false) push(facts.newest, await this.#newest());
      if (round % FLOOR_EVERY === 0) push(facts.heads, await this.#head());
      if (round % FLOOR_EVERY === 0 && cached !== false) await this.#floor(facts);
      await clock.sleep(at + BUCKET_MS - clock.now(), this.#over.signal);
    }
  }

  async #newest() {
    return this.#rvOf(await this.#ask({ kind: 'cache-rv', urgent: false }));
  }

  /** What etcd has as its newest: a list without any RV. From 1.31 on the cache answers, but not before it has come as far. */
  async #head() {
    const { path, accept } = this.#question({ kind: 'cache-rv', urgent: false });
    return this.#rvOf(
      await this.#ask({ kind: 'cache-rv', urgent: false }, path.replace(/[?&]resourceVersion=0$/, ''), accept),
    );
  }

  async #floor(facts: DeepFacts): Promise<void> {
    const { outcome, askedAt, answeredAt } = await this.#ask({ kind: 'window', urgent: false });
    if (outcome.kind === 'floor') facts.floors.push({ floor: outcome.floor, askedAt, answeredAt });
    // History reaches back to the beginning.
    else if (outcome.kind === 'open') facts.floors.push({ floor: rv('1'), askedAt, answeredAt });
  }

  async #count(facts: DeepFacts): Promise<void> {
    if (!this.#options.metrics || facts.cached === false) return;
    const { outcome, answeredAt } = await this.#ask({ kind: 'metrics', urgent: false });
    if (outcome.kind === 'metrics') facts.counters.push({ at: answeredAt, samples: outcome.samples });
  }

  /** Bisects what etcd's newest RVs were: which of them does it still hold? */
  async #askEtcd(facts: DeepFacts): Promise<void> {
    const { heads } = facts;
    let [gone, held] = [-1, heads.length];
    for (let asked = 0; asked < MAX_EXACT && held - gone > 1; asked += 1) {
      const middle = asked === 0 ? 0 : Math.floor((gone + held) / 2);
      const known = heads[middle];
      if (known === undefined) return;
      const { outcome, askedAt, answeredAt } = await this.#ask({ kind: 'exact', rv: known.rv, urgent: false });
      if (outcome.kind !== 'alive' && outcome.kind !== 'compacted') return;
      facts.etcd.push({ rv: known.rv, known, askedAt, answeredAt, held: outcome.kind === 'alive' });
      if (outcome.kind === 'alive') held = middle;
      else gone = middle;
    }
  }

  #rvOf({ outcome, askedAt, answeredAt }: Answer) {
    return outcome.kind === 'rv' ? { rv: outcome.rv, askedAt, answeredAt } : undefined;
  }

  #question(ask: ProbeAsk) {
    return probeRequest(ask, this.#options.plan, this.#options.namespaced);
  }

  async #ask(ask: ProbeAsk, path?: string, accept?: string): Promise<Answer> {
    this.#requests += 1;
    const question = this.#question(ask);
    const headers = await this.#options.headers(ask.kind, accept ?? question.accept);
    return oneAnswer(this.#options, { path: path ?? question.path, headers }, this.#reader(ask));
  }

  #reader(ask: ProbeAsk): ProbeReader {
    if (ask.kind !== 'metrics') return probeReader(ask);
    const { group = '', resource = '' } = this.#options.plan.target;
    const reader = new MetricsReader([{ group, resource }]);
    return {
      head: (head) => reader.head(head),
      bytes: (chunks) => reader.bytes(chunks),
      outcome: (end) => reader.outcomes(end)[0] ?? { kind: 'failed', detail: 'no counters' },
    };
  }
}

interface Answer {
  outcome: ProbeOutcome;
  askedAt: number;
  answeredAt: number;
}

/** One short request on a connection of its own. Never rejects. */
function oneAnswer(
  { clock, lane: newLane }: DeepOptions,
  question: { path: string; headers: Record<string, string> },
  reader: ProbeReader,
): Promise<Answer> {
  const askedAt = clock.now();
  const lane = newLane();
  return new Promise((resolve) => {
    let request: OpenRequest | undefined;
    const finish = (end: Parameters<ProbeReader['outcome']>[0]) => {
      timer.cancel();
      request?.close();
      lane.close();
      resolve({ outcome: reader.outcome(end, 0), askedAt, answeredAt: clock.now() });
    };
    const timer = clock.timer(PATIENCE_MS * (clock.speed ?? 1), () => {
      finish({ end: 'no-response', detail: `not answered within ${PATIENCE_MS / 1000} s` });
    });
    request = lane.open(question, {
      onWritten: () => undefined,
      onHead: (head) => reader.head(head),
      onBytes: (chunks) => {
        if (reader.bytes(chunks)) finish({ end: 'stopped', detail: '' });
      },
      onEnd: finish,
    });
  });
}

function push<T>(list: T[], one: T | undefined): void {
  if (one !== undefined) list.push(one);
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
