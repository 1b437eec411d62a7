import { describe, expect, it } from 'vitest';
import type { Answer } from '../../src/probe/ask.ts';
import { bookmarkBeforeEnd, headersAtOnce, timeoutHonoured } from '../../src/probe/quick-stream.ts';
import { answer, frame, GONE, PAGE, unanswered } from '../support/probe-answers.ts';

describe('the headers of a silent watch', () => {
  it.each<[string, Answer, string]>([
    ['at once', answer(), 'pass'],
    ['with the end of the watch', answer({ headAfterMs: 3_000 }), 'fail'],
    ['late, but before its end', answer({ headAfterMs: 1_800 }), 'warn'],
    ['not at all', unanswered({ detail: '' }), 'fail'],
    ['nor anything else', unanswered({ end: 'reset' }), 'fail'],
    ['while we left', unanswered({ end: 'stopped' }), 'skip'],
    ['for want of rights', answer({ http: 403 }), 'fail'],
    ['of a server that has too many', answer({ http: 429 }), 'skip'],
    ['of a login page', answer(PAGE), 'fail'],
    ['of what is no stream', answer({ malformed: 1 }), 'fail'],
    ['compressed, though nobody takes it', answer({ headers: { 'content-encoding': 'gzip' } }), 'fail'],
    ['compressed in name only', answer({ headers: { 'content-encoding': 'identity' } }), 'pass'],
  ])('%s', (_, given, expected) => expect(headersAtOnce(given).result).toBe(expected));

  it('late is measured by what the path always takes', () => {
    expect(headersAtOnce(answer({ headAfterMs: 1_600 }), 1_500).result).toBe('pass');
    expect(headersAtOnce(answer({ headAfterMs: 1_600 }), 20).result).toBe('warn');
  });

  it('says what answers instead', () => {
    expect(headersAtOnce(answer(PAGE)).answer).toBe('HTTP 200 with text/html; charset=utf-8 instead of a watch stream');
    expect(headersAtOnce(answer({ http: 403 })).answer).toBe('the watch is refused: HTTP 403');
    expect(headersAtOnce(unanswered({ detail: '', endAfterMs: 5_000 })).answer).toBe(
      'none while the watch was silent: we gave up after 5.0 s',
    );
  });
});

describe('timeoutSeconds', () => {
  it.each<[string, Answer, string]>([
    ['honoured', answer(), 'pass'],
    ['too early', answer({ endAfterMs: 900 }), 'warn'],
    ['too late', answer({ endAfterMs: 5_000 }), 'warn'],
    ['without the last chunk', answer({ end: 'truncated' }), 'fail'],
    ['without any framing', answer({ end: 'eof-unframed' }), 'fail'],
    ['never', answer({ end: 'no-response', endAfterMs: 8_000 }), 'fail'],
    ['with an ERROR', answer(GONE), 'skip'],
    ['of a watch without an answer', unanswered(), 'skip'],
    ['stopped by us', answer({ end: 'stopped' }), 'skip'],
    ['refused', answer({ http: 429 }), 'skip'],
    ['of a login page', answer({ ...PAGE, endAfterMs: 4 }), 'skip'],
  ])('%s', (_, given, expected) => expect(timeoutHonoured(given, 3).result).toBe(expected));
});

describe('a bookmark before the end', () => {
  const mark = answer({ frames: [frame('BOOKMARK', { rv: '4711', afterMs: 1_000 })] });
  it.each<[string, Answer | undefined, string]>([
    ['comes', mark, 'pass'],
    ['does not come', answer(), 'warn'],
    ['is not asked for', undefined, 'skip'],
    ['of a refused watch', answer(GONE), 'skip'],
    ['of a login page', answer(PAGE), 'skip'],
    ['of a watch that was cut', answer({ end: 'reset' }), 'skip'],
    ['without an answer', unanswered(), 'skip'],
  ])('%s', (_, given, expected) => {
    expect(bookmarkBeforeEnd(given, { cached: true, moved: true }).result).toBe(expected);
  });

  it('did not come in time where it comes with the end', () => {
    const held = answer({ frames: [frame('BOOKMARK', { rv: '4711', afterMs: 3_000 })], endAfterMs: 3_010 });
    expect(bookmarkBeforeEnd(held, { cached: true, moved: true })).toMatchObject({
      result: 'warn',
      answer: 'RV 4711, but with the end itself',
    });
  });

  it('is due only where the cache moved on, and where there is one', () => {
    expect(bookmarkBeforeEnd(mark, { cached: true, moved: false }).answer).toBe('RV 4711, 2.0 s before the end');
    expect(bookmarkBeforeEnd(answer(), { cached: true, moved: false })).toMatchObject({
      result: 'info',
      answer: 'none was due: the cache’s RV did not move meanwhile',
    });
    expect(bookmarkBeforeEnd(answer(), { cached: false, moved: true }).result).toBe('info');
  });
});
