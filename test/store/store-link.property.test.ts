import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MvccStore } from '../../src/store/mvcc-store.ts';
import { prefixEnd, StoreError } from '../../src/store/storage.ts';
import { StoreLink } from '../../src/store/store-link.ts';
import { seededRandom } from '../../src/util/random.ts';
import { FakeClock } from '../support/fake-clock.ts';

const PODS = '/registry/pods/';
const FIRST = 101;

const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('write' as const), count: fc.integer({ min: 1, max: 150 }) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 0, max: 50_000 }) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom('cut' as const, 'blackhole' as const, 'restore' as const),
      resource: fc.constantFrom('pods', undefined),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('compact' as const), back: fc.integer({ min: 0, max: 200 }) }) },
);

describe('a watch over a link', () => {
  it('tells every revision once and in order, or ends as compacted; it never loses one in silence', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), fc.integer(), async (steps, seed) => {
        const clock = new FakeClock();
        const store = new MvccStore({ clock, initialRevision: FIRST - 1 });
        const link = new StoreLink({ store, clock, random: seededRandom(seed) });
        const over = new AbortController();
        const seen: number[] = [];
        let failure: unknown;
        let compactedAt = 0;
        const range = { start: PODS, end: prefixEnd(PODS) };
        const responses = link.connection('pods').watch({ ...range, startRevision: FIRST, signal: over.signal });
        const reading = (async () => {
          for await (const response of responses) seen.push(response.revision);
        })().catch((error: unknown) => {
          failure = error;
        });
        for (const one of steps) {
          if (one.do === 'write') {
            for (let i = 0; i < one.count; i++) await store.put(`${PODS}a`, new Uint8Array(i % 7));
          } else if (one.do === 'wait') await clock.advance(one.ms);
          else if (one.do === 'compact') {
            const at = store.state().revision - one.back;
            if (at > store.state().compactedRevision && at >= FIRST) {
              await store.compact(at);
              compactedAt = at;
            }
          } else link[one.do](one.resource);
          await clock.advance(0);
        }
        link.restore();
        await clock.advance(300_000);
        expect(seen).toEqual(seen.map((_, index) => FIRST + index));
        const next = FIRST + seen.length;
        if (failure === undefined) expect(next - 1).toBe(store.state().revision);
        else {
          expect(failure).toBeInstanceOf(StoreError);
          expect((failure as StoreError).code).toBe('compacted');
          expect(next).toBeLessThan(compactedAt);
        }
        over.abort();
        link.close();
        await reading;
        expect(clock.timers).toBe(0);
        expect(store.state().watches).toBe(0);
      }),
    );
  });
});
