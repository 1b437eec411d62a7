import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { ATTACKS } from './hostile-attacks.ts';

const KWATCH = fileURLToPath(new URL('../bin/kwatch.js', import.meta.url));
const WRITE_EVERY_MS = 50;
const SETTLE_MS = 1_000;

/**
 * What hostile clients cost `kwatch local`: memory of its process before, at worst and a second after each attack, and what a healthy
 * watcher sees meanwhile of writes that go through the same apiserver. Figures of one machine, not ratios.
 */
async function run(): Promise<void> {
  const only = process.env.KWATCH_ATTACK;
  const server = await startServer();
  const healthy = await Healthy.start(server.url);
  try {
    for (const { name, run: attack } of ATTACKS) {
      if (only && !name.includes(only)) continue;
      const before = rssMb(server.child);
      let worst = before;
      const sampling = setInterval(() => {
        worst = Math.max(worst, rssMb(server.child));
      }, 20);
      healthy.reset();
      const since = performance.now();
      const seen = await attack({
        port: Number(new URL(server.url).port),
        burst: (count, size) => server.burst(count, size),
      });
      const seconds = (performance.now() - since) / 1000;
      await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
      clearInterval(sampling);
      console.log(
        `${name}\n  saw ${seen}; ${seconds.toFixed(1)} s; RSS ${before} → ${worst} → ${rssMb(server.child)} MB; ${healthy.report()}`,
      );
    }
  } finally {
    healthy.stop();
    server.child.kill();
  }
}

const rssMb = ({ pid }: ChildProcess) =>
  Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024);

async function startServer() {
  const args = [KWATCH, 'local', '--no-story', '--port', '0', '--compact-every', 'off', '-o', 'json'];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines = createInterface(child.stdout);
  const [line] = (await once(lines, 'line')) as [string];
  const { servers, control } = JSON.parse(line) as { servers: string[]; control: string };
  const burst = async (count: number, size: number) => {
    const query = `resource=pods&count=${count}&size=${size}&namespace=default`;
    await exchange('POST', `${control}/burst?${query}`, undefined, { 'X-Kwatch-Control': '1' });
  };
  return { child, url: servers[0] as string, burst };
}

/** One watcher that reads, and a writer beside it. */
class Healthy {
  readonly #url: string;
  readonly #sentAt = new Map<string, number>();
  #delays: number[] = [];
  #refused = 0;
  #ended = false;
  #count = 0;
  #timer: NodeJS.Timeout | undefined;

  private constructor(url: string) {
    this.#url = url;
  }

  static async start(url: string): Promise<Healthy> {
    const healthy = new Healthy(url);
    const path = '/api/v1/namespaces/default/configmaps?watch=1&resourceVersion=0';
    const request = http.get(url + path, { agent: false });
    const [response] = (await once(request, 'response')) as [http.IncomingMessage];
    createInterface(response).on('line', (line) => healthy.#onLine(line));
    response.on('close', () => {
      healthy.#ended = true;
    });
    healthy.#timer = setInterval(() => void healthy.#write(), WRITE_EVERY_MS);
    return healthy;
  }

  reset(): void {
    this.#delays = [];
    this.#refused = 0;
  }

  report(): string {
    const sorted = this.#delays.toSorted((a, b) => a - b);
    const at = (share: number) => Math.round(sorted[Math.floor((sorted.length - 1) * share)] ?? 0);
    const lost = [...this.#sentAt.values()].filter((since) => performance.now() - since > SETTLE_MS).length;
    const state = this.#ended ? 'ITS WATCH ENDED' : 'watch open';
    return `healthy: ${sorted.length} events, p50 ${at(0.5)} ms, worst ${at(1)} ms, ${lost} missing, ${this.#refused} writes refused, ${state}`;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #write(): Promise<void> {
    const name = `healthy-${this.#count++ % 50}`;
    const stamp = `${this.#count}`;
    this.#sentAt.set(stamp, performance.now());
    const body = JSON.stringify({ metadata: { name }, data: { stamp } });
    const path = `/api/v1/namespaces/default/configmaps`;
    const status = await exchange('PUT', `${this.#url}${path}/${name}`, body).then(async (code) =>
      code === 404 ? exchange('POST', `${this.#url}${path}`, body) : code,
    );
    if (status < 300) return;
    this.#refused++;
    this.#sentAt.delete(stamp);
  }

  #onLine(line: string): void {
    const stamp = /"stamp":"(\d+)"/.exec(line)?.[1];
    const since = stamp === undefined ? undefined : this.#sentAt.get(stamp);
    if (stamp === undefined || since === undefined) return;
    this.#sentAt.delete(stamp);
    this.#delays.push(performance.now() - since);
  }
}

const agent = new http.Agent({ keepAlive: true });

function exchange(method: string, url: string, body?: string, headers: http.OutgoingHttpHeaders = {}): Promise<number> {
  return new Promise((resolve) => {
    const type =
      body === undefined ? {} : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) };
    const request = http.request(url, { method, agent, headers: { ...type, ...headers } }, (response) => {
      response.resume();
      response.once('close', () => resolve(response.statusCode ?? 599));
    });
    request.once('error', () => resolve(599));
    request.end(body);
  });
}

await run();
