import { expect } from 'vitest';
import type { AnswerHead } from '../../src/client/answer-head.ts';
import type { Untimed } from '../../src/client/exchange.ts';
import type { EndKind, ProbeOutcome } from '../../src/client/facts.ts';
import type { SessionOutput } from '../../src/client/output.ts';
import type { StartAt } from '../../src/client/run.ts';
import { startSession, step } from '../../src/client/session.ts';
import type { SessionConfig, SessionEffect, SessionInput, SessionState, Step } from '../../src/client/session-state.ts';
import { planRequests } from '../../src/client/watch-request.ts';

/** A session test as a script: what it gets, what it says, what it does (mitmproxy's Playbook). */

export interface PlayOptions extends Partial<Omit<SessionConfig, 'plan'>> {
  path?: string;
  query?: string;
  raw?: boolean;
  start?: StartAt;
}

export const PODS = '/api/v1/namespaces/shop/pods';
const START = 1_000_000;

export function sessionConfig(options: PlayOptions = {}): SessionConfig {
  let streams = 0;
  const { path = PODS, query = 'watch=1&resourceVersion=100', raw = true, start = 'url', ...rest } = options;
  return {
    plan: planRequests(0, { path, query, raw, start }),
    once: false,
    pinQuery: false,
    probing: false,
    renewable: false,
    random: () => 0,
    takeStream: () => {
      streams += 1;
      return streams;
    },
    ...rest,
  };
}

export function play(options: PlayOptions = {}): Playbook {
  return new Playbook(sessionConfig(options));
}

export class Playbook {
  state: SessionState;
  at = START;
  #outputs: SessionOutput[] = [];
  #effects: SessionEffect[] = [];
  /** The wake-up asked for, ms since the start. */
  wakeAt: number | undefined;
  readonly #log: string[] = [];

  constructor(config: SessionConfig) {
    const first = startSession(config, this.at);
    this.state = first.state;
    this.#take(first);
  }

  /** Lets time pass; the session is woken if it asked for that. */
  after(ms: number): this {
    const until = this.at + ms;
    while (this.wakeAt !== undefined && START + this.wakeAt <= until) {
      this.at = Math.max(this.at, START + this.wakeAt);
      this.wakeAt = undefined;
      this.gets({ kind: 'woke' });
    }
    this.at = until;
    return this;
  }

  gets(...inputs: Untimed[]): this {
    for (const input of inputs) {
      this.#log.push(`>> ${input.kind}`);
      this.#take(step(this.state, { ...input, at: this.at } as SessionInput));
    }
    return this;
  }

  /** The next outputs, in order, each matching in part; phases are left out unless one is asked for. */
  says(...expected: object[]): this {
    const phases = expected.some((one) => 'kind' in one && one.kind === 'phase');
    const said = this.#outputs.filter(({ kind }) => phases || kind !== 'phase');
    this.#outputs = [];
    expect(said, this.#script()).toMatchObject(expected);
    return this;
  }

  /** The next effects but wake-ups, in order; a text or pattern must occur in the path. */
  does(...expected: [kind: SessionEffect['kind'], about?: string | RegExp][]): this {
    const done = this.#effects.splice(0).map((effect): [string, string?] => {
      if ('path' in effect) return [effect.kind, effect.path];
      return effect.kind === 'probe'
        ? ['probe', [effect.ask.kind, effect.ask.rv].filter(Boolean).join(' ')]
        : [effect.kind];
    });
    expect(
      done.map(([kind]) => kind),
      this.#script(),
    ).toEqual(expected.map(([kind]) => kind));
    expected.forEach(([, about], index) => {
      if (about !== undefined) expect(done[index]?.[1], this.#script()).toMatch(about);
    });
    return this;
  }

  /** Forgets what was said and done so far. */
  skip(): this {
    this.#outputs = [];
    this.#effects = [];
    return this;
  }

  is(kind: SessionState['kind'], partial: object = {}): this {
    expect(this.state, this.#script()).toMatchObject({ kind, ...partial });
    return this;
  }

  #take({ state, outputs, effects }: Step): void {
    this.state = state;
    this.#outputs.push(...outputs);
    for (const effect of effects) {
      this.#log.push(`<< ${effect.kind}${'path' in effect ? ` ${effect.path}` : ''}`);
      if (effect.kind === 'wake-at') this.wakeAt = effect.at - START;
      else this.#effects.push(effect);
    }
  }

  #script(): string {
    return `\n${this.#log.join('\n')}\n`;
  }
}

const HEAD: AnswerHead = {
  status: 200,
  httpVersion: '1.1',
  headers: { 'content-type': 'application/json', 'transfer-encoding': 'chunked' },
  framed: true,
  connection: 1,
};

export function opened(over: Partial<AnswerHead> = {}): Untimed {
  return { kind: 'opened', head: { ...HEAD, ...over }, writtenAt: START };
}

export function refused(status: number, over: { text?: string; retryAfter?: string; causes?: string[] } = {}): Untimed {
  const { text = '', retryAfter, causes } = over;
  const headers = retryAfter === undefined ? {} : { 'retry-after': retryAfter };
  const details = causes === undefined ? {} : { details: { causes: causes.map((reason) => ({ reason })) } };
  return {
    kind: 'refused',
    head: { ...HEAD, status, headers },
    writtenAt: START,
    body: {
      text,
      size: text.length,
      status: {
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        code: status,
        message: text,
        ...details,
      },
    },
  };
}

export function bytes(...lines: string[]): Untimed {
  return { kind: 'bytes', chunks: lines.map((line) => Buffer.from(line)) };
}

function line(type: string, object: object): string {
  return `${JSON.stringify({ type, object })}\n`;
}

export function event(type: 'ADDED' | 'MODIFIED' | 'DELETED', name: string, rv: string | undefined): string {
  const metadata = {
    name,
    namespace: 'shop',
    uid: `uid-${name}`,
    ...(rv === undefined ? {} : { resourceVersion: rv }),
  };
  return line(type, { kind: 'Pod', apiVersion: 'v1', metadata });
}

export function bookmark(rv: string, annotations?: Record<string, string>): string {
  return line('BOOKMARK', {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: { resourceVersion: rv, ...(annotations ? { annotations } : {}) },
  });
}

export function errorEvent(code: number, message = 'x'): string {
  return line('ERROR', {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason: 'Expired',
    code,
  });
}

export function ended(end: EndKind = 'eof', code?: string): Untimed {
  return { kind: 'ended', end: { end, detail: code ?? '', ...(code === undefined ? {} : { code }) } };
}

export function listed(rv: string | undefined, objects: [name: string, rv: string][] = [], token?: string): Untimed {
  return {
    kind: 'listed',
    page: {
      ...(rv === undefined ? {} : { rv }),
      ...(token === undefined ? {} : { continue: token }),
      objects: objects.map(([name, version]) => ({ key: `uid-${name}`, name: `shop/${name}`, rv: version })),
    },
  };
}

export function probed(kind: 'side' | 'window', outcome: ProbeOutcome, askedAt: number): Untimed {
  return {
    kind: 'probed',
    answer: { kind, target: { index: 0, path: PODS }, askedAt, answeredAt: askedAt + 10, asked: '/x', outcome },
  };
}
