import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decideGone } from '../../src/diagnosis/gone.ts';
import type { GoneSigns } from '../../src/diagnosis/gone-signs.ts';
import { goneText } from '../../src/diagnosis/known-texts.ts';
import type { RuledOutBy } from '../../src/diagnosis/rebuild-signs.ts';

const TEXTS = [
  'too old resource version: 5 (9)',
  'The resourceVersion for the provided watch is too old.',
  'The resourceVersion for the provided list is too old.',
  'The provided continue parameter is too old to display a consistent list result.',
  'etcdserver: mvcc: required revision has been compacted',
  'too old resource version: 5',
  'gone',
  '',
];

const ages = fc.option(
  fc
    .record({ atLeastMs: fc.constantFrom(0, 2_000, 74_000, 76_000, 400_000) })
    .chain(({ atLeastMs }) =>
      fc.constantFrom({ atLeastMs }, { atLeastMs, atMostMs: atLeastMs }, { atLeastMs, atMostMs: atLeastMs + 90_000 }),
    ),
  { nil: undefined },
);

const allSigns: fc.Arbitrary<GoneSigns> = fc
  .record({
    message: fc.constantFrom(...TEXTS),
    hadContinue: fc.boolean(),
    fromOutside: fc.boolean(),
    cacheHadR: fc.boolean(),
    servers: fc.constantFrom('one' as const, 'several' as const, 'unknown' as const),
    seen: fc.boolean(),
    ruledOut: fc.constantFrom<RuledOutBy[]>([], [{ by: 'sibling', stream: 2 }], [{ by: 'counter', value: 3 }]),
    rose: fc.boolean(),
    differ: fc.boolean(),
    etcdHasR: fc.constantFrom(true, false, undefined),
    etcdHadR: fc.boolean(),
    custom: fc.boolean(),
    idleFiltered: fc.boolean(),
    readLate: fc.boolean(),
    pinnedAndFull: fc.boolean(),
    age: ages,
  })
  .map(({ message, hadContinue, seen, ruledOut, rose, differ, etcdHasR, age, ...rest }) => ({
    ...rest,
    text: goneText(message),
    answer: {
      headers: {},
      message,
      detail: '',
      bodySize: 0,
      inStream: true,
      isList: hadContinue,
      hadContinue,
      fromApiserver: true,
    },
    requested: '5',
    rebuild: {
      seen,
      ruledOut: rose ? [] : ruledOut,
      refusedBetween: 0,
      ...(rose ? { counterRose: { from: 1, to: 2 } } : {}),
    },
    floors: { samples: [], ...(differ ? { differ: { low: '1', high: '9' } } : {}) },
    ...(etcdHasR === undefined ? {} : { etcdHasR }),
    ...(age ? { age } : {}),
  }));

describe('the truth table, whatever the signs', () => {
  it('gives one verdict, the same each time, no surer than its evidence', () => {
    fc.assert(
      fc.property(allSigns, (signs) => {
        const verdict = decideGone(signs);
        expect(decideGone(signs)).toEqual(verdict);
        expect(verdict.candidates[0]).toEqual({ class: verdict.class, confidence: verdict.confidence });
        const words = signs.text.refusedBy === 'etcd';
        const shown = signs.rebuild.ruledOut.length > 0 || signs.rebuild.counterRose !== undefined;
        if (verdict.confidence === 'high') expect(words || shown).toBe(true);
        if (signs.floors.differ && signs.text.letter === 'A')
          expect([verdict.sub, verdict.confidence]).toEqual(['other-replica', 'medium']);
      }),
    );
  });

  it('never contradicts what is known', () => {
    fc.assert(
      fc.property(allSigns, (signs) => {
        const verdict = decideGone(signs);
        if (signs.text.refusedBy === 'etcd') {
          expect(['upstream-compaction', 'continue-token-expired']).toContain(verdict.class);
          return;
        }
        if (signs.text.letter !== 'A') {
          expect(verdict.class).toBe('ambiguous-410');
          return;
        }
        // etcd still has R: its compaction did not do it.
        if (signs.etcdHasR) expect(verdict.class).not.toBe('upstream-compaction');
        // Compaction is named first only where a rebuild was seen or counted, however compacted R is.
        const begun = signs.rebuild.seen || signs.rebuild.counterRose !== undefined;
        if (!begun || signs.fromOutside) expect(verdict.class).not.toBe('upstream-compaction');
        if (signs.rebuild.ruledOut.length > 0) expect(verdict.class).toBe('ring-buffer-expiry');
        if (signs.fromOutside)
          expect([verdict.class, verdict.candidates[1]?.class]).toEqual(['ring-buffer-expiry', 'cache-rebuilt']);
        const rebuilt = signs.rebuild.seen && signs.rebuild.ruledOut.length === 0 && !signs.fromOutside;
        if (rebuilt) expect(verdict.class).not.toBe('ring-buffer-expiry');
      }),
    );
  });
});
