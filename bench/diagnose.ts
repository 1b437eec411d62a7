// How long a verdict takes within one diagnose() of short and long runs, and of the worst long runs that are known. It is called as a
// whole after each end, probe and list, and once a second; 200 streams are the most that a run keeps.
// `npm run bench -- diagnose`
import type { RunFacts, WatchTarget } from '../src/client/facts.ts';
import { diagnose } from '../src/diagnosis/diagnose.ts';
import { FactsBuilder, INITIALIZATIONS } from '../test/diagnosis/facts-builder.ts';

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

function mixed(streams: number): RunFacts {
  const b = new FactsBuilder();
  for (const resource of ['pods', 'secrets']) {
    const target = b.target(resource);
    story(b, target, streams / 2);
    for (let i = 0; i < 20; i++) b.floor(target, i * 30, String(5_000 + i));
  }
  return b.run(6_000);
}

/** One 410 after the other, at RVs that follow each other: a loop that never lists. */
function loop(streams: number): RunFacts {
  const b = new FactsBuilder();
  const target = b.target('pods');
  for (let i = 0; i < streams; i++) b.goneA(target, i * 2, String(100 + (i % 3)), String(1_000 + i), i * 2 - 30);
  return b.run(streams * 2);
}

/** Five watches of one resource that end together and are refused together, again and again, with as many probes as a run keeps. */
function siblings(streams: number): RunFacts {
  const b = new FactsBuilder();
  const targets = ['a', 'b', 'c', 'd', 'e'].map((name) =>
    b.target('pods', { path: `/api/v1/namespaces/${name}/pods` }),
  );
  for (let i = 0; i < streams / 10; i++) {
    for (const target of targets) {
      const at = i * 100;
      const held = String(i * 10 + 5);
      const last: [string, number] = [held, at + 40];
      b.stream(target, { at, rv: String(i * 10), rvAt: at, end: 'eof', until: at + 50, timeout: 3_000, last });
      b.goneA(target, at + 50.1, held, String(i * 10 + 9), at + 40);
      b.list(target, at + 50.2, String(i * 10 + 10), { why: '410' });
    }
  }
  for (let i = 0; i < 200; i++) {
    const target = targets[i % 5]!;
    if (i % 2 === 0) b.floor(target, i * 10, String(i));
    else b.metrics(target, i * 10, { [INITIALIZATIONS]: i >> 3, process_start_time_seconds: 1 });
  }
  return b.run(streams * 10);
}

/** Cuts that one idle timer may have made, each silence a little longer than the one before. */
function cuts(streams: number): RunFacts {
  const b = new FactsBuilder();
  const target = b.target('pods');
  for (let i = 0; i < streams; i++) {
    const [at, until] = [i * 100, i * 100 + 60 + (i % 20)];
    b.stream(target, {
      at,
      rv: '1',
      rvAt: 0,
      end: 'truncated',
      until,
      timeout: 3_000,
      byteAt: at + (i % 20) - i / 100,
    });
  }
  return b.run(streams * 100);
}

const CALLS = 10;
const ROUNDS = 30;

const RUNS: readonly { name: string; facts: RunFacts }[] = [
  ...[10, 50, 200].map((streams) => ({ name: `mixed, ${streams} streams`, facts: mixed(streams) })),
  { name: 'a loop of 410s, 200 streams', facts: loop(200) },
  { name: 'five siblings, 200 streams', facts: siblings(200) },
  { name: 'cuts alike, 200 streams', facts: cuts(200) },
];

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
  for (const { facts } of RUNS) micros(() => diagnose(facts));
  for (const { name, facts } of RUNS) {
    const text = JSON.stringify(facts);
    const [one, base] = [micros(() => diagnose(facts)), micros(() => JSON.parse(text))];
    const verdict = (one / facts.streams.length).toFixed(0);
    const told = diagnose(facts).length;
    console.log(
      `diagnose: ${verdict} µs a verdict; ${name}, ${told} findings; ${(one / base).toFixed(1)} × JSON.parse of their facts`,
    );
  }
}
