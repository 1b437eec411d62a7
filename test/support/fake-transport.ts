import type { AnswerHead } from '../../src/client/answer-head.ts';
import type { Endpoint } from '../../src/client/endpoint.ts';
import type { EndKind } from '../../src/client/facts.ts';
import type { Lane, OpenRequest, RequestHandler, Transport, TransportRequest } from '../../src/client/transport.ts';

/** A request that waits for the test to answer it. */
export class FakeRequest implements OpenRequest {
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly lane: number;
  closed = false;
  paused = false;
  /** Its HTTP/2 connection was told to go away: no ping can be sent on it. */
  leaving = false;
  /** Pings that wait for their answer. */
  readonly pings: (() => void)[] = [];
  readonly #handler: RequestHandler;

  constructor(request: TransportRequest, handler: RequestHandler, lane: number) {
    this.path = request.path;
    this.headers = request.headers;
    this.lane = lane;
    this.#handler = handler;
  }

  /** The probe that this is, or undefined. */
  get probe(): string | undefined {
    return /probe\/([\w-]+)/.exec(this.headers['user-agent'] ?? '')?.[1];
  }

  written(): this {
    this.#handler.onWritten();
    return this;
  }

  head(status = 200, headers: Record<string, string> = {}, httpVersion = '1.1'): this {
    const head: AnswerHead = { status, httpVersion, headers, framed: true, connection: this.lane };
    this.#handler.onHead(head);
    return this;
  }

  bytes(...texts: (string | Uint8Array)[]): this {
    this.#handler.onBytes(texts.map((text) => Buffer.from(text as string)));
    return this;
  }

  end(end: EndKind = 'eof', code?: string): this {
    this.#handler.onEnd({ end, detail: code ?? '', ...(code === undefined ? {} : { code }) });
    return this;
  }

  /** Written, 200, and open. */
  accept(): this {
    return this.written().head();
  }

  /** Written, and answered in full. */
  answer(status: number, body: string, headers: Record<string, string> = {}): this {
    return this.written().head(status, headers).bytes(body).end();
  }

  close(): void {
    this.closed = true;
  }

  pause(): void {
    this.paused = true;
  }

  unpause(): void {
    this.paused = false;
  }

  ping(answered: () => void): boolean {
    if (this.leaving) return false;
    this.pings.push(answered);
    return true;
  }
}

export class FakeTransport implements Transport {
  /** All requests so far, in order. */
  readonly requests: FakeRequest[] = [];
  /** Where each lane leads, where that is not the run's endpoint. */
  readonly endpoints: (Endpoint | undefined)[] = [];
  lanes = 0;
  closedLanes = 0;

  lane(endpoint?: Endpoint): Lane {
    this.lanes += 1;
    this.endpoints.push(endpoint);
    const id = this.lanes;
    return {
      open: (request, handler) => {
        const made = new FakeRequest(request, handler, id);
        this.requests.push(made);
        return made;
      },
      close: () => {
        this.closedLanes += 1;
      },
    };
  }

  /** The newest request that is no probe, of a path that contains `about`. */
  latest(about = ''): FakeRequest {
    const found = this.requests.findLast(({ probe, path }) => probe === undefined && path.includes(about));
    if (!found) throw new Error(`no request about ${about}`);
    return found;
  }

  probes(kind: string): FakeRequest[] {
    return this.requests.filter(({ probe }) => probe === kind);
  }
}

export function fakeEndpoint(over: Partial<Endpoint> = {}): Endpoint {
  return {
    scheme: 'https',
    host: 'h:6443',
    prefix: '',
    tls: {},
    authorization: async () => undefined,
    title: 'h:6443',
    ...over,
  };
}
