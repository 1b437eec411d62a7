import type { ListFacts, StreamFacts } from '../client/facts.ts';
import type { Finding } from '../diagnosis/finding.ts';
import type { ExpectStep, WatcherState } from '../scenario/script.ts';

/** What is known of the one that an expectation is about, at the moment of asking. */
export interface Evidence {
  /** Its findings that no expectation above has spoken of; those that a later one explains are left out. */
  findings: readonly Finding[];
  state: WatcherState | undefined;
  /** Streams that it asked for since it came back last. */
  streams: readonly StreamFacts[];
  list: ListFacts | undefined;
  /** How often the server told of it since the script began. */
  traced: number;
}

/**
 * How an expectation stands. `open`: it may still come true (or, for what must not happen, still fail); at the end of its time
 * `held` decides. `found` says in a few words what there is.
 */
export interface Standing {
  held: boolean;
  open: boolean;
  found: string;
  /** The finding that it is about. */
  finding?: Finding;
}

/** Judges one expectation. Pure. */
export function judge(step: ExpectStep, evidence: Evidence): Standing {
  if (step.finding !== undefined) return judgeFinding(step, evidence);
  if (step.resumed) return judgeResumed(evidence);
  if (step.state !== undefined) {
    return {
      held: evidence.state === step.state,
      open: evidence.state !== step.state,
      found: evidence.state ?? 'no open stream',
    };
  }
  if (step.events !== undefined) return judgeCount(step.events, sent(evidence));
  if (step.trace !== undefined) return judgeTrace(step, evidence.traced);
  return judgeList(step, evidence.list);
}

/** What a step expects, in a few words. */
export function expectedWords(step: ExpectStep): string {
  if (step.finding !== undefined) {
    const rest = [step.sub, step.confidence, step.refusedBy && `refused by ${step.refusedBy}`].filter(Boolean);
    return [step.finding.join(' or '), ...rest].join(', ');
  }
  if (step.resumed) return 'resumed, nothing lost';
  if (step.state !== undefined) return step.state;
  if (step.events !== undefined) return eventsOf(step.events);
  if (step.trace !== undefined) {
    const of = step.resource === undefined ? '' : ` of ${step.resource}`;
    return `${step.trace}${of}${step.times === undefined ? '' : ` ${TIMES[step.times] ?? `${step.times} times`}`}`;
  }
  const parts = [step.status && `HTTP ${step.status}`, step.reason, step.items !== undefined && `${step.items} items`];
  return parts.filter(Boolean).join(', ');
}

function judgeFinding(step: ExpectStep, { findings }: Evidence): Standing {
  const finding = findings.find((one) => fits(step, one)) ?? findings.find((one) => step.finding?.includes(one.class));
  const shown = finding ?? findings.find(({ severity }) => severity !== 'info') ?? findings[0];
  const found = shown === undefined ? 'no finding' : findingWords(shown);
  const held = finding !== undefined && fits(step, finding);
  return { held, open: !held, found, ...(shown === undefined ? {} : { finding: shown }) };
}

function fits(step: ExpectStep, finding: Finding): boolean {
  return (
    step.finding?.includes(finding.class) === true &&
    (step.sub === undefined || finding.sub === step.sub) &&
    (step.confidence === undefined || finding.confidence === step.confidence) &&
    (step.refusedBy === undefined || finding.facts.refused_by === step.refusedBy)
  );
}

function findingWords({ class: name, sub, confidence, facts }: Finding): string {
  const refused = facts.refused_by === undefined ? undefined : `refused by ${facts.refused_by}`;
  return [name, sub, confidence, refused].filter(Boolean).join(', ');
}

/** An ERROR comes as the first frame: a stream that brought another one was not refused, and an empty one may still be. */
function judgeResumed({ streams }: Evidence): Standing {
  const refused = streams.find(
    ({ errorStatus, httpStatus }) => errorStatus !== undefined || (httpStatus ?? 200) !== 200,
  );
  if (refused !== undefined) {
    const { errorStatus, httpStatus } = refused;
    return { held: false, open: false, found: `refused: ${errorStatus?.message ?? `HTTP ${httpStatus}`}` };
  }
  const live = streams.some(({ openedAt, endedAt }) => openedAt !== undefined && endedAt === undefined);
  const brought = streams.some(({ events, bookmarks }) => events + bookmarks > 0);
  const found = !live ? 'its stream is not open' : brought ? 'resumed, nothing lost' : 'open, and nothing came yet';
  return { held: live, open: !(live && brought), found };
}

function judgeTrace({ trace, resource, times }: ExpectStep, traced: number): Standing {
  const what = resource === undefined ? trace : `${trace} of ${resource}`;
  const found = `${what} ${TIMES[traced] ?? `${traced} times`}`;
  if (times === undefined) return { held: traced > 0, open: traced === 0, found };
  return { ...judgeCount(times, traced), found };
}

const TIMES = ['never', 'once', 'twice'];

/** What must not happen may still happen; what must happen so often may happen too often. */
function judgeCount(expected: number, count: number): Standing {
  const open = expected === 0 ? count === 0 : count < expected;
  return { held: count === expected, open, found: eventsOf(count) };
}

function eventsOf(count: number): string {
  return `${count} event${count === 1 ? '' : 's'}`;
}

function sent({ streams }: Evidence): number {
  return streams.reduce((sum, { events }) => sum + events, 0);
}

function judgeList({ status, reason, items }: ExpectStep, list: ListFacts | undefined): Standing {
  if (list === undefined) return { held: false, open: false, found: 'it was not asked' };
  const there = list.refusal?.status?.reason;
  const held =
    (status === undefined || list.httpStatus === status) &&
    (reason === undefined || there === reason) &&
    (items === undefined || list.items === items);
  const found = [list.httpStatus === undefined ? 'no answer' : `HTTP ${list.httpStatus}`, there, `${list.items} items`];
  return { held, open: false, found: found.filter(Boolean).join(', ') };
}
