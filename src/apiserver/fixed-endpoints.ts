import { sendBytes, sendJson, sendText } from './answer.ts';
import { VERSION } from './discovery.ts';
import type { Exchange } from './exchange.ts';
import { METRICS_TYPE, metricsText } from './metrics-handler.ts';
import { openApiDocument, openApiIndex } from './openapi.ts';
import type { Serving } from './serving.ts';

/** Paths that are not about resources. False: there is nothing. */
export function serveFixedEndpoint(serving: Serving, exchange: Exchange): boolean {
  const { path } = exchange;
  if (path === '/version' || path === '/version/') sendJson(exchange, 200, VERSION);
  else if (path === '/metrics') {
    sendBytes(exchange, 200, METRICS_TYPE, metricsText(serving.metrics, serving.startedAt));
  } else if (path === '/healthz' || path === '/livez') sendText(exchange, 200, 'ok');
  else if (path === '/readyz') sendReadiness(serving, exchange);
  else if (path === '/openapi/v3') sendJson(exchange, 200, openApiIndex(serving.resources));
  else if (path.startsWith('/openapi/v3/')) return sendOpenApi(serving, exchange, path.slice('/openapi/v3/'.length));
  else return false;
  return true;
}

/** Not before every watch cache was filled once: later than 1.30 says so, as 1.36 does. Nobody is told "ready" and then waits. */
function sendReadiness(serving: Serving, exchange: Exchange): void {
  if (serving.stopping()) sendText(exchange, 500, '[-]shutdown failed: reason withheld\nreadyz check failed\n');
  else if (serving.ready()) sendText(exchange, 200, 'ok');
  else sendText(exchange, 500, '[-]watch-cache failed: not yet initialized\nreadyz check failed\n');
}

function sendOpenApi(serving: Serving, exchange: Exchange, path: string): boolean {
  const document = openApiDocument(path, serving.resources);
  if (document !== undefined) sendJson(exchange, 200, document);
  return document !== undefined;
}
