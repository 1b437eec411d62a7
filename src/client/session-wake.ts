import type { SessionState, Turn } from './session-state.ts';
import { giveUpAt, pingAt, sideProbeAt } from './stream-limits.ts';

/** Sends the probes that are due, and asks to be woken for whatever comes next. Called at the end of each step. */
export function armWake(state: SessionState, turn: Turn): void {
  if (state.kind === 'stopped') return;
  const { core } = state;
  const streaming = state.kind === 'streaming';
  for (const ask of core.probes.due(turn.at, streaming)) turn.effects.push({ kind: 'probe', ask });
  const wake = earliest([core.probes.nextAt(streaming), ownWakeAt(state)]);
  if (wake !== undefined && wake !== core.wakeAt) turn.effects.push({ kind: 'wake-at', at: wake });
  core.wakeAt = wake;
}

function ownWakeAt(state: SessionState): number | undefined {
  if (state.kind === 'backoff') return state.until;
  // While we do not read, no silence means anything; the end of the stall comes as an input and arms anew.
  if (state.kind !== 'streaming' || state.recorder.stalling) return undefined;
  return earliest([giveUpAt(state.recorder.facts), sideProbeAt(state), pingAt(state)]);
}

function earliest(times: (number | undefined)[]): number | undefined {
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}
