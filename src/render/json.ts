import type { ControlFacts } from '../client/control-facts.ts';
import type { Finding } from '../diagnosis/finding.ts';
import { assertNever } from '../util/assert-never.ts';
import type { FeedItem } from './feed.ts';
import { maskText } from './mask-secrets.ts';
import {
  controlFields,
  controlSummary,
  endFields,
  eventFields,
  findingFields,
  listFields,
  openFields,
  probeFields,
  type RecordFields,
  traceFields,
  windowFields,
} from './record-fields.ts';
import { escapeJson, sanitize } from './sanitize.ts';
import { rfc3339 } from './time-format.ts';
import type { WindowSummary } from './window-watch.ts';

/** The version of everything in this file (contract §1): a change that breaks a reader bumps it. */
export const SCHEMA = 'kwatch/v1';

/** One record of contract §1, ready for `recordLine`. Fields without a value are undefined, and absent in the line. */
export type JsonRecord = { record: string; schema: typeof SCHEMA; at: string; [field: string]: unknown };

export interface RecordOptions {
  /** `--object`: put the whole object into `event` records. Secret data is masked all the same. */
  object: boolean;
}

/** Characters of a malformed frame that are told (contract §1). */
const MALFORMED_TEXT = 200;

/** Makes the records of one run. It remembers the server's version once a probe has told it. */
export class RecordMaker {
  readonly #options: RecordOptions;
  #serverVersion: string | undefined;

  constructor(options: RecordOptions) {
    this.#options = options;
  }

  /** The record of `item`, or undefined where the contract has none for it (phases and notes are for people). */
  record(item: FeedItem): JsonRecord | undefined {
    const fields = this.#fields(item);
    if (!fields) return undefined;
    const { record, ...rest } = fields;
    return { record, schema: SCHEMA, at: rfc3339(item.at), watcher: item.watcher, ...rest };
  }

  #fields(item: FeedItem): RecordFields | undefined {
    switch (item.kind) {
      case 'open':
        return openFields(item, this.#serverVersion);
      case 'event':
        return eventFields(item, this.#options.object);
      case 'malformed': {
        const text = maskText(item.text, item.target.resource === 'secrets');
        const { stream, reason, bytes } = item;
        return { record: 'malformed', stream, reason: sanitize(reason), text: sanitize(text, MALFORMED_TEXT), bytes };
      }
      case 'end':
        return endFields(item.facts);
      case 'list':
        return listFields(item.facts);
      case 'probe':
        if (item.answer.outcome.kind === 'version') this.#serverVersion = item.answer.outcome.gitVersion;
        return probeFields(item.answer);
      case 'control':
        return controlFields(item.facts, item.at);
      case 'finding':
        return { record: 'finding', ...findingFields(item.finding) };
      case 'trace':
        return traceFields(item);
      case 'phase':
      case 'note':
        return undefined;
      default:
        return assertNever(item);
    }
  }
}

/** A record as one line, without the newline; harmless also where stdout is a terminal. */
export function recordLine(record: JsonRecord): string {
  return escapeJson(JSON.stringify(record));
}

export interface RunSummary {
  at: number;
  /** The main finding (contract §2), chosen by diagnosis. */
  verdict: Finding;
  /** Whose it is, in `local`. */
  watcher?: string;
  /** The last revision of each finding of the run. */
  findings: readonly Finding[];
  streams: number;
  events: number;
  bookmarks: number;
  lastRv?: string;
  /** `tail`, with probes: what is known of each target's window. */
  windows?: readonly WindowSummary[];
  /** `tail --no-probe`: nobody asked how far back the windows reach. For people; a program knows its own flags. */
  windowsUnasked?: true;
  /** `--control`: what became of it. */
  control?: ControlFacts;
  exitCode: number;
}

/** The last record of every run, also of one that was interrupted. */
export function summaryRecord(summary: RunSummary): JsonRecord {
  const counts: Record<string, number> = {};
  for (const finding of summary.findings) counts[finding.class] = (counts[finding.class] ?? 0) + 1;
  return {
    record: 'summary',
    schema: SCHEMA,
    at: rfc3339(summary.at),
    verdict: { watcher: summary.watcher, ...findingFields(summary.verdict) },
    findings: counts,
    streams: summary.streams,
    events: summary.events,
    bookmarks: summary.bookmarks,
    last_rv: summary.lastRv,
    windows: summary.windows?.map(windowFields),
    control: summary.control && controlSummary(summary.control, summary.at),
    exit_code: summary.exitCode,
  };
}
