import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { decodeContinueToken } from '../../src/protocol/continue-token.ts';
import { key, Lab, PODS, refused } from '../support/lab.ts';

let lab: Lab;

beforeEach(() => {
  lab = new Lab();
});
afterEach(() => lab.stop());

describe('watch', () => {
  const watch = (rv: string | number, asked: Parameters<Lab['watch']>[1] = {}) => lab.watch(rv, asked, lab.storage);

  it.each(['', '0'])(
    'from "%s" sends the state as ADDED in key order, each with its own RV, then follows',
    async (rv) => {
      await lab.create('b');
      await lab.create('a');
      await lab.update('b', { note: '1' });
      const log = await watch(rv);
      expect(log.take()).toEqual(['ADDED a@102', 'ADDED b@103']);
      await lab.update('a', { note: '1' });
      await lab.delete('b');
      await lab.clock.turn();
      expect(log.take()).toEqual(['MODIFIED a@104', 'DELETED b@105']);
    },
  );

  it('from N sends what came after N', async () => {
    const rv = await lab.create('a');
    await lab.update('a', { note: '1' });
    expect((await watch(rv)).lines).toEqual(['MODIFIED a@102']);
  });

  it('from a future N is silent until it is passed', async () => {
    const log = await watch(103);
    for (const name of ['a', 'b', 'c', 'd']) await lab.create(name);
    await lab.clock.turn();
    expect(log.lines).toEqual(['ADDED d@104']);
  });

  it('from beyond what etcd counts to is from the beginning, or from before it (seen on a real apiserver)', async () => {
    await lab.create('a');
    for (const beyond of ['18446744073709551615', '9223372036854775808']) {
      expect((await watch(beyond)).lines).toEqual(['ADDED a@101']);
    }
    expect((await watch('9223372036854775806')).lines).toEqual([]);
    expect((await watch('9223372036854775807')).lines).toEqual([
      'ERROR 410 The resourceVersion for the provided watch is too old.',
    ]);
  });

  it('sends selector transitions, a DELETED with the content before and the RV of the change', async () => {
    const log = await watch(100, { labels: 'app=x' });
    await lab.create('a');
    await lab.update('a', { labels: { app: 'x' }, note: 'in' });
    await lab.update('a', { labels: { app: 'x' }, note: 'still in' });
    await lab.update('a', { labels: { app: 'y' }, note: 'out' });
    await lab.delete('a');
    await lab.create('b', { labels: { app: 'x' } });
    await lab.delete('b');
    await lab.clock.turn();
    expect(log.lines).toEqual(['ADDED a@102', 'MODIFIED a@103', 'DELETED a@104', 'ADDED b@106', 'DELETED b@107']);
    const [, , left] = log.events;
    expect(left).toMatchObject({
      object: { object: { status: { note: 'still in' }, metadata: { resourceVersion: '104' } } },
    });
  });

  it('of one name sees that object alone', async () => {
    const log = await watch(100, { fields: 'metadata.name=a', key: `${PODS}ns/` });
    await lab.create('a');
    await lab.create('aa');
    await lab.create('a', { namespace: 'other' });
    await lab.clock.turn();
    expect(log.lines).toEqual(['ADDED a@101']);
  });

  it('below the compacted revision is one ERROR in etcd’s words, with its cause, and the end', async () => {
    for (const name of ['a', 'b', 'c']) await lab.create(name);
    await lab.store.compact(103);
    const log = await watch(101);
    expect(log.lines).toEqual(['ERROR 410 The resourceVersion for the provided watch is too old.']);
    expect(log.ended).toBe(true);
    expect(log.events[0]).toMatchObject({ cause: { refusedBy: 'etcd', because: 'compacted', floor: 102 } });
  });

  it('from N with N + 1 = C opens: a create at C comes, an update at C is the 500 of the lost previous value', async () => {
    await lab.create('a');
    await lab.create('b');
    await lab.store.compact(102);
    expect((await watch(101)).lines).toEqual(['ADDED b@102']);
    await lab.update('a', { note: '1' });
    await lab.store.compact(103);
    const log = await watch(102);
    const text = 'etcd event received with PrevKv=nil (key="/registry/pods/ns/a", modRevision=103, type=PUT)';
    expect(log.lines).toEqual([`ERROR 500 Internal error occurred: ${text}`]);
    expect(log.events[0]).toMatchObject({
      status: { reason: 'InternalError', details: { causes: [{ message: text }] } },
    });
    expect(log.events[0]).not.toHaveProperty('cause');
  });

  it('that is open is not harmed by a compaction', async () => {
    const log = await watch(100);
    await lab.create('a');
    await lab.store.compact(101);
    await lab.update('a', { note: '1' });
    await lab.clock.turn();
    expect(log.lines).toEqual(['ADDED a@101', 'MODIFIED a@102']);
    expect(log.ended).toBe(false);
  });

  it('whose paged initial list is overtaken by a compaction ends with the continue text', async () => {
    for (const name of ['a', 'b', 'c']) await lab.create(name);
    const { range } = lab.store;
    let reads = 0;
    lab.store.range = async (request) => {
      reads += 1;
      if (reads === 2) await lab.store.compact(await lab.create('zz'));
      return range.call(lab.store, { ...request, limit: 1 });
    };
    const log = await watch('');
    expect(log.lines[0]).toBe('ADDED a@101');
    expect(log.lines[1]).toMatch(/^ERROR 410 The provided continue parameter is too old .* use the continue token/);
    const failure = log.events[1] as { status: { metadata: { continue: string } } };
    expect(decodeContinueToken(failure.status.metadata.continue, PODS)).toEqual({ start: `${PODS}ns/a\0`, rv: -1 });
  });

  it('at an RV that is no number rejects: 500 without a reason', async () => {
    const { status } = await refused(lab.storage.watch(PODS, lab.params('abc')));
    expect(status).toMatchObject({
      code: 500,
      message: 'resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax',
    });
    expect(status.reason).toBeUndefined();
  });

  it('of bytes that are no object is a 500 in the stream', async () => {
    const log = await watch(100);
    await lab.store.put(key('a'), Buffer.from('garbage'));
    await lab.clock.turn();
    expect(log.lines[0]).toMatch(/^ERROR 500 Internal error occurred: /);
    expect(log.ended).toBe(true);
  });

  it('with sendInitialEvents: state and end mark; false: from now; too far ahead: 504 in the stream', async () => {
    await lab.create('a');
    const marked = await watch('0', { sendInitialEvents: true, bookmarks: true });
    expect(marked.lines).toEqual(['ADDED a@101', 'BOOKMARK @101 end of initial events']);
    const fromNow = await watch('0', { sendInitialEvents: false });
    await lab.update('a', { note: '1' });
    await lab.clock.turn();
    expect(fromNow.lines).toEqual(['MODIFIED a@102']);
    const ahead = await watch('500', { sendInitialEvents: true });
    expect(ahead.lines).toEqual(['ERROR 504 Timeout: Too large resource version: 500, current: 102']);
    expect(ahead.events[0]).toMatchObject({ status: { details: { retryAfterSeconds: 1 } } });
  });

  it('sends no bookmarks, however long it lasts', async () => {
    const log = await watch(100, { bookmarks: true });
    await lab.clock.advance(200_000);
    expect(log.lines).toEqual([]);
  });

  it('blocks on a slow reader, and never cuts it off', async () => {
    const watcher = await lab.storage.watch(PODS, lab.params(100));
    await lab.create('a');
    const last = await lab.burst('a', 500);
    await lab.clock.advance(60_000);
    const rvs: number[] = [];
    while (rvs.at(-1) !== last) {
      const event = await watcher.next();
      if (event?.type === 'MODIFIED' || event?.type === 'ADDED') rvs.push(event.object.rv);
      else throw new Error(`unexpected ${event?.type}`);
    }
    expect(rvs).toEqual(Array.from({ length: 501 }, (_, i) => 101 + i));
  });

  it('ends when it is stopped or its signal aborts, and lets go of the store', async () => {
    const stop = new AbortController();
    const log = await watch(100, { signal: stop.signal });
    const other = await watch(100);
    expect(lab.store.state().watches).toBe(2);
    stop.abort();
    other.watcher.stop();
    await lab.clock.turn();
    expect([log.ended, other.ended]).toEqual([true, true]);
    expect(lab.store.state().watches).toBe(0);
    expect((await watch(100, { signal: stop.signal })).ended).toBe(true);
  });
});
