import type { StreamFacts } from '../../src/client/facts.ts';
import type { Confidence, Finding, FindingClass } from '../../src/diagnosis/finding.ts';
import type { TraceEvent } from '../../src/store/trace.ts';
import type { Played } from './play.ts';

/** What truly happened, in the words of the classes; `other` ends are those that no rule of a 410 is about. */
export type Truth =
  | 'ring-buffer-expiry'
  | 'upstream-compaction/direct'
  | 'upstream-compaction/through-cache'
  | 'cache-rebuilt'
  | 'rebuilt, and then the ring rolled over'
  | 'planned end'
  | 'slow watcher closed'
  | 'rebuild closed it'
  | 'rebuild closed it, as the server shut down'
  | 'server killed'
  | 'server shut down'
  | 'the state before a change was compacted'
  | 'the cache was not ready'
  | 'nobody listened'
  | 'no headers for 10 s'
  | 'we left'
  | 'we did not read'
  | 'nothing';

/** One thing that the client told, beside what the server knows of it. */
export interface Judged {
  truth: Truth;
  finding: Finding;
  /** The class is the true one; of an `ambiguous-*` class: the true one is among its candidates. */
  right: boolean;
  /** It was told as a decision (not low, not ambiguous), and the truth table has one (not for an RV from outside). */
  decided: boolean;
  /** The RV came from outside: nobody knows its age. */
  outside: boolean;
  /** A rebuild by a compaction, and the client says that it does not know the reason. */
  open: boolean;
}

type Refusal = Extract<TraceEvent, { what: 'refuse' }>;

/** Judges every revision of every finding that was told, against the server's own trace. */
export function judge(played: Played): Judged[] {
  const refusals = new Map<string, Refusal>();
  for (const event of played.trace) if (event.what === 'refuse') refusals.set(event.auditId, event);
  const streams = new Map(played.facts.streams.map((stream) => [stream.stream, stream]));
  return played.told.flatMap((finding) => {
    const about = finding.streams.flatMap((number) => streams.get(number) ?? []);
    if (about.length === 0) return [];
    // One finding for several streams in a row: it is right where it is right of each.
    return [
      worst(
        about.map((stream) => {
          const outside = finding.key.endsWith(':refusal') && isFromOutside(played, stream);
          return judged(finding, truthOf(played, finding, stream, refusals), outside);
        }),
      ),
    ];
  });
}

function truthOf(played: Played, finding: Finding, stream: StreamFacts, refusals: Map<string, Refusal>): Truth {
  if (finding.class === 'unreachable' && stream.noAnswerAt !== undefined) return 'no headers for 10 s';
  // The other way in which a compaction is felt: what a change replaced is gone (facts/server §4.1).
  if (stream.errorStatus?.message?.includes('PrevKv=nil')) return 'the state before a change was compacted';
  const auditId = stream.headers['audit-id'] ?? '';
  const refusal = refusals.get(auditId);
  if (finding.facts.refused_by !== undefined || (refusal !== undefined && finding.key.endsWith(':refusal'))) {
    return refusal === undefined ? 'nothing' : truthOfRefusal(refusal);
  }
  if (finding.key.endsWith(':self') && stream.readStalledMs > 0) return 'we did not read';
  return truthOfEnd(played, stream);
}

/** The RV came from a flag, or is an object's own as the initial state shows it: nobody knows how old it is. */
function isFromOutside({ facts }: Played, { requestedRv, requestedRvOrigin, target }: StreamFacts): boolean {
  if (requestedRvOrigin === 'url') return true;
  return facts.streams.some(
    (other) => other.target.index === target.index && other.lastRv === requestedRv && isInitialState(other),
  );
}

function isInitialState({ requestedRv, lastRvOrigin, lastRvAt = 0, openedAt = 0 }: StreamFacts): boolean {
  return (requestedRv === undefined || requestedRv === '0') && lastRvOrigin === 'event' && lastRvAt - openedAt < 1_000;
}

function truthOfRefusal({ because, rebuiltBecause, ringToo }: Refusal): Truth {
  // Two causes, and each would have been enough.
  if (ringToo) return 'rebuilt, and then the ring rolled over';
  switch (because) {
    case 'ring':
      return 'ring-buffer-expiry';
    case 'compacted':
      return 'upstream-compaction/direct';
    case 'rebuilt':
      return rebuiltBecause === 'compacted' ? 'upstream-compaction/through-cache' : 'cache-rebuilt';
  }
}

/** What a request is answered with that waited at the gate of a cache until its own end, or is sent away from it. */
const NOT_NOW = [429, 503, 504];

/** Ends that belong to one thing are told within so long, ms. */
const AT_ONE_TIME_MS = 100;

/** An apiserver that leaves in order lets its watches live for so long, ms (facts/server §5.4), and some. */
const LINGERS_MS = 65_000;

function truthOfEnd(played: Played, stream: StreamFacts): Truth {
  const { endedAt, openedAt, headers, connection = 0, target } = stream;
  // The network of a simulation loses nothing: it refuses a connection only where no server listens.
  if (stream.end === 'refused') return 'nobody listened';
  if (stream.httpStatus !== undefined && NOT_NOW.includes(stream.httpStatus)) return 'the cache was not ready';
  if (endedAt === undefined || openedAt === undefined) return 'nothing';
  if (stream.end === 'stopped') return 'we left';
  const server = played.connections[connection];
  const closed = played.trace.find(
    (event) => event.what === 'terminate' && event.apiserver === server && event.auditId === headers['audit-id'],
  );
  if (closed) return 'slow watcher closed';
  const rebuilt = played.trace.some(
    (event) =>
      event.what === 'reinit' &&
      event.apiserver === server &&
      event.resource === target.resource &&
      // What happened before it was accepted cannot have ended it.
      event.at > openedAt &&
      event.at <= endedAt,
  );
  if (rebuilt) {
    // It was on its way out when its cache began anew, and goes as soon as the last watch has: both are true.
    const leaving = played.trace.some(
      (event) =>
        event.what === 'restart' &&
        event.how === 'orderly' &&
        event.apiserver === server &&
        event.at >= Math.max(openedAt, endedAt - LINGERS_MS) &&
        event.at <= endedAt,
    );
    return leaving ? 'rebuild closed it, as the server shut down' : 'rebuild closed it';
  }
  const planned = (stream.timeoutSeconds ?? Number.POSITIVE_INFINITY) * 1_000;
  // The time counts from the request, also where its answer had to wait. What lies unread is seen late.
  const late = endedAt - stream.askedAt - planned;
  if (late >= -AT_ONE_TIME_MS && late <= AT_ONE_TIME_MS + stream.readStalledMs) return 'planned end';
  const gone = played.trace.flatMap((event) =>
    event.what === 'restart' && event.apiserver === server && event.at >= openedAt && event.at <= endedAt
      ? [event]
      : [],
  );
  // One that is killed takes its streams with it; one that leaves in order lets them live on for a while.
  if (gone.some(({ how, at }) => how === 'killed' && at >= endedAt - AT_ONE_TIME_MS)) return 'server killed';
  const last = gone.at(-1);
  if (last === undefined) return 'nothing';
  return last.how === 'killed' ? 'server killed' : 'server shut down';
}

/** Classes that are right to tell where this is the truth. */
const RIGHT: Record<Truth, readonly FindingClass[]> = {
  'ring-buffer-expiry': ['ring-buffer-expiry'],
  'upstream-compaction/direct': ['upstream-compaction'],
  'upstream-compaction/through-cache': ['upstream-compaction'],
  'cache-rebuilt': ['cache-rebuilt'],
  'rebuilt, and then the ring rolled over': ['cache-rebuilt', 'upstream-compaction', 'ring-buffer-expiry'],
  'planned end': ['server-timeout'],
  'slow watcher closed': ['slow-watcher-terminated'],
  'rebuild closed it': ['cache-rebuilt', 'upstream-compaction'],
  'rebuild closed it, as the server shut down': ['cache-rebuilt', 'upstream-compaction', 'apiserver-shutdown'],
  'the state before a change was compacted': ['storage-error'],
  'the cache was not ready': ['watch-cache-not-ready'],
  'nobody listened': ['unreachable'],
  'no headers for 10 s': ['unreachable'],
  'server killed': ['connection-lost'],
  'server shut down': ['apiserver-shutdown'],
  'we left': ['self-inflicted'],
  'we did not read': ['self-inflicted'],
  nothing: ['healthy'],
};

/** `outside`: of an RV from outside the age is unknown; the truth table names what is likely, and decides nothing. */
function judged(finding: Finding, truth: Truth, outside: boolean): Judged {
  const right = RIGHT[truth];
  const ambiguous = finding.class.startsWith('ambiguous');
  const decided = !ambiguous && finding.confidence !== 'low' && !outside;
  const open = isOpenRebuild(finding) && !right.includes(finding.class);
  const told = ambiguous || open ? finding.candidates.map((one) => one.class) : [finding.class];
  return { truth, finding, decided, outside, open, right: told.some((name) => right.includes(name)) };
}

/**
 * `cache-rebuilt` is the class of a rebuild for *another or an unknown* reason: where the client says that it does not know
 * the reason, by naming a compaction as a candidate, a compaction is no contradiction.
 */
function isOpenRebuild({ class: name, confidence, candidates }: Finding): boolean {
  return name === 'cache-rebuilt' && confidence !== 'high' && candidates[1]?.class === 'upstream-compaction';
}

const WEIGHT: Record<Confidence, number> = { low: 0, medium: 1, high: 2 };

function worst(all: Judged[]): Judged {
  const [first, ...rest] = all as [Judged, ...Judged[]];
  return rest.reduce((one, other) => (one.right && !other.right ? other : one), first);
}

/** Wrong, and told as if it could not be. */
export function wrongHigh({ right, finding }: Judged): boolean {
  return !right && WEIGHT[finding.confidence] === WEIGHT.high;
}

/** The last revision of each finding: what stands at the end. */
export function last(judged: readonly Judged[]): Judged[] {
  return [...new Map(judged.map((one) => [one.finding.key, one])).values()];
}
