import { revisionsApart } from '../protocol/resource-version.ts';
import { windowGauge } from './ring-gauge.ts';
import { sanitize } from './sanitize.ts';
import { fitLine, type Line, lineWidth, type Span, span, spread } from './spans.ts';
import type { StateWord } from './state-word.ts';
import type { StreamLedger } from './stream-ledger.ts';
import { age, ago } from './time-format.ts';

/** What the header of `tail` is drawn from. */
export interface TailHeaderView {
  /** Endpoint as people know it, sanitised. */
  title: string;
  /** The targets to be shown: one, or all where none is selected. */
  ledgers: readonly StreamLedger[];
  /** What they are called beside each other; parallel to `ledgers`, as `states` is. */
  labels: readonly (string | undefined)[];
  states: readonly StateWord[];
  /** The state of all of them in one word. */
  state: StateWord;
  now: number;
  /** False with --no-probe: then the window is not known, and the header says so. */
  probing: boolean;
}

/** Window gauge, edges included. */
const GAUGE_WIDTH = 10;

/** Slack below this turns yellow: less than a reconnect with back-off may take. */
const SHORT_SLACK_MS = 20_000;

/** An age that is known this well is said as a number, not as a bound. */
const SURE_WITHIN_MS = 5_000;
/** How long one sample of the floor is reason enough to warn of a short window, ms. */
const ALARM_HOLDS_MS = 5_000;

/** Two lines: who and how alive; then the RV ledger and the window. State word and resume RV survive every width. */
export function tailHeader(view: TailHeaderView, width: number): Line[] {
  const { word, detail, style } = view.state;
  const right = [
    span(word, style),
    ...(detail ? [span(`  ${detail}`, style === 'good' ? 'dim' : style)] : []),
    span(' '),
  ];
  return [spread([span(' '), ...identity(view)], right, width), ledgerLine(view, width)];
}

/** One line for the smallest screens: label, state word, resume RV; the label gives way first. */
export function compactTailHeader(view: TailHeaderView, width: number): Line {
  const { word, detail, style } = view.state;
  const [ledger] = view.ledgers;
  const resume = view.ledgers.length === 1 && ledger?.resume ? `resume ${ledger.resume.rv}` : '';
  const age = /^\d/.test(detail) && (word === 'SILENT' || word === 'QUIET') ? ` ${detail.split(',')[0]}` : '';
  const full = [span(word + age, style), span(`  ${resume} `)];
  const short = [span(word, style), span(` ${resume} `)];
  const label = view.ledgers.length === 1 ? (ledger?.label ?? '') : `${view.ledgers.length} watches`;
  const right = lineWidth(full) + 4 <= width ? full : short;
  return spread([span(` ${label}`, 'strong')], right, width);
}

function identity({ ledgers, title }: TailHeaderView): Line {
  const [ledger] = ledgers;
  if (!ledger || ledgers.length > 1)
    return [span(ledgers.length > 1 ? `${ledgers.length} watches` : 'watch', 'strong'), span(` · ${title}`)];
  const { namespace = '', name = '' } = ledger.target;
  const about = [ledger.serverVersion, ledger.httpVersion && `HTTP/${sanitize(ledger.httpVersion, 8)}`]
    .filter(Boolean)
    .join(', ');
  const place = [sanitize(namespace, 100), sanitize(name, 100), title].filter((part) => part).join(' · ');
  return [span(ledger.label, 'strong'), span(` · ${place}`), ...(about ? [span(` (${about})`, 'dim')] : [])];
}

function ledgerLine(view: TailHeaderView, width: number): Line {
  const [ledger] = view.ledgers;
  if (!ledger) return [span(' no watch yet', 'dim')];
  if (view.ledgers.length > 1) return manyLine(view, width);
  const resume: Line = ledger.resume
    ? [
        span(' resume ', 'dim'),
        span(ledger.resume.rv, 'strong'),
        span(` ${ledger.resume.from} ${ago(view.now - ledger.resume.at)}`, 'dim'),
      ]
    : [span(' no resume RV yet', 'dim')];
  const object: Line = ledger.object ? [span(' │ object ', 'dim'), span(ledger.object.rv)] : [];
  const window = windowPart(ledger, view);
  // By importance: the resume RV always, then the window, then the last object's RV.
  for (const parts of [[resume, object, window], [resume, window], [resume]]) {
    const line = parts.flat();
    if (lineWidth(line) <= width) return line;
  }
  return fitLine(resume, width);
}

function manyLine(view: TailHeaderView, width: number): Line {
  const parts = view.ledgers.flatMap((ledger, i): Span[] => [
    span(i === 0 ? ' ' : ' │ ', 'dim'),
    span(`${view.labels[i] ?? ledger.label} `),
    span(view.states[i]?.word ?? '', view.states[i]?.style),
    span(ledger.resume ? ` ${ledger.resume.rv}` : ''),
  ]);
  return fitLine(parts, width);
}

function windowPart(ledger: StreamLedger, { now, probing }: TailHeaderView): Line {
  const bar = span(' │ window ', 'dim');
  const { floor, resume } = ledger;
  if (!floor || !resume) return probing ? [] : [bar, span('unknown: --no-probe', 'dim')];
  if (floor.low !== floor.high) return [bar, span(`floor ${floor.low} … ${floor.high}, replicas differ`, 'warning')];
  const left = ledger.slackRevisions();
  if (left !== undefined && left < 0) return [bar, span(`passed ${-left} revisions ago`, 'alarm')];
  const newest = [ledger.object?.rv, ledger.bookmark?.rv].reduce<number>(
    (most, rv) => Math.max(most, (rv && revisionsApart(floor.low, rv)) || 0),
    left ?? 0,
  );
  return [
    bar,
    span(windowGauge(newest > 0 ? (left ?? 0) / newest : 1, GAUGE_WIDTH)),
    span(' '),
    slack(ledger, floor.at, resume.at, now),
  ];
}

/**
 * How long the resume RV has left, if the floor goes on as it did: how old the floor is, less how old the resume RV is.
 * The floor's age is known between two RVs that went by; where they lie far apart only the lower bound is said.
 */
function slack(ledger: StreamLedger, floorAt: number, resumeAt: number, now: number): Span {
  const passed = ledger.floorPassed();
  const distance = span(`${ledger.slackRevisions() ?? '?'} above floor`, 'dim');
  if (passed?.latest === undefined) return distance;
  const spent = now - resumeAt;
  const least = Math.max(0, floorAt - passed.latest - spent);
  const most =
    passed.earliest === undefined ? Number.POSITIVE_INFINITY : Math.max(0, floorAt - passed.earliest - spent);
  if (most - least > SURE_WITHIN_MS && most > least * 1.25) {
    return least < SHORT_SLACK_MS ? distance : span(`slack > ${age(least)}`, 'dim');
  }
  const short = least < SHORT_SLACK_MS;
  // A burst makes a window short for a moment: an alarm about it must not outlive the moment.
  if (short && now - floorAt > ALARM_HOLDS_MS) return distance;
  return span(`slack ~${age(least)}`, short ? 'warning' : 'plain');
}
