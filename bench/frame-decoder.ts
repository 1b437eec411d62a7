import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { FrameDecoder } from '../src/protocol/frame-decoder.ts';
import { seededRandom } from '../src/util/random.ts';
import { podEvent } from './pod-event.ts';
import { median } from './side-by-side.ts';

const EVENTS = 4000;
/** Four bytes a piece cost hundreds of calls an event: fewer of them say as much. */
const DRIP_EVENTS = 400;
const ROUNDS = 9;
const SEED = 1;
const FIRST_RV = 1_000_000_001;

/** Events as lines, of 3 to 4 KB each, in Go's order of keys, or sorted as a custom resource's are. */
export function podLines(events: number, order: 'go' | 'sorted'): string[] {
  const random = seededRandom(SEED);
  return Array.from({ length: events }, (_, index) => {
    const line = podEvent(index, String(FIRST_RV + index), random);
    if (order === 'go') return `${line}\n`;
    const { type, object } = JSON.parse(line) as { type: string; object: unknown };
    return `${JSON.stringify({ type, object: sorted(object) })}\n`;
  });
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]));
}

/** The stream in pieces of `size` bytes. */
export function slices(lines: readonly string[], size: number): Buffer[] {
  const all = Buffer.from(lines.join(''));
  return Array.from({ length: Math.ceil(all.length / size) }, (_, i) => all.subarray(i * size, (i + 1) * size));
}

/** How many events with an RV the decoder finds. */
export function decodeAndScan(pieces: readonly Buffer[]): number {
  const decoder = new FrameDecoder();
  let events = 0;
  for (const piece of pieces) {
    for (const frame of decoder.push(piece)) if (frame.kind === 'event' && frame.fields.rv !== undefined) events++;
  }
  return events;
}

/** The base: lines put together as text, each one parsed. (Text cut inside a character would be garbled; this input has none.) */
export function parseEachLine(pieces: readonly Buffer[]): number {
  let rest = '';
  let events = 0;
  for (const piece of pieces) {
    const lines = (rest + piece.toString('latin1')).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (JSON.parse(line).object.metadata.resourceVersion !== undefined) events++;
  }
  return events;
}

/** Decode and scan against JSON.parse of each line, in turn, on the same bytes. */
export function run(): void {
  for (const order of ['go', 'sorted'] as const) {
    const lines = podLines(EVENTS, order);
    compare(`${order} order, one piece`, slices(lines, Number.MAX_SAFE_INTEGER), EVENTS);
    compare(`${order} order, 64 KiB`, slices(lines, 65_536), EVENTS);
  }
  const lines = podLines(DRIP_EVENTS, 'go');
  compare(
    'go order, a piece a line',
    lines.map((line) => Buffer.from(line)),
    DRIP_EVENTS,
  );
  compare('go order, 4 bytes', slices(lines, 4), DRIP_EVENTS);
}

function compare(name: string, pieces: readonly Buffer[], events: number): void {
  const bytes = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const decoder: number[] = [];
  const base: number[] = [];
  for (let round = -1; round < ROUNDS; round++) {
    const ours = timed(decodeAndScan, pieces, events);
    const theirs = timed(parseEachLine, pieces, events);
    if (round < 0) continue;
    decoder.push(ours);
    base.push(theirs);
  }
  const ms = median(decoder);
  const rate = `${Math.round(bytes / ms / 1000)} MB/s, ${Math.round(events / ms)}k events/s`;
  console.log(`${name}: ${(median(base) / ms).toFixed(1)} x JSON.parse (${rate})`);
}

function timed(count: (pieces: readonly Buffer[]) => number, pieces: readonly Buffer[], events: number): number {
  const start = performance.now();
  const found = count(pieces);
  const took = performance.now() - start;
  if (found !== events) throw new Error(`${count.name} found ${found} of ${events} events`);
  return took;
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) run();
