import type { Endpoint } from '../client/endpoint.ts';
import type { ProbeAnswer, ProbeKind, RunFacts } from '../client/facts.ts';
import type { SessionOutput } from '../client/output.ts';
import { ProbeRunner } from '../client/probe-runner.ts';
import type { RunOptions, TargetSpec } from '../client/run.ts';
import { undiciTransport } from '../client/transport.ts';
import { planRequests } from '../client/watch-request.ts';
import { diagnose } from '../diagnosis/diagnose.ts';
import { type LiveAnswer, liveAnswer } from '../diagnosis/live-answer.ts';
import { rv as brand } from '../protocol/resource-version.ts';
import { SystemClock } from '../util/clock.ts';
import { systemRandom } from '../util/random.ts';
import { DiagnosedRun } from './diagnosed-run.ts';

/** A watch that is accepted and has brought no ERROR for so long is served: a 410 comes with the headers, ms. */
const SETTLE_MS = 1_000;
/** A watch without an answer for so long does not keep the other questions waiting, ms. */
const ASK_ANYWAY_MS = 2_000;
/** All of it, ms. */
const LIMIT_MS = 14_000;
/** What is asked beside the watch. The window twice: behind a balancer each connection may meet another apiserver. */
const QUESTIONS: readonly ProbeKind[] = ['version', 'exact', 'window', 'window', 'cache-rv', 'metrics'];

export interface LiveQuestion {
  endpoint: Endpoint;
  target: TargetSpec;
  rv: string;
  version: string;
  headers?: Record<string, string>;
  signal: AbortSignal;
}

/**
 * Asks a cluster whether `rv` can still be watched from: a watch from it, once, and probes on connections of their own. Takes at most
 * `LIMIT_MS`; what had no answer by then is told as not seen.
 */
export async function askLive(question: LiveQuestion): Promise<LiveAnswer> {
  const { endpoint, target, rv, version, headers, signal } = question;
  const clock = new SystemClock();
  const options: Omit<RunOptions, 'onOutput'> = {
    endpoint,
    targets: [target],
    version,
    clock,
    random: systemRandom,
    // It ends before its own probes would be answered: ours are asked beside it.
    probing: false,
    once: true,
    forMs: LIMIT_MS,
    signal,
    ...(headers ? { headers } : {}),
  };
  const begun = clock.now();
  const over = new AbortController();
  const waiting = AbortSignal.any([signal, over.signal]);
  const answered = firstAnswer(clock, waiting);
  const run = new DiagnosedRun({ run: options, face: { push: (item) => answered.take(item as SessionOutput) } });
  const ended = run.done();
  await Promise.race([ended, answered.settled, clock.sleep(ASK_ANYWAY_MS, waiting)]);
  const beside = { ...question, signal: waiting };
  const probes = await askBeside(beside, { ...options, onOutput: () => undefined }, begun + LIMIT_MS);
  run.run.stop();
  await ended;
  over.abort();
  const facts = factsWith(run.run.facts(), probes);
  return liveAnswer(rv, facts, diagnose(facts));
}

/** Resolves `SETTLE_MS` after the watch was accepted. */
function firstAnswer(
  clock: SystemClock,
  signal: AbortSignal,
): { take(item: SessionOutput): void; settled: Promise<void> } {
  let accepted: () => void = () => undefined;
  const settled = new Promise<void>((resolve) => {
    accepted = () => void clock.sleep(SETTLE_MS, signal).then(resolve);
  });
  return {
    take: (item) => {
      if (item.kind === 'open' && item.verb === 'watch' && item.httpStatus === 200) accepted();
    },
    settled,
  };
}

async function askBeside(
  { endpoint, target, rv, signal }: LiveQuestion,
  options: RunOptions,
  deadline: number,
): Promise<ProbeAnswer[]> {
  const { clock } = options;
  const plan = planRequests(0, target);
  const answers: ProbeAnswer[] = [];
  let all: () => void = () => undefined;
  const complete = new Promise<void>((resolve) => {
    all = resolve;
  });
  const asked = plan.target.resource === undefined ? (['version'] as const) : QUESTIONS;
  const runner = new ProbeRunner(undiciTransport(endpoint), options, {
    targets: [plan.target],
    now: () => clock.now(),
    tell: (answer) => {
      answers.push(answer);
      if (answers.length >= asked.length) all();
    },
  });
  for (const kind of asked) {
    const about = kind === 'exact' ? { rv: brand(rv) } : {};
    runner.ask({ kind, urgent: true, at: clock.now(), ...about }, { plan, sawNamespace: false, endpoint: undefined });
  }
  await Promise.race([complete, clock.sleep(Math.max(0, deadline - clock.now()), signal)]);
  runner.stop();
  return [...answers, ...unanswered(answers, asked, plan.target, clock.now())];
}

/** What had no answer in time is one that failed. */
function unanswered(
  answers: readonly ProbeAnswer[],
  asked: readonly ProbeKind[],
  target: ProbeAnswer['target'],
  at: number,
): ProbeAnswer[] {
  const missing = [...new Set(asked)].filter((kind) => !answers.some((answer) => answer.kind === kind));
  return missing.map((kind) => ({
    kind,
    target,
    askedAt: at,
    answeredAt: at,
    asked: '',
    outcome: { kind: 'failed', detail: 'no answer in time' },
  }));
}

function factsWith(facts: RunFacts, probes: ProbeAnswer[]): RunFacts {
  const version = probes.find(({ outcome }) => outcome.kind === 'version')?.outcome;
  return {
    ...facts,
    probing: true,
    probes: [...facts.probes, ...probes],
    ...(version?.kind === 'version' ? { serverVersion: version.gitVersion } : {}),
  };
}
