import { ApiError } from '../protocol/api-error.ts';
import { goJson } from '../protocol/go-json.ts';
import { queryFlag } from '../protocol/list-options.ts';
import { internalError, methodNotAllowed, resourceNotFound } from '../protocol/status.ts';
import { aggregatedDiscovery } from './aggregated-discovery.ts';
import { sendBytes, sendJson, sendStatus, sendText, sendUnreadable } from './answer.ts';
import { discoveryDocument } from './discovery.ts';
import type { Exchange } from './exchange.ts';
import { serveFixedEndpoint } from './fixed-endpoints.ts';
import { operationOf } from './operation.ts';
import { ClientGone } from './request-body.ts';
import { requestTimedOut, requestTimeout, WRITE_TIMEOUT_MS } from './request-deadline.ts';
import { servingUntil } from './request-storage.ts';
import { isBareVerb, type Route, routeOf } from './route.ts';
import type { Serving } from './serving.ts';

/** What a request that ran out of its time gets: a Status without its type, as text (facts/server §5.5). */
const TIMED_OUT =
  '{"metadata":{},"status":"Failure","message":"Timeout: request did not complete within the allotted timeout","reason":"Timeout","details":{},"code":504}\n';

/**
 * Answers one request (upstream DefaultBuildHandlerChain, then the installed routes; the order of checks is facts/server
 * §1.3). Never rejects but for a fault of this program, and then the client has its 500 already.
 */
export async function handleRequest(serving: Serving, exchange: Exchange, expire: () => void): Promise<void> {
  if (isBareVerb(exchange.path)) return sendUnreadable(exchange);
  const route = routeOf(exchange.path, serving.resources);
  try {
    await withDeadline(serving, exchange, route, expire, () => dispatch(serving, exchange, route));
  } catch (error) {
    // Nobody is left to be answered.
    if (error instanceof ClientGone) return;
    if (!(error instanceof ApiError)) {
      sendStatus(exchange, internalError('the request met a fault of this server'));
      throw error;
    }
    sendStatus(exchange, error.status);
  }
}

async function dispatch(serving: Serving, exchange: Exchange, route: Route): Promise<void> {
  serving.authentication?.check(exchange);
  if (!serving.flowControl.admit(exchange)) return;
  switch (route.kind) {
    case 'discovery': {
      if (exchange.method !== 'GET') throw new ApiError(methodNotAllowed());
      return sendDiscovery(serving, exchange, route);
    }
    case 'no-such-resource':
      throw new ApiError(resourceNotFound());
    case 'other':
      if (!(await serveFixedEndpoint(serving, exchange))) sendText(exchange, 404, '404 page not found\n');
      return;
    case 'resource': {
      const scoped = exchange.method === 'GET' ? serving : servingUntil(exchange.signal, serving);
      const operation = operationOf(scoped, route, exchange.method);
      if (operation === 'no-such-path') throw new ApiError(resourceNotFound());
      if (operation === undefined) throw new ApiError(methodNotAllowed());
      if (route.resource.warning) exchange.response.setHeader('Warning', route.resource.warning);
      return operation(scoped, exchange);
    }
  }
}

/** Everything but a watch must be done in time; afterwards nothing waits for it any more (`expire` ends its signal). */
async function withDeadline(
  serving: Serving,
  exchange: Exchange,
  route: Route,
  expire: () => void,
  work: () => Promise<void>,
): Promise<void> {
  if (isWatch(exchange, route)) return work();
  const allotted = requestTimeout(exchange.query);
  const ownLimit = isWriteOfOne(exchange, route) ? WRITE_TIMEOUT_MS : Number.POSITIVE_INFINITY;
  const timer = serving.clock.timer(Math.min(allotted, ownLimit), () => {
    if (ownLimit < allotted) sendStatus(exchange, requestTimedOut());
    else if (!exchange.response.headersSent) {
      serving.flowControl.disown(exchange);
      sendBytes(exchange, 504, 'text/plain; charset=utf-8', TIMED_OUT);
    }
    expire();
  });
  try {
    await work();
  } finally {
    timer.cancel();
  }
}

/** A write of one object: upstream's handlers bound it themselves. */
function isWriteOfOne({ method }: Exchange, route: Route): boolean {
  if (route.kind !== 'resource' || method === 'GET') return false;
  return method === 'POST' || route.name !== undefined;
}

function isWatch({ method, query }: Exchange, route: Route): boolean {
  if (route.kind !== 'resource' || method !== 'GET') return false;
  return route.forceWatch || (route.name === undefined && queryFlag(query, 'watch') === true);
}

function sendDiscovery({ resources }: Serving, exchange: Exchange, route: Extract<Route, { kind: 'discovery' }>): void {
  const isRoot = route.document === 'api' || route.document === 'apis';
  const whole = isRoot ? aggregatedDiscovery(route.document, exchange.accept, resources) : undefined;
  if (isRoot) exchange.response.setHeader('Vary', 'Accept');
  if (whole === undefined) sendJson(exchange, 200, discoveryDocument(route, resources, exchange.host));
  else sendBytes(exchange, 200, whole.contentType, `${goJson(whole.document)}\n`);
}
