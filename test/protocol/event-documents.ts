import fc from 'fast-check';

/**
 * JSON documents written in ways that JSON.stringify does not know: keys in any order, repeated keys, blanks between any two
 * tokens. A document is a list of members, so that a key may come twice.
 */
export type Written = Member[] | Written[] | string | number | boolean | null;
export type Member = { key: string; value: Written };

const isMembers = (value: Written): value is Member[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'object' && one !== null && 'key' in one);

/** Writes a document; `blank` is asked before and behind each token. An empty list is an object. */
export function write(value: Written, blank: () => string = () => ''): string {
  if (!Array.isArray(value)) return JSON.stringify(value);
  const parts = isMembers(value)
    ? value.map(({ key, value: inner }) => `${JSON.stringify(key)}${blank()}:${blank()}${write(inner, blank)}`)
    : value.map((inner) => write(inner as Written, blank));
  const [open, close] = isMembers(value) ? '{}' : '[]';
  return `${open}${blank()}${parts.join(`${blank()},${blank()}`)}${blank()}${close}`;
}

/** The same document from an ordinary value. */
export function members(value: unknown): Written {
  if (Array.isArray(value)) return value.map(members);
  if (typeof value !== 'object' || value === null) return value as Written;
  return Object.entries(value).map(([key, inner]) => ({ key, value: members(inner) }));
}

/** Text that looks like the structure around it. */
export const trickyText = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 8 }),
  fc.constantFrom(
    '}{',
    '} {',
    '}}',
    '"',
    '\\',
    '\\"',
    '{"type":"ADDED","object":{',
    '\n',
    'é😀',
    '\u0000',
    '\u2028',
    '","uid":"',
    'a'.repeat(70),
  ),
  fc.array(fc.constantFrom('\\', '"', 'x'.repeat(20)), { maxLength: 6 }).map((parts) => parts.join('')),
);

const lookAlikes = fc.constantFrom(
  'type',
  'object',
  'metadata',
  'kind',
  'name',
  'namespace',
  'uid',
  'resourceVersion',
  'spec',
);

/** Any value, with keys that look like the ones that are wanted. */
export const nested = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    trickyText,
    fc.constantFrom(null, true, false, 0, -1.5e-7, 12345678901, ''),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.oneof(lookAlikes, trickyText), tie('value'), { maxKeys: 3 }),
  ),
})).value;

/** What names mostly are, and sometimes are not. */
const name = fc.oneof(
  { weight: 9, arbitrary: fc.stringMatching(/^[a-z][a-z0-9.-]{0,20}$/) },
  { weight: 1, arbitrary: trickyText },
);

const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });

/** metadata with its keys in Go's order. */
const goMetadata = fc
  .record({
    name: optional(name),
    generateName: optional(trickyText),
    namespace: optional(name),
    uid: optional(fc.uuid()),
    resourceVersion: optional(fc.nat().map(String)),
    creationTimestamp: optional(fc.constant(null)),
    labels: optional(fc.dictionary(fc.oneof(lookAlikes, trickyText), trickyText, { maxKeys: 3 })),
    ownerReferences: optional(
      fc.array(fc.record({ kind: trickyText, name: trickyText, uid: fc.uuid() }), { maxLength: 2 }),
    ),
  })
  .map((value) => JSON.parse(JSON.stringify(value)) as Record<string, unknown>);

const eventType = fc.constantFrom('ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK');

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  );
}

const rest = fc.record({ spec: nested, status: fc.dictionary(lookAlikes, nested, { maxKeys: 2 }) });

/** An event as a built-in type is sent: struct order, no blanks. */
export const goEvent = fc
  .tuple(eventType, name, name, goMetadata, rest)
  .map(([type, kind, apiVersion, metadata, more]) =>
    JSON.stringify({ type, object: { kind, apiVersion, metadata, ...more } }),
  );

/** An event as a custom resource is sent: sorted keys, no blanks. */
export const sortedEvent = fc
  .tuple(eventType, name, name, goMetadata, rest)
  .map(([type, kind, apiVersion, metadata, more]) =>
    JSON.stringify({ type, object: sorted({ kind, apiVersion, metadata, ...more }) }),
  );

const shuffled = (value: Record<string, unknown>) =>
  fc.shuffledSubarray(Object.entries(value), { minLength: Object.keys(value).length }).map(Object.fromEntries);

/** An event with its keys in any order, some missing, some of another type. */
export const oddEvent = fc
  .tuple(eventType, nested, trickyText, fc.oneof(goMetadata.chain(shuffled), nested), rest)
  .chain(([type, kind, apiVersion, metadata, more]) =>
    shuffled({ kind, apiVersion, metadata, ...more }).chain((object) => shuffled({ type, object, extra: 1 })),
  );

/** A writer's blanks, chosen by a list of numbers that is read round and round. */
export const blanks = fc
  .array(fc.constantFrom('', '', ' ', '\n', '\t', '\r\n', '  '), { minLength: 1, maxLength: 9 })
  .map((choices) => () => {
    let next = 0;
    return () => choices[next++ % choices.length]!;
  });
