import type { Status } from '../protocol/status.ts';
import type { EventFields } from '../protocol/watch-event.ts';
import type { ControlFacts } from './control-facts.ts';
import type { AnswerHeaders, ListFacts, ProbeAnswer, StreamFacts, WatchTarget } from './facts.ts';

/** What a session tells, in order; every face (line, json, screen) consumes exactly this. `at`: ms of the client's clock. */
export type SessionOutput =
  | OpenOutput
  | EventOutput
  | { kind: 'malformed'; at: number; stream: number; target: WatchTarget; reason: string; text: string; bytes: number }
  | { kind: 'end'; at: number; facts: StreamFacts }
  | { kind: 'list'; at: number; facts: ListFacts }
  | { kind: 'probe'; at: number; answer: ProbeAnswer }
  | { kind: 'phase'; at: number; target: WatchTarget; phase: Phase }
  | ControlOutput;

/** The control stream came to another state. `facts` go on changing: a face that shows their age may keep them. */
export interface ControlOutput {
  kind: 'control';
  at: number;
  facts: ControlFacts;
}

/** A LIST or WATCH request was answered with headers. */
export interface OpenOutput {
  kind: 'open';
  at: number;
  stream?: number;
  target: WatchTarget;
  verb: 'list' | 'watch';
  methodPath: string;
  requestedRv?: string;
  httpStatus: number;
  httpVersion: string;
  headers: AnswerHeaders;
}

export interface EventOutput {
  kind: 'event';
  at: number;
  stream: number;
  target: WatchTarget;
  fields: EventFields;
  bytes: number;
  sincePreviousMs?: number;
  /** Step from the RV before it in this stream; undefined for the first, and where RVs have no order. */
  rvStep?: number;
  /** For ERROR. */
  status?: Status;
  /** The frame as received, for the detail pane and `--object`; a window on shared memory is copied before it is kept. */
  raw: Uint8Array;
}

/** What a target's session is doing; the state word of the header comes from this and from the age of the last byte. */
export type Phase =
  | { state: 'listing' }
  | { state: 'connecting'; stream: number; rv?: string }
  | { state: 'streaming'; stream: number }
  /** No headers for 10 s; still waiting. `stream` 0: for a LIST, before any stream. */
  | { state: 'no-answer'; stream: number }
  /** We left on purpose (lab), holding `rv`, and may come back. */
  | { state: 'away'; rv?: string }
  | { state: 'backoff'; until: number; attempt: number; why: string }
  | { state: 'stopped'; why: string };
