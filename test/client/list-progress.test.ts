import { describe, expect, it } from 'vitest';
import { ListProgress } from '../../src/client/list-progress.ts';
import { type ListedObject, MAX_OBJECTS, ObjectMap } from '../../src/client/object-map.ts';

const head = { status: 200, httpVersion: '1.1', headers: { 'audit-id': 'a' }, framed: true, connection: 3 };
const objects = (n: number): ListedObject[] =>
  Array.from({ length: n }, (_, i) => ({ key: `k${i}`, name: `n${i}`, rv: '1' }));
const start = () =>
  new ListProgress(
    { why: 'start', as: 'start', failed: 0 },
    { target: { index: 0, path: '/p' }, methodPath: '/p?limit=500', at: 10 },
  );

describe('ListProgress', () => {
  it('dates the list by its first page, however long the others take', () => {
    const list = start();
    list.answered(head, 11, 20);
    expect(list.take({ rv: '7', continue: 't', objects: objects(2) })).toBe('t');
    list.answered({ ...head, connection: 4 }, 500, 600);
    expect(list.take({ rv: '7', objects: objects(1) })).toBeUndefined();
    expect(list.rvAt).toBe(20);
    expect(list.done(700, new ObjectMap())).toEqual({
      target: { index: 0, path: '/p' },
      methodPath: '/p?limit=500',
      why: 'start',
      askedAt: 11,
      endedAt: 700,
      headers: { 'audit-id': 'a' },
      httpStatus: 200,
      connection: 4,
      rv: '7',
      items: 3,
      pages: 2,
      truncated: false,
    });
  });

  it('knows the continue token of a path that was given', () => {
    const asked = { target: { index: 0, path: '/p' }, at: 10 };
    const why = { why: 'start', as: 'start', failed: 0 } as const;
    const refused = (methodPath: string) => new ListProgress(why, { ...asked, methodPath }).failed(20, {}).refusal;
    expect(refused('/p?limit=5&continue=abc')?.hadContinue).toBe(true);
    expect(refused('/p?limit=5&continue=')?.hadContinue).toBe(false);
    expect(refused('/p?limit=5')?.hadContinue).toBe(false);
  });

  it('reads no further than its bound, and says so', () => {
    const list = start();
    expect(list.take({ rv: '7', continue: 't', objects: objects(MAX_OBJECTS - 1) })).toBe('t');
    expect(list.take({ rv: '7', continue: 't', objects: objects(2) })).toBeUndefined();
    expect(list.done(1, new ObjectMap())).toMatchObject({ items: MAX_OBJECTS, truncated: true });
    expect(list.whole).toBe(false);
  });

  it('is whole where the bound is met exactly on the last page', () => {
    const list = start();
    list.take({ rv: '7', objects: objects(MAX_OBJECTS) });
    expect(list.whole).toBe(true);
  });

  it('tells a refusal with the RV of the token that was too old, and no RV of the list', () => {
    const list = start();
    list.answered(head, 11, 20);
    const token = Buffer.from('{"v":"meta.k8s.io/v1","rv":710020,"start":"a"}').toString('base64url');
    list.take({ rv: '710020', continue: token, objects: objects(1) });
    list.answered({ ...head, status: 410 }, 30, 40);
    const body = { text: '', size: 0 };
    const facts = list.failed(50, { body });
    expect(facts).toMatchObject({ httpStatus: 410, refusal: { hadContinue: true, tokenRv: '710020', body } });
    expect(facts).not.toHaveProperty('rv');
    expect(list.failed(50, { end: { end: 'reset', detail: 'ECONNRESET' } }).refusal).toMatchObject({
      end: 'reset',
      detail: 'ECONNRESET',
    });
  });
});
