import { asStatus, MAX_BODY_BYTES, parseObject } from '../client/answer-body.ts';
import type { AnswerHead } from '../client/answer-head.ts';
import { BoundedBytes } from '../client/bounded-bytes.ts';
import type { TransportEnd } from '../client/end-kind.ts';
import type { EndKind } from '../client/facts.ts';
import type { RunClock } from '../client/run.ts';
import type { Handshake } from '../client/tls-handshake.ts';
import type { Lane, OpenRequest } from '../client/transport.ts';
import type { RequestPlan } from '../client/watch-request.ts';
import { FrameDecoder } from '../protocol/frame-decoder.ts';
import { type ResourceVersion, rv } from '../protocol/resource-version.ts';
import type { Status } from '../protocol/status.ts';
import type { WatchEventType } from '../protocol/watch-event.ts';

/** What questions are put with. */
export interface Asker {
  /** A connection of its own, each time. */
  lane(): Lane;
  /** Of a request; it says in its User-Agent what it is for. */
  headers(about: string, accept: string): Promise<Record<string, string>>;
  plan: RequestPlan;
  /** Of the resource, where it is known. */
  namespaced: boolean | undefined;
  clock: RunClock;
  /** Absent where there is no TLS. */
  handshake?: () => Promise<Handshake>;
  /** Stops what is still asked: it counts as `stopped`. */
  signal?: AbortSignal;
}

export interface Question {
  path: string;
  accept: string;
  /** Word for the User-Agent. */
  about: string;
  /** How the body is read. */
  as: 'watch' | 'document';
  extra?: Record<string, string>;
  /** An ERROR of a watch is all that is wanted: its end is not waited for. */
  untilError?: boolean;
  /** Reads the body as it comes, instead of keeping it; true: the rest need not be read. */
  reader?: { head(head: AnswerHead): void; bytes(chunks: readonly Uint8Array[]): boolean };
  /** Real ms until we give up. Default PATIENCE_MS. */
  patienceMs?: number;
}

export interface AnswerFrame {
  type: WatchEventType;
  rv?: string;
  initialEventsEnd: boolean;
  afterMs: number;
}

/** One answer. Times are ms after the request was written. */
export interface Answer {
  path: string;
  askedAt: number;
  answeredAt: number;
  head?: AnswerHead;
  headAfterMs?: number;
  firstByteAfterMs?: number;
  endAfterMs: number;
  /** `stopped`: we left; `no-response`: we gave up. */
  end: EndKind;
  detail: string;
  /** Of a watch: at most MAX_FRAMES. */
  frames: AnswerFrame[];
  /** Of a watch: pieces that are no frames. */
  malformed: number;
  /** Of a refusal, or of an ERROR. */
  status?: Status;
  /** Of a body that is read as a document: the whole of it where it is JSON within the bound, and how it begins. */
  document?: Record<string, unknown>;
  beginning?: string;
  bytes: number;
}

/** Time for one answer, real ms: a quick question that takes longer is answered by that. */
const PATIENCE_MS = 5_000;
const MAX_FRAMES = 50;
/** Characters of a body that are kept beside the document: a list writes its own metadata first. */
const BEGINNING = 500;
const MAX_FRAME_BYTES = 4 * 1024 * 1024;

/** One GET on a connection of its own. Never rejects: that there was no answer is an answer. */
export async function ask(asker: Asker, question: Question): Promise<Answer> {
  const headers = { ...(await asker.headers(question.about, question.accept)), ...question.extra };
  return new Promise((resolve) => new Asking(asker, question, headers, resolve));
}

class Asking {
  readonly #asker: Asker;
  readonly #question: Question;
  readonly #answer: Answer;
  readonly #resolve: (answer: Answer) => void;
  readonly #decoder = new FrameDecoder({ maxFrameBytes: MAX_FRAME_BYTES });
  readonly #body = new BoundedBytes(MAX_BODY_BYTES);
  readonly #lane: Lane;
  readonly #stop = () => this.#finish({ end: 'stopped', detail: '' });
  readonly #timer: { cancel(): void };
  #request: OpenRequest | undefined;
  #writtenAt: number;
  #over = false;

  constructor(asker: Asker, question: Question, headers: Record<string, string>, resolve: (answer: Answer) => void) {
    const { clock, signal } = asker;
    this.#asker = asker;
    this.#question = question;
    this.#resolve = resolve;
    this.#writtenAt = clock.now();
    const { path, patienceMs = PATIENCE_MS } = question;
    this.#answer = {
      path,
      askedAt: this.#writtenAt,
      answeredAt: this.#writtenAt,
      endAfterMs: 0,
      end: 'no-response',
      detail: '',
      frames: [],
      malformed: 0,
      bytes: 0,
    };
    this.#lane = asker.lane();
    this.#timer = clock.timer(patienceMs * (clock.speed ?? 1), () =>
      this.#finish({ end: 'no-response', detail: `we gave up after ${patienceMs / 1000} s` }),
    );
    signal?.addEventListener('abort', this.#stop, { once: true });
    this.#request = this.#lane.open(
      { path, headers },
      {
        onWritten: () => {
          this.#writtenAt = clock.now();
        },
        onHead: (head) => {
          Object.assign(this.#answer, { head, headAfterMs: this.#elapsed() });
          question.reader?.head(head);
        },
        onBytes: (chunks) => this.#bytes(chunks),
        onEnd: (end) => this.#finish(end),
      },
    );
    if (signal?.aborted) this.#stop();
  }

  #elapsed(): number {
    return this.#asker.clock.now() - this.#writtenAt;
  }

  #bytes(chunks: readonly Uint8Array[]): void {
    const answer = this.#answer;
    answer.firstByteAfterMs ??= this.#elapsed();
    for (const chunk of chunks) answer.bytes += chunk.length;
    const { reader } = this.#question;
    if (reader) {
      if (reader.bytes(chunks)) this.#stop();
    } else if (this.#question.as === 'document' || answer.head?.status !== 200) this.#keep(chunks);
    else for (const chunk of chunks) this.#frames(chunk);
  }

  /** What is longer than the bound is no answer to a question of ours: it need not be read. */
  #keep(chunks: readonly Uint8Array[]): void {
    this.#body.push(chunks);
    if (this.#body.overflown) this.#stop();
  }

  #frames(chunk: Uint8Array): void {
    for (const frame of this.#decoder.push(chunk)) {
      if (frame.kind !== 'event') this.#answer.malformed += 1;
      if (frame.kind !== 'event' || this.#answer.frames.length >= MAX_FRAMES) continue;
      const { type, rv } = frame.fields;
      const text = new TextDecoder().decode(frame.bytes.subarray(0, MAX_BODY_BYTES));
      const initialEventsEnd = type === 'BOOKMARK' && /"k8s\.io\/initial-events-end":\s*"true"/.test(text);
      this.#answer.frames.push({
        type,
        ...(rv === undefined ? {} : { rv }),
        initialEventsEnd,
        afterMs: this.#elapsed(),
      });
      const status = type === 'ERROR' ? asStatus(parseObject(text)?.object) : undefined;
      if (status) this.#answer.status = status;
      if (type === 'ERROR' && this.#question.untilError) this.#stop();
    }
  }

  #finish({ end, detail }: TransportEnd): void {
    if (this.#over) return;
    this.#over = true;
    const { signal, clock } = this.#asker;
    this.#timer.cancel();
    signal?.removeEventListener('abort', this.#stop);
    this.#request?.close();
    this.#lane.close();
    const answer = this.#answer;
    Object.assign(answer, { end, detail, endAfterMs: this.#elapsed(), answeredAt: clock.now() });
    const text = new TextDecoder().decode(this.#body.bytes());
    if (text !== '') answer.beginning = text.slice(0, BEGINNING);
    const document = parseObject(text);
    if (document) {
      answer.document = document;
      const status = asStatus(document);
      if (status) answer.status ??= status;
    }
    this.#resolve(answer);
  }
}

/** Why there is nothing to read in it: `HTTP 403: pods is forbidden …`, `no answer: connection refused`. */
export function refusalOf({ head, status, end, detail }: Answer): string {
  if (!head) return end === 'stopped' ? 'no answer within the time of the quick half' : `no answer: ${detail || end}`;
  return `HTTP ${head.status}${status?.message ? `: ${status.message.slice(0, 300)}` : ''}`;
}

/**
 * Why an accepted watch cannot be taken for one: a page of a proxy, or a body that we did not ask for. Undefined where it can. A
 * 200 alone is no stream: login pages have it too, and then nothing that it says or leaves out is an apiserver's.
 */
export function noStream({ head, frames, malformed }: Answer): string | undefined {
  if (head?.status !== 200) return undefined;
  const type = head.headers['content-type'];
  if (type !== undefined && !/\bjson\b/i.test(type))
    return `HTTP 200 with ${type.slice(0, 80)} instead of a watch stream`;
  const encoding = head.headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity' && frames.length === 0) {
    return `HTTP 200, but compressed (${encoding.slice(0, 40)})`;
  }
  return malformed > 0 ? 'HTTP 200, but bytes that are no watch events' : undefined;
}

/** Why a watch says nothing of itself: it was refused, or is none. Undefined where it can be read. */
export function unusable(answer: Answer): string | undefined {
  return answer.head?.status === 200 ? noStream(answer) : refusalOf(answer);
}

/** `metadata.resourceVersion` of a list, also of one that was too long to be read whole. */
export function listRv({ head, document, beginning = '' }: Answer): ResourceVersion | undefined {
  if (head?.status !== 200) return undefined;
  const whole = (document?.metadata as { resourceVersion?: unknown } | undefined)?.resourceVersion;
  const said = document
    ? whole
    : /^\s*\{"kind":"\w*List",.*?"metadata":\{"resourceVersion":"(\d+)"/.exec(beginning)?.[1];
  return typeof said === 'string' && said !== '' ? rv(said) : undefined;
}
