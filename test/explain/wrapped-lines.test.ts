import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { explainText } from '../../src/explain/explain.ts';
import { withoutWrapping } from '../../src/explain/wrapped-lines.ts';

const LINE =
  'W0611 04:12:09.118000       1 reflector.go:470] k8s.io/client-go/informers/factory.go:160: watch of *v1.Pod ended with: too old resource version: 41877 (96214)';

/** As a terminal breaks a line: where its window ends. */
const cut = (text: string, width: number) => text.match(new RegExp(`.{1,${width}}`, 'g'))?.join('\n') ?? '';
/** As an editor or a mail does: before the word that does not fit. */
const filled = (text: string, width: number) => text.replace(new RegExp(`(.{1,${width}})(?: |$)`, 'g'), '$1\n').trim();

describe('a text that was copied out of a window', () => {
  it('is read as it was, however wide the window was', () => {
    fc.assert(
      fc.property(fc.integer({ min: 60, max: 150 }), fc.constantFrom(cut, filled), (width, wrap) => {
        const wrapped = wrap(LINE, width);
        if (wrap === cut) expect(withoutWrapping(wrapped)).toContain(LINE);
        expect(explainText(wrapped)).toMatchObject({
          class: 'ring-buffer-expiry',
          facts: { requested_rv: '41877', oldest_startable_rv: '96214' },
        });
      }),
    );
  });

  it.each([
    ['one line', LINE],
    ['a narrow text', 'too old resource\nversion: 7 (9)'],
    ['a stack', `${'x'.repeat(80)}: failed\n\tat a.b.C(D.java:1)\n\tat a.b.E(F.java:2)`],
    ['an answer', `HTTP/1.1 502 Bad Gateway\nServer: ${'x'.repeat(60)}\n\nno`],
    ['two short lines below a long one', `${'word '.repeat(20)}\na\nb`],
  ])('is not seen in %s', (_what, text) => expect(withoutWrapping(text)).toEqual([]));

  it('ends where the next record begins', () => {
    const two = `${cut(LINE, 80)}\nI0611 04:12:10.000000       1 a.go:1] b`;
    expect(withoutWrapping(two)).toContain(`${LINE}\nI0611 04:12:10.000000       1 a.go:1] b`);
  });

  it('is left as it stands where that tells as much', () => {
    const lines = `${LINE}\n${'connection refused by the apiserver '.repeat(5)}`;
    expect(explainText(lines).class).toBe('ring-buffer-expiry');
  });
});

describe('blanks, quotes and marks of where a text came from', () => {
  it.each([
    ['of a web page', (text: string) => text.replaceAll(' ', '\u00a0')],
    ['marks without width', (text: string) => text.replaceAll('watch', 'wa\u200btch')],
    ['of HTML', (text: string) => text.replaceAll('"', '&quot;')],
    ['of a table', (text: string) => `"n1","${text.replaceAll('"', '""')}"`],
  ])('%s change nothing', (_what, dress) => {
    const line =
      'E0909 1 reflector.go:200] "Failed to watch" err="pods is forbidden: User \\"alice\\" cannot watch resource \\"pods\\" in API group \\"\\" at the cluster scope"';
    expect(explainText(dress(line))).toMatchObject({ class: 'forbidden', facts: { resource: 'pods' } });
    expect(explainText(dress(line)).title).toMatch(/alice/);
  });
});
