import type { LiveAnswer } from '../diagnosis/live-answer.ts';
import { liveWords } from '../diagnosis/words-live.ts';
import { type JsonRecord, SCHEMA } from './json.ts';
import { prune } from './record-fields.ts';
import { sanitize } from './sanitize.ts';
import { fitLine, type Line, type StyleName, span } from './spans.ts';
import { rfc3339 } from './time-format.ts';
import { wrap } from './width.ts';

/** Who was asked, for what. */
export interface LiveEnvelope {
  /** When it is told, ms. */
  at: number;
  /** How a person knows the cluster: its context, or the host. */
  server: string;
  path: string;
  tookMs: number;
}

/** The `live` record of `explain --live`: between the explanation and the summary. */
export function liveRecord(live: LiveAnswer, { at, server, path, tookMs }: LiveEnvelope): JsonRecord {
  const { title, text, next } = liveWords(live);
  return prune({
    record: 'live',
    schema: SCHEMA,
    at: rfc3339(at),
    server: sanitize(server, 300),
    path: sanitize(path),
    requested_rv: live.rv,
    watch: live.watch,
    refused_by: live.refusedBy ?? null,
    floor_low: live.floors?.low,
    floor_high: live.floors?.high,
    revisions_apart: live.apart,
    etcd: live.etcd,
    cache_rv: live.cacheRv,
    server_version: live.serverVersion && sanitize(live.serverVersion, 100),
    class: live.class,
    confidence: live.confidence,
    candidates: live.finding?.candidates,
    title: sanitize(title),
    text: sanitize(text),
    next: next.map((step) => sanitize(step)),
    unseen: live.unseen.map(({ what, why }) => ({ what, why: sanitize(why, 200) })),
    took_ms: tookMs,
  }) as JsonRecord;
}

const WATCH_WORDS: Record<LiveAnswer['watch'], { text: string; style: StyleName }> = {
  served: { text: 'STILL SERVED', style: 'good' },
  ahead: { text: 'NOT THERE YET', style: 'warning' },
  gone: { text: 'GONE', style: 'note' },
  rejected: { text: 'NOT ALLOWED, OR NOT NOW', style: 'alarm' },
  'no-answer': { text: 'NO ANSWER', style: 'alarm' },
};

/** The same for people, in at most `width` columns. */
export function liveLines(live: LiveAnswer, { server, path, tookMs }: LiveEnvelope, width: number): Line[] {
  const { title, text, next } = liveWords(live);
  const { text: word, style } = WATCH_WORDS[live.watch];
  const version = live.serverVersion === undefined ? '' : ` ${sanitize(live.serverVersion, 40)}`;
  const from = `asked ${sanitize(server, 60)}${version}: ${sanitize(path, 200)}, ${(tookMs / 1000).toFixed(1)} s`;
  return [
    fitLine([span(word, style), span(` · ${live.class}, ${live.confidence}`, 'dim')], width),
    ...rows(title, width, 'strong'),
    ...rows(text, width, 'plain'),
    ...rows(from, width, 'dim'),
    ...next.flatMap((step) =>
      wrap(sanitize(step), Math.max(20, width - 4)).map(
        (row, index): Line => [span(index === 0 ? '  → ' : '    ', 'dim'), span(row)],
      ),
    ),
  ];
}

function rows(text: string, width: number, style: StyleName): Line[] {
  return wrap(sanitize(text), Math.max(20, width)).map((row): Line => [span(row, style)]);
}
