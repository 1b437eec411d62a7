import type { RunFacts } from '../client/facts.ts';
import { type Episode, joinRepeats } from './episode.ts';
import { linkExplained } from './explained.ts';
import type { Finding } from './finding.ts';
import { healingOf } from './gone-signs.ts';
import { type Observation, observe } from './rules.ts';
import { places, sceneOf } from './scene.ts';
import { severityOf } from './severity.ts';
import { CLASS_NAME, fitted, subName, wordsFor } from './words.ts';

export interface DiagnoseOptions {
  /** The ring is known to be pinned to so many events (`kwatch local --cache-size N`): said where a ring was overrun. */
  pinned?: number;
}

/**
 * What was found in a run so far, in the order of appearance. Pure, total and deterministic: the same facts give the same
 * findings, and it may be called again after each thing that happened (the finding-ledger tells what is new). Facts hold
 * no opinions; every number in a finding was measured there.
 */
export function diagnose(run: RunFacts, options: DiagnoseOptions = {}): Finding[] {
  const scene = sceneOf(run, options.pinned);
  const episodes: Episode[] = [];
  let line: readonly unknown[] | undefined;
  let seen: Observation[] = [];
  for (const place of places(scene)) {
    if (place.line !== line) {
      episodes.push(...joinRepeats(seen));
      seen = [];
      line = place.line;
    }
    seen.push(...observe(place, seen));
  }
  episodes.push(...joinRepeats(seen));
  linkExplained(episodes);
  episodes.sort((a, b) => a.members[0]!.at - b.members[0]!.at || (a.key < b.key ? -1 : 1));
  const ids = new Map(episodes.map((episode, index) => [episode, `f${index + 1}`]));
  return episodes.map((episode) => findingOf(episode, ids, options));
}

function findingOf(episode: Episode, ids: ReadonlyMap<Episode, string>, options: DiagnoseOptions): Finding {
  const { main, members, explainedBy } = episode;
  const { decision, place } = main;
  const words = fitted(wordsFor(episode, options));
  const first = members[0]!.place;
  const streams = [...new Set(members.flatMap(({ place: { stream } }) => (stream ? [stream.stream] : [])))];
  const verdict = [CLASS_NAME[decision.class], decision.sub && subName(decision.sub), decision.confidence];
  return {
    id: ids.get(episode) ?? 'f0',
    rev: 1,
    key: episode.key,
    ...(main.gone && healingOf(members.at(-1)!.place).list ? { healed: true } : {}),
    streams,
    ...(first.stream ? { stream: first.stream.stream } : {}),
    target: place.target.index,
    at: members[0]!.at,
    class: decision.class,
    ...(decision.sub === undefined ? {} : { sub: decision.sub }),
    severity: severityOf(episode),
    confidence: decision.confidence,
    candidates: decision.candidates,
    title: words.title,
    text: words.text.join(' '),
    evidence: words.evidence,
    ruledOut: words.ruledOut,
    next: words.next,
    facts: present(words.facts),
    ...(explainedBy ? { explainedBy: ids.get(explainedBy) ?? 'f0' } : {}),
    lines: {
      verdict: verdict.filter(Boolean).join(' · '),
      refusedBy: words.who,
      why: words.why,
      ruledOut: words.ruledOut.join('; '),
      do: words.do,
    },
  };
}

function present(facts: Record<string, string | number | undefined>): Finding['facts'] {
  const known: Finding['facts'] = {};
  for (const [name, value] of Object.entries(facts)) if (value !== undefined) known[name] = value;
  return known;
}
