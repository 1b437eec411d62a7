import type { Endpoint, EndpointOptions } from '../client/endpoint.ts';
import { http2Transport } from '../client/http2-transport.ts';
import { requestHeaders } from '../client/request-headers.ts';
import { isNamespaced } from '../client/resource-name.ts';
import { shakeHands } from '../client/tls-handshake.ts';
import { undiciTransport } from '../client/transport.ts';
import { userAgent } from '../client/user-agent.ts';
import { planRequests, type RequestPlan } from '../client/watch-request.ts';
import type { Asker } from '../probe/ask.ts';
import type { ProbeReport } from '../probe/check.ts';
import { type Probed, type ProbeOptions, probeDeep, probeQuick } from '../probe/probe-run.ts';
import type { ColorMode } from '../render/theme.ts';
import { SystemClock } from '../util/clock.ts';
import { UsageError } from '../util/usage-error.ts';
import { type ConnectionFlags, endpointFlags, endpointOf } from './connection.ts';
import { EXIT } from './exit-codes.ts';
import { openProbeOut, type ProbeFormat, type ProbeOut } from './probe-out.ts';
import { listenForStop, type Stop } from './signals.ts';
import { targetsOf } from './tail-targets.ts';

export interface ProbeFlags extends ConnectionFlags {
  resource: string;
  namespace?: string;
  allNamespaces?: boolean;
  deep?: boolean;
  for?: number;
  via?: string;
  http2?: boolean;
  output: ProbeFormat;
  color: ColorMode;
  version: string;
}

/** Length of the deep half unless `--for` says otherwise, ms: five bookmarks, a planned end, and one round of compaction by its default. */
const DEEP_MS = 330_000;
/** A handshake that takes longer is told as failed, ms: requests that came through had theirs. */
const HANDSHAKE_MS = 3_000;
/** A deep half of less shows nothing, ms. */
const LEAST_DEEP_MS = 15_000;

/** `kwatch probe`: asks an endpoint, read-only, and tells each answer as it comes. Resolves to the exit code. */
export async function probe(flags: ProbeFlags): Promise<number> {
  if (flags.for !== undefined && flags.for < LEAST_DEEP_MS) {
    throw new UsageError(`--for: the deep half takes at least ${LEAST_DEEP_MS / 1000} s`);
  }
  const direct = await endpointOf(flags);
  const via = flags.via === undefined ? undefined : await second(direct, flags.via, endpointFlags(flags));
  const plan = planOf(flags, direct);
  const stop = listenForStop(() => undefined);
  const clock = new SystemClock();
  const out = openProbeOut({ format: flags.output, color: flags.color, clock, paths: via ? 2 : 1 });
  try {
    const paths = [
      { endpoint: direct, name: via ? ('direct' as const) : undefined },
      ...(via ? [{ endpoint: via, name: 'via' as const }] : []),
    ];
    const options = paths.map(({ endpoint, name }): ProbeOptions => {
      const asker = askerOf(endpoint, plan, { flags, clock, stop });
      return {
        asker,
        server: `${endpoint.scheme}://${endpoint.host}${endpoint.prefix}`,
        resource: resourceOf(plan),
        deepMs: flags.deep || flags.for !== undefined ? (flags.for ?? DEEP_MS) : undefined,
        tell: (outcome) => out.outcome(outcome, name),
        note: (text) => out.note(text, name),
      };
    });
    return await run(options, out, stop);
  } finally {
    stop.dispose();
  }
}

async function run(options: readonly ProbeOptions[], out: ProbeOut, stop: Stop): Promise<number> {
  const probed: Probed[] = [];
  for (const one of options) {
    if (stop.code() !== undefined) break;
    out.path(one.server, one.asker.plan.listPath, one.resource);
    probed.push(await probeQuick(one));
  }
  const [{ deepMs } = {}] = options;
  if (deepMs !== undefined && !stop.signal.aborted && probed.some(({ measured }) => measured)) out.deep(deepMs);
  const reports = await Promise.all(probed.map((one, index) => probeDeep(options[index] as ProbeOptions, one)));
  const code = stop.code() ?? exitCode(probed, reports);
  out.finish(reports, code);
  return code;
}

/** A resource that cannot be listed could not be probed, whatever the other path says. */
function exitCode(probed: readonly Probed[], reports: readonly ProbeReport[]): number {
  if (probed.some(({ measured }) => !measured)) return EXIT.cannot;
  const failed = reports.some(({ outcomes }) => outcomes.some(({ result }) => result === 'fail'));
  return failed ? EXIT.condition : EXIT.ok;
}

async function second(direct: Endpoint, url: string, flags: EndpointOptions): Promise<Endpoint> {
  const { viaEndpoint } = await import('../client/via-endpoint.ts');
  const via = await viaEndpoint(direct, url, flags);
  for (const warning of via.warnings ?? []) process.stderr.write(`kwatch: warning: ${warning}\n`);
  return via;
}

function planOf(flags: ProbeFlags, endpoint: Endpoint): RequestPlan {
  const [spec] = targetsOf({ ...flags, resources: [flags.resource], raw: [] }, endpoint.namespace ?? 'default');
  return planRequests(0, spec as NonNullable<typeof spec>);
}

function askerOf(
  endpoint: Endpoint,
  plan: RequestPlan,
  { flags, clock, stop }: { flags: ProbeFlags; clock: SystemClock; stop: Stop },
): Asker {
  const transport = flags.http2 ? http2Transport(endpoint) : undiciTransport(endpoint);
  return {
    lane: () => transport.lane(),
    headers: async (about, accept) => ({
      ...requestHeaders({
        accept,
        userAgent: '',
        authorization: await endpoint.authorization(),
        extra: flags.header,
      }),
      accept,
      'user-agent': `${userAgent(flags.version)} probe/${about}`,
    }),
    plan,
    namespaced: isNamespaced(plan.target.group ?? '', plan.target.resource ?? ''),
    clock,
    ...(endpoint.scheme === 'https' ? { handshake: () => shakeHands(endpoint, clock, HANDSHAKE_MS) } : {}),
    signal: stop.signal,
  };
}

function resourceOf({ target }: RequestPlan): string {
  const { group, resource = target.path } = target;
  return group ? `${resource}.${group}` : resource;
}
