import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_OBJECTS, ObjectMap } from '../../src/client/object-map.ts';

const object = (name: string, rv: string) => ({ key: `uid-${name}`, name: `shop/${name}`, rv });
const fields = (type: 'ADDED' | 'MODIFIED' | 'DELETED', name: string, rv: string) => ({
  type,
  name,
  namespace: 'shop',
  uid: `uid-${name}`,
  rv,
});

describe('ObjectMap', () => {
  it('finds what changed unseen, and nothing of what events brought', () => {
    const map = new ObjectMap();
    map.replace([object('a', '1'), object('b', '2'), object('c', '3')], true);
    map.note(fields('MODIFIED', 'a', '4'));
    map.note(fields('ADDED', 'd', '5'));
    map.note(fields('DELETED', 'c', '6'));
    expect(map.gap([object('a', '4'), object('b', '9'), object('e', '8')], true)).toEqual({
      created: { count: 1, names: ['shop/e'] },
      changed: { count: 1, names: ['shop/b'] },
      deleted: { count: 1, names: ['shop/d'] },
    });
  });

  it('tells an object that was deleted and made anew under its name', () => {
    const map = new ObjectMap();
    map.replace([object('web-0', '1')], true);
    const gap = map.gap([{ key: 'uid-new', name: 'shop/web-0', rv: '9' }], true);
    expect(gap).toMatchObject({ created: { count: 1 }, deleted: { count: 1 }, changed: { count: 0 } });
  });

  it('gives no proof where either side is a part only', () => {
    const map = new ObjectMap();
    expect(map.gap([], true)).toBeUndefined();
    map.replace([object('a', '1')], false);
    expect(map.gap([], true)).toBeUndefined();
    map.replace([object('a', '1')], true);
    expect(map.gap([], false)).toBeUndefined();
  });

  it('is complete after an initial state, not before its end', () => {
    const map = new ObjectMap();
    map.beginInitialState();
    map.note(fields('ADDED', 'a', '1'));
    expect(map.complete).toBe(false);
    map.endInitialState();
    expect(map.gap([object('a', '1')], true)).toMatchObject({ created: { count: 0 }, deleted: { count: 0 } });
  });

  it('is bounded: beyond its bound it gives up instead of calling old objects new', () => {
    const map = new ObjectMap();
    map.replace(
      Array.from({ length: MAX_OBJECTS }, (_, n) => object(`p${n}`, '1')),
      true,
    );
    expect(map.complete).toBe(true);
    map.note(fields('ADDED', 'one-more', '2'));
    map.note(fields('ADDED', 'and-more', '3'));
    expect(map.complete).toBe(false);
    expect(map.size).toBe(0);
    map.replace([], true);
    expect(map.complete).toBe(true);
  });

  it('names twenty of each kind and counts all', () => {
    const map = new ObjectMap();
    map.replace([], true);
    const gap = map.gap(
      Array.from({ length: 30 }, (_, n) => object(`p${n}`, '1')),
      true,
    );
    expect(gap?.created.count).toBe(30);
    expect(gap?.created.names).toHaveLength(20);
  });

  it('finds no gap where every change was told', () => {
    const change = fc.record({
      type: fc.constantFrom('ADDED', 'MODIFIED', 'DELETED'),
      name: fc.constantFrom('a', 'b', 'c'),
    });
    fc.assert(
      fc.property(fc.array(change), (changes) => {
        const map = new ObjectMap();
        map.replace([object('a', '0')], true);
        const truth = new Map([['a', '0']]);
        for (const [n, { type, name }] of changes.entries()) {
          map.note(fields(type as 'ADDED', name, String(n + 1)));
          if (type === 'DELETED') truth.delete(name);
          else truth.set(name, String(n + 1));
        }
        const gap = map.gap(
          [...truth].map(([name, rv]) => object(name, rv)),
          true,
        );
        expect([gap?.created.count, gap?.changed.count, gap?.deleted.count]).toEqual([0, 0, 0]);
      }),
    );
  });
});
