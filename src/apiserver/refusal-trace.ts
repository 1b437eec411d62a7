import type { RefusalCause } from '../store/trace.ts';
import type { Exchange } from './exchange.ts';
import { groupResource, type Resource } from './resource.ts';
import type { Serving } from './serving.ts';

/** Tells the server's own trace of a 410 and its cause; the Audit-Id ties it to what the client saw. */
export function tellRefusal(
  serving: Serving,
  exchange: Pick<Exchange, 'auditId'>,
  refused: { resource: Resource; requested: string },
  cause: RefusalCause,
): void {
  serving.trace?.({
    what: 'refuse',
    at: serving.clock.now(),
    resource: groupResource(refused.resource),
    auditId: exchange.auditId,
    requested: refused.requested,
    ...cause,
  });
}
