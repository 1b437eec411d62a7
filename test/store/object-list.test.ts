import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { decodeContinueToken } from '../../src/protocol/continue-token.ts';
import { Lab, PODS, predicate, refused } from '../support/lab.ts';

let lab: Lab;

beforeEach(() => {
  lab = new Lab();
});
afterEach(() => lab.stop());

const list = (asked: Parameters<Lab['list']>[0] = {}) => lab.list(asked, lab.storage);

describe('list', () => {
  beforeEach(async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e'])
      await lab.create(name, { labels: { odd: String('ace'.includes(name)) } });
  });

  it('gives everything in the order of keys, at the present revision', async () => {
    await lab.store.put('/registry/elsewhere', new Uint8Array(1));
    expect(await list()).toMatchObject({
      names: ['a@101', 'b@102', 'c@103', 'd@104', 'e@105'],
      resourceVersion: '106',
    });
  });

  it('pages with limit and continue, all pages at the RV of the first', async () => {
    const first = await list({ limit: 2 });
    expect(first).toMatchObject({ names: ['a@101', 'b@102'], resourceVersion: '105', remainingItemCount: 3 });
    expect(decodeContinueToken(first.continue!, PODS)).toEqual({ start: `${PODS}ns/b\0`, rv: 105 });
    await lab.delete('c');
    await lab.create('bb');
    const second = await list({ limit: 2, continue: first.continue! });
    expect(second).toMatchObject({ names: ['c@103', 'd@104'], resourceVersion: '105', remainingItemCount: 1 });
    const third = await list({ limit: 2, continue: second.continue! });
    expect(third).toMatchObject({ names: ['e@105'], resourceVersion: '105' });
    expect(third).not.toHaveProperty('continue');
    expect(third).not.toHaveProperty('remainingItemCount');
  });

  it('has no continue where the limit is met exactly', async () => {
    expect(await list({ limit: 5 })).not.toHaveProperty('continue');
  });

  it('fills a page in spite of a selector, and then says nothing of what remains', async () => {
    const page = await list({ limit: 2, labels: 'odd=true' });
    expect(page.names).toEqual(['a@101', 'c@103']);
    expect(page.continue).toBeDefined();
    expect(page.remainingItemCount).toBeUndefined();
    expect((await list({ limit: 2, labels: 'odd=true', continue: page.continue! })).names).toEqual(['e@105']);
  });

  it('continues at the present revision with a token of RV -1', async () => {
    const { continue: token } = await list({ limit: 2 });
    const compacted = await lab.create('f');
    await lab.store.compact(compacted);
    const expired = await refused(list({ limit: 2, continue: token! }));
    expect(expired.status).toMatchObject({ code: 410, reason: 'Expired' });
    expect(expired.message).toContain('use the continue token in this response');
    expect(expired.refusal).toEqual({ refusedBy: 'etcd', because: 'compacted', floor: compacted });
    const { continue: inconsistent } = expired.status.metadata as { continue: string };
    expect(decodeContinueToken(inconsistent, PODS)).toEqual({ start: `${PODS}ns/b\0`, rv: -1 });
    const rest = await list({ limit: 2, continue: inconsistent });
    expect(rest).toMatchObject({ names: ['c@103', 'd@104'], resourceVersion: '106' });
    expect(decodeContinueToken(rest.continue!, PODS).rv).toBe(106);
  });

  it('takes no resourceVersion with continue but "0"', async () => {
    const { continue: token } = await list({ limit: 2 });
    expect((await list({ limit: 2, continue: token!, resourceVersion: '0' })).names).toEqual(['c@103', 'd@104']);
    const { status } = await refused(list({ limit: 2, continue: token!, resourceVersion: '105' }));
    expect(status).toMatchObject({
      code: 400,
      message: 'specifying resource version is not allowed when using continue',
    });
  });

  it('refuses a token that is none', async () => {
    expect((await refused(list({ continue: '!!!' }))).message).toBe(
      'invalid continue token: continue key is not valid: illegal base64 data at input byte 0',
    );
  });

  const row = (asked: Parameters<typeof list>[0]) => list(asked).then((found) => [found.names, found.resourceVersion]);
  const now = [['a@106', 'b@102', 'c@103', 'd@104', 'e@105'], '106'];
  const then = [['a@101', 'b@102', 'c@103'], '103'];

  it('reads exactly at an RV with Exact, and by the legacy rule with a limit', async () => {
    await lab.update('a', { note: 'new' });
    expect(await row({ resourceVersion: '103', resourceVersionMatch: 'Exact' })).toEqual(then);
    expect(await row({ resourceVersion: '103', limit: 10 })).toEqual(then);
    expect(await row({ resourceVersion: '103' })).toEqual(now);
    expect(await row({ resourceVersion: '103', limit: 10, resourceVersionMatch: 'NotOlderThan' })).toEqual(now);
    expect(await row({ resourceVersion: '0', limit: 10 })).toEqual(now);
  });

  it('of one name is one key: the legacy rule does not hold there', async () => {
    await lab.update('a', { note: 'new' });
    const one = { fields: 'metadata.name=a', key: `${PODS}ns/` };
    expect(await row({ ...one, resourceVersion: '103', limit: 10 })).toEqual([['a@106'], '106']);
    expect(await row({ ...one, resourceVersion: '103', resourceVersionMatch: 'Exact' })).toEqual([['a@101'], '103']);
    expect(await row({ ...one, fields: 'metadata.name=none' })).toEqual([[], '106']);
    expect(await row({ ...one, fields: 'metadata.name=a,metadata.namespace=other' })).toEqual([[], '106']);
  });

  it('of one name across namespaces stays a list, page by page', async () => {
    const asked = { fields: 'metadata.name=e', resourceVersion: '103', limit: 10 };
    expect(await row(asked)).toEqual([[], '103']);
  });

  it('below the compacted revision is 410 with the list’s text, at it an answer', async () => {
    await lab.store.compact(103);
    expect(await row({ resourceVersion: '103', resourceVersionMatch: 'Exact' })).toEqual(then);
    const gone = await refused(list({ resourceVersion: '102', resourceVersionMatch: 'Exact' }));
    expect(gone.status).toMatchObject({
      code: 410,
      reason: 'Expired',
      message: 'The resourceVersion for the provided list is too old.',
      metadata: {},
    });
    expect(gone.refusal).toEqual({ refusedBy: 'etcd', because: 'compacted', floor: 103 });
  });

  it('ahead of the store: exact is a raw 500, a minimum is 504', async () => {
    const exact = await refused(list({ resourceVersion: '200', resourceVersionMatch: 'Exact' }));
    expect(exact.status).toMatchObject({
      code: 500,
      message: 'etcdserver: mvcc: required revision is a future revision',
    });
    expect(exact.status.reason).toBeUndefined();
    const last = await refused(list({ resourceVersion: '9223372036854775807', resourceVersionMatch: 'Exact' }));
    expect(last.status.code).toBe(500);
    const beyond = await refused(list({ resourceVersion: '9223372036854775808', resourceVersionMatch: 'Exact' }));
    expect(beyond.message).toBe('Timeout: Too large resource version: 9223372036854775808, current: 105');
    for (const match of ['', 'NotOlderThan'] as const) {
      const minimum = await refused(list({ resourceVersion: '200', resourceVersionMatch: match }));
      expect(minimum.message).toBe('Timeout: Too large resource version: 200, current: 105');
    }
  });

  it('reads several pages of the store at one revision, and says D where that was compacted meanwhile', async () => {
    const { range } = lab.store;
    let reads = 0;
    lab.store.range = async (request) => {
      reads += 1;
      if (reads === 2) await lab.store.compact(await lab.create('zz'));
      return range.call(lab.store, request);
    };
    const gone = await refused(list({ limit: 2, labels: 'odd=none' }));
    expect(gone.message).toBe('The resourceVersion for the provided list is too old.');
  });

  it('gives a token that begins where the client’s own did: what was read before the compaction was not sent', async () => {
    const { continue: token } = await list({ limit: 1, labels: 'odd=true' });
    const { range } = lab.store;
    let reads = 0;
    lab.store.range = async (request) => {
      reads += 1;
      if (reads === 2) await lab.store.compact(await lab.create('zz'));
      return range.call(lab.store, request);
    };
    const gone = await refused(list({ limit: 2, labels: 'odd=true', continue: token! }));
    const { continue: rest } = gone.status.metadata as { continue: string };
    expect(decodeContinueToken(rest, PODS)).toEqual({ start: `${PODS}ns/a\0`, rv: -1 });
    expect((await list({ limit: 2, labels: 'odd=true', continue: rest })).names).toEqual(['c@103', 'e@105']);
  });
});

describe('cluster-scoped resources', () => {
  it('have one key per name, so a list of a name reads one key', async () => {
    lab.stop();
    lab = new Lab({ namespaced: false });
    for (const name of ['a', 'b'])
      await lab.storage.create(`${PODS}${name}`, { kind: 'Namespace', metadata: { name } });
    await lab.storage.guaranteedUpdate(`${PODS}a`, {}, (now) => ({ ...now!.object, spec: {} }));
    const found = await lab.storage.getList(PODS, {
      resourceVersion: '102',
      resourceVersionMatch: '',
      limit: 5,
      continue: '',
      predicate: predicate({ fields: 'metadata.name=a' }),
    });
    expect(found).toMatchObject({ items: [{ rv: 103 }], resourceVersion: '103' });
  });
});
