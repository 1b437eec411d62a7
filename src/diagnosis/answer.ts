import type { AnswerHeaders, EndKind, StreamFacts } from '../client/facts.ts';
import type { Status } from '../protocol/status.ts';
import type { Attempt } from './scene.ts';
import { wasLive } from './signs.ts';

/** What a refusal, or an ERROR in the stream, consists of; the same for a watch and for a LIST. */
export interface Answer {
  httpStatus?: number | undefined;
  headers: AnswerHeaders;
  status?: Status | undefined;
  /** The Status' message, else the start of the body. */
  message: string;
  /** Code inside the Status. */
  code?: number | undefined;
  end?: EndKind | undefined;
  /** The transport's own words. */
  detail: string;
  jsonKind?: string | undefined;
  bodySize: number;
  inStream: boolean;
  isList: boolean;
  hadContinue: boolean;
  tokenRv?: string | undefined;
  /** Set by the apiserver on everything it answers; an error without it most likely came from in front of it. */
  fromApiserver: boolean;
}

/** undefined: nothing was refused and no ERROR came. */
export function answerOf({ stream, list }: Attempt): Answer | undefined {
  if (stream) return streamAnswer(stream);
  if (list === undefined || (list.refusal === undefined && list.noAnswerAt === undefined)) return undefined;
  if (list.refusal?.end === 'stopped' && list.httpStatus === undefined) return undefined;
  const { status, body, end, detail, hadContinue = false, tokenRv } = list.refusal ?? {};
  const told = status ?? body?.status;
  return {
    httpStatus: list.httpStatus,
    headers: list.headers,
    status: told,
    message: messageOf(told, body?.text),
    code: told?.code,
    end,
    detail: detail ?? '',
    jsonKind: body?.jsonKind,
    bodySize: body?.size ?? 0,
    inStream: false,
    isList: true,
    hadContinue,
    tokenRv,
    fromApiserver: list.headers['audit-id'] !== undefined,
  };
}

function streamAnswer(stream: StreamFacts): Answer | undefined {
  // A request that we gave up ourselves before anybody answered was not refused.
  const ours = stream.end === 'stopped' && stream.httpStatus === undefined;
  const refused = stream.end !== undefined && !ours && (!wasLive(stream) || stream.end === 'not-a-stream');
  if (!refused && stream.errorStatus === undefined && stream.noAnswerAt === undefined) return undefined;
  const told = stream.errorStatus ?? stream.body?.status;
  return {
    httpStatus: stream.httpStatus,
    headers: stream.headers,
    status: told,
    message: messageOf(told, stream.body?.text),
    code: told?.code,
    end: stream.end,
    detail: stream.endDetail ?? '',
    jsonKind: stream.body?.jsonKind,
    bodySize: stream.body?.size ?? 0,
    inStream: stream.errorStatus !== undefined,
    isList: false,
    hadContinue: false,
    fromApiserver: stream.headers['audit-id'] !== undefined,
  };
}

/** Sentences are looked for in so much of a message, each second anew; known ones stand at its beginning. */
const MAX_MESSAGE = 4_096;

function messageOf(told: Status | undefined, text: string | undefined): string {
  return (told ? (told.message ?? '') : (text ?? '')).slice(0, MAX_MESSAGE);
}

/** The code that counts: inside an ERROR it is the Status' own, since the HTTP status was 200 long before. */
export function effectiveCode({ inStream, code, httpStatus }: Answer): number | undefined {
  return inStream ? code : httpStatus;
}
