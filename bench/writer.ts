import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';

export interface Target {
  port: number;
  tls: boolean;
  /** Sent with each request: a token, for instance. */
  headers: Record<string, string>;
}

/** Writes objects over a number of kept connections, each as soon as the one before it is answered. */
export class Writer {
  readonly #target: Target;
  readonly #agent: HttpAgent;

  constructor(target: Target, connections: number) {
    this.#target = target;
    const options = { keepAlive: true, maxSockets: connections };
    this.#agent = target.tls ? new HttpsAgent({ ...options, rejectUnauthorized: false }) : new HttpAgent(options);
  }

  /** The status of the answer, and its body. */
  call(method: string, path: string, body?: object): Promise<{ status: number; text: string }> {
    const { port, tls, headers } = this.#target;
    const text = body === undefined ? '' : JSON.stringify(body);
    const content =
      body === undefined ? {} : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) };
    const options = { agent: this.#agent, host: '127.0.0.1', port, method, path, headers: { ...headers, ...content } };
    return new Promise((resolve, reject) => {
      const sent = (tls ? httpsRequest : httpRequest)(options, (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(parts).toString() }));
      });
      sent.on('error', reject);
      sent.end(text);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** A configmap of about `bytes` bytes; what `mark` says stands at the end of its JSON. */
export function configMap(name: string, bytes: number, mark: string): object {
  const metadata = { name, namespace: 'default', labels: { app: 'bench' } };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { pad: 'x'.repeat(bytes), zmark: mark } };
}
