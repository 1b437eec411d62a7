import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scanKnownOrder } from '../../src/protocol/known-order.ts';
import { goEvent, sortedEvent } from './event-documents.ts';

const scan = (text: string) => scanKnownOrder(Buffer.from(text));
const event = (metadata: string, rest = '') =>
  `{"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","metadata":${metadata}${rest}}}`;
const pod = { type: 'ADDED', kind: 'Pod', apiVersion: 'v1' };

describe('scanKnownOrder', () => {
  it.each<[string, string, object | undefined]>([
    [
      'a built-in type',
      event(
        '{"name":"a","generateName":"g","namespace":"n","uid":"u","resourceVersion":"5","labels":{"name":"x"}}',
        ',"spec":{}',
      ),
      { ...pod, name: 'a', namespace: 'n', uid: 'u', rv: '5' },
    ],
    [
      'a custom resource',
      '{"type":"MODIFIED","object":{"apiVersion":"g/v1","kind":"K","metadata":{"annotations":{"uid":"x"},"managedFields":[{"name":"}"}],"name":"a","namespace":"n","resourceVersion":"5","uid":"u"},"spec":{}}}',
      { type: 'MODIFIED', apiVersion: 'g/v1', kind: 'K', name: 'a', namespace: 'n', uid: 'u', rv: '5' },
    ],
    [
      'any order inside metadata',
      event('{"resourceVersion":"5","namespace":"n","name":"a"}'),
      { ...pod, name: 'a', namespace: 'n', rv: '5' },
    ],
    [
      'a bookmark',
      event('{"resourceVersion":"5","creationTimestamp":null}').replace('ADDED', 'BOOKMARK'),
      { ...pod, type: 'BOOKMARK', rv: '5' },
    ],
    ['a deletion', event('{"name":"a"}').replace('ADDED', 'DELETED'), { ...pod, type: 'DELETED', name: 'a' }],
    ['empty metadata', event('{}'), pod],
    ['empty texts', event('{"name":"","uid":""}'), { ...pod, name: '', uid: '' }],
    [
      'values of all sorts',
      event('{"a":-1.5e3,"b":[1,{"c":"]"}],"d":true,"e":null,"f":"\\\\","name":"x"}'),
      { ...pod, name: 'x' },
    ],
    // The rest is taken at its word.
    ['nonsense behind metadata', event('{"name":"a"}', ',nonsense'), { ...pod, name: 'a' }],
    [
      'nonsense behind the four',
      event('{"name":"a","namespace":"n","uid":"u","resourceVersion":"5",nonsense'),
      { ...pod, name: 'a', namespace: 'n', uid: 'u', rv: '5' },
    ],
    // Everything below is for JSON.parse.
    ['ERROR', event('{}').replace('ADDED', 'ERROR'), undefined],
    ['an unknown type', event('{}').replace('ADDED', 'ADDEDX'), undefined],
    ['another key first', '{"object":{"kind":"Pod","apiVersion":"v1","metadata":{}},"type":{}}', undefined],
    ['a blank', event('{}').replace('"object":', '"object": '), undefined],
    ['a blank in metadata', event('{"name": "a"}'), undefined],
    [
      'another order in the object',
      '{"type":"ADDED","object":{"kind":"Pod","metadata":{},"apiVersion":"v1"}}',
      undefined,
    ],
    [
      'another key in the object',
      '{"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","spec":{},"metadata":{}}}',
      undefined,
    ],
    ['a blank before a value', event('{"labels":\n{},"name":"a"}'), undefined],
    ['a blank behind a value', event('{"labels":{}\n,"name":"a"}'), undefined],
    ['a blank behind a number', event('{"generation":1 ,"name":"a"}'), undefined],
    ['nonsense right behind metadata', event('{"name":"a"}', 'nonsense'), undefined],
    ['nonsense right behind empty metadata', event('{}', 'nonsense'), undefined],
    ['nonsense behind the object', event('{"name":"a"}', '}nonsense'), undefined],
    ['one brace too many', `${event('{"name":"a"}')}}`, undefined],
    ['one brace too few', event('{"name":"a"}').slice(0, -1), undefined],
    ['metadata null', event('null'), undefined],
    ['a name that is no string', event('{"name":5}'), undefined],
    ['a name with an escape', event('{"name":"\\u0061"}'), undefined],
    ['a name beyond ASCII', event('{"name":"é"}'), undefined],
    ['a control character', event('{"name":"\t"}'), undefined],
    ['a key with an escape', event('{"na\\u006de":"a"}'), undefined],
    ['a kind with an escape', event('{}').replace('Pod', '\\u0061'), undefined],
    ['an end in one brace', `${event('{"name":"a"}').slice(0, -1)} }`, undefined],
    ['a line end behind it', `${event('{}')}\n`, undefined],
    [
      'metadata without end',
      '{"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"',
      undefined,
    ],
    [
      'metadata cut off in a value',
      '{"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"x":{"a":{"b":1}}',
      undefined,
    ],
    [
      'metadata cut off in a string',
      '{"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"}}',
      undefined,
    ],
    ['no comma', event('{"name":"a""uid":"u"}'), undefined],
    ['nothing', '', undefined],
  ])('%s', (_name, text, fields) => {
    expect(scan(text)).toEqual(fields);
  });

  it('takes what apiservers write, as far as it is ASCII without escapes', () => {
    let known = 0;
    fc.assert(
      fc.property(fc.oneof(goEvent, sortedEvent), (text) => {
        const { type, object } = JSON.parse(text);
        const wanted = [
          object.kind,
          object.apiVersion,
          ...['name', 'namespace', 'uid', 'resourceVersion'].map((key) => object.metadata[key]),
        ];
        const plain = wanted.every((one) => one === undefined || /^[\x20-\x7e]*$/.test(one.replace(/["\\]/g, '\n')));
        const plainKeys = Object.keys(object.metadata).every((key) => !key.includes('\\'));
        if (!plain || !plainKeys) return;
        known++;
        expect(scan(text)).toMatchObject({ type, kind: object.kind, apiVersion: object.apiVersion });
      }),
      { numRuns: 500 },
    );
    expect(known).toBeGreaterThan(50);
  });
});
