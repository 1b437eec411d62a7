import type { ExpectStep, Script, ScriptStep } from './script.ts';
import { burstPad, cannotStall, foresee } from './story-foresight.ts';
import {
  BACKGROUND_PER_SECOND,
  PLANNED_TIMEOUT_S,
  type StoryNumbers,
  type StoryTimes,
  storyTimes,
} from './story-times.ts';

export const STORY_NAME = 'story';

/** The cache lists anew about 1.5 s after the store is back; longer only on a machine that has other things to do, ms. */
const REBUILD_MS = 10_000;

/** Writes that the cache does not hear of, before they are compacted. */
const UNHEARD_WRITES = 20;

/**
 * The built-in story (design §5), a script like any other, with what it expects computed from its numbers: a traveller B and an
 * E on a resource without watch cache leave before a burst, C stops reading in its midst, and A sees it all; then a
 * compaction that harms nobody who is connected, one that the cache is cut off from, and a planned end.
 */
export function storyScript(numbers: StoryNumbers): Script {
  const times = storyTimes(numbers.burst);
  return {
    name: STORY_NAME,
    title: 'the story',
    numbers: { background: BACKGROUND_PER_SECOND },
    steps: inOrder([
      ...cast(),
      ...burstAndReturns(numbers, times),
      ...upstream(times),
      ...expectations(numbers, times),
    ]),
  };
}

function inOrder(steps: ScriptStep[]): ScriptStep[] {
  return steps.toSorted((a, b) => (a.at ?? 0) - (b.at ?? 0));
}

function cast(): ScriptStep[] {
  const watch = (watcher: string, role: string, resource = 'pods'): ScriptStep => ({
    verb: 'watch',
    watcher,
    resource,
    role,
    at: 0,
    says: `${watcher}, ${role}, watches ${resource}`,
  });
  return [watch('A', 'steady'), watch('B', 'traveller'), watch('C', 'slow reader'), watch('E', 'events', 'events')];
}

function burstAndReturns(numbers: StoryNumbers, times: StoryTimes): ScriptStep[] {
  const { count, durationMs } = numbers.burst;
  return [
    { verb: 'disconnect', watcher: 'B', at: times.leave, says: 'B leaves with the RV it holds' },
    { verb: 'disconnect', watcher: 'E', at: times.leave, says: 'E leaves with the RV it holds' },
    { verb: 'stall', watcher: 'C', at: times.leave, says: 'C stops reading' },
    {
      verb: 'burst',
      count,
      ...(durationMs === undefined ? {} : { withinMs: durationMs }),
      size: burstPad(numbers),
      at: times.leave,
      says: `a burst of ${count} writes to pods, ${burstPad(numbers) / 1024} KiB each${cannotStall(numbers) ? ': too little to fill the buffers up to C' : ''}`,
    },
    { verb: 'resume', watcher: 'C', at: times.slowReadsOn, says: 'C reads on' },
    { verb: 'resume', watcher: 'B', at: times.travellerBack, says: 'B returns with the RV it held' },
    {
      verb: 'compact',
      revision: 'head',
      at: times.compact,
      says: 'etcd is compacted at its head: it harms nobody who is connected',
    },
    { verb: 'resume', watcher: 'E', at: times.compact + 200, says: 'E returns with the RV it held' },
  ];
}

function upstream(times: StoryTimes): ScriptStep[] {
  return [
    { verb: 'cut', resource: 'upstream', at: times.cut, says: 'the apiserver is cut off from etcd' },
    {
      verb: 'write',
      resource: 'pods',
      count: UNHEARD_WRITES,
      at: times.cut + 100,
      says: `${UNHEARD_WRITES} writes to pods that the cache does not hear of`,
    },
    {
      verb: 'compact',
      revision: 'head',
      at: times.cut + 200,
      says: 'etcd is compacted at its head, past what the cache has',
    },
    {
      verb: 'restore',
      resource: 'upstream',
      at: times.restore,
      says: 'etcd is back: whoever was behind it has to begin anew',
    },
    { verb: 'disconnect', watcher: 'A', at: times.planned, says: 'A leaves' },
    {
      verb: 'resume',
      watcher: 'A',
      timeoutSeconds: PLANNED_TIMEOUT_S,
      at: times.planned,
      says: `A watches again, with timeoutSeconds=${PLANNED_TIMEOUT_S}`,
    },
  ];
}

/** All at the end, where the evidence is complete, but for what later steps would spoil: B's return, and A's loss by the rebuild. */
function expectations(numbers: StoryNumbers, times: StoryTimes): ScriptStep[] {
  const { traveller, slow } = foresee(numbers, times);
  const end = { at: times.end };
  const throughCache = {
    ...end,
    verb: 'expect',
    finding: ['upstream-compaction'],
    sub: 'through-cache',
    refusedBy: 'watch-cache',
  } as const;
  const direct = {
    ...end,
    verb: 'expect',
    of: 'E',
    finding: ['upstream-compaction'],
    sub: 'direct',
    confidence: 'high',
  } as const;
  const rebuilt = 'the cache had to list anew: the ring’s words, etcd’s doing';
  const steps: ExpectStep[] = [
    ...traveller.map((one) => ({
      ...one,
      verb: 'expect' as const,
      of: 'B',
      at: one.resumed ? times.compact - 50 : times.end,
    })),
    ...slow.map((one) => ({ at: times.end, ...one, verb: 'expect' as const, of: 'C' })),
    { ...direct, because: 'events have no watch cache: etcd itself answers, and it has compacted what E asks for' },
    // Before A leaves: where the machine is busy, the rebuild is waited for, and A does not miss it.
    {
      ...throughCache,
      of: 'A',
      confidence: 'high',
      at: times.planned - 50,
      withinMs: REBUILD_MS,
      because: rebuilt,
    },
    // They come back with A: how sure they may be hangs on which of their probes were put off.
    { ...throughCache, of: 'B', because: rebuilt },
    { ...throughCache, of: 'C', because: rebuilt },
    { ...direct, because: 'without a cache in between, its stream itself learns of the compaction' },
    {
      ...end,
      verb: 'expect',
      of: 'A',
      finding: ['server-timeout'],
      because: `the end comes when A asked for it, after ${PLANNED_TIMEOUT_S} s`,
    },
  ];
  return steps;
}
