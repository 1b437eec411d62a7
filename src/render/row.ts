import type { ListFacts, ProbeAnswer, StreamFacts, WatchTarget } from '../client/facts.ts';
import type { EventOutput, OpenOutput, Phase } from '../client/output.ts';
import type { WatchEventType } from '../protocol/watch-event.ts';
import { assertNever } from '../util/assert-never.ts';
import { controlWords } from './control-words.ts';
import { endWords, wasStream } from './end-words.ts';
import type { FeedItem } from './feed.ts';
import { maskText } from './mask-secrets.ts';
import { sanitize } from './sanitize.ts';
import type { StyleName } from './spans.ts';
import { traceWords } from './trace-words.ts';

/**
 * Lifecycle marks: a stream ended, a stream was opened, a LIST was read, silence, something the embedded server did, a
 * note.
 */
export const MARK = { end: '▪', open: '▫', list: '↻', wait: '…', server: '◇', note: '·', probe: '?' } as const;

/** One thing that happened, as one line of any face. All texts are safe for a terminal. */
export interface Row {
  at: number;
  /** A type letter (`A M D B E`), `!` for malformed bytes, or a lifecycle mark. */
  letter: string;
  what: string;
  rv?: string;
  /** `+4`: step from the RV before. */
  step?: string;
  style: StyleName;
  /** What goes beside it is of one stream: event rows have a Δ and an RV column, the others use their room. */
  isEvent: boolean;
  watcher?: string;
  /** WatchTarget.index, and the resource (or path) as a label. */
  target?: number;
  targetName?: string;
}

const LETTERS: Record<WatchEventType, { letter: string; style: StyleName }> = {
  ADDED: { letter: 'A', style: 'added' },
  MODIFIED: { letter: 'M', style: 'modified' },
  DELETED: { letter: 'D', style: 'deleted' },
  BOOKMARK: { letter: 'B', style: 'bookmark' },
  ERROR: { letter: 'E', style: 'error' },
};

/**
 * The row of `item`; undefined for what is told elsewhere (findings are blocks, phases and floors stand in the header).
 */
export function toRow(item: FeedItem): Row | undefined {
  const row = rowOf(item);
  // What the server does to a watcher concerns all of them: it stands in everybody's view.
  const isServers = item.kind === 'trace' && item.what === 'terminate';
  return row && item.watcher !== undefined && !isServers ? { ...row, watcher: sanitize(item.watcher, 16) } : row;
}

function rowOf(item: FeedItem): Row | undefined {
  switch (item.kind) {
    case 'event':
      return eventRow(item);
    case 'open':
      return openRow(item);
    case 'end':
      return endRow(item.at, item.facts);
    case 'list':
      return listRow(item.at, item.facts);
    case 'malformed': {
      const text = sanitize(maskText(item.text, item.target.resource === 'secrets'), 120);
      return mark(
        item.at,
        '!',
        `malformed, ${item.bytes} bytes: ${sanitize(item.reason, 120)}: ${text}`,
        'malformed',
        item.target,
      );
    }
    case 'probe':
      return probeRow(item.at, item.answer);
    case 'control': {
      const { text, style } = controlWords(item.facts);
      return mark(item.at, MARK.probe, text, style);
    }
    case 'phase':
      return phaseRow(item.at, item.target, item.phase);
    case 'trace': {
      const words = traceWords(item);
      return words && mark(item.at, words.mark, words.text, words.style);
    }
    case 'note':
      return mark(item.at, MARK.note, sanitize(item.watcher ? `${item.watcher}  ${item.text}` : item.text), 'plain');
    case 'finding':
      return undefined;
    default:
      return assertNever(item);
  }
}

function eventRow(event: EventOutput): Row {
  const { letter, style } = LETTERS[event.fields.type];
  const row: Row = { at: event.at, letter, what: eventWords(event), style, isEvent: true };
  about(row, event.target);
  const { rv } = event.fields;
  if (rv !== undefined) row.rv = sanitize(rv, 64);
  if (event.rvStep !== undefined) row.step = stepWords(event.rvStep);
  return row;
}

/** `+4`, `-2`; a step that no counter makes (a foreign server's RVs) is told by its direction alone. */
function stepWords(step: number): string {
  if (!Number.isSafeInteger(step)) return step < 0 ? '-…' : '+…';
  return step < 0 ? `${step}` : `+${step}`;
}

function eventWords({ fields, status, target }: EventOutput): string {
  if (fields.type === 'BOOKMARK') return 'bookmark';
  if (fields.type === 'ERROR') {
    const head = ['ERROR', status?.code, status?.reason].filter((part) => part !== undefined).join(' ');
    return sanitize(status?.message ? `${head}: ${status.message}` : head, 400);
  }
  const name = sanitize(fields.name ?? '(no name)', 300);
  return fields.namespace && target.namespace === undefined ? `${sanitize(fields.namespace, 100)}/${name}` : name;
}

function openRow(open: OpenOutput): Row | undefined {
  // A LIST is told when it was read to its end, a refusal when its body was read: each thing is one row.
  if (open.verb === 'list' || open.httpStatus !== 200) return undefined;
  return mark(open.at, MARK.open, streamWords(open.stream, open.requestedRv), 'dim', open.target);
}

function endRow(at: number, facts: StreamFacts): Row {
  if (wasStream(facts)) {
    return mark(at, MARK.end, `stream ${facts.stream} ended: ${endWords(facts)}`, 'dim', facts.target);
  }
  const text = `${streamWords(facts.stream, facts.requestedRv)} … ${endWords(facts)}`;
  return mark(at, MARK.open, text, facts.end === 'stopped' ? 'dim' : 'warning', facts.target);
}

function streamWords(stream: number | undefined, rv: string | undefined): string {
  return `stream ${stream ?? '?'} ${rv === undefined ? 'from no RV' : `from ${sanitize(rv, 64)}`}`;
}

function listRow(at: number, facts: ListFacts): Row {
  const verb = facts.why === 'start' || facts.why === 'user' ? 'list' : 'relist';
  if (facts.refusal) {
    const { status, body, detail } = facts.refusal;
    // What is no Status is a sentence, as that of flow control, or a page, which may be long and has lines.
    const told = status?.message || detail || (body?.text ?? '').replace(/\s+/g, ' ').trim();
    const why = sanitize(told, 200);
    const code = facts.httpStatus === undefined ? [] : [`HTTP ${facts.httpStatus}`];
    const words = [...code, ...(why === '' ? [] : [why])].join(': ');
    return mark(at, MARK.list, `${verb} refused: ${words}`, 'warning', facts.target);
  }
  const found = facts.gap
    ? `${facts.gap.created.count} created, ${facts.gap.changed.count} changed, ${facts.gap.deleted.count} deleted unseen`
    : `${facts.items} object${facts.items === 1 ? '' : 's'}`;
  const bound = facts.truncated ? ' (bound met: incomplete)' : '';
  return mark(at, MARK.list, `${verb} at ${sanitize(facts.rv ?? '?', 64)}: ${found}${bound}`, 'dim', facts.target);
}

/** `exact` and `side` settle a question, so they are told; the others feed the header and would be noise. */
function probeRow(at: number, { kind, outcome, target }: ProbeAnswer): Row | undefined {
  if (kind !== 'exact' && kind !== 'side') return undefined;
  const words: Partial<Record<typeof outcome.kind, string>> = {
    alive: 'the store still holds it',
    compacted: 'the store has compacted it',
    side: outcome.kind === 'side' ? sideWords(outcome) : '',
    failed: outcome.kind === 'failed' ? sanitize(outcome.detail, 120) : '',
  };
  return mark(at, MARK.probe, `probe ${kind}: ${words[outcome.kind] ?? outcome.kind}`, 'dim', target);
}

function sideWords({ frames, waitedMs }: { frames: number; waitedMs: number }): string {
  return `${frames} frame${frames === 1 ? '' : 's'} in ${Math.round(waitedMs / 1000)} s`;
}

function phaseRow(at: number, target: WatchTarget, phase: Phase): Row | undefined {
  if (phase.state !== 'no-answer') return undefined;
  const what = phase.stream === 0 ? 'list' : `stream ${phase.stream}`;
  return mark(at, MARK.wait, `${what}: no headers for 10 s, still waiting`, 'warning', target);
}

function mark(at: number, letter: string, what: string, style: StyleName, target?: WatchTarget): Row {
  const row: Row = { at, letter, what, style, isEvent: false };
  if (target) about(row, target);
  return row;
}

function about(row: Row, target: WatchTarget): void {
  row.target = target.index;
  row.targetName = targetLabel(target);
}

/** `pods`, or the path where it is no resource path. */
export function targetLabel(target: WatchTarget): string {
  return sanitize(target.resource ?? target.path, 200);
}
