import { describe, expect, it } from 'vitest';
import type { Answer } from '../../src/probe/ask.ts';
import { compression, flowControl, metricsReadable, watchList } from '../../src/probe/quick-offers.ts';
import { answer, frame, PAGE, status, unanswered } from '../support/probe-answers.ts';

describe('streaming lists', () => {
  it.each<[string, Answer, string, boolean | undefined]>([
    ['off', answer({ http: 422 }), 'info', false],
    ['on', answer({ frames: [frame('BOOKMARK', { initialEventsEnd: true })] }), 'info', true],
    ['without its bookmark', answer({ frames: [frame('BOOKMARK')] }), 'warn', false],
    ['with an ERROR', answer({ status: status(504, 'x') }), 'warn', false],
    ['not answered', unanswered(), 'skip', undefined],
    ['a login page', answer(PAGE), 'skip', undefined],
  ])('%s', (_, given, result, on) => {
    expect(watchList(given)).toMatchObject({ result, facts: on === undefined ? {} : { watch_list: on } });
  });
});

describe('compression', () => {
  const gzip = { headers: { 'content-encoding': 'gzip' } };
  it.each<[string, Answer, Answer, string, string]>([
    ['none', answer(), answer(), 'pass', 'a watch comes as it is also where gzip is accepted'],
    [
      'of lists',
      answer(),
      answer(gzip),
      'pass',
      'a watch comes as it is also where gzip is accepted; a list comes as gzip',
    ],
    ['of watches', answer(gzip), answer(), 'warn', 'a watch comes compressed (gzip)'],
    ['unknown', answer({ http: 403 }), answer(), 'skip', 'HTTP 403'],
    [
      'of a login page',
      answer(PAGE),
      answer(),
      'skip',
      'HTTP 200 with text/html; charset=utf-8 instead of a watch stream',
    ],
  ])('%s', (_, watch, list, result, words) => {
    expect(compression(watch, list)).toMatchObject({ result, answer: words });
  });
});

describe('flow control', () => {
  const schema = answer({
    headers: { 'x-kubernetes-pf-flowschema-uid': 'u-1', 'x-kubernetes-pf-prioritylevel-uid': 'u-2' },
  });

  it('names the FlowSchema of any answer', () => {
    expect(flowControl([unanswered(), schema], 0)).toMatchObject({
      result: 'info',
      answer: 'on: FlowSchema u-1',
      facts: { flow_control: true, flow_schema_uid: 'u-1', priority_level_uid: 'u-2', throttled: 0 },
    });
    expect(flowControl([answer()], 0).facts.flow_control).toBe(false);
  });

  it('counts who was asked to wait', () => {
    expect(flowControl([schema], 1)).toMatchObject({
      result: 'warn',
      answer: '1 request got HTTP 429; on: FlowSchema u-1',
    });
  });
});

describe('/metrics', () => {
  it('says what its counters tell', () => {
    const samples = {
      watch_cache_capacity: 1600,
      apiserver_watch_cache_initializations_total: 1,
      apiserver_terminated_watchers_total: 3,
    };
    expect(metricsReadable(samples, answer())).toEqual({
      result: 'pass',
      answer: 'readable; the ring holds 1,600 events; the cache was built once; 3 slow watchers closed',
      facts: { metrics: true, ring_capacity: 1600, initializations: 1, terminated_watchers: 3 },
    });
  });

  it('or why it cannot be read', () => {
    expect(metricsReadable(undefined, answer({ http: 403 })).answer).toBe('not readable (HTTP 403)');
    expect(metricsReadable(undefined, answer()).answer).toBe('without any counter of a watch cache');
  });
});
