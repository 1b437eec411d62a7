import type { StreamFacts } from '../client/facts.ts';
import { firstIndex } from './first-index.ts';
import { once, type Place, type Scene, sameResource } from './scene.ts';
import { endedEarlyByServer, TOGETHER_MS } from './signs.ts';

/** Other streams that the server ended, without a plan, together with this one: of the same resource, or of others. */
export function endedTogether({ scene, stream, target }: Place, resource: 'same' | 'other'): StreamFacts[] {
  const at = stream?.endedAt;
  if (at === undefined) return [];
  const ends = once(scene, earlyEnds);
  const found: StreamFacts[] = [];
  for (let i = firstIndex(ends, (other) => endOf(other) >= at - TOGETHER_MS); i < ends.length; i++) {
    const other = ends[i]!;
    if (endOf(other) - at > TOGETHER_MS) break;
    if (other.target.index === target.index) continue;
    if (sameResource(other.target, target) === (resource === 'same')) found.push(other);
  }
  return found;
}

/** In the order of their ends. */
function earlyEnds({ run }: Scene): StreamFacts[] {
  return run.streams.filter(endedEarlyByServer).sort((a, b) => endOf(a) - endOf(b));
}

function endOf({ endedAt = 0 }: StreamFacts): number {
  return endedAt;
}
