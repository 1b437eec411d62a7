import { windowGauge } from './ring-gauge.ts';
import type { Line, Span } from './spans.ts';
import { span } from './spans.ts';
import type { StreamLedger } from './stream-ledger.ts';
import { age } from './time-format.ts';
import type { WindowEstimate } from './window-log.ts';

/** Window gauge, edges included. */
const GAUGE_WIDTH = 10;
/** Slack below this turns yellow: less than a reconnect with back-off may take, ms. */
const SHORT_SLACK_MS = 20_000;
/** An age that is known this well is said as a number, not as a range; or as well as a part of it. */
const SURE_WITHIN_MS = 5_000;
const SURE_PART = 0.25;
/** A range that is wider than so many times its lower end is told by that end alone. */
const VAGUE_TIMES = 2;
/** A floor that was told longer ago is said to be that old, ms: two samples were missed. */
const OLD_SAMPLE_MS = 75_000;

/** How much the window matters now: short is less than 20 s (yellow), lost means that a resume would be refused (red). */
export type WindowAlarm = 'none' | 'short' | 'lost';

export function windowAlarm({ slackRevisions, slack }: WindowEstimate): WindowAlarm {
  if (slackRevisions !== undefined && slackRevisions < 0) return 'lost';
  return slack && !slack.atLeast && slack.ms < SHORT_SLACK_MS ? 'short' : 'none';
}

/** What the header says of the window, from the longest way to the shortest. Empty: nothing is known, and nothing was asked. */
export function windowForms(ledger: StreamLedger, { now, probing }: { now: number; probing: boolean }): Line[] {
  if (!probing) {
    return [
      [span('window unknown: --no-probe (a probe would tell how far back it reaches)', 'dim')],
      [span('window unknown: --no-probe', 'dim')],
    ];
  }
  const silence = ledger.window.silence(now);
  if (silence?.kind === 'uncached')
    return [[span('window: etcd’s (no watch cache)', 'dim')], [span('no watch cache', 'dim')]];
  if (silence) {
    return [[span(`window: probes ${silence.word}`, 'warning')], [span(`probes ${silence.word}`, 'warning')]];
  }
  const estimate = ledger.window.estimate(now);
  if (!estimate) return [];
  return estimate.replicas > 1 ? rangeForms(estimate) : floorForms(ledger, estimate, now);
}

function rangeForms(estimate: WindowEstimate): Line[] {
  const range = `${estimate.lowest} … ${estimate.floor}`;
  const several = `≥ ${estimate.replicas} replicas`;
  const slack = slackSpan(estimate);
  return [
    [span(`window floor ${range}, ${several}`, 'warning'), ...(slack ? [span(' '), slack] : [])],
    [span(`floor ${range}, ${several}`, 'warning')],
    [span(several, 'warning')],
  ];
}

function floorForms({ window, resume }: StreamLedger, estimate: WindowEstimate, now: number): Line[] {
  const { floor, slackRevisions: left = 0 } = estimate;
  const old = ageWords(estimate);
  const toldMs = now - estimate.sampledAt;
  if (toldMs > OLD_SAMPLE_MS && left >= 0) {
    return [[span(`window floor ${floor}, told ${age(toldMs)} ago`, 'dim')], [span(`floor ${age(toldMs)} ago`, 'dim')]];
  }
  const named = `window floor ${floor}${old === '' ? '' : `, ${old} old`}`;
  const slack = slackSpan(estimate);
  if (!resume || !slack) return [[span(named, 'dim')], [span(`floor ${floor}`, 'dim')]];
  if (left < 0) return [[span(`${named} `, 'dim'), slack], [span('window ', 'dim'), slack], [slack]];
  const newest = Math.max(left, window.newestAbove(floor) ?? 0);
  const gauge = span(windowGauge(newest > 0 ? left / newest : 1, GAUGE_WIDTH));
  return [
    [span(`${named} `, 'dim'), gauge, span(' '), slack],
    [span(`window ${old === '' ? '' : `${old} `}`, 'dim'), gauge, span(' '), slack],
    [span('window ', 'dim'), gauge, span(' '), slack],
    [slack],
  ];
}

/** `at least 12 s`, `83 s`, `60 s … 140 s`; "" where it says nothing. */
export function ageWords({ age: known }: WindowEstimate): string {
  if (!known) return '';
  const { atLeastMs, atMostMs } = known;
  const spread = (atMostMs ?? Number.POSITIVE_INFINITY) - atLeastMs;
  if (atMostMs !== undefined && spread <= Math.max(SURE_WITHIN_MS, SURE_PART * atLeastMs)) {
    return age((atLeastMs + atMostMs) / 2 + 500);
  }
  if (atLeastMs < 1000) return '';
  return atMostMs === undefined || spread > VAGUE_TIMES * atLeastMs
    ? `at least ${age(atLeastMs)}`
    : `${age(atLeastMs)} … ${age(atMostMs)}`;
}

/** How long the resume RV has left; undefined: there is none, or no order. */
function slackSpan(estimate: WindowEstimate): Span | undefined {
  const { slackRevisions: left, slack } = estimate;
  if (left === undefined) return undefined;
  if (left < 0) return span(`passed ${-left} ${left === -1 ? 'revision' : 'revisions'} ago`, 'alarm');
  // A bound that is shorter than any reconnect says nothing; the distance does.
  if (!slack || (slack.atLeast && slack.ms < SHORT_SLACK_MS)) return span(`${left} above floor`, 'dim');
  return slack.atLeast
    ? span(`slack > ${age(slack.ms)}`, 'dim')
    : span(`slack ~${age(slack.ms)}`, windowAlarm(estimate) === 'short' ? 'warning' : 'plain');
}

/** The same in one sentence, for lines and the summary. */
export function windowSentence(estimate: WindowEstimate): string {
  const { floor, lowest, replicas } = estimate;
  const old = ageWords(estimate);
  const where =
    replicas > 1
      ? `floors ${lowest} … ${floor}, so at least ${replicas} replicas`
      : `floor ${floor}${old === '' ? '' : `, ${old} old`}`;
  const slack = slackSpan(estimate)?.text;
  return slack === undefined
    ? where
    : `${where}; resume RV ${slack.replace('above floor', estimate.slackRevisions === 1 ? 'revision above it' : 'revisions above it')}`;
}
