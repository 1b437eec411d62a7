import type { Timer } from '../util/clock.ts';
import { SessionExchange, type Untimed } from './exchange.ts';
import type { PendingList, StreamFacts } from './facts.ts';
import type { SessionOutput } from './output.ts';
import type { DueProbe } from './probe-policy.ts';
import { requestHeaders } from './request-headers.ts';
import type { RunOptions } from './run.ts';
import { startSession, step } from './session.ts';
import type { SessionConfig, SessionEffect, SessionInput, SessionState, Step } from './session-state.ts';
import type { Lane } from './transport.ts';
import { userAgent } from './user-agent.ts';
import { LIST_ACCEPT, WATCH_ACCEPT } from './watch-request.ts';

/** What one target's runner needs of the run around it. */
export interface TargetHost {
  readonly options: RunOptions;
  now(): number;
  /** The run's clock starts with the first request. */
  onStarted(): void;
  onStream(facts: StreamFacts): void;
  onListAsked(pending: PendingList): void;
  onListAnswered(): void;
  onOutputs(outputs: readonly SessionOutput[]): void;
  onProbe(ask: DueProbe): void;
  onStopped(): void;
}

/** Runs the session of one target: feeds it what happens, and does what it asks for. */
export class TargetRunner {
  readonly #host: TargetHost;
  #lane: Lane;
  #state: SessionState | undefined;
  #exchange: SessionExchange | undefined;
  /** Counts the requests, so that one that waits for its credential knows when it was given up. */
  #requests = 0;
  #timer: Timer | undefined;
  #stallTimer: Timer | undefined;
  /** Credentials are being read again; the next request waits for it. */
  #renewal: Promise<void> | undefined;
  /** Reasons to leave the socket unread. */
  readonly #unread = new Set<'output' | 'stall'>();
  /** Inputs that came while one was being worked on. */
  readonly #queue: SessionInput[] = [];
  #busy = false;

  constructor(host: TargetHost, lane: Lane) {
    this.#host = host;
    this.#lane = lane;
  }

  get state(): SessionState | undefined {
    return this.#state;
  }

  start(config: SessionConfig): void {
    this.#busy = true;
    this.#apply(startSession(config, this.#host.now()));
    this.#busy = false;
    this.#drain();
  }

  give(input: Untimed): void {
    this.#queue.push({ ...input, at: this.#host.now() } as SessionInput);
    this.#drain();
  }

  /** Requests go over this connection from now on. Only between two requests. */
  moveTo(lane: Lane): void {
    this.#lane.close();
    this.#lane = lane;
  }

  /** Leaves the socket of the running stream unread, or reads on. */
  setUnread(reason: 'output' | 'stall', on: boolean): void {
    const before = this.#unread.size > 0;
    if (on) this.#unread.add(reason);
    else this.#unread.delete(reason);
    const after = this.#unread.size > 0;
    if (before === after || this.#state?.kind !== 'streaming') return;
    if (after) this.#exchange?.pause();
    this.give({ kind: after ? 'read-paused' : 'read-resumed' });
    if (!after) this.#exchange?.unpause();
  }

  dispose(): void {
    this.#timer?.cancel();
    this.#stallTimer?.cancel();
    this.#exchange?.close();
    this.#lane.close();
  }

  #drain(): void {
    if (this.#busy) return;
    this.#busy = true;
    for (let input = this.#queue.shift(); input && this.#state; input = this.#queue.shift()) {
      this.#apply(step(this.#state, input));
    }
    this.#busy = false;
  }

  #apply({ state, outputs, effects }: Step): void {
    const stopped = state.kind === 'stopped' && this.#state?.kind !== 'stopped';
    this.#state = state;
    // Streams are known before anything is told of them.
    for (const effect of effects) if (effect.kind === 'open-watch') this.#host.onStream(effect.facts);
    if (outputs.length > 0) this.#host.onOutputs(outputs);
    for (const effect of effects) this.#do(effect);
    if (!stopped) return;
    this.#timer?.cancel();
    this.#host.onStopped();
  }

  #do(effect: SessionEffect): void {
    switch (effect.kind) {
      case 'open-watch':
        void this.#send('watch', effect.path);
        return;
      case 'list':
        this.#host.onListAsked(effect.pending);
        void this.#send('list', effect.path);
        return;
      case 'close':
        this.#requests += 1;
        this.#host.onListAnswered();
        this.#exchange?.close();
        this.#exchange = undefined;
        return;
      case 'probe':
        this.#host.onProbe(effect.ask);
        return;
      case 'ping':
        this.#exchange?.ping();
        return;
      case 'renew-credentials':
        this.#renewal = this.#host.options.endpoint.renew?.();
        return;
      case 'wake-at':
        this.#wakeAt(effect.at);
    }
  }

  async #send(verb: 'watch' | 'list', path: string): Promise<void> {
    this.#requests += 1;
    const mine = this.#requests;
    try {
      await this.#renewal;
      const authorization = await this.#host.options.endpoint.authorization();
      if (mine === this.#requests) this.#exchange = this.#open(verb, path, authorization, mine);
    } catch (error) {
      // Nothing was sent: to the session that is a request without an answer.
      const end = { end: 'no-response', detail: `not sent: ${(error as Error).message}` } as const;
      if (mine === this.#requests) this.give(verb === 'list' ? { kind: 'list-failed', end } : { kind: 'ended', end });
    }
  }

  #open(verb: 'watch' | 'list', path: string, authorization: string | undefined, mine: number): SessionExchange {
    const { options } = this.#host;
    return new SessionExchange({
      lane: this.#lane,
      verb,
      path,
      headers: requestHeaders({
        accept: verb === 'list' ? LIST_ACCEPT : WATCH_ACCEPT,
        userAgent: userAgent(options.version),
        authorization,
        extra: options.headers,
      }),
      clock: options.clock,
      now: () => this.#host.now(),
      give: (input) => {
        if (mine !== this.#requests) return;
        if (input.kind !== 'no-headers') this.#host.onListAnswered();
        this.give(input);
      },
      onStarted: () => this.#host.onStarted(),
      onStreaming: () => this.#onStreaming(),
    });
  }

  #onStreaming(): void {
    const { readStallMs, clock } = this.#host.options;
    if (this.#unread.size > 0) {
      this.#exchange?.pause();
      this.give({ kind: 'read-paused' });
    }
    const first = this.#state?.kind === 'streaming' && this.#state.recorder.facts.stream === 1;
    if (!first || readStallMs === undefined) return;
    this.setUnread('stall', true);
    this.#stallTimer = clock.timer(readStallMs, () => this.setUnread('stall', false));
  }

  #wakeAt(at: number): void {
    const { clock } = this.#host.options;
    this.#timer?.cancel();
    this.#timer = clock.timer(at - this.#host.now(), () => {
      this.#timer = undefined;
      // What has already arrived on the socket comes before the verdict that nothing has.
      void clock.turn().then(() => {
        if (this.#timer === undefined) this.give({ kind: 'woke' });
      });
    });
  }
}
