import type { ControlFacts } from '../client/control-facts.ts';
import type { AnswerHeaders, ListFacts, ProbeAnswer, StreamFacts } from '../client/facts.ts';
import type { EventOutput, OpenOutput } from '../client/output.ts';
import type { Finding } from '../diagnosis/finding.ts';
import type { TraceItem } from './feed.ts';
import { maskSecrets, maskText } from './mask-secrets.ts';
import type { WindowSummary } from './window-watch.ts';

/**
 * The fields of each record of contract §1, in the contract's order and spelling: snake_case, resourceVersions as
 * strings, durations as whole milliseconds. A field without a value is undefined here and absent in the record.
 */
export interface RecordFields {
  record: string;
  [field: string]: unknown;
}

export function openFields(open: OpenOutput, serverVersion: string | undefined): RecordFields {
  return {
    record: 'open',
    stream: open.stream,
    verb: open.verb,
    method_path: open.methodPath,
    requested_rv: open.requestedRv,
    http_status: open.httpStatus,
    http_version: open.httpVersion,
    headers: shownHeaders(open.headers),
    server_version: serverVersion,
  };
}

export function eventFields(event: EventOutput, withObject: boolean): RecordFields {
  const { type, kind, namespace, name, uid, rv } = event.fields;
  return {
    record: 'event',
    stream: event.stream,
    type,
    kind,
    namespace,
    name,
    uid,
    rv,
    bytes: event.bytes,
    since_previous_ms: whole(event.sincePreviousMs),
    status: event.status,
    object: withObject ? maskedObject(event) : undefined,
  };
}

/**
 * The object of a frame, parsed in full, Secret data masked. Undefined where it does not parse (the scan is more
 * lenient).
 */
export function maskedObject(event: EventOutput): unknown {
  let frame: unknown;
  try {
    frame = JSON.parse(new TextDecoder().decode(event.raw));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
  const object = typeof frame === 'object' && frame !== null ? (frame as { object?: unknown }).object : undefined;
  return maskSecrets(object, event.target.resource === 'secrets');
}

export function endFields(facts: StreamFacts): RecordFields {
  const endedAt = facts.endedAt ?? facts.lastByteAt ?? facts.askedAt;
  const openedAt = facts.openedAt ?? facts.askedAt;
  return {
    record: 'end',
    stream: facts.stream,
    end: facts.end,
    duration_ms: whole(endedAt - openedAt),
    idle_ms: whole(endedAt - (facts.lastByteAt ?? openedAt)),
    events: facts.events,
    bookmarks: facts.bookmarks,
    last_rv: facts.lastRv,
    http_status: facts.httpStatus,
  };
}

export function listFields(facts: ListFacts): RecordFields {
  const { gap, refusal } = facts;
  return {
    record: 'list',
    why: facts.why,
    rv: facts.rv,
    items: facts.items,
    pages: facts.pages,
    http_status: facts.httpStatus,
    truncated: facts.truncated || undefined,
    created: gap?.created.count,
    created_names: gap?.created.names.slice(0, 20),
    changed: gap?.changed.count,
    changed_names: gap?.changed.names.slice(0, 20),
    deleted: gap?.deleted.count,
    deleted_names: gap?.deleted.names.slice(0, 20),
    refused: refusal && { status: refusal.status, end: refusal.end, detail: refusal.detail },
  };
}

export function probeFields({ kind, asked, httpStatus, outcome, connection }: ProbeAnswer): RecordFields {
  return { record: 'probe', kind, asked, answer: { ...snake(outcome), http_status: httpStatus }, connection };
}

/** What is left of a control stream for the summary. */
export function controlSummary(facts: ControlFacts, at: number): Record<string, unknown> {
  const { record: _record, asked: _asked, connection: _connection, ...kept } = controlFields(facts, at);
  return kept;
}

/** One target's window. `floors`: only where apiservers disagree, the highest first. */
export function windowFields({ target, label, estimate, silence }: WindowSummary): Record<string, unknown> {
  const { age, slack, told = [] } = estimate ?? {};
  return {
    target: target.index,
    resource: label,
    floor: estimate?.floor,
    floor_age_at_least_ms: whole(age?.atLeastMs),
    floor_age_at_most_ms: whole(age?.atMostMs),
    slack_revisions: estimate?.slackRevisions,
    slack_ms: slack && !slack.atLeast ? whole(slack.ms) : undefined,
    slack_at_least_ms: slack?.atLeast ? whole(slack.ms) : undefined,
    replicas_at_least: estimate?.replicas,
    floors: told.length > 1 ? told.map(({ rv, connection }) => ({ floor: rv, connection })) : undefined,
    unknown: silence && (silence.kind === 'uncached' ? 'no watch cache' : `probes ${silence.word}`),
  };
}

/** `--control`: no stream of the run, so it has no number. `idle_ms`: since the last byte of any of its answers. */
export function controlFields(facts: ControlFacts, at: number): RecordFields {
  const { refused } = facts;
  return {
    record: 'control',
    state: facts.state,
    asked: facts.asked,
    frames: facts.frames,
    opens: facts.opens,
    idle_ms: whole(facts.lastByteAt === undefined ? undefined : at - facts.lastByteAt),
    unanswered_by: facts.unansweredBy,
    unanswered_ms: whole(facts.unansweredSince === undefined ? undefined : at - facts.unansweredSince),
    http_status: refused?.httpStatus,
    detail: refused && maskText(refused.detail),
    connection: facts.connection,
  };
}

/**
 * The fields of contract §2. What a face alone needs (`lines`, `target`, `ruledOut`) is told by `text` and `evidence`.
 */
export function findingFields(finding: Finding): Record<string, unknown> {
  return {
    id: finding.id,
    rev: finding.rev,
    stream: finding.stream,
    class: finding.class,
    sub: finding.sub,
    severity: finding.severity,
    confidence: finding.confidence,
    candidates: finding.candidates,
    title: finding.title,
    text: finding.text,
    evidence: finding.evidence.map((entry) => maskText(entry)),
    next: finding.next,
    facts: finding.facts,
    explained_by: finding.explainedBy,
  };
}

export function traceFields({ kind: _kind, at: _at, watcher: _watcher, what, ...fields }: TraceItem): RecordFields {
  return { record: 'trace', what, ...snake(fields) };
}

/** camelCase to snake_case at the top level; resourceVersions become strings and durations integers, as everywhere. */
function snake(fields: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => {
      const key = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
      if (typeof value !== 'number') return [key, value];
      return [
        key,
        /^(rv|floor|requested)$|_rv$/.test(key) ? String(value) : key.endsWith('_ms') ? whole(value) : value,
      ];
    }),
  );
}

/** Header names as HTTP/1.1 writes them: the contract's spelling, whatever the transport made of them. */
const SHOWN_HEADERS = /^(audit-id|retry-after|content-type|transfer-encoding|server|via|x-kubernetes-pf-.*)$/;

function shownHeaders(headers: AnswerHeaders): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => SHOWN_HEADERS.test(name))
      .map(([name, value]) => [name.replace(/(^|-)[a-z]/g, (start) => start.toUpperCase()), value]),
  );
}

function whole(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : Math.max(0, Math.round(ms));
}

/** `fields` without those that have no value, where absence must be seen before the record becomes a line. */
export function prune<T extends Record<string, unknown>>(fields: T): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}
