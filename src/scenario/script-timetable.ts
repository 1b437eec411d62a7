import type { ScriptStep } from './script.ts';

/**
 * A step that begins later than its time by more than this, ms, takes those below it along: what is to happen two seconds after a
 * cut must not happen with it because the machine was busy. Less is made good, so that a script takes as long as it says.
 */
const LATE_MS = 250;

/** When the steps of a script begin that say so: not before their time, and as far apart as they are in the script. */
export class ScriptTimetable {
  /** By how much the times lie later than the script says. */
  #lag = 0;
  #reached = 0;

  /** ms since the script's beginning; undefined where the step comes when the one above it is done. */
  timeOf({ at }: ScriptStep): number | undefined {
    return at === undefined ? undefined : at + this.#lag;
  }

  /** The step begins `now`. Several steps of one time follow each other: only the first of them can be late. */
  begins({ at = 0 }: ScriptStep, now: number): void {
    if (at <= this.#reached) return;
    this.#reached = at;
    const late = now - at - this.#lag;
    if (late > LATE_MS) this.#lag += late;
  }
}
