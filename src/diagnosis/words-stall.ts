import type { StreamFacts } from '../client/facts.ts';
import { plural, span } from './quantity.ts';
import { quote } from './quote.ts';
import { idleMs, timeoutMs } from './signs.ts';
import { BOOKMARK_PERIOD_MS } from './stall-signs.ts';
import { tailCommand } from './tail-command.ts';
import type { OwnEndWords, ToldEnd } from './words-end-phrases.ts';

/** Words for a stream that is open and dead, and for one that was given up as such. */
export function stallWords(told: ToldEnd): OwnEndWords {
  const { stream, signs, episode } = told;
  const { stall } = signs;
  const asked = timeoutMs(stream);
  const reasons = reasonsOf(told);
  const from = stream.lastRv ?? stream.requestedRv;
  const path = stall.path?.is;
  const dead = path === 'dead';
  const beside = livedMeanwhile(told);
  return {
    title: `Silent stall: the stream is open, but ${episode.main.decision.confidence === 'high' ? '' : 'most likely '}dead${stream.lastRv ? `, since RV ${stream.lastRv}` : ''}`,
    text: [
      `Nothing has come for ${span(idleMs(stream, signs.now))}, and nobody closed the connection: ${reasons.map(({ long }) => long).join('; ')}.`,
      besideSentence(told),
      beside && !path
        ? `Another stream of this run (${quote(beside.target.path, 60)}) went on meanwhile: the apiserver lives, so it is this one stream, or its connection.`
        : '',
      dead
        ? 'A network that went away, or a frozen apiserver or proxy: each of them drops everything without closing it.'
        : 'Most likely a half-open connection: something on the way (load balancer, NAT, firewall, VPN) dropped the flow without closing it, and no reset reached us. A frozen server or proxy looks the same.',
      asked === undefined ? 'No timeoutSeconds was asked for, so the server would not end it soon.' : '',
      stall.outlived && episode.main.decision.confidence !== 'high'
        ? 'A server of its own behind this API may also not keep to timeoutSeconds; then the stream is only quiet.'
        : '',
      `Reconnect and resume from RV ${from ?? '(none)'}; TCP keepalive or HTTP/2 pings shorter than the idle limit of the way notice or prevent it.`,
    ],
    evidence: [
      ...reasons.map(({ long }) => long),
      ...(stall.path?.is === 'alive' ? [`another connection brought node leases ${span(stall.path.agoMs)} ago`] : []),
      `no byte for ${span(idleMs(stream, signs.now))}`,
      ...(beside ? [`stream ${beside.stream} (${quote(beside.target.path, 80)}) got frames meanwhile`] : []),
      `last RV ${stream.lastRv ?? 'none'}, ${plural(stream.events, 'event')}`,
    ],
    ruledOut: [
      ...(stream.allowWatchBookmarks && stream.bookmarks > 0 ? ['a quiet resource (bookmarks come anyway)'] : []),
      ...(stall.path?.is === 'alive' ? ['a dead path or apiserver (node leases come over another connection)'] : []),
    ],
    next: [
      'keepalive: TCP keepalive (or HTTP/2 ping) below the idle limit of load balancers and NAT in between',
      ...(asked !== undefined && asked <= 300_000
        ? []
        : ['timeoutSeconds=300: a shorter watch, so that a dead stream is noticed at the latest then']),
      `${tailCommand(stream.target, from ?? 'list')}: reconnect, as we do`,
    ],
    who: 'nobody ended it: open and silent',
    why: reasons.map(({ short }) => short).join('; ') || 'silence',
    do: dead
      ? 'look whether the apiserver answers anybody; then reconnect'
      : 'reconnect; set keepalive or pings below the idle limit of the way',
  };
}

interface Reason {
  long: string;
  /** For a state line. */
  short: string;
}

/** Strongest first; at least one. */
function reasonsOf({ stream, signs }: ToldEnd): Reason[] {
  const { stall } = signs;
  const asked = timeoutMs(stream);
  const idle = idleMs(stream, signs.now);
  const found: (Reason | false)[] = [
    stall.outlived &&
      asked !== undefined && {
        long: `it is still open after its own timeoutSeconds=${asked / 1000}, when the server would have ended it`,
        short: `past its timeoutSeconds=${asked / 1000}`,
      },
    stall.sideFrames > 0 && {
      long: `a second watch from the same RV got ${plural(stall.sideFrames, 'frame')} meanwhile`,
      short: `a second watch got ${plural(stall.sideFrames, 'frame')}`,
    },
    stall.pingUnansweredMs > 0 && {
      long: `an HTTP/2 ping of its connection has had no answer for ${span(stall.pingUnansweredMs)}`,
      short: 'pings unanswered',
    },
    stall.path?.is === 'dead' && {
      long: `the control stream (node leases, another connection) fell silent as well ${span(stall.path.forMs)} ago, and a new connection gets no answer`,
      short: 'the path is dead too',
    },
    missingBookmarks(stream.bookmarks, stall.missingBookmarks, idle),
  ];
  const reasons = found.filter((one) => one !== false);
  return reasons.length > 0
    ? reasons
    : [{ long: 'we gave it up after too long a silence', short: `silent for ${span(idle)}` }];
}

function missingBookmarks(came: number, missing: number, idleMs: number): Reason | false {
  const short = `${Math.max(missing, 3)} bookmarks missing`;
  if (missing >= 3) return { long: 'bookmarks came every minute, and then three or more failed to', short };
  if (missing > 0)
    return {
      long: `bookmarks came every minute, and then ${missing} failed to`,
      short: `${missing} bookmarks missing`,
    };
  const enough = came > 0 && idleMs > 3 * BOOKMARK_PERIOD_MS;
  return (
    enough && {
      long: `${plural(came, 'bookmark')} had come, and now nothing for ${span(idleMs)}, more than three of them would take`,
      short,
    }
  );
}

/** Another target's stream, over another connection, that got something well after this one fell silent. */
function livedMeanwhile({ stream, signs: { place, now } }: ToldEnd): StreamFacts | undefined {
  const silentSince = (stream.endedAt ?? now) - idleMs(stream, now);
  const until = stream.endedAt ?? now;
  return place.scene.run.streams.find(
    ({ target, connection, lastByteAt = 0 }) =>
      target.index !== stream.target.index &&
      (connection === undefined || connection !== stream.connection) &&
      lastByteAt > silentSince + BOOKMARK_PERIOD_MS &&
      lastByteAt > until - 2 * BOOKMARK_PERIOD_MS,
  );
}

/** What the control stream adds. */
function besideSentence({ signs: { stall } }: ToldEnd): string {
  if (stall.path?.is !== 'alive') return '';
  return `Node leases kept coming over another connection (${span(stall.path.agoMs)} ago): the path and the apiserver live, so it is this one stream, or its connection.`;
}
