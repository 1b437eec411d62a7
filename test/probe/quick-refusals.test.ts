import { describe, expect, it } from 'vitest';
import type { Answer } from '../../src/probe/ask.ts';
import { malformedRefused, refusalFramed } from '../../src/probe/quick-refusals.ts';
import { answer, frame, GONE, PAGE, status, unanswered } from '../support/probe-answers.ts';

describe('a watch from RV 1', () => {
  it.each<[string, Answer, string]>([
    ['refused in the stream', answer(GONE), 'pass'],
    ['as HTTP status', answer({ http: 410 }), 'warn'],
    ['without a proper end', answer({ ...GONE, end: 'reset' }), 'warn'],
    ['twice', answer({ ...GONE, frames: [frame('ERROR'), frame('ERROR')] }), 'warn'],
    ['with another code', answer({ ...GONE, status: status(500, 'x') }), 'warn'],
    ['not at all', answer(), 'skip'],
    ['by a cut', answer({ end: 'truncated' }), 'warn'],
    ['for want of rights', answer({ http: 403 }), 'skip'],
    ['by a login page', answer(PAGE), 'skip'],
    ['by nobody', unanswered(), 'skip'],
  ])('%s', (_, given, expected) => expect(refusalFramed(given).result).toBe(expected));
});

describe('a watch from what is no RV', () => {
  it.each<[string, Answer, string, string]>([
    ['as kube-apiserver does', answer({ http: 500 }), 'pass', 'refused with HTTP 500'],
    ['as it should', answer({ http: 400 }), 'pass', 'refused with HTTP 400'],
    ['in the stream', answer({ status: status(400, 'x') }), 'pass', 'refused with an ERROR with code 400'],
    ['not at all', answer(), 'warn', 'accepted as if it were an RV'],
    ['for want of rights', answer({ http: 403 }), 'skip', 'HTTP 403'],
    ['for being too many', answer({ http: 429 }), 'skip', 'HTTP 429'],
    ['by a login page', answer(PAGE), 'skip', 'HTTP 200 with text/html; charset=utf-8 instead of a watch stream'],
    ['by nobody', unanswered(), 'skip', 'no answer: ECONNREFUSED'],
  ])('%s', (_, given, result, words) => expect(malformedRefused(given)).toMatchObject({ result, answer: words }));
});
