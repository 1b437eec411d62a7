import { POD_PAD_BYTES } from './lab-object.ts';
import type { ExpectStep } from './script.ts';
import { BACKGROUND_PER_SECOND, type StoryNumbers, type StoryTimes } from './story-times.ts';

/** A dynamic ring's upper bound, events, and the age below which it grows instead of dropping (facts/server §3.3). */
const DYNAMIC_UPPER = 102_400;
const WINDOW_MS = 75_000;
/** What a pod weighs on the wire beside its padding, bytes. */
const POD_BYTES = 900;
/**
 * What the buffers between the server and a client that does not read take in before a write stalls, bytes: 4 to 7 MB measured,
 * at most 10 MiB with the limits of a usual Linux (net.ipv4.tcp_wmem 4 MiB, tcp_rmem 6 MiB), less elsewhere.
 */
const SWALLOWED = { least: 1_500_000, most: 12_000_000 };
/** Padding of a pod in the burst, bytes: from what all pods have up to what the largest real ones have. */
const LARGEST_PAD = 48 * 1024;

type Foreseen = Omit<ExpectStep, 'verb' | 'of'>;

export interface Foresight {
  /** Of B, who leaves before the burst. */
  traveller: Foreseen[];
  /** Of C, who does not read during it. */
  slow: Foreseen[];
}

/** What the numbers of a story decide, before anything has happened. What they leave open is not expected. */
export function foresee(numbers: StoryNumbers, times: StoryTimes): Foresight {
  return { traveller: traveller(numbers, times), slow: slow(numbers) };
}

/** How large the burst's pods are, bytes of padding: so that it fills the buffers up to a client that does not read. */
export function burstPad({ burst }: StoryNumbers): number {
  const needed = SWALLOWED.most / Math.max(burst.count, 1) - POD_BYTES;
  const kib = Math.ceil(needed / 1024) * 1024;
  return Math.min(Math.max(kib, POD_PAD_BYTES), LARGEST_PAD);
}

/** How many pods are written between two moments, the burst included: background writes may fall a little before or after. */
function writesWhile({ burst }: StoryNumbers, ms: number): { least: number; most: number } {
  const background = (ms / 1000) * BACKGROUND_PER_SECOND;
  return { least: burst.count + Math.floor(background) - 2, most: burst.count + Math.ceil(background) + 2 };
}

/**
 * B loses its place if more pods are written while it is away than the ring holds: the ring keeps the last N events, and
 * needs every one after the RV that B holds.
 */
function traveller(numbers: StoryNumbers, times: StoryTimes): Foreseen[] {
  const { cacheSize } = numbers;
  const away = times.travellerBack - times.leave;
  const { least, most } = writesWhile(numbers, away);
  const resumed = { resumed: true as const, withinMs: 40 };
  if (cacheSize === 'auto') {
    if (most > DYNAMIC_UPPER || away >= WINDOW_MS) return [];
    return [{ ...resumed, because: 'a ring whose oldest event is younger than 75 s grows instead of dropping it' }];
  }
  if (most <= cacheSize) {
    return [{ ...resumed, because: `at most ${most} writes while it is away: they fit into a ring of ${cacheSize}` }];
  }
  if (least <= cacheSize) return [];
  const sub = away < WINDOW_MS ? { sub: 'overrun' } : { sub: 'rolled-over' };
  const because = `at least ${least} writes pass through a ring of ${cacheSize} while it is away`;
  return [{ finding: ['ring-buffer-expiry'], ...sub, refusedBy: 'watch-cache', confidence: 'high', because }];
}

/**
 * C is closed when the buffers between it and the server are full, its two queues too, and another event comes. How much the
 * buffers take differs from machine to machine, so the server's own trace decides whether it came to that, and whether the
 * ring still reached back to what C had.
 */
function slow(numbers: StoryNumbers): Foreseen[] {
  const { burst, cacheSize } = numbers;
  if (cannotStall(numbers)) return [];
  const terminated: Foreseen = {
    finding: ['slow-watcher-terminated'],
    given: 'terminate',
    because: 'the burst filled every buffer up to C, and then its two queues',
  };
  if (cacheSize === 'auto' || burst.count <= cacheSize) return [terminated];
  return [
    terminated,
    {
      finding: ['ring-buffer-expiry'],
      given: 'refuse',
      refusedBy: 'watch-cache',
      because: `when it read on, a ring of ${cacheSize} no longer reached back to what it had`,
    },
  ];
}

/** True where the burst cannot fill the buffers up to a client that does not read: then nothing happens to it. */
export function cannotStall(numbers: StoryNumbers): boolean {
  return numbers.burst.count * (burstPad(numbers) + POD_BYTES) < SWALLOWED.least;
}
