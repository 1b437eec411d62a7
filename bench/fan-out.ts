import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { compiled } from './compiled.ts';
import type { BurstRequest } from './fan-out-server.ts';
import { cpuMsOf } from './process-usage.ts';
import { Reader } from './reader.ts';
import { median } from './side-by-side.ts';

const PATH = '/api/v1/namespaces/default/pods?watch=1&resourceVersion=1000000500&timeoutSeconds=3600';
const BURST = 100;
const ROUNDS = 7;
/** Bursts of one contestant before it is another one's turn. The naive server gets fewer, for it takes twenty times as long. */
const BURSTS = { naive: 2, kwatch: 10, floor: 10 } as const;
type Kind = keyof typeof BURSTS;
const KINDS = ['naive', 'kwatch', 'floor'] as const satisfies readonly Kind[];

/**
 * S1, S2, S3: deliveries of bursts of 100 writes to N watchers on real sockets, closed loop (a burst begins when the last watcher has
 * read the one before), against a naive server and against what loopback itself takes. All three in one run, in turn.
 */
export async function run(): Promise<void> {
  for (const watchers of [100, 1000]) {
    const contestants = await Promise.all(KINDS.map((kind) => Contestant.start(kind, watchers)));
    try {
      for (let round = -1; round < ROUNDS; round++) {
        const order = round % 2 === 0 ? contestants : contestants.toReversed();
        for (const contestant of order) await contestant.play(round >= 0);
      }
      report(watchers, contestants);
    } finally {
      for (const contestant of contestants) contestant.stop();
    }
  }
}

function report(watchers: number, [naive, kwatch, floor]: Contestant[]): void {
  if (!naive || !kwatch || !floor) throw new Error('three contestants');
  for (const { kind, rate, cpuUs } of [naive, kwatch, floor]) {
    console.log(
      `N=${watchers} ${kind}: ${Math.round(rate).toLocaleString('en')} deliveries/s, server CPU ${cpuUs.toFixed(2)} µs each`,
    );
  }
  const ratio = (value: number) => value.toFixed(2);
  console.log(`S1 N=${watchers}: ${ratio(kwatch.rate / naive.rate)} × naive (must ≥ 20)`);
  console.log(`S2 N=${watchers}: ${ratio(kwatch.rate / floor.rate)} × floor (must ≥ 0.7)`);
  console.log(`S3 N=${watchers}: CPU ${ratio(kwatch.cpuUs / floor.cpuUs)} × floor (must ≤ 1.5)`);
}

class Contestant {
  readonly kind: Kind;
  readonly #server: ChildProcess;
  readonly #reader: Reader;
  readonly #watchers: number;
  readonly #rates: number[] = [];
  readonly #cpuUs: number[] = [];
  #bursts = 0;

  private constructor(kind: Kind, server: ChildProcess, reader: Reader, watchers: number) {
    this.kind = kind;
    this.#server = server;
    this.#reader = reader;
    this.#watchers = watchers;
  }

  static async start(kind: Kind, watchers: number): Promise<Contestant> {
    const server = fork(await compiled('fan-out-server'), [kind]);
    const [{ port }] = (await once(server, 'message')) as [{ port: number }];
    const reader = new Reader();
    await reader.open({ port, path: PATH, watchers });
    return new Contestant(kind, server, reader, watchers);
  }

  get rate(): number {
    return median(this.#rates);
  }

  get cpuUs(): number {
    return median(this.#cpuUs);
  }

  async play(counts: boolean): Promise<void> {
    const bursts = BURSTS[this.kind];
    const before = cpuMsOf(this.#server.pid as number);
    let ms = 0;
    for (let n = 0; n < bursts; n++) ms += await this.#burst();
    const deliveries = bursts * BURST * this.#watchers;
    if (!counts) return;
    this.#rates.push((deliveries * 1000) / ms);
    this.#cpuUs.push(((cpuMsOf(this.#server.pid as number) - before) * 1000) / deliveries);
  }

  stop(): void {
    this.#reader.close();
    this.#server.disconnect();
  }

  #burst(): Promise<number> {
    this.#bursts += 1;
    const request: BurstRequest = { writes: BURST, mark: `mark-${String(this.#bursts).padStart(6, '0')}` };
    return this.#reader.burst(request.mark, () => this.#server.send(request));
  }
}
