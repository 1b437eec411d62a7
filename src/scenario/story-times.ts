import { BURST_PER_SECOND } from './script-runner.ts';

export interface StoryNumbers {
  cacheSize: number | 'auto';
  burst: { count: number; durationMs: number | undefined };
  objects: number;
}

/** Background writes a second, of pods and of events each (design §5). */
export const BACKGROUND_PER_SECOND = 2;
/** `timeoutSeconds` of the planned end. */
export const PLANNED_TIMEOUT_S = 5;
const LEAVE_AT = 1000;

/** When what happens, ms after the start. All but the first hangs on the length of the burst. */
export interface StoryTimes {
  leave: number;
  burstEnd: number;
  slowReadsOn: number;
  travellerBack: number;
  compact: number;
  cut: number;
  restore: number;
  planned: number;
  end: number;
}

export function storyTimes(burst: StoryNumbers['burst']): StoryTimes {
  const burstEnd = LEAVE_AT + (burst.durationMs ?? (burst.count * 1000) / BURST_PER_SECOND);
  return {
    leave: LEAVE_AT,
    burstEnd,
    slowReadsOn: burstEnd + 200,
    travellerBack: burstEnd + 500,
    compact: burstEnd + 1000,
    cut: burstEnd + 2000,
    restore: burstEnd + 2500,
    planned: burstEnd + 5000,
    end: burstEnd + 5000 + PLANNED_TIMEOUT_S * 1000 + 500,
  };
}
