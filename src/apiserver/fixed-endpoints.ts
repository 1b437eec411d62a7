import { sendBytes, sendJson, sendRawJson } from './answer.ts';
import { VERSION } from './discovery.ts';
import type { Exchange } from './exchange.ts';
import { serveHealthCheck } from './health-checks.ts';
import { METRICS_TYPE, metricsText } from './metrics-handler.ts';
import { openApiDocument, openApiIndex, openApiV2 } from './openapi.ts';
import type { Serving } from './serving.ts';

/** Paths that are not about resources. False: there is nothing. */
export async function serveFixedEndpoint(serving: Serving, exchange: Exchange): Promise<boolean> {
  const { path } = exchange;
  const health = serveHealthCheck(serving, exchange);
  if (health !== false) await health;
  else if (path === '/version' || path === '/version/') sendRawJson(exchange, 200, VERSION);
  else if (path === '/metrics') {
    sendBytes(exchange, 200, METRICS_TYPE, metricsText(serving.metrics, serving.startedAt));
  } else if (path === '/openapi/v2') {
    const { contentType, body } = openApiV2(exchange.accept);
    sendBytes(exchange, 200, contentType, body);
  } else if (path === '/openapi/v3') sendJson(exchange, 200, openApiIndex(serving.resources));
  else if (path.startsWith('/openapi/v3/')) return sendOpenApi(serving, exchange, path.slice('/openapi/v3/'.length));
  else return false;
  return true;
}

function sendOpenApi(serving: Serving, exchange: Exchange, path: string): boolean {
  const document = openApiDocument(path, serving.resources);
  if (document !== undefined) sendJson(exchange, 200, document);
  return document !== undefined;
}
