import { liveLines, liveRecord } from '../render/explanation-live.ts';
import type { JsonRecord } from '../render/json.ts';
import type { Line } from '../render/spans.ts';
import { SystemClock } from '../util/clock.ts';
import { type ConnectionFlags, endpointOf } from './connection.ts';
import { EXIT } from './exit-codes.ts';
import { askLive } from './explain-live.ts';
import { listenForStop } from './signals.ts';
import { targetsOf } from './tail-targets.ts';

export interface LiveFlags extends ConnectionFlags {
  live: string;
  namespace?: string;
  allNamespaces?: boolean;
  version: string;
}

/** Puts the question to the cluster that the flags name. `code`: 2 where the cluster did not say. */
export async function tellLive(
  flags: LiveFlags,
  rv: string,
  width: number,
): Promise<{ record: JsonRecord; lines: Line[]; code: number }> {
  const clock = new SystemClock();
  const endpoint = await endpointOf(flags);
  const { namespace, allNamespaces } = flags;
  const where = { ...(namespace === undefined ? {} : { namespace }), ...(allNamespaces ? { allNamespaces } : {}) };
  const [target] = targetsOf({ resources: [flags.live], raw: [], rv, ...where }, endpoint.namespace ?? 'default');
  if (target === undefined) throw new Error('a resource is a target');
  const stop = listenForStop(() => undefined);
  try {
    const begun = clock.now();
    const { version, header } = flags;
    const headers = header === undefined ? {} : { headers: header };
    const live = await askLive({ endpoint, target, rv, version, signal: stop.signal, ...headers });
    const at = clock.now();
    const envelope = { at, server: endpoint.title, path: target.path, tookMs: Math.round(at - begun) };
    const silent = live.watch === 'rejected' || live.watch === 'no-answer';
    return {
      record: liveRecord(live, envelope),
      lines: liveLines(live, envelope, width),
      code: stop.code() ?? (silent ? EXIT.cannot : EXIT.ok),
    };
  } finally {
    stop.dispose();
  }
}
