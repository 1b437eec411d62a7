import { FrameDecoder } from '../protocol/frame-decoder.ts';
import type { Status } from '../protocol/status.ts';
import type { Frame } from '../protocol/watch-event.ts';
import { asStatus, MAX_BODY_BYTES, parseObject, readBody } from './answer-body.ts';
import { BoundedBytes } from './bounded-bytes.ts';
import type { AnswerBody } from './facts.ts';
import type { ObjectMap } from './object-map.ts';
import type { EventOutput, SessionOutput } from './output.ts';
import type { RvLedger } from './rv-ledger.ts';
import { quotable } from './secret-text.ts';
import { isData, type StreamRecorder } from './stream-facts.ts';

/** Characters shown of a malformed frame (contract §1). */
const MAX_TEXT = 200;
const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';

/** What the frames of one read came to. */
export type Reading =
  /** Nothing that ends the stream. */
  | 'on'
  /** An ERROR event: the server will end the stream by itself; `facts.errorStatus` has it. */
  | 'error'
  /** The answer is no stream of events; `facts.body` has it. */
  | 'not-a-stream'
  /** A frame beyond the decoder's bound: what follows cannot be read. */
  | 'too-large';

/** From bytes to outputs: frames are measured, entered into the ledger and told. */
export class StreamReader {
  readonly #recorder: StreamRecorder;
  readonly #ledger: RvLedger;
  readonly #objects: ObjectMap;
  readonly #decoder = new FrameDecoder();
  /** The first bytes, until a frame shows that this is a stream: what is shown of it if it is none. */
  #opening: BoundedBytes | undefined = new BoundedBytes(MAX_BODY_BYTES);
  #previousAt: number | undefined;

  constructor(recorder: StreamRecorder, ledger: RvLedger, objects: ObjectMap) {
    this.#recorder = recorder;
    this.#ledger = ledger;
    this.#objects = objects;
  }

  /** Reads what arrived at `at`; appends to `outputs`. */
  read(chunks: readonly Uint8Array[], at: number, outputs: SessionOutput[]): Reading {
    let reading: Reading = 'on';
    for (const chunk of chunks) {
      this.#recorder.received(chunk.length, at);
      this.#opening?.push([chunk]);
      for (const frame of this.#decoder.push(chunk)) {
        const next = this.#frame(frame, at, outputs);
        if (next === 'not-a-stream' || next === 'too-large') return next;
        if (next === 'error') reading = 'error';
      }
    }
    return reading;
  }

  /** The body is over. `not-a-stream`: it was one document or page without a single event. */
  end(): { tail: { tailBytes: number; tailText: string }; reading: Reading } {
    const tail = this.#decoder.end();
    const foreign = tail.tailBytes > 0 && this.#opening !== undefined && !this.#saysJson();
    return { tail, reading: foreign ? this.#notAStream() : 'on' };
  }

  #frame(frame: Frame, at: number, outputs: SessionOutput[]): Reading {
    if (frame.kind === 'too-large') return this.#opening && this.#body().jsonKind ? this.#notAStream() : 'too-large';
    if (frame.kind === 'malformed') {
      // One document with a kind, as a list or a Status is; or a page.
      const kind = this.#opening && parseObject(new TextDecoder().decode(frame.bytes))?.kind;
      if (typeof kind === 'string') return this.#notAStream(kind);
      if (this.#opening && !this.#saysJson()) return this.#notAStream();
      this.#malformed(frame.bytes, frame.reason, at, outputs);
      return 'on';
    }
    this.#opening = undefined;
    if (frame.fields.type === 'ERROR') return this.#error(frame, at, outputs);
    this.#event(frame, at, outputs);
    return 'on';
  }

  #event(frame: Frame & { kind: 'event' }, at: number, outputs: SessionOutput[]): void {
    const { fields } = frame;
    const { type } = fields;
    const initial = this.#ledger.inInitialState;
    const before = this.#ledger.resume?.rv;
    const note = this.#ledger.note(type, fields.rv, at);
    if (initial && !this.#ledger.inInitialState) this.#objects.endInitialState(before);
    if (fields.rv && !this.#ledger.inInitialState) {
      this.#objects.coverage.delivered(type === 'BOOKMARK' ? 'bookmark' : 'event', fields.rv);
    }
    if (isData(type)) {
      this.#recorder.event(at);
      const known = this.#objects.note(fields);
      if (!this.#ledger.inInitialState) {
        this.#recorder.change(fields, frame.bytes, at);
        if (known) {
          this.#recorder.again(fields, note.passed === true);
          // What is told again is no later state that lies below an earlier one.
          delete note.wentBackwards;
        }
      }
    } else {
      this.#recorder.bookmark(at, this.#recorder.facts.sendInitialEvents && endsInitialEvents(frame.bytes));
    }
    this.#recorder.rv(note, this.#ledger.resume, at, type);
    outputs.push(this.#output(frame, at, note.step));
  }

  #error(frame: Frame & { kind: 'event' }, at: number, outputs: SessionOutput[]): Reading {
    const status = readStatus(frame.bytes);
    if (!status) {
      this.#malformed(frame.bytes, 'an ERROR event without a Status', at, outputs);
      return 'on';
    }
    this.#recorder.error(status, at);
    outputs.push({ ...this.#output(frame, at, undefined), status });
    return 'error';
  }

  #output(frame: Frame & { kind: 'event' }, at: number, step: number | undefined): EventOutput {
    const { stream, target } = this.#recorder.facts;
    const output: EventOutput = {
      kind: 'event',
      at,
      stream,
      target,
      fields: frame.fields,
      bytes: frame.bytes.length,
      raw: frame.bytes,
    };
    if (this.#previousAt !== undefined) output.sincePreviousMs = at - this.#previousAt;
    if (step !== undefined) output.rvStep = step;
    this.#previousAt = at;
    return output;
  }

  #malformed(bytes: Uint8Array, reason: string, at: number, outputs: SessionOutput[]): void {
    const text = new TextDecoder().decode(bytes.subarray(0, 4 * MAX_TEXT)).slice(0, MAX_TEXT);
    this.#recorder.malformed(text);
    this.#objects.coverage.breakOff();
    const { stream, target } = this.#recorder.facts;
    outputs.push({ kind: 'malformed', at, stream, target, reason, text: quotable(text, target), bytes: bytes.length });
  }

  #body(): AnswerBody {
    const { bytes, target } = this.#recorder.facts;
    const body = readBody(this.#opening?.bytes() ?? new Uint8Array(), bytes);
    return body.status === undefined ? { ...body, text: quotable(body.text, target) } : body;
  }

  #saysJson(): boolean {
    const type = this.#recorder.facts.headers['content-type'];
    return type === undefined || /json/i.test(type);
  }

  #notAStream(kind?: string): Reading {
    this.#recorder.facts.body = { ...this.#body(), ...(kind === undefined ? {} : { jsonKind: kind }) };
    return 'not-a-stream';
  }
}

function readStatus(bytes: Uint8Array): Status | undefined {
  const status = asStatus(parseObject(new TextDecoder().decode(bytes))?.object);
  return status?.code === undefined && status?.message === undefined && status?.reason === undefined
    ? undefined
    : status;
}

function endsInitialEvents(bytes: Uint8Array): boolean {
  const object = parseObject(new TextDecoder().decode(bytes))?.object as
    | { metadata?: { annotations?: Record<string, unknown> } }
    | undefined;
  return object?.metadata?.annotations?.[INITIAL_EVENTS_END] === 'true';
}
