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
  let last: Episode | undefined;
  for (const observation of observations) {
    const open = openEpisode(episodes, last, observation);
    if (open) {
      open.members.push(observation);
      if (RANK[observation.decision.confidence] > RANK[open.main.decision.confidence]) open.main = observation;
    } else {
      episodes.push({ key: observation.key, members: [observation], main: observation });
    }
    if (isOfLine(observation)) last = open ?? episodes.at(-1);
  }
  return episodes;
}

/** The episode that `observation` goes on with. */
function openEpisode(episodes: Episode[], last: Episode | undefined, observation: Observation): Episode | undefined {
  const { repeats } = observation.decision;
  if (repeats === 'never') return undefined;
  if (repeats === 'run') return episodes.find((episode) => isSame(episode, observation));
  return last && isSame(last, observation) ? last : undefined;
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
