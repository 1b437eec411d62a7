import type { ResourceVersion } from '../protocol/resource-version.ts';
import type { AnswerHead } from './answer-head.ts';
import type { Endpoint } from './endpoint.ts';
import { SessionExchange, type Untimed } from './exchange.ts';
import type { ListFacts, WatchTarget } from './facts.ts';
import { continueTokenRv } from './list-page.ts';
import { requestHeaders } from './request-headers.ts';
import type { RunClock } from './run.ts';
import { undiciTransport } from './transport.ts';
import { userAgent } from './user-agent.ts';
import { LIST_ACCEPT } from './watch-request.ts';

export interface ListOnceOptions {
  endpoint: Endpoint;
  /** Whose facts it becomes. */
  target: WatchTarget;
  /** Path and query, percent-encoded. */
  path: string;
  /** Token of the page before, where this is a later page: it is added to the query. */
  token?: string;
  version: string;
  clock: RunClock;
}

/** One page of a LIST, as it was answered. */
export interface ListedOnce {
  facts: ListFacts;
  /** Token of the next page. */
  continue?: string;
}

/** Reads one page of a LIST on a connection of its own. Never rejects: a refusal is part of the facts. */
export function listOnce(options: ListOnceOptions): Promise<ListedOnce> {
  const { endpoint, path, token, version, clock } = options;
  const full = token === undefined ? path : `${path}&continue=${encodeURIComponent(token)}`;
  const lane = undiciTransport(endpoint).lane();
  const askedAt = clock.now();
  let head: AnswerHead | undefined;
  return new Promise((resolve, reject) => {
    const finish = (input: Answered) => {
      lane.close();
      resolve(listed(options, { input, head, askedAt, path: full }));
    };
    const give = (input: Untimed) => {
      if (input.kind === 'opened' || input.kind === 'refused') head = input.head;
      if (input.kind === 'listed' || input.kind === 'list-failed' || input.kind === 'refused') finish(input);
    };
    endpoint.authorization().then((authorization) => {
      const headers = requestHeaders({
        accept: LIST_ACCEPT,
        userAgent: userAgent(version),
        authorization,
        extra: undefined,
      });
      const nothing = () => {};
      new SessionExchange({
        lane,
        verb: 'list',
        path: full,
        headers,
        clock,
        now: () => clock.now(),
        give,
        onStarted: nothing,
        onStreaming: nothing,
      });
    }, reject);
  });
}

type Answered = Extract<Untimed, { kind: 'listed' | 'list-failed' | 'refused' }>;

function listed(
  { target, token, clock }: ListOnceOptions,
  answer: { input: Answered; head: AnswerHead | undefined; askedAt: number; path: string },
): ListedOnce {
  const { input, head, askedAt, path } = answer;
  const page = input.kind === 'listed' ? input.page : undefined;
  const tokenRv = token === undefined ? undefined : continueTokenRv(token);
  const body = 'body' in input ? input.body : undefined;
  const facts: ListFacts = {
    target,
    methodPath: path,
    why: 'user',
    askedAt,
    endedAt: clock.now(),
    headers: head?.headers ?? {},
    ...(head === undefined ? {} : { httpStatus: head.status, connection: head.connection }),
    ...(page?.rv === undefined ? {} : { rv: page.rv as ResourceVersion }),
    items: page?.objects.length ?? 0,
    pages: page === undefined ? 0 : 1,
    truncated: false,
  };
  if (input.kind === 'listed') return { facts, ...(page?.continue === undefined ? {} : { continue: page.continue }) };
  facts.refusal = {
    hadContinue: token !== undefined,
    ...(tokenRv === undefined ? {} : { tokenRv }),
    ...(body === undefined ? {} : { body }),
    ...(body?.status === undefined ? {} : { status: body.status }),
    ...(input.kind === 'list-failed' ? { end: input.end.end, detail: input.end.detail } : {}),
  };
  return { facts };
}
