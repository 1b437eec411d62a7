import { firstValue } from '../protocol/query.ts';
import type { Clock } from '../util/clock.ts';
import { sendBytes, sendText } from './answer.ts';
import type { Exchange } from './exchange.ts';
import type { Serving } from './serving.ts';

/** How long the store may take to answer, ms (kube-apiserver `--etcd-healthcheck-timeout` and `--etcd-readycheck-timeout`). */
const STORE_TIMEOUT_MS = 2_000;

/** One check of a health endpoint; the reason where it fails. */
interface HealthCheck {
  readonly name: string;
  check(serving: Serving): string | undefined | Promise<string | undefined>;
}

const PING: HealthCheck = { name: 'ping', check: () => undefined };
const LOG: HealthCheck = { name: 'log', check: () => undefined };
const ETCD: HealthCheck = { name: 'etcd', check: (serving) => storeFault(serving) };
const ETCD_READINESS: HealthCheck = { name: 'etcd-readiness', check: (serving) => storeFault(serving) };

/** Later than 1.30 says so, as 1.36 does under this name; but as in 1.30 a cache that cannot be filled does not hold it up. */
const STORAGE_READINESS: HealthCheck = {
  name: 'poststarthook/storage-readiness',
  check: ({ ready }) => (ready() ? undefined : 'not finished'),
};

const SHUTDOWN: HealthCheck = {
  name: 'shutdown',
  check: ({ stopping }) => (stopping() ? 'process is shutting down' : undefined),
};

const ALIVE = [PING, LOG, ETCD];

/** What upstream checks as well, and what there is here of it: no controllers, no admission, no aggregation. */
const ENDPOINTS: Readonly<Record<string, readonly HealthCheck[]>> = {
  healthz: ALIVE,
  livez: ALIVE,
  readyz: [...ALIVE, ETCD_READINESS, STORAGE_READINESS, SHUTDOWN],
};

/**
 * `/healthz`, `/livez`, `/readyz`, and one check of each (`/readyz/etcd`), with `?verbose` and `?exclude=NAME` (healthz.go
 * handleRootHealth, adaptCheckToHandler). False: it is another path.
 */
export function serveHealthCheck(serving: Serving, exchange: Exchange): Promise<void> | false {
  const [, endpoint = '', name] = /^\/(healthz|livez|readyz)(?:\/(.*))?$/s.exec(exchange.path) ?? [];
  const checks = ENDPOINTS[endpoint];
  if (checks === undefined) return false;
  if (name === undefined) return sendReport(serving, exchange, endpoint, checks);
  const one = checks.find((check) => check.name === name);
  return one === undefined ? false : sendOne(serving, exchange, one);
}

async function sendReport(
  serving: Serving,
  exchange: Exchange,
  endpoint: string,
  checks: readonly HealthCheck[],
): Promise<void> {
  const excluded = new Set((exchange.query.get('exclude') ?? []).filter((name) => name !== ''));
  let report = '';
  let passed = true;
  for (const one of checks) {
    if (excluded.delete(one.name)) {
      report += `[+]${one.name} excluded: ok\n`;
      continue;
    }
    const fault = await one.check(serving);
    report += fault === undefined ? `[+]${one.name} ok\n` : `[-]${one.name} failed: reason withheld\n`;
    passed &&= fault === undefined;
  }
  if (excluded.size > 0) {
    const names = [...excluded].sort().map((name) => JSON.stringify(name));
    report += `warn: some health checks cannot be excluded: no matches for ${names.join(',')}\n`;
  }
  if (!passed) sendText(exchange, 500, `${report}${endpoint} check failed\n`);
  else if (firstValue(exchange.query, 'verbose') === undefined) sendText(exchange, 200, 'ok');
  else sendText(exchange, 200, `${report}${endpoint} check passed\n`);
}

async function sendOne(serving: Serving, exchange: Exchange, { check }: HealthCheck): Promise<void> {
  const fault = await check(serving);
  if (fault === undefined) sendBytes(exchange, 200, 'text/plain; charset=utf-8', 'ok');
  else sendText(exchange, 500, `internal server error: ${fault}\n`);
}

/** Asks the store for its revision, as upstream asks etcd for a key. */
async function storeFault({ clock, storeRevision }: Serving): Promise<string | undefined> {
  const answered = new AbortController();
  try {
    return await Promise.race([storeRevision().then(() => undefined), timedOut(clock, answered.signal)]);
  } catch (error) {
    return `error getting data from etcd: ${error instanceof Error ? error.message : String(error)}`;
  } finally {
    answered.abort();
  }
}

async function timedOut(clock: Clock, signal: AbortSignal): Promise<string> {
  await clock.sleep(STORE_TIMEOUT_MS, signal);
  return 'error getting data from etcd: context deadline exceeded';
}
