import type { Observation } from './rules.ts';
import { gotNoAnswer } from './signs.ts';

/** What repeated itself, as one: refusals in a row, cuts that one timer made. A finding is made of each. */
export interface Episode {
  key: string;
  /** In the order of time; at least one. */
  members: Observation[];
  /** The member whose evidence is the strongest; the first among equals. */
  main: Observation;
  explainedBy?: Episode;
}

const RANK = { low: 0, medium: 1, high: 2 };

/** Joins the observations of one target, which are in the order of its attempts. */
export function joinRepeats(observations: readonly Observation[]): Episode[] {
  const episodes: Episode[] = [];
  const runs = new Map<string, Episode>();
  let last: Episode | undefined;
  for (const observation of observations) {
    const open = openEpisode(runs, last, observation);
    if (open) {
      open.members.push(observation);
      if (RANK[observation.decision.confidence] > RANK[open.main.decision.confidence]) open.main = observation;
    } else {
      const episode = { key: observation.key, members: [observation], main: observation };
      episodes.push(episode);
      if (observation.decision.repeats === 'run') runs.set(runOf(observation), episode);
    }
    if (isOfLine(observation)) last = open ?? episodes.at(-1);
  }
  return episodes;
}

/** The episode that `observation` goes on with. */
function openEpisode(
  runs: ReadonlyMap<string, Episode>,
  last: Episode | undefined,
  observation: Observation,
): Episode | undefined {
  const { repeats } = observation.decision;
  if (repeats === 'never') return undefined;
  if (repeats === 'run') return runs.get(runOf(observation));
  return last && isSame(last, observation) ? last : undefined;
}

/** What is alike in all that one rule found in a run. */
function runOf({ decision, group }: Observation): string {
  return `${decision.class} ${decision.rule} ${group}`;
}

function isSame({ main }: Episode, other: Observation): boolean {
  if (main.decision.class !== other.decision.class) return false;
  if (main.decision.class === 'unreachable' && gotNoAnswer(main.place) && gotNoAnswer(other.place)) return true;
  // A slow reader is dropped again and again, also where only the first time our own stall was seen.
  if (main.decision.class === 'slow-watcher-terminated') return true;
  return main.decision.rule === other.decision.rule && main.group === other.group;
}

/** Ends and refusals follow each other; what a stream showed besides does not come between them. */
function isOfLine({ key }: Observation): boolean {
  return key.endsWith(':end') || key.endsWith(':refusal');
}
