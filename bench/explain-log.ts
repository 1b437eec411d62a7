import { once } from 'node:events';
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { median, ratio, sideBySide } from './side-by-side.ts';

const KWATCH = fileURLToPath(new URL('../bin/kwatch.js', import.meta.url));
/** Bytes of each log: long enough that the start of a process is small beside it. */
const SIZE = 256 * 1024 * 1024;
const ROUNDS = 3;

/** Lines of a controller's day: ordinary work, in the forms of klog, zap and CRI. */
const ORDINARY = [
  'I0611 02:15:51.565559       1 controller.go:214] Reconciling orchard="grove/row-24" resourceVersion="41888729"',
  '{"level":"info","ts":1783864806.026,"logger":"controller.pool","msg":"reconciled","namespace":"reef","name":"pool-21","resourceVersion":"58358852","generation":8}',
  '2026-09-03T06:00:17.301628337Z stderr F I0903 06:00:17.301854       1 trace.go:236] Trace[692415128]: "List" accept:application/json,client:192.0.2.45,resource:pods,verb:LIST (737ms): resp=200',
  'time="2026-02-10T13:33:09Z" level=info msg="request served" path=/healthz status=200 duration=1.2ms',
];
/** One line of trouble in so many. */
const TROUBLE_EVERY = 1_000;
const TROUBLE =
  'W0611 04:12:09.118000       1 reflector.go:470] a.go:1: watch of *v1.Pod ended with: too old resource version: 41877 (96214)';

/** A log of 256 MiB through `kwatch explain`, against `grep -c` of one word in it, and `wc -l`. Peak memory is absolute. */
export async function run(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'kwatch-bench-'));
  try {
    const log = join(folder, 'day.log');
    await writeLog(log);
    const samples = await sideBySide(
      [
        { name: 'explain', command: process.execPath, args: [KWATCH, 'explain', '-o', 'json', '--file', log] },
        // Through a pipe: grep stops at the first match where nobody reads.
        { name: 'grep', command: 'sh', args: ['-c', 'grep -c "too old" "$0" | cat', log] },
        { name: 'wc', command: 'wc', args: ['-l', log] },
      ],
      ROUNDS,
    );
    const wall = median((samples.get('explain') ?? []).map(({ wallMs }) => wallMs));
    console.log(`explain / grep -c: ${ratio(samples, 'explain', 'grep', 'wallMs').toFixed(0)}`);
    console.log(`explain / wc -l: ${ratio(samples, 'explain', 'wc', 'wallMs').toFixed(0)}`);
    const peak = median((samples.get('explain') ?? []).map(({ peakMiB }) => peakMiB));
    console.log(`explain: peak memory ${peak.toFixed(0)} MiB`);
    console.log(`explain: ${(SIZE / 1e6 / (wall / 1e3)).toFixed(0)} MB/s (must ≥ 100)`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function writeLog(path: string): Promise<void> {
  const file = createWriteStream(path);
  const block = Array.from({ length: TROUBLE_EVERY }, (_, n) =>
    n === 0 ? TROUBLE : (ORDINARY[n % ORDINARY.length] as string),
  ).join('\n');
  for (let written = 0; written < SIZE; written += block.length + 1) {
    if (!file.write(`${block}\n`)) await once(file, 'drain');
  }
  file.end();
  await once(file, 'close');
}
