import type { ProbeAnswer, ProbeOutcome } from '../client/facts.ts';
import { revisionsApart } from '../protocol/resource-version.ts';
import { FloorChains, type FloorSample } from './floor-chains.ts';
import { RvMarks } from './rv-marks.ts';
import { sanitize } from './sanitize.ts';

/** A sample that is older than this was not followed by the next one, and says how it was, ms (one probe in 30 s). */
const SAMPLE_EVERY_MS = 30_000;

/** How far back the watch cache of one resource reaches, as far as it was told. */
export interface WindowEstimate {
  /** The lowest RV that a watch may start from; the highest of those told where apiservers disagree, `lowest` the other end. */
  floor: string;
  lowest: string;
  /** Apiservers that must stand behind the answers, at least. */
  replicas: number;
  /** The last word of each of them, the highest first. */
  told: readonly FloorSample[];
  /** When `floor` was told. */
  sampledAt: number;
  /** How old that RV was then (a first sample: is now), ms. */
  age?: { atLeastMs: number; atMostMs?: number };
  /** Revisions from the floor up to the resume RV; negative: a resume would be refused. */
  slackRevisions?: number;
  /** Until the floor comes to the resume RV at the present write rate, ms. `atLeast`: it may not move at all. */
  slack?: { ms: number; atLeast: boolean };
}

/** Why there is no floor to tell. */
export type WindowSilence =
  /** A probe was refused or got no answer, in one word: `refused (403)`, `unanswered`. */
  | { kind: 'failed'; word: string }
  /** Without a watch cache: etcd itself answered. */
  | { kind: 'uncached' };

/**
 * What the answers of window probes, and the floor in the text of a 410, come to, beside the RVs that went by in our own stream. It
 * remembers and computes; how it is said stands in window-words.ts. Bounded, as its parts are.
 */
export class WindowLog {
  readonly #floors = new FloorChains();
  readonly #marks = new RvMarks();
  #resume: { rv: string; at: number } | undefined;
  #silence: (WindowSilence & { at: number }) | undefined;

  /** The RV that a resume would use now, as received at `at`. `present`: it tells how far the resource was then. */
  resumeFrom(rv: string, at: number, present: boolean): void {
    this.#resume = { rv, at };
    if (present) this.#marks.add(rv, at);
  }

  probe({ kind, outcome, askedAt, answeredAt: at, httpStatus, connection }: ProbeAnswer): void {
    if (kind !== 'window') return;
    const on = { askedAt, at, ...(connection === undefined ? {} : { connection }) };
    if (outcome.kind === 'floor') this.floor({ rv: outcome.floor, ...on });
    // It opened at RV 1: nothing was ever dropped there.
    else if (outcome.kind === 'open') this.floor({ rv: '1', ...on });
    else if (outcome.kind === 'compacted') this.#silence = { kind: 'uncached', at };
    else this.#silence = { kind: 'failed', word: failureWord(httpStatus, outcome), at };
  }

  /** A floor was told, by a probe or in the text of a 410. */
  floor(sample: FloorSample): void {
    const present = this.#marks.newest?.rv;
    this.#floors.add({ ...sample, rv: sanitize(sample.rv, 64), ...(present === undefined ? {} : { present }) });
    if ((this.#silence?.at ?? 0) <= sample.at) this.#silence = undefined;
  }

  /** What stands in the way of knowing the floor; undefined where it is known, or nothing was asked. */
  silence(now: number): WindowSilence | undefined {
    const known = this.#floors.at(now);
    const stale = known && now - known.highest.at > 2 * SAMPLE_EVERY_MS;
    return known && !stale ? undefined : this.#silence;
  }

  estimate(now: number): WindowEstimate | undefined {
    const known = this.#floors.at(now);
    if (!known) return undefined;
    const { told, highest, lowest, replicas, moved, samples } = known;
    const first = samples === 1 && now - highest.at <= SAMPLE_EVERY_MS;
    const age = this.#marks.ageOf(highest.rv, first ? now : highest.at);
    const above = this.#resume && revisionsApart(highest.rv, this.#resume.rv);
    const slack = above === undefined ? undefined : this.#slack(above, { at: highest.at, moved }, age, now);
    return {
      floor: highest.rv,
      lowest: lowest.rv,
      replicas,
      told,
      sampledAt: highest.at,
      ...(age ? { age } : {}),
      ...(above === undefined ? {} : { slackRevisions: above }),
      ...(slack ? { slack } : {}),
    };
  }

  /** The newest RV above the floor, revisions. */
  newestAbove(floor: string): number | undefined {
    const { newest } = this.#marks;
    return newest && revisionsApart(floor, newest.rv);
  }

  /**
   * At the present write rate a floor that moves comes to the resume RV in so long; one that was never seen to move may stand
   * still for ever, but is not faster. Where the rate is not known, the window is taken to keep as long as it reached back.
   */
  #slack(
    above: number,
    floor: { at: number; moved: boolean | undefined },
    age: WindowEstimate['age'],
    now: number,
  ): WindowEstimate['slack'] {
    if (above < 0) return undefined;
    const rate = this.#marks.perSecond(now);
    if (rate !== undefined && rate > 0 && floor.moved !== false) {
      const ms = Math.max(0, (above / rate) * 1000 - (now - floor.at));
      return { ms, atLeast: floor.moved === undefined };
    }
    if (!age || !this.#resume) return undefined;
    const left = age.atLeastMs - (now - this.#resume.at);
    return left > 0 ? { ms: left, atLeast: true } : undefined;
  }
}

/** `refused (403)`, `unanswered`, or what else came of it. */
function failureWord(httpStatus: number | undefined, outcome: ProbeOutcome): string {
  if (httpStatus === undefined) return 'unanswered';
  const foreign = outcome.kind === 'failed' && outcome.detail === 'the answer is no watch';
  if (httpStatus === 200 && foreign) return 'answered with something else';
  return httpStatus === 200 ? 'broken off' : `refused (${httpStatus})`;
}
