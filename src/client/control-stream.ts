import { FrameDecoder } from '../protocol/frame-decoder.ts';
import { retryAfterMs } from '../protocol/retry-after.ts';
import type { Timer } from '../util/clock.ts';
import type { AnswerHead } from './answer-head.ts';
import type { ControlFacts, ControlState } from './control-facts.ts';
import type { TransportEnd } from './end-kind.ts';
import { SessionExchange, type Untimed } from './exchange.ts';
import type { ListPage } from './list-page.ts';
import { requestHeaders } from './request-headers.ts';
import type { RunOptions } from './run.ts';
import type { Lane } from './transport.ts';
import { probeUserAgent } from './user-agent.ts';
import { LIST_ACCEPT } from './watch-request.ts';

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';
/** Only metadata: when something comes is all that is wanted. */
const METADATA_ACCEPT = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json';
/**
 * Leases that are watched together. Of a larger cluster one alone is: a thousand nodes would send a hundred events a second,
 * and one of them has the rhythm as well.
 */
const MAX_LEASES = 50;
/**
 * A kubelet renews its lease every 10 s (a quarter of nodeLeaseDurationSeconds, 40; jitter of 4 %: k8s.io/component-helpers
 * apimachinery/lease). Without a byte for half as long again the question is put anew, ms.
 */
export const CONTROL_RHYTHM_MS = 15_000;
/** Between a failed attempt and the next one, ms. */
const RETRY_MS = 5_000;
/** Between the end of a watch and the LIST that follows it, ms. */
const AGAIN_MS = 1_000;
const TIMEOUT_SECONDS = 300;
/** A lease's metadata is a few hundred bytes; of more than this nothing is read. */
const MAX_FRAME_BYTES = 1024 * 1024;

/** What stays so however often it is asked. */
const FINAL_STATUS = new Set([400, 401, 403, 404, 405, 406, 422]);

export interface ControlHost {
  now(): number;
  /** The control stream came to another state. */
  onState(facts: ControlFacts): void;
  /** Something came: the path lives. */
  onAlive(): void;
}

/**
 * Watches node leases on a connection of its own: LIST, then watch, and both again whenever the rhythm stops, so that a control
 * connection that died is not taken for a dead path. What it learns stands in `facts`.
 *
 * Its own connection over HTTP/2 too: on the watched stream's it would only show what a ping of that connection shows
 * (http2-transport.ts), and would die with it; beside it, it tells a dead connection from a dead path.
 */
export class ControlStream {
  readonly facts: ControlFacts;
  readonly #lane: Lane;
  readonly #options: RunOptions;
  readonly #host: ControlHost;
  #exchange: SessionExchange | undefined;
  #decoder = new FrameDecoder({ maxFrameBytes: MAX_FRAME_BYTES });
  #timer: Timer | undefined;
  #askedAt: number;
  /** Requests so far: what an older one still says is not heard. */
  #requests = 0;
  /** Which of the first page's leases is watched, where there are too many for all. */
  #chosen = 0;
  #over = false;

  constructor(lane: Lane, options: RunOptions, host: ControlHost) {
    this.#lane = lane;
    this.#options = options;
    this.#host = host;
    this.#askedAt = host.now();
    this.facts = { state: 'asking', asked: LEASES, startedAt: this.#askedAt, frames: 0, opens: 0 };
  }

  start(): void {
    this.#list();
  }

  stop(): void {
    this.#over = true;
    this.#timer?.cancel();
    this.#exchange?.close();
    this.#lane.close();
  }

  #list(): void {
    this.#ask('list', `${LEASES}?limit=${MAX_LEASES}`);
  }

  #watch({ rv, objects, continue: more }: ListPage): void {
    const [, name] = /([^/]*)$/.exec(objects[this.#chosen % objects.length]?.name ?? '') ?? [];
    const one = more === undefined ? '' : `&fieldSelector=${encodeURIComponent(`metadata.name=${name}`)}`;
    const from = rv === undefined ? '' : `&resourceVersion=${encodeURIComponent(rv)}`;
    this.#ask('watch', `${LEASES}?watch=1&timeoutSeconds=${TIMEOUT_SECONDS}${from}${one}`);
  }

  #ask(verb: 'list' | 'watch', path: string): void {
    this.#requests += 1;
    const mine = this.#requests;
    this.#askedAt = this.#host.now();
    this.facts.asked = path;
    this.#decoder = new FrameDecoder({ maxFrameBytes: MAX_FRAME_BYTES });
    this.#options.endpoint.authorization().then(
      (authorization) => {
        if (mine === this.#requests && !this.#over) this.#exchange = this.#open(verb, path, authorization, mine);
      },
      (error: Error) => {
        if (mine === this.#requests && !this.#over) this.#giveUp('refused', { detail: `not sent: ${error.message}` });
      },
    );
  }

  #open(verb: 'list' | 'watch', path: string, authorization: string | undefined, mine: number): SessionExchange {
    const { clock, headers: extra, version } = this.#options;
    const accept = verb === 'list' ? LIST_ACCEPT : METADATA_ACCEPT;
    const headers = requestHeaders({ accept, userAgent: '', authorization, extra });
    return new SessionExchange({
      lane: this.#lane,
      verb,
      path,
      headers: { ...headers, accept, 'user-agent': probeUserAgent(version, 'control') },
      clock,
      now: () => this.#host.now(),
      give: (input) => {
        if (mine === this.#requests && !this.#over) this.#take(verb, input);
      },
      onStarted: () => undefined,
      onStreaming: () => undefined,
    });
  }

  #take(verb: 'list' | 'watch', input: Untimed): void {
    switch (input.kind) {
      case 'opened':
        this.#answered(input.head);
        if (verb === 'watch') this.#opened();
        return;
      case 'listed':
        if (input.page.objects.length === 0) this.#giveUp('none', undefined);
        else this.#watch(input.page);
        return;
      case 'bytes':
        this.#bytes(input.chunks);
        return;
      case 'refused':
        this.#refused(input);
        return;
      case 'ended':
        this.#ended(input.end);
        return;
      case 'list-failed':
        this.#unanswered(howUnanswered(input.end));
        return;
      case 'no-headers':
        this.#unanswered('silence');
    }
  }

  #opened(): void {
    this.facts.opens += 1;
    this.facts.openedAt = this.#host.now();
    this.#awaitRhythm();
  }

  /** A watch that was answered ends as watches do; one that was not has had no answer. */
  #ended(end: TransportEnd): void {
    if (this.facts.openedAt === undefined) {
      this.#unanswered(howUnanswered(end));
      return;
    }
    delete this.facts.openedAt;
    this.#again(AGAIN_MS);
  }

  #bytes(chunks: readonly Uint8Array[]): void {
    for (const chunk of chunks) this.facts.frames += this.#decoder.push(chunk).length;
    this.#alive();
    this.#awaitRhythm();
    this.#enter('live');
  }

  #refused({ head, body }: Untimed & { kind: 'refused' }): void {
    // A gateway's word is none of the apiserver's, which alone sets an Audit-Id.
    if (head.status >= 500 && head.headers['audit-id'] === undefined) {
      this.#unanswered('gateway');
      return;
    }
    this.#answered(head);
    const detail = (body.status?.message ?? body.text).slice(0, 200);
    if (FINAL_STATUS.has(head.status)) this.#giveUp('refused', { httpStatus: head.status, detail });
    else this.#again(Math.max(RETRY_MS, retryAfterMs(head.headers, body.status) ?? 0));
  }

  #answered({ connection }: AnswerHead): void {
    this.facts.connection = connection;
    this.#alive();
  }

  #alive(): void {
    this.facts.lastByteAt = this.#host.now();
    delete this.facts.unansweredSince;
    delete this.facts.unansweredBy;
    this.#host.onAlive();
  }

  #unanswered(by: NonNullable<ControlFacts['unansweredBy']>): void {
    delete this.facts.openedAt;
    this.facts.unansweredBy = by;
    this.facts.unansweredSince ??= this.#askedAt;
    this.#close();
    this.#enter('unanswered');
    this.#again(RETRY_MS);
  }

  /** The rhythm stopped where nothing comes for so long: perhaps only this connection died, or this one node. */
  #awaitRhythm(): void {
    this.#after(CONTROL_RHYTHM_MS, () => {
      delete this.facts.openedAt;
      this.#chosen += 1;
      this.#close();
      this.#enter('silent');
      this.#list();
    });
  }

  #again(ms: number): void {
    this.#after(ms, () => this.#list());
  }

  #after(ms: number, what: () => void): void {
    this.#timer?.cancel();
    this.#timer = this.#options.clock.timer(ms, what);
  }

  /** The next request takes another connection. */
  #close(): void {
    this.#requests += 1;
    this.#exchange?.close();
    this.#exchange = undefined;
    this.#lane.close();
  }

  #giveUp(state: 'refused' | 'none', refused: ControlFacts['refused']): void {
    if (refused) this.facts.refused = refused;
    this.facts.endedAt = this.#host.now();
    this.stop();
    this.#enter(state);
  }

  #enter(state: ControlState): void {
    if (this.facts.state === state) return;
    this.facts.state = state;
    this.#host.onState(this.facts);
  }
}

/** A connection that could not be made in time is silence; one that was turned away, or ended, is not. */
function howUnanswered({ code }: TransportEnd): 'silence' | 'refusal' {
  return code !== undefined && TIMED_OUT.has(code) ? 'silence' : 'refusal';
}

/** Nobody answered the SYN, or a route is missing: packets go, and nothing comes back. */
const TIMED_OUT = new Set([
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EHOSTDOWN',
  'ENETDOWN',
]);
