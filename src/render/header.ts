import { sanitize } from './sanitize.ts';
import { fitLine, type Line, lineWidth, type Span, type StyleName, span, spread } from './spans.ts';
import type { StateWord } from './state-word.ts';
import type { StreamLedger } from './stream-ledger.ts';
import { ago } from './time-format.ts';
import { windowAlarm, windowForms } from './window-words.ts';

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
  const danger = view.ledgers.length === 1 && ledger ? windowStyle(ledger, view) : 'plain';
  const age = /^\d/.test(detail) && (word === 'SILENT' || word === 'QUIET') ? ` ${detail.split(',')[0]}` : '';
  const full = [span(word + age, style), span('  '), span(resume, danger), span(' ')];
  const short = [span(word, style), span(' '), span(resume, danger), span(' ')];
  const label = view.ledgers.length === 1 ? (ledger?.label ?? '') : `${view.ledgers.length} watches`;
  const right = lineWidth(full) + 4 <= width ? full : short;
  return spread([span(` ${label}`, 'strong')], right, width);
}

/** There is no room for the window: what a resume would meet is told by the resume RV's colour, and by a row below. */
function windowStyle({ window }: StreamLedger, { now, probing }: TailHeaderView): StyleName {
  const estimate = probing ? window.estimate(now) : undefined;
  const alarm = estimate ? windowAlarm(estimate) : 'none';
  return alarm === 'none' ? 'plain' : alarm === 'short' ? 'warning' : 'alarm';
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
  // What a resume would use may be the last object itself: it need not be said twice.
  const { object: last, resume: from } = ledger;
  const object: Line = last && last.rv !== from?.rv ? [span(' │ object ', 'dim'), span(last.rv)] : [];
  const forms = windowForms(ledger, view);
  // By importance: the resume RV always, then the window in its longest form, then the last object's RV.
  const attempts = [
    ...forms.flatMap((window) => [
      [resume, object, bar(window)],
      [resume, bar(window)],
    ]),
    [resume, object],
    [resume],
  ];
  for (const parts of attempts) {
    const line = parts.flat();
    if (lineWidth(line) <= width) return line;
  }
  return fitLine(resume, width);
}

function bar(window: Line): Line {
  return [span(' │ ', 'dim'), ...window];
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
