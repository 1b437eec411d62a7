import type { GoneText } from '../diagnosis/known-texts.ts';
import { statedCodes } from './stated-codes.ts';
import { statedRequest } from './stated-request.ts';
import { statedResource } from './stated-resource.ts';

/** Numbers and names that the text states under a name of their own; line numbers, ports and PIDs are none of them. */
export function statedFacts(text: string, gone: GoneText): Record<string, string> {
  const request = statedRequest(text);
  const facts: Record<string, string | undefined> = {
    ...request,
    requested_rv:
      gone.letter === 'A' ? gone.requested : (/"revision":\s*(\d+)/.exec(text)?.[1] ?? request.requested_rv),
    oldest_startable_rv: gone.floor,
    revisions_apart: gone.requested && gone.floor ? apart(gone.requested, gone.floor) : undefined,
    compact_rv: /compact[-_]?revision"?\s*[:=]\s*"?(\d+)/i.exec(text)?.[1],
    ...statedCodes(text),
    mod_revision: /\bmodRevision=(\d{1,20})\b/i.exec(text)?.[1],
    key: /\bkey[=:] ?"?(\/registry\/[^\s",)]{1,300})/.exec(text)?.[1],
    expired_at: /\bis after (\d{4}-\d\d-\d\dT[\d:.]{8,18}Z)/.exec(text)?.[1],
    reason: /"reason"\s*:\s*"(Expired|Gone|Timeout)"/.exec(text)?.[1],
    resource: statedResource(text),
    reflector:
      /reflector="([^"\s]{1,200})"/.exec(text)?.[1] ?? /\] (\S{1,200}\.go:\d+): (?:watch of|failed)/i.exec(text)?.[1],
  };
  return Object.fromEntries(Object.entries(facts).filter((entry): entry is [string, string] => entry[1] !== undefined));
}

/** Exact, also beyond 2^53: RVs are uint64. */
export function apart(a: string, b: string): string {
  const difference = BigInt(a) - BigInt(b);
  return String(difference < 0n ? -difference : difference);
}
