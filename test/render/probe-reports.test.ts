import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { budgetOf } from '../../src/probe/budget.ts';
import type { CheckOutcome, ProbeReport } from '../../src/probe/check.ts';
import { compareReports } from '../../src/probe/via.ts';
import { junitLines } from '../../src/render/probe-junit.ts';
import { markdownLines } from '../../src/render/probe-markdown.ts';

const outcome = (id: string, over: Partial<CheckOutcome> = {}): CheckOutcome => ({
  check: { id, title: `title of ${id}`, half: 'quick' },
  result: 'pass',
  answer: 'as it should be',
  facts: {},
  tookMs: 12.4,
  requests: 1,
  ...over,
});

const report = (outcomes: CheckOutcome[], over: Partial<ProbeReport> = {}): ProbeReport => ({
  server: 'https://127.0.0.1:6443',
  resource: 'pods',
  startedAt: Date.UTC(2026, 0, 2, 3, 4, 5, 678),
  outcomes,
  ...over,
});

const FOUR = [
  outcome('headers'),
  outcome('bookmarks', {
    result: 'fail',
    answer: 'none in 3 m',
    detail: 'something drops them',
    next: 'ask the apiserver itself',
    facts: { bookmarks: 0 },
  }),
  outcome('metrics', { result: 'skip', answer: 'HTTP 403' }),
  outcome('floor', { result: 'info', answer: '1041', facts: { floor: '1041' } }),
];

describe('junit', () => {
  it('one test case a check; failures and skips are counted', () => {
    expect(junitLines(report(FOUR))).toEqual([
      '<?xml version="1.0" encoding="UTF-8"?>',
      '<testsuites name="kwatch probe" tests="4" failures="1" errors="0" skipped="1" time="0.050">',
      '  <testsuite name="pods at https://127.0.0.1:6443" timestamp="2026-01-02T03:04:05" tests="4" failures="1" errors="0" skipped="1" time="0.050">',
      '    <testcase name="title of headers" classname="kwatch.probe.pods.quick.headers" time="0.012">',
      '      <system-out>pass: as it should be</system-out>',
      '    </testcase>',
      '    <testcase name="title of bookmarks" classname="kwatch.probe.pods.quick.bookmarks" time="0.012">',
      '      <failure message="none in 3 m">something drops them\nnext: ask the apiserver itself</failure>',
      '      <system-out>fail: none in 3 m\nbookmarks: 0</system-out>',
      '    </testcase>',
      '    <testcase name="title of metrics" classname="kwatch.probe.pods.quick.metrics" time="0.012">',
      '      <skipped message="HTTP 403"/>',
      '      <system-out>skip: HTTP 403</system-out>',
      '    </testcase>',
      '    <testcase name="title of floor" classname="kwatch.probe.pods.quick.floor" time="0.012">',
      '      <system-out>info: 1041\nfloor: 1041</system-out>',
      '    </testcase>',
      '  </testsuite>',
      '</testsuites>',
    ]);
  });

  it('text of a server stays text', () => {
    const answer = 'a "b" <script>&amp;\u0000\u001b[31m\u202e]]>\ud800 \n-->';
    const lines = junitLines(report([outcome('x', { result: 'fail', answer })])).join('\n');
    expect(lines).toContain('message="a &quot;b&quot; &lt;script&gt;&amp;amp;[31m]]&gt; --&gt;"');
  });

  it('is well-formed whatever a server says', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (answer, resource) => {
        const said = outcome('x', { result: 'fail', answer, detail: answer, facts: { [answer]: answer } });
        const xml = junitLines(report([said, outcome('y', { result: 'skip', answer })], { resource })).join('\n');
        expect(wellFormed(xml)).toBe(true);
      }),
    );
  });

  it('a second path is a second suite that tells what differs', () => {
    const direct = report(FOUR);
    const via = report([outcome('headers', { result: 'fail', answer: 'held back for 5 s' })], {
      server: 'http://proxy',
    });
    const xml = junitLines(direct, { report: via, compared: compareReports(direct, via) });
    expect(xml[1]).toBe('<testsuites name="kwatch probe" tests="5" failures="2" errors="0" skipped="1" time="0.062">');
    expect(xml.join('\n')).toContain(
      'fail: held back for 5 s\ndiffers from the first path: pass: as it should be</system-out>',
    );
  });

  it('ends with the budget', () => {
    const xml = junitLines(
      report([outcome('x')], { budget: budgetOf({ cached: true, events: { low: 10, high: 11 } }) }),
    ).join('\n');
    expect(xml).toContain('<system-out>budget: how long a client may be away\nup to date when it is cut off: 74 s');
    expect(wellFormed(xml)).toBe(true);
  });
});

describe('markdown', () => {
  it('a table, then what is behind failures', () => {
    expect(markdownLines(report(FOUR))).toEqual([
      '### kwatch probe `pods` at `https://127.0.0.1:6443`',
      '',
      '2026-01-02T03:04:05.678Z, 1 fail, 1 pass, 1 info, 1 skip',
      '',
      '| check | | answer |',
      '| --- | --- | --- |',
      '| title of headers | pass | as it should be |',
      '| title of bookmarks | **FAIL** | none in 3 m |',
      '| title of metrics | skip | HTTP 403 |',
      '| title of floor | info | 1041 |',
      '',
      '- **title of bookmarks**: something drops them Next: ask the apiserver itself.',
    ]);
  });

  it('both paths side by side', () => {
    const direct = report([outcome('a'), outcome('window-floor', { facts: { cached: true } }), outcome('c')]);
    const via = report(
      [
        outcome('a', { result: 'warn', answer: 'slow' }),
        outcome('window-floor', { facts: { cached: false } }),
        outcome('d'),
      ],
      { server: 'https://proxy' },
    );
    expect(markdownLines(direct, { report: via, compared: compareReports(direct, via) }).slice(4)).toEqual([
      '- direct: `https://127.0.0.1:6443`',
      '- via: `https://proxy`',
      '',
      '| check | direct | via | |',
      '| --- | --- | --- | --- |',
      '| title of a | pass as it should be | **warn** slow | **worse** |',
      '| title of window-floor | pass as it should be | pass as it should be | **differs**: the two paths may lead to different apiservers: each has a window of its own |',
      '| title of c | pass as it should be | not asked |  |',
      '| title of d | not asked | pass as it should be |  |',
    ]);
  });

  it('text of a server means nothing but itself', () => {
    const answer = 'a | `b` **c** <img src=x> @somebody #12 [x](http://y) \\| \n# d \u202e';
    const [row] = markdownLines(report([outcome('x', { answer })])).slice(6);
    expect(row).toBe(
      '| title of x | pass | a \\| \\`b\\` \\*\\*c\\*\\* &lt;img src=x&gt; &#64;somebody &#35;12 \\[x\\](http://y) \\\\\\| \\\\n&#35; d \\\\u202e |',
    );
  });

  it('keeps its columns whatever a server says', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (answer) => {
        const lines = markdownLines(
          report([outcome('x', { answer, check: { id: 'x', title: answer, half: 'deep' } })]),
        );
        expect(lines.filter((line) => line.startsWith('| '))).toHaveLength(3);
        for (const line of lines) expect(line).not.toContain('\n');
        const bars = lines[6]?.replaceAll('\\\\', '').match(/(?<!\\)\|/g);
        expect(bars).toHaveLength(4);
      }),
    );
  });
});

/** Tags that close in order, no bare `<`, `&` or control: enough to know that a parser takes it. */
function wellFormed(xml: string): boolean {
  if (
    /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udfff](?![\udc00-\udfff])(?<![\ud800-\udbff][\udc00-\udfff])/.test(
      xml,
    )
  )
    return false;
  const open: string[] = [];
  const rest = xml
    .replace(/^<\?xml[^>]*\?>\n/, '')
    .replace(/<(\/?)([a-z-]+)((?: [a-z]+="[^"<]*")*)(\/?)>/g, (_, close, name, _attributes, self) => {
      if (close) {
        if (open.pop() !== name) open.push('!');
      } else if (!self) open.push(name);
      return '';
    });
  return open.length === 0 && !rest.includes('<') && !/&(?!(?:amp|lt|gt|quot);)/.test(xml);
}
