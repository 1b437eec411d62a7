// How long a verdict takes in one diagnose() over short and long runs (200 streams are the most that a run keeps): it is called
// after each end, probe and list, and once a second.
// `npm run bench -- diagnose`
import type { RunFacts, WatchTarget } from '../src/client/facts.ts';
import { diagnose } from '../src/diagnosis/diagnose.ts';
import { FactsBuilder } from '../test/diagnosis/facts-builder.ts';

/** Streams of one target, one after the other: planned ends, cuts, 410s with their relists, refusals; the usual mix and worse. */
function story(b: FactsBuilder, target: WatchTarget, count: number): void {
  let at = 0;
  for (let i = 0; i < count; i++) {
    const rv = String(1_000 + i * 10);
    const next = String(1_010 + i * 10);
    const kind = i % 5;
    if (kind === 0)
      b.stream(target, { at, rv, rvAt: at, end: 'eof', until: at + 300, timeout: 300, last: [next, at + 298] });
    if (kind === 1)
      b.stream(target, { at, rv, rvAt: at, end: 'truncated', until: at + 60, timeout: 300, byteAt: at + 10 });
    if (kind === 2)
      b.stream(target, { at, rv, rvAt: at, end: 'eof', until: at + 90, timeout: 300, last: [next, at + 60] });
    if (kind === 3) {
      b.goneA(target, at, rv, String(9_000 + i), at - 30);
      b.list(target, at + 0.1, next, { why: '410' });
    }
    if (kind === 4) b.stream(target, { at, rv, rvAt: at, end: 'rejected', status: 502 });
    at += kind === 0 ? 301 : 91;
  }
}

function facts(streams: number): RunFacts {
  const b = new FactsBuilder();
  for (const resource of ['pods', 'secrets']) {
    const target = b.target(resource);
    story(b, target, streams / 2);
    for (let i = 0; i < 20; i++) b.floor(target, i * 30, String(5_000 + i));
  }
  return b.run(6_000);
}

const CALLS = 10;
const ROUNDS = 30;
/** Streams of a run. */
const RUNS = [10, 50, 200];

/** Median µs of one call. */
function micros(work: () => unknown): number {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const from = performance.now();
    for (let call = 0; call < CALLS; call++) work();
    times.push(((performance.now() - from) / CALLS) * 1_000);
  }
  return times.sort((x, y) => x - y)[ROUNDS / 2] ?? 0;
}

export function run(): void {
  for (const streams of RUNS) {
    const all = facts(streams);
    micros(() => diagnose(all));
  }
  for (const streams of RUNS) {
    const all = facts(streams);
    const findings = diagnose(all);
    const [one, base] = [micros(() => diagnose(all)), micros(() => JSON.stringify(all))];
    const verdict = (one / findings.length).toFixed(0);
    const ratio = (one / base).toFixed(1);
    console.log(
      `diagnose: ${verdict} µs a verdict, ${findings.length} of ${streams} streams; ${ratio} × JSON.stringify of their facts`,
    );
  }
}
