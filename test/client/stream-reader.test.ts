import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ObjectMap } from '../../src/client/object-map.ts';
import type { SessionOutput } from '../../src/client/output.ts';
import { RvLedger } from '../../src/client/rv-ledger.ts';
import { StreamRecorder } from '../../src/client/stream-facts.ts';
import { type Reading, StreamReader } from '../../src/client/stream-reader.ts';
import { bookmark, errorEvent, event } from '../support/playbook.ts';

function open(query = 'watch=1&resourceVersion=100', contentType = 'application/json') {
  const recorder = new StreamRecorder({
    stream: 1,
    target: { index: 0, path: '/p' },
    methodPath: `/p?${query}`,
    askedAt: 0,
    from: undefined,
  });
  recorder.answered(
    { status: 200, httpVersion: '1.1', headers: { 'content-type': contentType }, framed: true, connection: 1 },
    0,
    0,
  );
  const ledger = new RvLedger();
  ledger.beginStream(recorder.startsWithState);
  const objects = new ObjectMap();
  if (recorder.startsWithState) objects.beginInitialState();
  const reader = new StreamReader(recorder, ledger, objects);
  const outputs: SessionOutput[] = [];
  const read = (text: string | Uint8Array, at = 10): Reading => reader.read([Buffer.from(text as string)], at, outputs);
  return { recorder, ledger, objects, reader, outputs, read };
}

describe('StreamReader', () => {
  it('tells each event with its step and the time since the one before', () => {
    const { read, outputs, recorder } = open();
    expect(read(event('ADDED', 'a', '101'), 10)).toBe('on');
    expect(read(event('DELETED', 'a', '104'), 25)).toBe('on');
    expect(outputs).toMatchObject([
      {
        kind: 'event',
        at: 10,
        stream: 1,
        fields: { type: 'ADDED', namespace: 'shop', name: 'a', uid: 'uid-a', rv: '101' },
      },
      { kind: 'event', at: 25, rvStep: 3, sincePreviousMs: 15, fields: { type: 'DELETED' } },
    ]);
    expect(outputs[0]).not.toHaveProperty('sincePreviousMs');
    expect(recorder.facts).toMatchObject({
      events: 2,
      lastByteAt: 25,
      bytes: Buffer.byteLength(event('ADDED', 'a', '101') + event('DELETED', 'a', '104')),
    });
  });

  it('measures the same, however the bytes are sliced', () => {
    const text =
      event('ADDED', 'ä漢🚀', '101') +
      bookmark('105') +
      'no JSON\n' +
      event('MODIFIED', 'b', '107') +
      errorEvent(410) +
      '{"type":';
    const whole = Buffer.from(text);
    const run = (cuts: number[]) => {
      const { reader, recorder, outputs } = open();
      let from = 0;
      for (const cut of [...cuts, whole.length]) {
        reader.read([whole.subarray(from, cut)], 10, outputs);
        from = cut;
      }
      const { tail } = reader.end();
      return { facts: recorder.facts, tail, kinds: outputs.map(({ kind }) => kind) };
    };
    const expected = run([]);
    expect(expected.facts).toMatchObject({
      events: 2,
      bookmarks: 1,
      malformed: 1,
      lastRv: '107',
      errorStatus: { code: 410 },
    });
    expect(expected.tail.tailBytes).toBe(8);
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(whole.length), { maxLength: 30 }), (cuts) => {
        expect(run(cuts.sort((a, b) => a - b))).toEqual(expected);
      }),
    );
  });

  it('counts events that were told again: those that follow themselves, and those that the request excluded', () => {
    const first = open();
    first.read(event('MODIFIED', 'a', '101') + event('MODIFIED', 'b', '102') + event('MODIFIED', 'b', '102'));
    expect(first.recorder.facts.toldAgain).toEqual({ count: 1, name: 'shop/b', rv: '102' });
    const replayed = open();
    for (const name of ['a', 'b'])
      replayed.objects.note({ type: 'MODIFIED', name, uid: `uid-${name}`, rv: name === 'a' ? '100' : '105' });
    // Above the RV that was asked for: we went back ourselves.
    replayed.read(event('MODIFIED', 'b', '105'));
    expect(replayed.recorder.facts).not.toHaveProperty('toldAgain');
    const excluded = open();
    excluded.objects.note({ type: 'MODIFIED', name: 'a', uid: 'uid-a', rv: '100' });
    excluded.read(event('MODIFIED', 'a', '100') + event('DELETED', 'a', '107'));
    expect(excluded.recorder.facts.toldAgain).toMatchObject({ count: 1, rv: '100' });
  });

  it('counts each event of a run that is told again', () => {
    const { read, recorder } = open();
    const run = ['a', 'b', 'c'].map((name, i) => event('MODIFIED', name, `${101 + i}`)).join('');
    read(run + run);
    expect(recorder.facts.toldAgain).toEqual({ count: 3, name: 'shop/a', rv: '101' });
    expect(recorder.facts).not.toHaveProperty('wentBackwards');
  });

  it('takes an event that is told again after a later one for no fall of the RVs', () => {
    const { read, recorder } = open();
    read(event('MODIFIED', 'a', '101') + event('MODIFIED', 'b', '102') + event('MODIFIED', 'a', '101'));
    expect(recorder.facts.toldAgain).toEqual({ count: 1, name: 'shop/a', rv: '101' });
    expect(recorder.facts).not.toHaveProperty('wentBackwards');
    read(event('MODIFIED', 'a', '99'));
    expect(recorder.facts.wentBackwards).toEqual({ before: '102', lower: '99' });
  });

  it('gives an ERROR its Status, and takes one without for malformed', () => {
    const { read, outputs } = open();
    expect(read(errorEvent(410, 'too old resource version: 1 (2)'))).toBe('error');
    expect(read('{"type":"ERROR","object":{"kind":"Pod"}}\n')).toBe('on');
    expect(read('{"type":"ERROR","object":{"kind":"Status"}}\n')).toBe('on');
    expect(outputs).toMatchObject([
      { kind: 'event', status: { code: 410, message: 'too old resource version: 1 (2)' } },
      { kind: 'malformed' },
      { kind: 'malformed' },
    ]);
  });

  it('cuts the text of what is malformed, whatever it holds', () => {
    const { read, outputs } = open();
    read(event('ADDED', 'a', '101'));
    read(Buffer.concat([Buffer.alloc(5000, 0x80), Buffer.from('\n')]));
    expect(outputs.at(-1)).toMatchObject({ kind: 'malformed', bytes: 5000, text: '\uFFFD'.repeat(200) });
  });

  it('knows the end of the initial events by its annotation', () => {
    const { read, recorder } = open('watch=1&sendInitialEvents=true');
    read(event('ADDED', 'a', '7') + bookmark('9'), 5);
    expect(recorder.facts.initialEventsEndAt).toBeNull();
    read(bookmark('9', { 'k8s.io/initial-events-end': 'true' }), 8);
    expect(recorder.facts.initialEventsEndAt).toBe(8);
  });

  it('ends the initial state with the first bookmark, and then knows all objects', () => {
    const { read, objects, ledger } = open('watch=1');
    read(event('ADDED', 'a', '30') + event('ADDED', 'b', '20'));
    expect([objects.complete, ledger.resume?.rv]).toEqual([false, '30']);
    read(bookmark('40'));
    expect([objects.complete, objects.size, ledger.resume?.rv]).toEqual([true, 2, '40']);
  });

  it.each([
    ['a list', '{"kind":"PodList","apiVersion":"v1","items":[]}', 'application/json', { jsonKind: 'PodList' }],
    [
      'a list of a custom resource, its kind behind the items',
      '{"apiVersion":"v1","items":[{}],"kind":"WidgetList"}',
      'application/json',
      { jsonKind: 'WidgetList' },
    ],
    ['a Status', '{"kind":"Status","status":"Failure","code":410}', 'application/json', { status: { code: 410 } }],
    ['an object', '{"kind":"Pod","metadata":{"name":"a"}}', 'application/json', { jsonKind: 'Pod' }],
    ['a page', '<html>\nlog in\n</html>', 'text/html', { text: '<html>\nlog in\n</html>' }],
  ])('%s is no stream', (_name, text, type, body) => {
    const { read, recorder } = open('watch=1', type);
    expect(read(text)).toBe('not-a-stream');
    expect(recorder.facts.body).toMatchObject(body);
  });

  it('a page without a line end is no stream when it is over', () => {
    const { read, reader, recorder } = open('watch=1', 'text/html');
    expect(read('<html>')).toBe('on');
    expect(reader.end().reading).toBe('not-a-stream');
    expect(recorder.facts.body?.text).toBe('<html>');
  });

  it('the same text after an event is a malformed frame of a stream', () => {
    const { read, outputs } = open('watch=1', 'text/html');
    read(event('ADDED', 'a', '101'));
    expect(read('{"kind":"PodList","items":[]}\n<html>\n')).toBe('on');
    expect(outputs.map(({ kind }) => kind)).toEqual(['event', 'malformed', 'malformed']);
  });

  it('an endless list is no stream, an endless event a frame that is too large', () => {
    const block = Buffer.alloc(4 * 1024 * 1024, 'x');
    const feed = (start: string) => {
      const { read, recorder } = open();
      let reading = read(start);
      for (let n = 0; n < 12 && reading === 'on'; n++) reading = read(block);
      return [reading, recorder.facts.body?.jsonKind];
    };
    expect(feed('{"kind":"PodList","items":["')).toEqual(['not-a-stream', 'PodList']);
    expect(feed('{"type":"ADDED","object":"')).toEqual(['too-large', undefined]);
  });
});
