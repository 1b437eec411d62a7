import type {
  AnswerHeaders,
  EndKind,
  ListFacts,
  ProbeOutcome,
  RunFacts,
  StreamFacts,
  WatchTarget,
} from '../../src/client/facts.ts';
import { rv } from '../../src/protocol/resource-version.ts';
import type { Status } from '../../src/protocol/status.ts';

/** Facts of a run, as a client would have measured them; times in seconds of the run, since that is how stories are told. */
const START = 1_900_000_000_000;
const ms = (seconds: number) => START + Math.round(seconds * 1000);

export const APISERVER: AnswerHeaders = { 'content-type': 'application/json', 'audit-id': 'a-1' };

export interface StreamStory {
  /** Seconds from the start of the run. */
  at: number;
  end?: EndKind;
  until?: number;
  rv?: string;
  origin?: StreamFacts['requestedRvOrigin'];
  /** When the requested RV was received. */
  rvAt?: number;
  /** The RV a resume would use, and when it came. */
  last?: [string, number, StreamFacts['lastRvOrigin']?];
  timeout?: number;
  bookmarks?: number[];
  noBookmarksAsked?: boolean;
  events?: number;
  /** When the last byte came. */
  byteAt?: number;
  status?: number;
  error?: Partial<Status>;
  facts?: Partial<StreamFacts>;
}

/** Builds RunFacts one attempt after the other. Streams are numbered in the order of building. */
export class FactsBuilder {
  readonly streams: StreamFacts[] = [];
  readonly lists: ListFacts[] = [];
  readonly probes: RunFacts['probes'] = [];
  #targets: WatchTarget[] = [];

  target(resource: string, options: Partial<WatchTarget> = {}): WatchTarget {
    const [name, ...group] = resource.split('.');
    const target: WatchTarget = {
      index: this.#targets.length,
      path: `/api/v1/namespaces/shop/${name}`,
      group: group.join('.'),
      version: 'v1',
      resource: name ?? resource,
      namespace: 'shop',
      ...options,
    };
    this.#targets.push(target);
    return target;
  }

  stream(target: WatchTarget, story: StreamStory): StreamFacts {
    const status = story.status ?? 200;
    const answered = story.end !== 'refused' && story.end !== 'tls' && story.end !== 'no-response';
    const facts: StreamFacts = {
      stream: this.streams.length + 1,
      target,
      methodPath: `${target.path}?watch=1${story.rv ? `&resourceVersion=${story.rv}` : ''}`,
      requestedRvOrigin: story.origin ?? (story.rv === undefined ? 'none' : story.rvAt === undefined ? 'url' : 'event'),
      allowWatchBookmarks: story.noBookmarksAsked !== true,
      sendInitialEvents: false,
      hasSelector: false,
      askedAt: ms(story.at),
      headers: answered ? { ...APISERVER } : {},
      framed: answered,
      bytes: (story.events ?? 0) * 300 + (story.bookmarks?.length ?? 0) * 100 + (story.error ? 200 : 0),
      events: story.events ?? 0,
      bookmarks: story.bookmarks?.length ?? 0,
      malformed: 0,
      bookmarkTimes: (story.bookmarks ?? []).map(ms),
      peakPerSecond: Math.min(1, story.events ?? 0),
      eventsInFirstSecond: 0,
      readStalledMs: 0,
      tailBytes: 0,
    };
    if (story.rv !== undefined) facts.requestedRv = rv(story.rv);
    if (story.rvAt !== undefined) facts.requestedRvAt = ms(story.rvAt);
    if (story.timeout !== undefined) facts.timeoutSeconds = story.timeout;
    if (answered) {
      facts.openedAt = ms(story.at + 0.01);
      facts.httpStatus = status;
      facts.httpVersion = '1.1';
      facts.connection = 1;
    }
    if (story.last) {
      facts.lastRv = rv(story.last[0]);
      facts.lastRvAt = ms(story.last[1]);
      facts.lastRvOrigin = story.last[2] ?? 'bookmark';
      facts.lastByteAt = ms(story.last[1]);
    }
    if (story.byteAt !== undefined) facts.lastByteAt = ms(story.byteAt);
    if (story.error) {
      facts.errorStatus = failure(story.error);
      facts.errorAt = ms(story.until ?? story.at + 0.02);
      facts.lastByteAt = facts.errorAt;
    }
    const end = story.end ?? (story.error ? 'eof' : undefined);
    if (end !== undefined) {
      facts.end = end;
      facts.endedAt = ms(story.until ?? story.at + 0.03);
    }
    Object.assign(facts, story.facts);
    this.streams.push(facts);
    return facts;
  }

  /** A watch that is refused with text A, by an ERROR in the stream. */
  goneA(
    target: WatchTarget,
    at: number,
    requested: string,
    floor: string,
    rvAt?: number,
    more: Partial<StreamStory> = {},
  ): StreamFacts {
    return this.stream(target, {
      at,
      rv: requested,
      ...(rvAt === undefined ? {} : { rvAt, origin: 'bookmark' as const }),
      error: { message: `too old resource version: ${requested} (${floor})`, reason: 'Expired', code: 410 },
      ...more,
    });
  }

  list(target: WatchTarget, at: number, listRv: string | undefined, more: Partial<ListFacts> = {}): ListFacts {
    const facts: ListFacts = {
      target,
      methodPath: target.path,
      why: 'start',
      askedAt: ms(at),
      endedAt: ms(at + 0.05),
      httpStatus: 200,
      headers: { ...APISERVER },
      connection: 1,
      items: 3,
      pages: 1,
      truncated: false,
      ...more,
    };
    if (listRv !== undefined) facts.rv = rv(listRv);
    this.lists.push(facts);
    return facts;
  }

  probe(target: WatchTarget, at: number, outcome: ProbeOutcome, asked = target.path): void {
    const kinds = {
      floor: 'window',
      open: 'window',
      compacted: 'exact',
      alive: 'exact',
      rv: 'cache-rv',
      failed: 'window',
    } as const;
    const kind =
      outcome.kind in kinds
        ? kinds[outcome.kind as keyof typeof kinds]
        : (outcome.kind as 'metrics' | 'version' | 'side');
    this.probes.push({
      kind,
      target,
      askedAt: ms(at),
      answeredAt: ms(at + 0.02),
      connection: 9,
      asked,
      httpStatus: 200,
      outcome,
    });
  }

  floor(target: WatchTarget, at: number, floor: string): void {
    this.probe(target, at, { kind: 'floor', floor: rv(floor) });
  }

  /** P2 of `of`. */
  exact(target: WatchTarget, at: number, of: string, alive: boolean): void {
    const asked = `${target.path}?fieldSelector=metadata.name%3Dx&resourceVersion=${of}&resourceVersionMatch=Exact`;
    this.probe(target, at, alive ? { kind: 'alive', rv: rv(of) } : { kind: 'compacted', rv: rv(of) }, asked);
  }

  metrics(target: WatchTarget, at: number, samples: Record<string, number>): void {
    this.probe(target, at, { kind: 'metrics', samples });
  }

  run(now: number, more: Partial<RunFacts> = {}): RunFacts {
    return {
      startedAt: START,
      now: ms(now),
      probing: this.probes.length > 0,
      streams: this.streams,
      lists: this.lists,
      probes: this.probes,
      endpoint: { scheme: 'http', host: '127.0.0.1:8080' },
      finished: false,
      ...more,
    };
  }
}

export const INITIALIZATIONS = 'apiserver_watch_cache_initializations_total';
export const TERMINATED = 'apiserver_terminated_watchers_total';

export function failure(status: Partial<Status>): Status {
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', ...status };
}

export const seconds = ms;
