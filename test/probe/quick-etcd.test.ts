import { describe, expect, it } from 'vitest';
import { revisionRate } from '../../src/probe/measured.ts';
import { findEtcdFloor, heldOutcome } from '../../src/probe/quick-etcd.ts';
import { type ResourceVersion, rv } from '../../src/protocol/resource-version.ts';
import { answer, nothingMeasured, reading, status, unanswered } from '../support/probe-answers.ts';

const TOO_OLD = 'The resourceVersion for the provided list is too old.';

describe('the bisection of etcd', () => {
  const etcd =
    (floor: bigint, asked: string[] = []) =>
    async (at: ResourceVersion) => {
      asked.push(at);
      return BigInt(at) >= floor ? ({ kind: 'alive', rv: at } as const) : ({ kind: 'compacted', rv: at } as const);
    };

  it('nothing compacted: one question', async () => {
    const told = nothingMeasured();
    const asked: string[] = [];
    expect((await findEtcdFloor(rv('999999'), etcd(0n, asked), told)).facts).toEqual({ etcd_floor: '1', asked: 1 });
    expect(asked).toEqual(['1']);
  });

  it.each([2n, 500n, 99_000n, 100_000n])(
    'a floor at %s lies in the range, after 12 questions at most',
    async (floor) => {
      const told = nothingMeasured();
      const asked: string[] = [];
      await findEtcdFloor(rv('100000'), etcd(floor, asked), told);
      expect(asked.length).toBeLessThanOrEqual(12);
      expect(BigInt(told.etcdFloor!.high)).toBeGreaterThanOrEqual(floor);
      expect(BigInt(told.etcdFloor!.low)).toBeLessThan(floor);
      expect(BigInt(told.etcdFloor!.high) - BigInt(told.etcdFloor!.low)).toBeLessThan(100_000n / 1_000n);
    },
  );

  it.each([
    ['5', true, 'further than the cache’s window'],
    ['90000', false, 'The cache’s window reaches further'],
  ])('beside the window: etcd from %s', async (floor, beyond, words) => {
    const told = { ...nothingMeasured(), floors: [{ floor: rv('50000'), askedAt: 0, answeredAt: 0 }] };
    const said = await findEtcdFloor(rv('100000'), etcd(BigInt(floor)), told);
    expect(said.facts.reaches_beyond_window).toBe(beyond);
    expect(said.detail).toContain(words);
  });

  it('reads an answer', () => {
    const list = answer({ document: { kind: 'PodList', metadata: {} } });
    const gone = answer({ http: 410, status: status(410, 'x'), document: status(410, TOO_OLD) as never });
    expect(heldOutcome(rv('7'), list)).toEqual({ kind: 'alive', rv: '7' });
    expect(heldOutcome(rv('7'), gone)).toEqual({ kind: 'compacted', rv: '7' });
    expect(heldOutcome(rv('7'), unanswered({ end: 'stopped' }))).toEqual({
      kind: 'failed',
      detail: 'no answer within the time of the quick half',
    });
  });

  it('what is known so far is told where it ends early', async () => {
    const asked: string[] = [];
    const held = etcd(50_000n, asked);
    const said = await findEtcdFloor(
      rv('100000'),
      async (at) => (asked.length < 3 ? held(at) : { kind: 'failed', detail: 'HTTP 429' }),
      nothingMeasured(),
    );
    expect(said.answer).toBe('etcd did not tell: HTTP 429 (RV 25000 is compacted, 50000 is not)');
  });

  it('an answer that is none ends it', async () => {
    const told = nothingMeasured();
    const said = await findEtcdFloor(rv('100'), async () => ({ kind: 'failed', detail: 'HTTP 429' }), told);
    expect(said).toMatchObject({ result: 'skip', answer: 'etcd did not tell: HTTP 429' });
    expect(told.etcdFloor).toBeUndefined();
  });
});

describe('the write rate from two readings', () => {
  it('needs a second between them, and an order', () => {
    expect(revisionRate({ heads: [reading(0, '100'), reading(4_000, '140')] })?.low).toBeGreaterThan(5);
    expect(revisionRate({ heads: [reading(0, '100'), reading(500, '140')] })).toBeUndefined();
    expect(revisionRate({ heads: [reading(0, '140'), reading(4_000, '100')] })).toBeUndefined();
    expect(revisionRate({ heads: [reading(0, 'a'), reading(4_000, 'b')] })).toBeUndefined();
    expect(revisionRate({ heads: [] })).toBeUndefined();
  });
});
