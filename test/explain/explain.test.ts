import { describe, expect, it } from 'vitest';
import { explainText } from '../../src/explain/explain.ts';

const A = 'too old resource version: 41877 (96214)';
const status = (message: string, code: number, more = '') =>
  `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"${message}","reason":"Expired"${more},"code":${code}}`;

describe('explainText', () => {
  it('takes text A for a window that slid, with a rebuild as the second candidate, and counts revisions, not events', () => {
    const told = explainText(
      `I0604 14:32:01.976059       1 reflector.go:1010] "Watch closed" reflector="k8s.io/client-go/informers/factory.go:160" type="*v1.Pod" err="${A}"`,
    );
    expect(told).toMatchObject({
      class: 'ring-buffer-expiry',
      confidence: 'medium',
      refusedBy: 'watch-cache',
      harm: 'harmless-once',
      facts: {
        requested_rv: '41877',
        oldest_startable_rv: '96214',
        revisions_apart: '54337',
        resource: 'v1.Pod',
        reflector: 'k8s.io/client-go/informers/factory.go:160',
      },
    });
    expect(told.candidates.map((one) => one.class)).toEqual(['ring-buffer-expiry', 'cache-rebuilt']);
    expect(told.text).toMatch(/41877.*96214/s);
    expect(`${told.title} ${told.text}`).not.toMatch(/54337 events/);
  });

  it('does not say who asked where only etcd’s own words stand, which a watch cache’s own watch is told too', () => {
    const raw = explainText('watch chan error: etcdserver: mvcc: required revision has been compacted');
    expect(raw).toMatchObject({ class: 'upstream-compaction', refusedBy: 'etcd' });
    expect(raw.text).not.toMatch(/no watch cache was in between/i);
    expect(raw.text).toMatch(/who had asked is not said/i);
    expect(explainText(status('The resourceVersion for the provided watch is too old.', 410)).text).toMatch(
      /no watch cache was in between/i,
    );
  });

  it('is exact beyond 2^53', () => {
    expect(
      explainText('too old resource version: 1152921504606846977 (1152921504606851073)').facts.revisions_apart,
    ).toBe('4096');
  });

  it.each([
    ['B', 'The resourceVersion for the provided watch is too old.', 'upstream-compaction', 'etcd'],
    ['D', status('The resourceVersion for the provided list is too old.', 410), 'upstream-compaction', 'etcd'],
    [
      'E',
      'Error from server (Expired): The provided continue parameter is too old to display a consistent list result.',
      'continue-token-expired',
      'etcd',
    ],
    ['raw', 'watch chan error: etcdserver: mvcc: required revision has been compacted', 'upstream-compaction', 'etcd'],
  ])('knows text %s, anywhere in a line', (_letter, text, name, refusedBy) => {
    expect(explainText(text)).toMatchObject({ class: name, refusedBy, confidence: 'high', harm: 'harmless-once' });
  });

  it('names a compaction first for text A only where one stands beside it', () => {
    const both = explainText(
      `watch chan error: etcdserver: mvcc: required revision has been compacted\nTerminating all watchers from cacher pods\n${A}`,
    );
    expect(both).toMatchObject({ class: 'upstream-compaction', refusedBy: 'watch-cache', confidence: 'medium' });
    expect(both.candidates.map((one) => one.class)).toContain('cache-rebuilt');
    expect(explainText(`Terminating all watchers from cacher pods\n${A}`).class).toBe('cache-rebuilt');
  });

  it('reads a too large RV, with what the Status states', () => {
    const text = status(
      'Timeout: Too large resource version: 67914, current: 59305',
      504,
      ',"details":{"retryAfterSeconds":1}',
    );
    expect(explainText(text)).toMatchObject({
      class: 'rv-too-large',
      refusedBy: null,
      harm: 'depends',
      facts: {
        requested_rv: '67914',
        current_rv: '59305',
        revisions_apart: '8609',
        status_code: '504',
        retry_after_s: '1',
      },
    });
  });

  it('tells a loop and clients that do not heal by themselves', () => {
    expect(explainText(`${A}\n${A}\n${A}`)).toMatchObject({ harm: 'act' });
    expect(
      explainText(
        `Traceback (most recent call last):\nkubernetes.client.exceptions.ApiException: (410)\nReason: Expired: ${A}`,
      ),
    ).toMatchObject({ harm: 'depends', facts: { status_code: '410' } });
    expect(explainText(`io.fabric8.kubernetes.client.WatcherException: ${A}`)).toMatchObject({ harm: 'depends' });
    expect(explainText(`STATUS    REASON    MESSAGE\nFailure   Expired   ${A}`).text).toMatch(
      /kubectl does not reconnect/,
    );
  });

  it('says that a line is cut instead of trusting its number', () => {
    const cut = explainText('watch of *v1.ConfigMap ended with: too old resource version: 25640');
    expect(cut).toMatchObject({ class: 'ambiguous-410', confidence: 'low', refusedBy: 'watch-cache', facts: {} });
    expect(cut.text).toMatch(/missing/);
  });

  it('leaves a 410 Status without known words undecided', () => {
    expect(explainText(status('', 410))).toMatchObject({
      class: 'ambiguous-410',
      refusedBy: 'unknown',
      confidence: 'low',
    });
  });

  it('knows nothing of other systems', () => {
    for (const text of ['HTTP/1.1 410 Gone\n\nThe blob was deleted', 'uploaded 413 files', '']) {
      expect(explainText(text)).toMatchObject({
        class: 'unknown',
        confidence: 'low',
        refusedBy: null,
        harm: 'depends',
        facts: {},
      });
    }
  });

  it('shows no control character and no colour of the input', () => {
    const told = explainText(`\u001b[33mWARN\u001b[0m too old resource version: 7 (9)\u202E\u0007`);
    expect(told).toMatchObject({ class: 'ring-buffer-expiry', facts: { requested_rv: '7' } });
    expect(JSON.stringify(told)).not.toMatch(/\\u001b|\u202E|\u0007/);
  });

  it('takes NULs, titles and links of a terminal out of the words', () => {
    const told = explainText(
      `\u001b]0;title\u0007wat\0ch of *v1.\u009b31mPod ended with: \u001b]8;;http://x.example\u0007too old\u001b]8;;\u001b\\ resource version: 7 (9)`,
    );
    expect(told).toMatchObject({ class: 'ring-buffer-expiry', facts: { requested_rv: '7', resource: 'v1.Pod' } });
  });

  it.each([
    ['more than 64 bits', '99999999999999999999999999999 (184467440737095516160000000)'],
    ['negative', '-5 (-1)'],
  ])('does not take a number for a revision that is none: %s', (_what, numbers) => {
    const told = explainText(`watch of *v1.Pod ended with: too old resource version: ${numbers}`);
    expect(told).toMatchObject({ class: 'ambiguous-410', confidence: 'low', refusedBy: 'unknown' });
    expect(told.facts).not.toHaveProperty('requested_rv');
    expect(explainText(`Too large resource version: ${'7'.repeat(1000)}, current: 5`).facts).toEqual({});
  });

  it.each(['96300 (96214)', '96214 (96214)'])(
    'does not believe a refusal of what lies above the floor: %s',
    (numbers) => {
      const told = explainText(`watch of *v1.Pod ended with: too old resource version: ${numbers}`);
      expect(told).toMatchObject({ class: 'ambiguous-410', confidence: 'low', refusedBy: 'watch-cache', facts: {} });
      expect(told.title).toMatch(/do not go together/);
    },
  );

  it('is not sure of words that any program says, where nothing but the word watch points to Kubernetes', () => {
    expect(explainText('my watch stopped: connection refused').confidence).toBe('low');
    expect(explainText('reflector.go:138] Failed to watch *v1.Pod: connection refused').confidence).toBe('high');
  });
});
