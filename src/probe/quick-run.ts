import { MetricsReader } from '../client/probes.ts';
import { compareRv, isDecimalRv, type ResourceVersion, rv } from '../protocol/resource-version.ts';
import { type Answer, type Asker, listRv, type Question } from './ask.ts';
import type { Check, CheckOutcome, Said } from './check.ts';
import type { Measured } from './measured.ts';
import { QuickAsker } from './quick-asker.ts';
import { cachedOrNot, cacheLag, hasFallen, isSame, readWindow, windowFloor } from './quick-cache.ts';
import { findEtcdFloor, heldOutcome } from './quick-etcd.ts';
import { listable } from './quick-list.ts';
import { compression, flowControl, metricsReadable, watchList } from './quick-offers.ts';
import { dateSkew, secured, whoAnswers } from './quick-path.ts';
import { malformedRefused, refusalFramed } from './quick-refusals.ts';
import {
  emptyWatch,
  firstList,
  pagedCacheList,
  singleName,
  versionOf,
  windowWatch,
  zippedList,
} from './quick-requests.ts';
import { bookmarkBeforeEnd, headersAtOnce, timeoutHonoured } from './quick-stream.ts';

/** All of the quick half, real ms: what is not answered by then is skipped. */
const QUICK_MS = 15_000;
/** Length of the watch that is to come to its planned end, s. */
const WATCH_SECONDS = 3;
/** Of one with bookmarks, s: they come from 3 s before the end on, and the cache must have moved before. */
const BOOKMARK_SECONDS = 6;
/** A bookmark that is to come before the end is due so long before it, ms. */
const BOOKMARK_BEFORE_MS = 2_000;
/** Connections that are asked for the floor: behind a balancer each may meet another apiserver. */
const FLOORS = 3;
/** As many more where they differ: a floor that falls proves several, one that rises does not. */
const MORE_FLOORS = 3;
/** Time for the bookmark that ends the initial events of a streaming list of nothing, s. */
const STREAMING_SECONDS = 2;
/** What is no RV. */
const MALFORMED_RV = 'undefined';

type Told = (outcome: CheckOutcome) => void;

const quick = (id: string, title: string): Check => ({ id, title, half: 'quick' });

/**
 * Asks everything that takes seconds, telling each answer as it comes. Undefined: the resource cannot be listed, which was told, and
 * there is nothing else to ask. What `asker.signal` interrupts is not told.
 */
export async function runQuick(asker: Asker, tell: Told): Promise<Measured | undefined> {
  const over = new AbortController();
  const forMs = QUICK_MS * (asker.clock.speed ?? 1);
  const timer = asker.clock.timer(forMs, () => over.abort());
  const signal = asker.signal ? AbortSignal.any([asker.signal, over.signal]) : over.signal;
  try {
    const told: Told = (outcome) => {
      if (!asker.signal?.aborted) tell(outcome);
    };
    return await new QuickRun({ ...asker, signal }, told, asker.clock.now() + forMs).run();
  } finally {
    timer.cancel();
  }
}

class QuickRun {
  readonly #asker: Asker;
  readonly #questions: QuickAsker;
  readonly #tell: Told;
  readonly #measured: Measured = { floors: [], heads: [], newest: [] };
  /** What answers on this path usually take, ms. */
  #usualMs = 0;
  /** Requests that were told of. */
  #billed = 0;
  #since: number;

  constructor(asker: Asker, tell: Told, until: number) {
    this.#asker = asker;
    this.#questions = new QuickAsker(asker, until);
    this.#tell = tell;
    this.#since = asker.clock.now();
  }

  async run(): Promise<Measured | undefined> {
    const list = await this.#ask(firstList(this.#asker));
    const { said, newest: head } = listable(list);
    this.#say(quick('list', 'it can be listed'), said);
    if (head === undefined) return undefined;
    this.#head(list, head);
    const version = await this.#path(list);
    // They take some seconds: everything else is asked meanwhile.
    const silent = this.#watch('watch', WATCH_SECONDS, { resourceVersion: head });
    await this.#metrics();
    await this.#window();
    await this.#cache();
    const bookmarks = this.#bookmarks();
    if (isDecimalRv(head)) await this.#etcd(head);
    await this.#streams(head);
    const ended = await silent;
    if (bookmarks) await this.#cacheRv();
    this.#say(quick('headers', 'headers come at once'), headersAtOnce(ended, this.#usualMs));
    this.#say(quick('timeout', 'timeoutSeconds is honoured'), timeoutHonoured(ended, WATCH_SECONDS, this.#usualMs));
    const watched = await bookmarks;
    const last = { cached: this.#measured.cached, moved: watched !== undefined && this.#moved(watched) };
    this.#say(quick('bookmark', 'a bookmark before the end'), bookmarkBeforeEnd(watched, last));
    // Once more, some seconds after the first: how fast is written?
    await this.#etcdRv();
    this.#say(quick('flow-control', 'flow control'), flowControl([list, version, ended], this.#questions.throttled));
    return this.#measured;
  }

  async #path(list: Answer): Promise<Answer> {
    const measured = this.#measured;
    const version = await this.#ask(versionOf());
    const gitVersion = version.document?.gitVersion;
    if (typeof gitVersion === 'string') measured.serverVersion = gitVersion.slice(0, 100);
    this.#usualMs = Math.max(list.headAfterMs ?? 0, version.headAfterMs ?? 0);
    this.#say(quick('path', 'who answers'), whoAnswers([version, list], measured));
    const handshake = await this.#asker.handshake?.();
    this.#say(quick('tls', 'the connection'), secured(handshake, this.#asker.clock.now()));
    this.#say(quick('date-skew', 'clocks agree'), dateSkew(version.head ? version : list, measured));
    return version;
  }

  async #window(): Promise<void> {
    const measured = this.#measured;
    const first = await this.#ask(windowWatch(this.#asker, false));
    readWindow(first, measured);
    this.#say(quick('refusal', 'refused in the stream'), refusalFramed(first));
    const malformed = await this.#watch('malformed-rv', 1, { resourceVersion: MALFORMED_RV });
    this.#say(quick('malformed-rv', 'what is no RV is refused'), malformedRefused(malformed));
    await this.#moreFloors();
    const unknown = measured.cached === undefined && !measured.samples;
    const list = unknown ? await this.#ask(pagedCacheList(this.#asker)) : undefined;
    this.#say(quick('cached', 'watch cache'), cachedOrNot(measured, list));
    const floor = windowFloor(measured, measured.heads.at(-1)?.rv, first);
    this.#say(quick('window-floor', 'a watch may begin at'), floor);
  }

  /** One after the other: a floor that falls is another apiserver's only where it was asked for later. */
  async #moreFloors(): Promise<void> {
    const { floors } = this.#measured;
    for (let nth = 1; nth < FLOORS + MORE_FLOORS && floors.length === nth; nth += 1) {
      if (nth >= FLOORS && (isSame(floors) || hasFallen(floors))) break;
      readWindow(await this.#ask(windowWatch(this.#asker, true)), this.#measured);
    }
  }

  async #cache(): Promise<void> {
    await this.#etcdRv();
    await this.#cacheRv();
    this.#say(quick('cache-lag', 'the cache keeps up with etcd'), cacheLag(this.#measured));
  }

  async #cacheRv(): Promise<void> {
    if (this.#measured.cached === false) return;
    const answer = await this.#ask(singleName(this.#asker, '0'));
    const newest = listRv(answer);
    if (newest) this.#measured.newest.push({ rv: newest, askedAt: answer.askedAt, answeredAt: answer.answeredAt });
  }

  /** It begins just below the cache's RV where that is in the window: then a progress notify that has been counts too. */
  #bookmarks(): Promise<Answer> | undefined {
    const { cached, newest, floors } = this.#measured;
    const cacheRv = newest.at(-1)?.rv;
    if (cached === false || cacheRv === undefined || !isDecimalRv(cacheRv)) return undefined;
    const below = rv(String(BigInt(cacheRv) - 1n));
    const inWindow = below !== '0' && floors.every(({ floor }) => compareRv(floor, below) !== 1);
    const resourceVersion = inWindow ? below : cacheRv;
    return this.#watch('bookmarks', BOOKMARK_SECONDS, { resourceVersion, allowWatchBookmarks: 'true' });
  }

  /** Was the cache seen further on, early enough for a bookmark of this watch? */
  #moved({ askedAt, endAfterMs }: Answer): boolean {
    const { newest } = this.#measured;
    const [first, last] = [newest[0], newest.at(-1)];
    if (!first || !last || last.answeredAt > askedAt + endAfterMs - BOOKMARK_BEFORE_MS) return false;
    return compareRv(first.rv, last.rv) === -1;
  }

  async #etcd(head: ResourceVersion): Promise<void> {
    const said = await findEtcdFloor(
      head,
      async (asked) => heldOutcome(asked, await this.#ask(singleName(this.#asker, asked))),
      this.#measured,
    );
    this.#say(quick('etcd-floor', 'etcd’s own history'), said);
  }

  async #streams(head: ResourceVersion): Promise<void> {
    // From the cache as it is: without an RV a quiet cache may have to wait for etcd's word first (facts/server §2.1).
    const streaming = await this.#watch('watch-list', STREAMING_SECONDS, {
      resourceVersion: '0',
      sendInitialEvents: 'true',
      resourceVersionMatch: 'NotOlderThan',
      allowWatchBookmarks: 'true',
    });
    this.#say(quick('watch-list', 'streaming lists'), watchList(streaming));
    const zipped = await this.#watch('gzip', 1, { resourceVersion: head }, { 'accept-encoding': 'gzip' });
    const list = await this.#ask(zippedList(this.#asker));
    this.#say(quick('gzip', 'watches are not compressed'), compression(zipped, list));
  }

  /** The counters of the resource. Where they can be read and its ring is not among them, it has none. */
  async #metrics(): Promise<void> {
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
    this.#say(quick('metrics', '/metrics'), metricsReadable(this.#measured.samples, answer));
  }

  async #etcdRv(): Promise<void> {
    const answer = await this.#ask(singleName(this.#asker, 'newest'));
    const head = listRv(answer);
    if (head) this.#head(answer, head);
  }

  #head({ askedAt, answeredAt }: Answer, head: ResourceVersion): void {
    this.#measured.heads.push({ rv: head, askedAt, answeredAt });
  }

  #watch(
    about: string,
    seconds: number,
    query: Record<string, string>,
    extra?: Record<string, string>,
  ): Promise<Answer> {
    return this.#ask(emptyWatch(this.#asker, about, seconds, query, extra));
  }

  #ask(question: Question): Promise<Answer> {
    return this.#questions.ask(question);
  }

  #say(check: Check, said: Said): void {
    const now = this.#asker.clock.now();
    const sent = this.#questions.requests;
    this.#tell({ check, ...said, tookMs: now - this.#since, requests: sent - this.#billed });
    this.#since = now;
    this.#billed = sent;
  }
}
