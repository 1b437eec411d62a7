import http from 'node:http';
import https from 'node:https';
import { type ApiServer, type ApiServerOptions, startApiServer } from '../../src/apiserver/apiserver.ts';
import { MvccStore } from '../../src/store/mvcc-store.ts';
import type { TraceEvent } from '../../src/store/trace.ts';
import { seededRandom } from '../../src/util/random.ts';
import { FakeClock } from './fake-clock.ts';

export interface Answer {
  status: number;
  headers: http.IncomingHttpHeaders;
  text: string;
  /** Parsed, where it is JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: bodies of every shape, looked into by tests
  body: any;
}

export interface CallOptions {
  headers?: http.OutgoingHttpHeaders;
  /** Sent as JSON, or as it is. */
  body?: object | string | Buffer;
  /** Authority that the server's certificate is verified with. */
  ca?: string;
}

/** One request to its end, on a connection of its own. Rejects where there was no whole answer. */
export function call(url: string, method: string, path: string, options: CallOptions = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { body } = options;
    const payload =
      body === undefined || typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
    const chunked = options.headers?.['Transfer-Encoding'] !== undefined;
    const type = {
      ...(payload !== undefined && { 'Content-Type': 'application/json' }),
      ...(payload !== undefined && !chunked && { 'Content-Length': Buffer.byteLength(payload) }),
    };
    const { ca } = options;
    const request = (ca ? https : http).request(
      url + path,
      { method, agent: false, headers: { ...type, ...options.headers }, ...(ca && { ca }) },
      (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part) => parts.push(part));
        response.on('error', reject);
        response.on('end', () => {
          const text = Buffer.concat(parts).toString();
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text, body: json(text) });
        });
      },
    );
    request.on('error', reject);
    request.end(payload);
  });
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A watch, read line by line as it comes. */
export class TestWatch {
  readonly response: http.IncomingMessage;
  readonly #request: http.ClientRequest;
  readonly #lines: string[] = [];
  readonly #waiting: ((line: string | undefined) => void)[] = [];
  #rest = '';
  #over = false;
  /** Set once the stream is over: did its last chunk come? */
  complete: boolean | undefined;

  constructor(request: http.ClientRequest, response: http.IncomingMessage) {
    this.#request = request;
    this.response = response;
    response.setEncoding('utf8');
    response.on('data', (text: string) => this.#feed(text));
    response.on('error', () => undefined);
    response.on('close', () => {
      this.complete = response.complete;
      this.#over = true;
      for (const wake of this.#waiting.splice(0)) wake(undefined);
    });
  }

  /** The next line, without its newline; undefined at the end. */
  line(): Promise<string | undefined> {
    const line = this.#lines.shift();
    if (line !== undefined || this.#over) return Promise.resolve(line);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** The next event, parsed. */
  // biome-ignore lint/suspicious/noExplicitAny: objects of every shape, looked into by tests
  async event(): Promise<any> {
    const line = await this.line();
    return line === undefined ? undefined : JSON.parse(line);
  }

  /** Lines that are there already. */
  get waiting(): number {
    return this.#lines.length;
  }

  /** Goes away in the middle. */
  leave(): void {
    this.#request.destroy();
  }

  #feed(text: string): void {
    const parts = (this.#rest + text).split('\n');
    this.#rest = parts.pop() ?? '';
    for (const line of parts) {
      const wake = this.#waiting.shift();
      if (wake) wake(line);
      else this.#lines.push(line);
    }
  }
}

/** Opens a watch; resolves with its headers. */
export function openWatch(url: string, path: string, headers: http.OutgoingHttpHeaders = {}): Promise<TestWatch> {
  return new Promise((resolve, reject) => {
    const request = http.request(url + path, { agent: false, headers }, (response) => {
      request.off('error', reject);
      request.on('error', () => undefined);
      resolve(new TestWatch(request, response));
    });
    request.on('error', reject);
    request.end();
  });
}

export interface TestServer {
  url: string;
  server: ApiServer;
  store: MvccStore;
  clock: FakeClock;
  trace: TraceEvent[];
  faults: unknown[];
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  watch(path: string, headers?: http.OutgoingHttpHeaders): Promise<TestWatch>;
  /** Watchers in all caches. */
  watchers(): number;
  close(): Promise<void>;
}

/** A real apiserver on a real socket, on a clock that moves only when a test says so. Revisions start at 1000. */
export async function testServer(options: Partial<ApiServerOptions> = {}): Promise<TestServer> {
  const clock = new FakeClock();
  const trace: TraceEvent[] = [];
  const faults: unknown[] = [];
  const sink = (event: TraceEvent) => trace.push(event);
  const store = new MvccStore({ clock, initialRevision: 1000, trace: sink });
  const server = await startApiServer({
    store,
    clock,
    random: seededRandom(7),
    cacheSize: 'auto',
    port: 0,
    trace: sink,
    onFault: (error) => faults.push(error),
    ...options,
  });
  return {
    url: server.url,
    server,
    store,
    clock,
    trace,
    faults,
    call: (method, path, more) => call(server.url, method, path, more),
    watch: (path, headers) => openWatch(server.url, path, headers),
    watchers: () => [...server.cachers.values()].reduce((sum, cacher) => sum + cacher.state().watchers.length, 0),
    close: async () => {
      const closed = server.close();
      // The grace that a close gives is on the server's clock.
      await clock.advance(2_000);
      await closed;
    },
  };
}

/** Waits, turn by turn of the event loop, until `done` holds; gives up after many turns. No time passes. */
export async function turnsUntil(clock: FakeClock, done: () => boolean, turns = 5_000): Promise<boolean> {
  for (let i = 0; i < turns && !done(); i++) await clock.turn();
  return done();
}
