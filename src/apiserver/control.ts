import { firstValue, type Query } from '../protocol/query.ts';
import { type Revision, StoreError } from '../store/storage.ts';
import type { Clock } from '../util/clock.ts';
import type { Random } from '../util/random.ts';
import { sendJson } from './answer.ts';
import type { Exchange } from './exchange.ts';
import { type Listener, listen } from './listener.ts';

/** First segment of every path of the door. */
const ROOT = '/kwatch/';

/** A request that the door refuses, with a 4xx and the reason. */
export class ControlRefusal extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.name = 'ControlRefusal';
    this.code = code;
  }
}

/** One verb: resolves to the body of the answer when it is done; nobody waits for it after `signal`. May throw ControlRefusal. */
export type ControlVerb = (query: Query, signal: AbortSignal) => Promise<object>;

export interface ControlOptions {
  port: number;
  clock: Clock;
  random: Random;
  /** Verbs by name (`compact`), sent by POST. */
  verbs: Readonly<Record<string, ControlVerb>>;
  /** Body of `GET /kwatch/state`. */
  state(): Promise<object>;
  onFault(error: unknown): void;
}

/** The door and its URL with the path: `http://127.0.0.1:PORT/kwatch`. */
export type ControlDoor = Listener;

/**
 * The control door: a listener of its own, since it must answer while an apiserver restarts (contract §4). Every request
 * needs the header `X-Kwatch-Control: 1`, which no web page can send without being asked for permission first.
 */
export async function startControlDoor(options: ControlOptions): Promise<ControlDoor> {
  const { port, clock, random, onFault } = options;
  const listener = await listen({ port, clock, random, onFault, onRequest: (exchange) => answer(options, exchange) });
  return { ...listener, url: `${listener.url}${ROOT.slice(0, -1)}` };
}

async function answer(options: ControlOptions, exchange: Exchange): Promise<void> {
  try {
    sendJson(exchange, 200, await perform(options, exchange));
  } catch (error) {
    if (error instanceof ControlRefusal) return sendJson(exchange, error.code, { error: error.message });
    sendJson(exchange, 500, { error: error instanceof Error ? error.message : String(error) });
    if (!(error instanceof StoreError)) throw error;
  }
}

function perform(
  { verbs, state }: ControlOptions,
  { request, method, path, query, signal }: Exchange,
): Promise<object> {
  if (request.headers['x-kwatch-control'] !== '1') {
    throw new ControlRefusal(403, 'the header X-Kwatch-Control: 1 is required');
  }
  const verb = path.startsWith(ROOT) ? path.slice(ROOT.length) : '';
  if (verb === 'state') {
    if (method !== 'GET') throw new ControlRefusal(405, 'state is read with GET');
    return state();
  }
  const found = Object.hasOwn(verbs, verb) ? verbs[verb] : undefined;
  if (found === undefined) throw new ControlRefusal(404, `no such verb: ${path}`);
  if (method !== 'POST') throw new ControlRefusal(405, `${verb} is asked for with POST`);
  return found(query, signal);
}

/** What `compact` needs of a store; the embedded one has it, a real etcd too. */
export interface Compactable {
  revision(): Promise<Revision>;
  compact(revision: Revision): Promise<void>;
}

/** `compact?rev=N|head`. A revision that was compacted to already is done already. */
export function compactVerb(store: Compactable): ControlVerb {
  return async (query) => {
    const rev = firstValue(query, 'rev') ?? '';
    const target = rev === 'head' ? await store.revision() : Number(rev);
    if (!Number.isSafeInteger(target) || target < 1) throw new ControlRefusal(400, 'rev must be a revision, or head');
    try {
      await store.compact(target);
    } catch (error) {
      const isDone = error instanceof StoreError && error.compactRevision === target;
      if (!isDone) throw error instanceof StoreError ? new ControlRefusal(400, error.message) : error;
    }
    return { compactRevision: target };
  };
}
