import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseEventFields, scanEventFields } from '../../src/protocol/field-scan.ts';
import { scanKnownOrder } from '../../src/protocol/known-order.ts';
import {
  blanks,
  goEvent,
  type Member,
  members,
  nested,
  oddEvent,
  sortedEvent,
  trickyText,
  write,
} from './event-documents.ts';

const scan = (text: string) => scanEventFields(Buffer.from(text));

/** What the fields are, told by JSON.parse alone. */
function truth(text: string): object | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { type, object } = Object(value) as { type?: unknown; object?: Record<string, unknown> };
  const plain = (one: unknown): one is Record<string, unknown> =>
    typeof one === 'object' && one !== null && !Array.isArray(one);
  if (!plain(value) || !plain(object) || !['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK', 'ERROR'].includes(String(type)))
    return undefined;
  if (typeof type !== 'string' || (type === 'ERROR' && object.kind !== 'Status')) return undefined;
  const metadata = plain(object.metadata) ? object.metadata : {};
  const found = {
    type,
    apiVersion: object.apiVersion,
    kind: object.kind,
    namespace: metadata.namespace,
    name: metadata.name,
    uid: metadata.uid,
    rv: metadata.resourceVersion,
  };
  return Object.fromEntries(Object.entries(found).filter(([, one]) => typeof one === 'string'));
}

function agrees(text: string): void {
  const expected = truth(text);
  const found = scan(text);
  if (expected === undefined) expect(found).toEqual({ malformed: expect.any(String) });
  else expect(found).toEqual(expected);
}

describe('scanEventFields agrees with JSON.parse', () => {
  it('on events as apiservers write them', () => {
    fc.assert(fc.property(fc.oneof(goEvent, sortedEvent), agrees), { numRuns: 2000 });
  });

  it('on keys in any order, with blanks anywhere', () => {
    fc.assert(
      fc.property(oddEvent, blanks, (event, blank) => {
        agrees(JSON.stringify(event));
        agrees(write(members(event), blank()));
      }),
      { numRuns: 2000 },
    );
  });

  it('on any JSON', () => {
    fc.assert(
      fc.property(nested, (value) => agrees(JSON.stringify(value))),
      { numRuns: 1000 },
    );
  });

  // Repeated keys: all but those behind metadata of a frame in a known order. Metadata itself is read with the last one
  // counting as long as one of the four is missing.
  const metadataKeys = fc.constantFrom('name', 'uid', 'resourceVersion', 'labels', 'x');
  const repeatedMetadata = fc.array(fc.record({ key: metadataKeys, value: fc.oneof(trickyText, fc.constant(null)) }), {
    maxLength: 8,
  });
  const oneOf = (...keys: string[]) => fc.constantFrom(...keys);

  it('on repeated keys inside metadata', () => {
    fc.assert(
      fc.property(repeatedMetadata, (metadata) => {
        const object: Member[] = [
          { key: 'kind', value: 'K' },
          { key: 'apiVersion', value: 'v1' },
          { key: 'metadata', value: metadata },
        ];
        agrees(
          write([
            { key: 'type', value: 'ADDED' },
            { key: 'object', value: object },
          ]),
        );
      }),
      { numRuns: 1000 },
    );
  });

  it('on repeated keys anywhere, in any order but the known ones', () => {
    const object = fc.array(
      fc.record({
        key: oneOf('kind', 'apiVersion', 'metadata', 'spec'),
        value: fc.oneof(trickyText, repeatedMetadata),
      }),
      { maxLength: 6 },
    );
    const event = fc.array(
      fc.oneof(
        fc.record({ key: fc.constant('type'), value: oneOf('ADDED', 'ERROR', 'x') }),
        fc.record({ key: fc.constant('object'), value: fc.oneof(object, fc.constant(null)) }),
      ),
      { maxLength: 5 },
    );
    fc.assert(
      fc.property(event, blanks, (doc, blank) => {
        const text = write(doc, blank());
        fc.pre(scanKnownOrder(Buffer.from(text)) === undefined);
        agrees(text);
      }),
      { numRuns: 3000 },
    );
  });

  it('on spoilt events, unless they are spoilt behind their metadata', () => {
    const event = fc.oneof(
      goEvent,
      sortedEvent,
      oddEvent.map((one) => JSON.stringify(one)),
    );
    fc.assert(
      fc.property(
        event,
        fc.nat(2000),
        fc.constantFrom('', '"', '{', '}', ',', '\\', 'x', '\n', ']'),
        (text, place, insert) => {
          const at = place % text.length;
          const bytes = Buffer.from(text.slice(0, at) + insert + text.slice(at + (insert === '' ? 1 : 0)));
          const spoilt = bytes.toString();

          const trusted = scanKnownOrder(bytes);
          if (trusted === undefined || truth(spoilt) !== undefined) agrees(spoilt);
          else expect(scanEventFields(bytes)).toEqual(trusted);
        },
      ),
      { numRuns: 3000 },
    );
  });

  it('on any bytes: it never throws', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        expect(scanEventFields(bytes)).toEqual({ malformed: expect.any(String) });
      }),
    );
  });
});

describe('scanEventFields', () => {
  const status =
    '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"m","reason":"Expired","code":410}';
  it.each<[string, object]>([
    [`{"type":"ERROR","object":${status}}`, { type: 'ERROR', kind: 'Status', apiVersion: 'v1' }],
    ['{"type":"ERROR","object":{"kind":"Pod"}}', { malformed: 'ERROR without a Status' }],
    ['{"type":"ERROR","object":{"code":410}}', { malformed: 'ERROR without a Status' }],
    ['{"type":"ERROR","object":{"status":"Failure","code":410}}', { type: 'ERROR' }],
    [`{"type":"ERROR"}`, { malformed: 'no "object"' }],
    ['{"type":"ADDED","object":[]}', { malformed: 'no "object"' }],
    ['{"type":"ADDED","object":null}', { malformed: 'no "object"' }],
    ['{"object":{}}', { malformed: 'no "type"' }],
    ['{"type":null,"object":{}}', { malformed: 'no "type"' }],
    ['{"type":"Added","object":{}}', { malformed: 'unknown type "Added"' }],
    [`{"type":"${'T'.repeat(500)}","object":{}}`, { malformed: `unknown type "${'T'.repeat(40)}"` }],
    ['{"type":"toString","object":{}}', { malformed: 'unknown type "toString"' }],
    ['[{"type":"ADDED"}]', { malformed: 'no JSON object' }],
    ['null', { malformed: 'no JSON object' }],
    ['5', { malformed: 'no JSON object' }],
    ['<html>', { malformed: 'not valid JSON' }],
    ['{"type":"ADDED","object":{}', { malformed: 'not valid JSON' }],
    ['', { malformed: 'not valid JSON' }],
    ['{"type":"ADDED","object":{}}', { type: 'ADDED' }],
    ['{"type":"ADDED","object":{"metadata":{"name":5,"resourceVersion":7}}}', { type: 'ADDED' }],
    [
      '{"type":"ADDED","object":{"kind":"K","metadata":{"name":"\\u0061é\\n"}}}',
      { type: 'ADDED', kind: 'K', name: 'aé\n' },
    ],
    // Look-alikes below, beside and in front.
    [
      '{"kind":"x","object":{"status":{"type":"DELETED","metadata":{"name":"no"}},"metadata":{"ownerReferences":[{"name":"no","uid":"no"}],"name":"yes"}},"type":"ADDED"}',
      { type: 'ADDED', name: 'yes' },
    ],
    // Behind its metadata a frame in Go's order is taken at its word.
    [
      '{"type":"ADDED","object":{"kind":"A","apiVersion":"v1","metadata":{"name":"a"},"kind":"B"},"x":{}}',
      { type: 'ADDED', kind: 'A', apiVersion: 'v1', name: 'a' },
    ],
  ])('%.90s', (text, fields) => {
    expect(scan(text)).toEqual(fields);
  });

  it('reads a window of a larger buffer', () => {
    const text = '{"type":"ADDED","object":{"kind":"A","apiVersion":"v1","metadata":{"name":"a"}}}';
    const around = Buffer.from(`}}${text}}}`);
    expect(scanEventFields(around.subarray(2, -2))).toEqual(scan(text));
    expect(parseEventFields(new Uint8Array(around.buffer, around.byteOffset + 2, text.length))).toEqual(scan(text));
  });

  it('quotes nothing of what is not JSON', () => {
    expect(scan('{"data":"c2VjcmV0"')).toEqual({ malformed: 'not valid JSON' });
  });
});
