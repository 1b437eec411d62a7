import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findingBlock, findingParts, shortVerdict } from '../../src/render/finding-block.ts';
import { lineText, lineWidth } from '../../src/render/spans.ts';
import { finding, findingItem, START } from '../support/feed-items.ts';

const drawn = (width: number, form: 'full' | 'folded' | 'terse', more = {}, agrees?: { ok: boolean; says?: string }) =>
  findingBlock(findingItem(START, more, agrees), { form, width, selected: false }).map(lineText);

describe('findingBlock', () => {
  it('is five lines, always in this order', () => {
    expect(drawn(80, 'full')).toEqual([
      ' ┃ RING-BUFFER EXPIRY · rolled over · high                            finding 1 ',
      ' ┃ refused by  watch cache, in the stream (HTTP 200): 20481 < floor 22390',
      ' ┃ why         away 4 m 39 s; the window slid past 20481 while we were away',
      ' ┃ ruled out   compaction (etcd still has 20481); rebuild (the floor crept)',
      ' ┃ do          nothing. Nobody has to be woken.',
    ]);
  });

  it('folds to its verdict; the smallest screens add what to do', () => {
    expect(drawn(80, 'folded')).toHaveLength(1);
    expect(drawn(40, 'terse')).toEqual([' ┃ RING-BUFFER EXPIRY · high', ' ┃ do nothing. Nobody has to be woken.']);
  });

  it('lets a long line go on below once, and cuts it there', () => {
    const why = `${'word '.repeat(60)}end`;
    const lines = drawn(60, 'full', { lines: { ...finding().lines, why } });
    expect(lines.filter((line) => line.includes('word'))).toHaveLength(2);
    expect(lines.find((line) => line.endsWith('…'))).toBeDefined();
  });

  it('leaves out lines that have nothing to say', () => {
    const { rest } = findingParts(
      finding({
        facts: {},
        lines: { verdict: 'PLANNED END · high', refusedBy: 'the server', why: '', ruledOut: ' ', do: 'nothing' },
      }),
    );
    expect(rest).toEqual([
      { label: 'by', text: 'the server' },
      { label: 'do', text: 'nothing' },
    ]);
  });

  it('shows whether the server agrees, and what it says where it does not', () => {
    expect(drawn(80, 'folded', {}, { ok: true })[0]).toContain('finding 1 · server agrees ✓');
    expect(drawn(80, 'folded', {}, { ok: false, says: 'compacted' })[0]).toContain('server says compacted');
  });

  it('names the lab’s key where it would help now, and nothing where the advice is another', () => {
    const advice = { ...finding().lines, do: 'in a cluster: nothing if once. Here: try --cache-size 1000' };
    const block = (form: 'full' | 'terse', lines = advice) =>
      findingBlock(findingItem(START, { lines }), { form, width: 100, selected: false, largerRing: true }).map(
        lineText,
      );
    expect(block('full').at(-1)).toBe(
      ' ┃ do          in a cluster: nothing if once. Here: try --cache-size 1000, or ,+ now',
    );
    expect(block('terse').at(-1)).toBe(' ┃ do nothing if once; here try ,+');
    expect(block('terse', finding().lines).at(-1)).toBe(' ┃ do nothing. Nobody has to be woken.');
  });

  it('dims and folds what a later finding explains', () => {
    const [verdict, ...rest] = drawn(80, 'full', { explainedBy: 'f2' });
    expect(verdict).toMatch(/^ ┃ RING-BUFFER EXPIRY · rolled over · high +explained by finding 2 $/);
    expect(rest).toEqual([]);
  });

  it('shortens a verdict by its middle on narrow screens only', () => {
    expect(shortVerdict('A · b · high', 40)).toBe('A · high');
    expect(shortVerdict('A · b · high', 80)).toBe('A · b · high');
    expect(shortVerdict('A · high', 40)).toBe('A · high');
  });

  it('fits every width, whatever a finding says', () => {
    const form = fc.constantFrom('full', 'folded', 'terse') as fc.Arbitrary<'full' | 'folded' | 'terse'>;
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }),
        form,
        fc.integer({ min: 40, max: 200 }),
        fc.boolean(),
        (text, shape, width, selected) => {
          const item = findingItem(
            START,
            { lines: { verdict: text, refusedBy: text, why: text.repeat(20), ruledOut: text, do: text } },
            { ok: false, says: text },
          );
          for (const line of findingBlock(item, { form: shape, width, selected, watcher: 'B' })) {
            expect(lineWidth(line)).toBeLessThanOrEqual(width);
            expect(lineText(line)).not.toMatch(/[\p{Cc}\p{Cf}]/u);
          }
        },
      ),
    );
  });
});
