import { describe, expect, it } from 'vitest';
import { isOld, isWide, isYoung } from '../../src/diagnosis/age-of-rv.ts';
import { diagnose } from '../../src/diagnosis/diagnose.ts';
import { goneSigns } from '../../src/diagnosis/gone-signs.ts';
import { places, sceneOf } from '../../src/diagnosis/scene.ts';
import { FactsBuilder, seconds } from './facts-builder.ts';

/** A stream that is left at 100 s with the RV that was read at `readAt`; its resume is refused at `refusedAt`. */
function refusedResume(readAt: number, stall: { ms: number; endedAt: number } | undefined, refusedAt = 100.05) {
  const b = new FactsBuilder();
  const target = b.target('pods');
  b.stream(target, {
    at: 0,
    end: 'stopped',
    until: 100,
    rv: '5',
    timeout: 600,
    last: ['70', readAt, 'event'],
    events: 9,
    ...(stall ? { facts: { readStalledMs: stall.ms, readStallEndedAt: seconds(stall.endedAt) } } : {}),
  });
  const facts = { openedAt: seconds(refusedAt - 0.01) };
  b.goneA(target, 100, '70', '90', readAt, { origin: 'event', until: refusedAt, facts });
  return b;
}

function ageOf(b: FactsBuilder) {
  const place = places(sceneOf(b.run(120))).find(({ stream }) => stream?.errorStatus);
  return goneSigns(place!).age;
}

describe('the age of an RV when it is refused', () => {
  it.each([
    ['read as it came', refusedResume(97, undefined), { atLeastMs: 3_000, atMostMs: 3_050 }],
    ['read while a stall of 4 s was drained', refusedResume(97, { ms: 4_000, endedAt: 96.5 }), [3_000, 7_550]],
    [
      'read long after a stall: nothing lay unread any more',
      refusedResume(97, { ms: 4_000, endedAt: 60 }),
      [3_000, 3_050],
    ],
    [
      'read before the last stall: another may have been before it',
      refusedResume(90, { ms: 4_000, endedAt: 97 }),
      [10_000, 14_050],
    ],
    ['asked for at once, and refused only 40 s later', refusedResume(99.9, undefined, 140), [100, 40_100]],
  ])('%s', (_, b, expected) => {
    const [atLeastMs, atMostMs] = Array.isArray(expected) ? expected : [expected.atLeastMs, expected.atMostMs];
    expect(ageOf(b)).toEqual({ atLeastMs, atMostMs });
  });

  it('is neither old nor young where the limit lies within its range', () => {
    const age = ageOf(refusedResume(99, { ms: 80_000, endedAt: 99 }));
    expect(age).toEqual({ atLeastMs: 1_000, atMostMs: 81_050 });
    expect([isOld(age), isYoung(age), isWide(age!)]).toEqual([false, false, true]);
  });

  it('is told as what was read and what may have been before, never as one small number', () => {
    const findings = diagnose(refusedResume(99.96, { ms: 2_200, endedAt: 99.96 }).run(160));
    const gone = findings.find(({ facts }) => facts.refused_by);
    expect(gone?.evidence[0]).toBe('RV 70 was read 0.04 s before it was refused, and handed out up to 2.3 s before');
    expect(`${gone?.title} ${gone?.text} ${gone?.lines.why}`).not.toMatch(/only|0\.04 s old/);
    expect(gone?.title).toContain('at most 2.3 s old');
  });
});
