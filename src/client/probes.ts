import { recogniseExpired } from '../protocol/expired-text.ts';
import { FrameDecoder } from '../protocol/frame-decoder.ts';
import { type ResourceVersion, rv } from '../protocol/resource-version.ts';
import { type Status, saysGone } from '../protocol/status.ts';
import { asStatus, MAX_BODY_BYTES, parseObject } from './answer-body.ts';
import type { AnswerHead } from './answer-head.ts';
import { BoundedBytes } from './bounded-bytes.ts';
import type { TransportEnd } from './end-kind.ts';
import type { ProbeKind, ProbeOutcome } from './facts.ts';
import { type MeteredResource, MetricsScan } from './metrics-scan.ts';
import type { ProbeAsk } from './probe-policy.ts';
import { GONE } from './resume-or-relist.ts';
import { LIST_ACCEPT, type RequestPlan, sidePath, singleNamePath, WATCH_ACCEPT, windowPath } from './watch-request.ts';

export interface ProbeRequest {
  path: string;
  accept: string;
}

/** What a probe asks (contract §4; facts/server §6.3). `namespaced`: of the resource, where it is known. */
export function probeRequest(ask: ProbeAsk, plan: RequestPlan, namespaced: boolean | undefined): ProbeRequest {
  switch (ask.kind) {
    case 'version':
      return { path: '/version', accept: 'application/json' };
    case 'metrics':
      return { path: '/metrics', accept: 'text/plain' };
    case 'window':
      return { path: windowPath(plan), accept: WATCH_ACCEPT };
    case 'exact':
      return { path: singleNamePath(plan, ask.rv ?? '', namespaced), accept: LIST_ACCEPT };
    case 'cache-rv':
      return { path: singleNamePath(plan, '0', namespaced), accept: LIST_ACCEPT };
    case 'side':
      return { path: sidePath(plan, ask.rv ?? ''), accept: WATCH_ACCEPT };
  }
}

/** Reads the answer of one probe as it comes. Bounded: a body is kept to 64 KiB, frames are counted, metrics scanned. */
export interface ProbeReader {
  head(head: AnswerHead): void;
  /** True as soon as the rest need not be read. `afterMs`: since the headers. */
  bytes(chunks: readonly Uint8Array[], afterMs?: number): boolean;
  /** `waitedMs`: from the headers to the end. */
  outcome(end: TransportEnd, waitedMs: number): ProbeOutcome;
}

export function probeReader(ask: ProbeAsk): ProbeReader {
  return ask.kind === 'window' || ask.kind === 'side' ? new WatchProbeReader(ask.kind) : new BodyProbeReader(ask);
}

function failed(detail: string): ProbeOutcome {
  return { kind: 'failed', detail };
}

/** 200, but of something else. */
const NO_WATCH = 'the answer is no watch';

/** `window` and `side`: a short watch. */
class WatchProbeReader implements ProbeReader {
  readonly #kind: ProbeKind;
  readonly #decoder = new FrameDecoder({ maxFrameBytes: 4 * 1024 * 1024 });
  readonly #refusal = new BoundedBytes(MAX_BODY_BYTES);
  #head: AnswerHead | undefined;
  #status: Status | undefined;
  #frames = 0;
  #firstAfterMs: number | undefined;
  #lastRv: ResourceVersion | undefined;
  /** A login page or the like, whatever its HTTP status. */
  #foreign = false;

  constructor(kind: ProbeKind) {
    this.#kind = kind;
  }

  head(head: AnswerHead): void {
    this.#head = head;
    this.#foreign = /^text\/html\b/i.test(head.headers['content-type'] ?? '');
  }

  bytes(chunks: readonly Uint8Array[], afterMs?: number): boolean {
    if (this.#head?.status !== 200) return keep(this.#refusal, chunks);
    for (const chunk of chunks)
      for (const frame of this.#decoder.push(chunk)) {
        if (frame.kind === 'malformed') this.#foreign = true;
        if (frame.kind !== 'event') continue;
        const { type, rv: text } = frame.fields;
        if (type === 'ERROR') this.#status = asStatus(parseObject(new TextDecoder().decode(frame.bytes))?.object);
        else if (text) this.#lastRv = rv(text);
        if (type === 'ERROR' || type === 'BOOKMARK') continue;
        this.#frames += 1;
        this.#firstAfterMs ??= afterMs;
      }
    // The window has its answer with the first event; the side probe counts until its short timeout.
    return this.#status !== undefined || (this.#kind === 'window' && this.#frames > 0);
  }

  outcome(end: TransportEnd, waitedMs: number): ProbeOutcome {
    if (!this.#head) return failed(`no answer: ${end.detail || end.end}`);
    const status = this.#status ?? statusOf(this.#refusal);
    if (this.#head.status !== 200 || this.#status) return this.#refused(this.#head.status, status);
    if (this.#foreign && this.#frames === 0) return failed(NO_WATCH);
    if (this.#kind === 'side') {
      const lastRv = this.#lastRv === undefined ? {} : { lastRv: this.#lastRv };
      const first = this.#firstAfterMs === undefined ? {} : { firstAfterMs: this.#firstAfterMs };
      return { kind: 'side', frames: this.#frames, waitedMs, ...first, ...lastRv };
    }
    const whole = end.end === 'eof' || end.end === 'eof-unframed' || end.end === 'stopped';
    return whole ? { kind: 'open' } : failed(`the stream broke off: ${end.detail || end.end}`);
  }

  #refused(http: number, status: Status | undefined): ProbeOutcome {
    if (http === GONE || (status && saysGone(status))) {
      const expired = recogniseExpired(status?.message ?? '');
      if (this.#kind === 'window' && expired?.floor !== undefined) return { kind: 'floor', floor: rv(expired.floor) };
      if (expired?.refusedBy === 'etcd') return { kind: 'compacted' };
    }
    return failed(refusalText(http, status));
  }
}

const LIST_KIND = /List$/;
const LIST_BEGINS = /^\s*\{\s*"kind"\s*:\s*"\w*List"/;
/** Enough for the kind of a document that begins with it. */
const BEGINNING_BYTES = 200;

/** Probes whose answer is a document, and `metrics`, whose answer is scanned by `scanMetrics`. */
class BodyProbeReader implements ProbeReader {
  readonly #ask: ProbeAsk;
  readonly #body = new BoundedBytes(MAX_BODY_BYTES);
  #head: AnswerHead | undefined;

  constructor(ask: ProbeAsk) {
    this.#ask = ask;
  }

  head(head: AnswerHead): void {
    this.#head = head;
  }

  bytes(chunks: readonly Uint8Array[]): boolean {
    return keep(this.#body, chunks);
  }

  outcome(end: TransportEnd): ProbeOutcome {
    if (!this.#head) return failed(`no answer: ${end.detail || end.end}`);
    const { status } = this.#head;
    const document = documentOf(this.#body);
    if (status !== 200) {
      const told = asStatus(document);
      // Only etcd's own words say that etcd has compacted it: a gateway has 410s of its own.
      const byEtcd = recogniseExpired(told?.message ?? '')?.refusedBy === 'etcd';
      if (status === GONE && this.#ask.kind === 'exact' && byEtcd) return compacted(this.#ask.rv);
      return failed(refusalText(status, told));
    }
    switch (this.#ask.kind) {
      case 'exact':
        // A list answers: etcd still has that revision, whatever stands in it. A login page is none.
        if (!this.#isList(document)) return failed('the answer is no list');
        return this.#ask.rv === undefined ? failed('no RV was asked for') : { kind: 'alive', rv: this.#ask.rv };
      case 'cache-rv': {
        const text = (document?.metadata as { resourceVersion?: unknown } | undefined)?.resourceVersion;
        return typeof text === 'string' && text !== '' ? { kind: 'rv', rv: rv(text) } : failed('a list without an RV');
      }
      case 'version':
        return typeof document?.gitVersion === 'string'
          ? { kind: 'version', gitVersion: document.gitVersion.slice(0, 100) }
          : failed('no gitVersion in it');
      default:
        return failed(`nothing to read in the answer to ${this.#ask.kind}`);
    }
  }

  /** Also of a body that was cut: an apiserver writes `kind` first. */
  #isList(document: Record<string, unknown> | undefined): boolean {
    if (document) return typeof document.kind === 'string' && LIST_KIND.test(document.kind);
    return LIST_BEGINS.test(new TextDecoder().decode(this.#body.bytes().subarray(0, BEGINNING_BYTES)));
  }
}

function compacted(asked: ResourceVersion | undefined): ProbeOutcome {
  return { kind: 'compacted', ...(asked === undefined ? {} : { rv: asked }) };
}

/** One scan of /metrics for all resources of a run: the body is megabytes, and speaks of each. */
export class MetricsReader {
  readonly #scan: MetricsScan;
  readonly #refusal = new BoundedBytes(MAX_BODY_BYTES);
  #head: AnswerHead | undefined;

  constructor(resources: readonly MeteredResource[]) {
    this.#scan = new MetricsScan(resources);
  }

  head(head: AnswerHead): void {
    this.#head = head;
  }

  bytes(chunks: readonly Uint8Array[]): boolean {
    if (this.#head?.status !== 200) return keep(this.#refusal, chunks);
    for (const chunk of chunks) this.#scan.push(chunk);
    return this.#scan.done;
  }

  /** One outcome for each resource. */
  outcomes(end: TransportEnd): ProbeOutcome[] {
    const { samples } = this.#scan;
    const head = this.#head;
    if (!head) return samples.map(() => failed(`no answer: ${end.detail || end.end}`));
    if (head.status !== 200) return samples.map(() => failed(refusalText(head.status, statusOf(this.#refusal))));
    return samples.map((found) =>
      Object.keys(found).length > 0 ? { kind: 'metrics', samples: found } : failed('none of the names wanted'),
    );
  }
}

/** True where more came than is kept: the rest need not be read. */
function keep(kept: BoundedBytes, chunks: readonly Uint8Array[]): boolean {
  kept.push(chunks);
  return kept.overflown;
}

function documentOf(body: BoundedBytes): Record<string, unknown> | undefined {
  return parseObject(new TextDecoder().decode(body.bytes()));
}

function statusOf(body: BoundedBytes): Status | undefined {
  return asStatus(documentOf(body));
}

function refusalText(http: number, status: Status | undefined): string {
  return status?.message ? `HTTP ${http}: ${status.message.slice(0, 300)}` : `HTTP ${http}`;
}
