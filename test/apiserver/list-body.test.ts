import { EventEmitter } from 'node:events';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { HttpResponse } from '../../src/apiserver/exchange.ts';
import { ListBody } from '../../src/apiserver/list-body.ts';
import { PIECE_BYTES, sendPieces } from '../../src/apiserver/pieces.ts';
import { RESOURCES } from '../../src/apiserver/resources.ts';
import type { KubeObject } from '../../src/protocol/object.ts';
import { ObjectCodec } from '../../src/store/object-codec.ts';

const pods = RESOURCES.find(({ name }) => name === 'pods')!;
const codec = new ObjectCodec();
const state = (object: KubeObject, rv: number) => codec.decode({ value: codec.encode(object), modRevision: rv });

const anyObject = fc.record({
  head: fc.constantFrom({ kind: 'Pod', apiVersion: 'v1' }, { kind: 'Pod' }, {}),
  name: fc.string({ minLength: 1 }),
  text: fc.string({ maxLength: 300 }),
});
const anyList = fc
  .array(anyObject, { maxLength: 12 })
  .map((all) =>
    all.map(({ head, name, text }, n) => state({ ...head, metadata: { name }, spec: { text } } as KubeObject, n + 1)),
  );

describe('ListBody', () => {
  it('is the same through whatever block, as long as it says, without kind and apiVersion of the items', () => {
    fc.assert(
      fc.property(anyList, fc.integer({ min: 1, max: 700 }), (items, size) => {
        const body = new ListBody(pods, { resourceVersion: '9' }, items);
        const pieces = [...body.pieces(Buffer.alloc(size))].length;
        const copies: Buffer[] = [];
        for (const piece of body.pieces(Buffer.alloc(size))) copies.push(Buffer.from(piece));
        const whole = Buffer.concat(copies);
        expect(pieces).toBe(copies.length);
        expect(whole.equals(body.bytes())).toBe(true);
        expect(whole.length).toBe(body.length);
        expect(whole.at(-1)).toBe(10);
        const shown = items.map(({ object: { kind: _, apiVersion: __, ...rest } }) => rest);
        expect(JSON.parse(whole.toString())).toEqual({
          kind: 'PodList',
          apiVersion: 'v1',
          metadata: { resourceVersion: '9' },
          items: JSON.parse(JSON.stringify(shown)),
        });
      }),
    );
  });
});

/** Takes each piece when it is told to. */
class SlowResponse extends EventEmitter {
  readonly copies: Buffer[] = [];
  held: Uint8Array | undefined;
  ended = false;
  #taken: (error?: Error) => void = () => {};

  write(bytes: Uint8Array, taken: (error?: Error) => void): boolean {
    expect(this.held).toBeUndefined();
    this.held = bytes;
    this.#taken = taken;
    return false;
  }

  take(error?: Error): void {
    this.copies.push(Buffer.from(this.held!));
    this.held = undefined;
    this.#taken(error);
  }

  end(): void {
    this.ended = true;
  }
}

describe('a long answer', () => {
  const many = Array.from({ length: 400 }, (_, n) =>
    state({ kind: 'Pod', apiVersion: 'v1', metadata: { name: `p${n}` }, spec: { text: 'x'.repeat(5000) } }, n + 1),
  );
  const body = new ListBody(pods, {}, many);
  const begin = () => {
    const response = new SlowResponse();
    const over = new AbortController();
    sendPieces({ response: response as unknown as HttpResponse, signal: over.signal }, (block) => body.pieces(block));
    return { response, over };
  };

  it('waits for a slow client, and holds one piece for it', () => {
    const { response: one } = begin();
    const { response: other } = begin();
    while (!one.ended || !other.ended) {
      for (const response of [one, other]) {
        if (response.ended) continue;
        expect(response.held!.length).toBeLessThanOrEqual(PIECE_BYTES);
        response.take();
      }
    }
    for (const { copies } of [one, other]) expect(Buffer.concat(copies).equals(body.bytes())).toBe(true);
  });

  it('ends with its client', () => {
    const { response, over } = begin();
    over.abort();
    response.take();
    expect(response).toMatchObject({ held: undefined, ended: false });
    const { response: broken } = begin();
    broken.take(new Error('gone'));
    expect(broken).toMatchObject({ held: undefined, ended: false });
  });
});
