import { MetricsReader, probeRequest } from '../client/probes.ts';
import { LIST_ACCEPT, MATCHES_NOTHING, WATCH_ACCEPT } from '../client/watch-request.ts';
import { isDecimalRv, type ResourceVersion, rv } from '../protocol/resource-version.ts';
import { type Answer, type Asker, ask, listRv, type Question, refusalOf } from './ask.ts';
import type { Check, CheckOutcome, Said } from './check.ts';
import type { Measured } from './measured.ts';
import { cachedOrNot, cacheLag, readWindow, windowFloor } from './quick-cache.ts';
import { findEtcdFloor, heldOutcome } from './quick-etcd.ts';
import { dateSkew, flowControl, metricsReadable, whoAnswers } from './quick-path.ts';
import { headersAtOnce, refusalFramed, timeoutHonoured, uncompressed, watchList } from './quick-stream.ts';

/** All of the quick half, real ms: what is not answered by then is skipped. */
const QUICK_MS = 15_000;
/** Length of the watch that is to come to its planned end, s; and our patience beyond it, ms. */
const WATCH_SECONDS = 3;
const WATCH_PATIENCE_MS = 8_000;
/** Connections that are asked for the floor: behind a balancer each may meet another apiserver. */
const FLOORS = 3;
/** Time for the bookmark that ends the initial events of a streaming list of nothing, s. */
const STREAMING_SECONDS = 3;

/** The endpoint, or the resource, does not answer as one: nothing further can be asked. `message`: one line. */
export class NotAnswered extends Error {}

type Told = (outcome: CheckOutcome) => void;

const quick = (id: string, title: string): Check => ({ id, title, half: 'quick' });

/** Asks everything that takes seconds, telling each answer as it comes. Throws NotAnswered where the first question is refused. */
export async function runQuick(asker: Asker, tell: Told): Promise<Measured> {
  const over = new AbortController();
  const timer = asker.clock.timer(QUICK_MS * (asker.clock.speed ?? 1), () => over.abort());
  const signal = asker.signal ? AbortSignal.any([asker.signal, over.signal]) : over.signal;
  try {
    return await new QuickRun({ ...asker, signal }, tell).run();
  } finally {
    timer.cancel();
  }
}

class QuickRun {
  readonly #asker: Asker;
  readonly #tell: Told;
  readonly #measured: Measured = { floors: [], heads: [], newest: [] };
  #requests = 0;
  #since: number;

  constructor(asker: Asker, tell: Told) {
    this.#asker = asker;
    this.#tell = tell;
    this.#since = asker.clock.now();
  }

  async run(): Promise<Measured> {
    const measured = this.#measured;
    const head = await this.#first();
    const { listPath } = this.#asker.plan;
    const version = await this.#ask({ path: '/version', accept: 'application/json', about: 'version', as: 'document' });
    const gitVersion = version.document?.gitVersion;
    if (typeof gitVersion === 'string') measured.serverVersion = gitVersion.slice(0, 100);
    this.#say(quick('path', 'who answers'), whoAnswers([version], measured));
    this.#say(quick('date-skew', 'clocks agree'), dateSkew(version, measured));
    // It takes some seconds: everything else is asked meanwhile.
    const silent = this.#watch(listPath, head, WATCH_SECONDS, {}, WATCH_PATIENCE_MS);
    const metrics = await this.#metrics();
    await this.#window();
    await this.#cache();
    if (isDecimalRv(head)) await this.#etcd(head);
    await this.#streams(head);
    const ended = await silent;
    this.#say(quick('headers', 'headers come at once'), headersAtOnce(ended));
    this.#say(quick('timeout', 'timeoutSeconds is honoured'), timeoutHonoured(ended, WATCH_SECONDS));
    this.#say(quick('flow-control', 'flow control'), flowControl([version, ended]));
    this.#say(quick('metrics', '/metrics'), metricsReadable(measured.samples, metrics));
    // Once more, some seconds after the first: how fast is written?
    await this.#head();
    return measured;
  }

  /** The resource itself: without it there is nothing to ask. */
  async #first(): Promise<ResourceVersion> {
    const { plan } = this.#asker;
    const answer = await this.#ask({
      path: `${plan.listPath}?limit=1`,
      accept: LIST_ACCEPT,
      about: 'list',
      as: 'document',
    });
    if (answer.head?.status !== 200) throw new NotAnswered(`${plan.listPath} cannot be listed: ${refusalOf(answer)}`);
    const newest = listRv(answer);
    if (newest === undefined) {
      throw new NotAnswered(`${plan.listPath} answers, but with no list that has a resourceVersion`);
    }
    const { askedAt, answeredAt } = answer;
    this.#measured.heads.push({ rv: newest, askedAt, answeredAt });
    return newest;
  }

  async #window(): Promise<void> {
    const { path, accept } = probeRequest({ kind: 'window', urgent: false }, this.#asker.plan, undefined);
    const answers: Answer[] = [];
    for (let nth = 0; nth < FLOORS; nth += 1) {
      const answer = await this.#ask({ path, accept, about: 'window', as: 'watch' });
      answers.push(answer);
      readWindow(answer, this.#measured);
    }
    this.#say(quick('refusal', 'a refusal is an ERROR in the stream'), refusalFramed(answers[0] as Answer));
    const { cached, samples } = this.#measured;
    const list = cached === undefined && !samples ? await this.#pagedList() : undefined;
    this.#say(quick('cached', 'watch cache'), cachedOrNot(this.#measured, list));
    this.#say(
      quick('window-floor', 'a watch may begin at'),
      windowFloor(this.#measured, this.#measured.heads.at(-1)?.rv, answers[0]),
    );
  }

  /** One object of the cache's, metadata only: a cache sends them all, and we stop reading at 64 KiB. */
  #pagedList(): Promise<Answer> {
    const path = `${this.#asker.plan.listPath}?resourceVersion=0&limit=1`;
    return this.#ask({ path, accept: LIST_ACCEPT, about: 'cached', as: 'document' });
  }

  async #cache(): Promise<void> {
    await this.#head();
    if (this.#measured.cached !== false) {
      const newest = await this.#rvOf(this.#singleName('0'), 'cache-rv');
      if (newest) this.#measured.newest.push(newest);
    }
    this.#say(quick('cache-lag', 'the cache keeps up with etcd'), cacheLag(this.#measured));
  }

  async #etcd(head: ResourceVersion): Promise<void> {
    const said = await findEtcdFloor(
      head,
      async (asked) =>
        heldOutcome(
          asked,
          await this.#ask({ path: this.#singleName(asked), accept: LIST_ACCEPT, about: 'exact', as: 'document' }),
        ),
      this.#measured,
    );
    this.#say(quick('etcd-floor', 'etcd’s own history'), said);
  }

  async #streams(head: ResourceVersion): Promise<void> {
    const { listPath } = this.#asker.plan;
    const streaming = await this.#watch(listPath, undefined, STREAMING_SECONDS, {
      sendInitialEvents: 'true',
      resourceVersionMatch: 'NotOlderThan',
      allowWatchBookmarks: 'true',
    });
    this.#say(quick('watch-list', 'streaming lists'), watchList(streaming));
    const zipped = await this.#watch(listPath, head, 1, {}, undefined, { 'accept-encoding': 'gzip' });
    this.#say(quick('gzip', 'watches are not compressed'), uncompressed(zipped));
  }

  /** The counters of the resource. Where they can be read and its ring is not among them, it has none. */
  async #metrics(): Promise<Answer> {
    const { group = '', resource = '' } = this.#asker.plan.target;
    const reader = new MetricsReader([{ group, resource }]);
    const answer = await this.#ask({
      path: '/metrics',
      accept: 'text/plain',
      about: 'metrics',
      as: 'document',
      reader,
    });
    const outcome = reader.outcomes({ end: answer.end, detail: answer.detail })[0];
    if (outcome?.kind === 'metrics') this.#measured.samples = outcome.samples;
    return answer;
  }

  async #head(): Promise<void> {
    const path = this.#singleName('0').replace(/[?&]resourceVersion=0$/, '');
    const read = await this.#rvOf(path, 'etcd-rv');
    if (read) this.#measured.heads.push(read);
  }

  async #rvOf(path: string, about: string) {
    const answer = await this.#ask({ path, accept: LIST_ACCEPT, about, as: 'document' });
    const read = listRv(answer);
    return read === undefined ? undefined : { rv: read, askedAt: answer.askedAt, answeredAt: answer.answeredAt };
  }

  #singleName(at: string): string {
    const { plan, namespaced } = this.#asker;
    const ask =
      at === '0'
        ? ({ kind: 'cache-rv', urgent: false } as const)
        : ({ kind: 'exact', rv: rv(at), urgent: false } as const);
    return probeRequest(ask, plan, namespaced).path;
  }

  #watch(
    path: string,
    from: ResourceVersion | undefined,
    seconds: number,
    more: Record<string, string>,
    patienceMs?: number,
    extra?: Record<string, string>,
  ): Promise<Answer> {
    const query = new URLSearchParams({
      watch: '1',
      timeoutSeconds: String(seconds),
      fieldSelector: MATCHES_NOTHING,
      ...more,
    });
    if (from !== undefined) query.set('resourceVersion', from);
    const about = more.sendInitialEvents ? 'watch-list' : 'watch';
    return this.#ask({
      path: `${path}?${query}`,
      accept: WATCH_ACCEPT,
      about,
      as: 'watch',
      ...(patienceMs === undefined ? {} : { patienceMs }),
      ...(extra === undefined ? {} : { extra }),
    });
  }

  #ask(question: Question): Promise<Answer> {
    this.#requests += 1;
    return ask(this.#asker, question);
  }

  #say(check: Check, said: Said): void {
    const now = this.#asker.clock.now();
    this.#tell({ check, ...said, tookMs: now - this.#since, requests: this.#requests });
    this.#since = now;
    this.#requests = 0;
  }
}
