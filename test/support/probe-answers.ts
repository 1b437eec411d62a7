import type { Answer, AnswerFrame } from '../../src/probe/ask.ts';
import type { Measured } from '../../src/probe/measured.ts';
import { rv } from '../../src/protocol/resource-version.ts';
import type { Status } from '../../src/protocol/status.ts';
import type { WatchEventType } from '../../src/protocol/watch-event.ts';

/** Answers to a probe's questions, as they are read. */

/** A watch that was granted after 3 ms, and came to its planned end after 3 s; `over` says what is otherwise. */
export function answer(over: Partial<Answer> & { http?: number; headers?: Record<string, string> } = {}): Answer {
  const { http = 200, headers = {}, ...rest } = over;
  return {
    path: '/x',
    askedAt: 1_000,
    answeredAt: 1_100,
    head: { status: http, httpVersion: '1.1', headers, framed: true, connection: 1 },
    headAfterMs: 3,
    endAfterMs: 3_002,
    end: 'eof',
    detail: '',
    frames: [],
    malformed: 0,
    bytes: 0,
    ...rest,
  };
}

/** A request that got not even headers. */
export function unanswered(over: Partial<Answer> = {}): Answer {
  const { head: _, headAfterMs: __, ...rest } = answer({ end: 'no-response', detail: 'ECONNREFUSED', ...over });
  return rest;
}

export function frame(type: WatchEventType, over: Partial<AnswerFrame> = {}): AnswerFrame {
  return { type, initialEventsEnd: false, afterMs: 10, ...over };
}

export function status(code: number, message: string): Status {
  return { kind: 'Status', apiVersion: 'v1', status: 'Failure', metadata: {}, code, message } as Status;
}

/** What a cache whose window begins at 4711 says to a watch from 1. */
export const GONE = { status: status(410, 'too old resource version: 1 (4711)'), frames: [frame('ERROR')] };

/** A login page. */
export const PAGE = { headers: { 'content-type': 'text/html; charset=utf-8' }, malformed: 1 };

export function nothingMeasured(): Measured {
  return { floors: [], heads: [], newest: [] };
}

/** A reading of an RV that took 10 ms. */
export function reading(at: number, value: string) {
  return { rv: rv(value), askedAt: at, answeredAt: at + 10 };
}
