import { ApiError } from '../protocol/api-error.ts';
import { StoreError } from '../store/storage.ts';
import type { ScriptStep } from './script.ts';

/** A step could not be done; `step.line` says where it stands. */
export class StepFailure extends Error {
  readonly step: ScriptStep;

  constructor(step: ScriptStep, why: string) {
    super(why);
    this.name = 'StepFailure';
    this.step = step;
  }
}

/** The words of an error that a step can end with. What is none of these is a fault of the program, and stays one. */
export function reason(error: unknown): string {
  if (error instanceof ApiError) return error.status.message ?? error.message;
  if (error instanceof StoreError || error instanceof Error) return error.message;
  return String(error);
}
