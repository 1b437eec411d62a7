import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Contestant, has, median, ratio, runOnce, sideBySide } from './side-by-side.ts';

const KWATCH = fileURLToPath(new URL('../bin/kwatch.js', import.meta.url));
const FEED = fileURLToPath(new URL('./feed.ts', import.meta.url));

async function withFeed<T>(events: number, use: (port: number) => Promise<T>): Promise<T> {
  const feed = spawn(process.execPath, ['--import', 'tsx', FEED, '--events', String(events)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  try {
    const [line] = (
      await new Promise<string>((resolve) => feed.stdout.once('data', (bytes) => resolve(String(bytes))))
    ).split('\n');
    return await use((JSON.parse(line as string) as { port: number }).port);
  } finally {
    feed.stdin.end();
  }
}

const curl = (port: number): Contestant => ({ name: 'curl -s', command: 'curl', args: ['-s', watchUrl(port)] });
const watchUrl = (port: number) => `http://127.0.0.1:${port}/api/v1/pods?watch=1&resourceVersion=1000000000`;
const kwatch = (port: number, output: string): Contestant => ({
  name: `kwatch -o ${output}`,
  // The feed ends early, which `--once` reports as 1 by contract.
  okCodes: [0, 1],
  command: process.execPath,
  args: [
    KWATCH,
    'tail',
    '-s',
    `http://127.0.0.1:${port}`,
    '--raw',
    '/api/v1/pods?watch=1&resourceVersion=1000000000&timeoutSeconds=3600',
    '-o',
    output,
    '--no-probe',
    '--for',
    '10m',
    '--once',
  ],
});

/** C1, C3, C10 of the goals: events a second against curl and against kubectl's table; peak memory at 1M against 100k events. */
export async function run(): Promise<void> {
  const events = 300_000;
  await withFeed(events, async (port) => {
    const samples = await sideBySide([curl(port), kwatch(port, 'line'), kwatch(port, 'json')], 5);
    for (const [name, runs] of samples) {
      const wall = median(runs.map(({ wallMs }) => wallMs));
      console.log(`  ${name.padEnd(16)} ${Math.round((events / wall) * 1000).toLocaleString('en')} events/s`);
    }
    console.log(
      `C1 default view / curl, events/s: ${(1 / ratio(samples, 'kwatch -o line', 'curl -s', 'wallMs')).toFixed(2)} (must ≥ 0.5)`,
    );
    console.log(
      `   -o json / curl, events/s: ${(1 / ratio(samples, 'kwatch -o json', 'curl -s', 'wallMs')).toFixed(2)}`,
    );
  });
  await kubectlTable();
  await memory();
}

async function kubectlTable(): Promise<void> {
  if (!(await has('kubectl', ['version', '--client']))) {
    console.log('C3 skipped: there is no kubectl here');
    return;
  }
  const cache = mkdtempSync(join(tmpdir(), 'kwatch-bench-'));
  try {
    const events = 20_000;
    await withFeed(events, async (port) => {
      const server = `http://127.0.0.1:${port}`;
      const kubectl: Contestant = {
        name: 'kubectl',
        command: 'kubectl',
        args: [
          '--kubeconfig=/dev/null',
          `--cache-dir=${cache}`,
          '--server',
          server,
          'get',
          'pods',
          '-A',
          '-w',
          '--output-watch-events',
        ],
      };
      const samples = await sideBySide([kubectl, kwatch(port, 'line')], 3);
      // Only 20,000 events, start-up included: kubectl would take minutes for more.
      console.log(
        `C3 default view / kubectl table, ${events} events with start-up: ${(1 / ratio(samples, 'kwatch -o line', 'kubectl', 'wallMs')).toFixed(1)}x`,
      );
      await withFeed(events * 10, async (more) => {
        const long = (await runOnce(kwatch(more, 'line'))).wallMs;
        const short = median((samples.get('kwatch -o line') ?? []).map(({ wallMs }) => wallMs));
        const perEvent = (long - short) / (events * 9);
        const start = (
          await runOnce({ ...kubectl, name: 'start', args: [...kubectl.args.slice(0, 4), 'version', '--client'] })
        ).wallMs;
        const theirs = (median((samples.get('kubectl') ?? []).map(({ wallMs }) => wallMs)) - start) / events;
        console.log(`C3 the same without start-up: ${(theirs / perEvent).toFixed(1)}x (must ≥ 35)`);
      });
    });
  } finally {
    rmSync(cache, { recursive: true, force: true });
  }
}

async function memory(): Promise<void> {
  const peaks: Record<number, number> = {};
  for (const events of [100_000, 1_000_000]) {
    await withFeed(events, async (port) => {
      peaks[events] = (await runOnce(kwatch(port, 'line'))).peakMiB;
    });
  }
  const [small, large] = [peaks[100_000] as number, peaks[1_000_000] as number];
  console.log(
    `C10 peak RSS at 1M / at 100k events: ${(large / small).toFixed(2)} (${large.toFixed(0)} / ${small.toFixed(0)} MiB; must ≤ 1.25)`,
  );
}
