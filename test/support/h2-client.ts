import { once } from 'node:events';
import http2 from 'node:http2';
import type { ServingCertificate } from '../../src/apiserver/self-signed-certificate.ts';

export interface H2Answer {
  status: number;
  headers: http2.IncomingHttpHeaders;
  text: string;
  /** RST_STREAM's code; 0: a proper end. */
  code: number;
}

/** A watch over HTTP/2, line by line. */
export class H2Watch {
  readonly stream: http2.ClientHttp2Stream;
  readonly #lines: string[] = [];
  #rest = '';
  #wake: () => void = () => undefined;
  /** How the stream ended, once it has. */
  ended: { proper: boolean; code: number } | undefined;

  constructor(stream: http2.ClientHttp2Stream) {
    this.stream = stream;
    let proper = false;
    stream.setEncoding('utf8').on('data', (text: string) => {
      const parts = (this.#rest + text).split('\n');
      this.#rest = parts.pop() ?? '';
      this.#lines.push(...parts);
      this.#wake();
    });
    stream.on('end', () => {
      proper = true;
    });
    stream.on('error', () => undefined);
    stream.on('close', () => {
      // Node says 'end' of a stream whose connection broke as well; its code then is CANCEL.
      this.ended = { proper: proper && stream.rstCode === 0, code: stream.rstCode ?? 0 };
      this.#wake();
    });
  }

  /** The next event; undefined at the end. */
  // biome-ignore lint/suspicious/noExplicitAny: objects of every shape, looked into by tests
  async event(): Promise<any> {
    while (this.#lines.length === 0 && this.ended === undefined) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    const line = this.#lines.shift();
    return line === undefined ? undefined : JSON.parse(line);
  }
}

/** One HTTP/2 connection to a test server, over TLS or by prior knowledge. */
export class H2Client {
  readonly session: http2.ClientHttp2Session;
  /** Codes of the GOAWAY frames that came. */
  readonly goaways: number[] = [];

  constructor(url: string, certificate?: ServingCertificate, settings: http2.Settings = {}) {
    this.session = http2.connect(url, { ...(certificate && { ca: certificate.ca }), settings });
    this.session.on('goaway', (code) => this.goaways.push(code));
    this.session.on('error', () => undefined);
  }

  async call(method: string, path: string, body?: object, headers: http2.OutgoingHttpHeaders = {}): Promise<H2Answer> {
    const stream = this.session.request(
      { ':method': method, ':path': path, ...(body && { 'content-type': 'application/json' }), ...headers },
      { endStream: body === undefined },
    );
    stream.on('error', () => undefined);
    if (body !== undefined) stream.end(JSON.stringify(body));
    const parts: Buffer[] = [];
    let head: http2.IncomingHttpHeaders = {};
    stream.on('response', (found) => {
      head = found;
    });
    stream.on('data', (part: Buffer) => parts.push(part));
    await once(stream, 'close');
    const text = Buffer.concat(parts).toString();
    return { status: Number(head[':status'] ?? 0), headers: head, text, code: stream.rstCode ?? 0 };
  }

  /** Resolves with its headers. */
  async watch(path: string): Promise<{ watch: H2Watch; headers: http2.IncomingHttpHeaders }> {
    const stream = this.session.request({ ':path': path });
    const watch = new H2Watch(stream);
    const [headers] = (await once(stream, 'response')) as [http2.IncomingHttpHeaders];
    return { watch, headers };
  }

  leave(): void {
    this.session.destroy();
  }
}
