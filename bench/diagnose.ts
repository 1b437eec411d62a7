// How long one diagnose() takes for a run of 50 streams: it is called after each end, probe and list, and once a second.
// Run: node --import tsx bench/diagnose.ts
import type { StreamFacts, WatchTarget } from '../src/client/facts.ts';
import { diagnose } from '../src/diagnosis/diagnose.ts';
import { FactsBuilder } from '../test/diagnosis/facts-builder.ts';

/** Streams of one target, one after the other: planned ends, cuts, 410s with their relists, refusals; the usual mix and worse. */
function story(b: FactsBuilder, target: WatchTarget, count: number): StreamFacts[] {
  const streams: StreamFacts[] = [];
  let at = 0;
  for (let i = 0; i < count; i++) {
    const rv = String(1_000 + i * 10);
    const next = String(1_010 + i * 10);
    const kind = i % 5;
    if (kind === 0)
      streams.push(
        b.stream(target, { at, rv, rvAt: at, end: 'eof', until: at + 300, timeout: 300, last: [next, at + 298] }),
      );
    if (kind === 1)
      streams.push(
        b.stream(target, { at, rv, rvAt: at, end: 'truncated', until: at + 60, timeout: 300, byteAt: at + 10 }),
      );
    if (kind === 2)
      streams.push(
        b.stream(target, { at, rv, rvAt: at, end: 'eof', until: at + 90, timeout: 300, last: [next, at + 60] }),
      );
    if (kind === 3) {
      streams.push(b.goneA(target, at, rv, String(9_000 + i), at - 30));
      b.list(target, at + 0.1, next, { why: '410' });
    }
    if (kind === 4) streams.push(b.stream(target, { at, rv, rvAt: at, end: 'rejected', status: 502 }));
    at += kind === 0 ? 301 : 91;
  }
  return streams;
}

const b = new FactsBuilder();
for (const resource of ['pods', 'secrets']) {
  const target = b.target(resource);
  story(b, target, 25);
  for (let i = 0; i < 20; i++) b.floor(target, i * 30, String(5_000 + i));
}
const run = b.run(6_000);

function median(rounds: number): number {
  const times: number[] = [];
  for (let i = 0; i < rounds; i++) {
    const from = performance.now();
    for (let j = 0; j < 20; j++) diagnose(run);
    times.push(((performance.now() - from) / 20) * 1_000);
  }
  times.sort((x, y) => x - y);
  return times[Math.floor(rounds / 2)] ?? 0;
}

median(20);
const micros = median(50);
console.log(`diagnose(): ${micros.toFixed(0)} µs for ${run.streams.length} streams, ${diagnose(run).length} findings`);
