import { afterEach, describe, expect, it } from 'vitest';
import { nextBookmarkTime } from '../../src/cacher/bookmarks.ts';
import { Lab, type WatchLog } from '../support/lab.ts';
import { Link } from '../support/store-link.ts';

describe('nextBookmarkTime', () => {
  const now = 1_000_000;
  const bookmark = (left: number, owesInitialEventsEnd = false) => ({ deadline: now + left, owesInitialEventsEnd });
  it.each([
    ['a minute from now', bookmark(600_000), now + 60_000],
    ['without a deadline: a minute from now', bookmark(Number.POSITIVE_INFINITY), now + 60_000],
    ['2 s before the deadline, if that comes first', bookmark(30_000), now + 28_000],
    ['still there a millisecond earlier', bookmark(2_001), now + 1],
    ['never again, 2 s before the deadline', bookmark(2_000), undefined],
    ['at the next tick while the end of the initial events is owed', bookmark(100, true), now],
  ])('is %s', (_when, watcher, due) => {
    expect(nextBookmarkTime(now, watcher)).toBe(due);
  });
});

describe('bookmarks of a watch', () => {
  let lab: Lab;
  afterEach(() => lab.stop());

  /** The bookmarks of a log with the seconds since `from`, when they came. */
  async function bookmarksOver(log: WatchLog, seconds: number): Promise<string[]> {
    const seen: string[] = [];
    const start = lab.clock.now();
    for (let ms = 0; ms < seconds * 1000; ms += 250) {
      await lab.clock.advance(250);
      for (const one of log.take()) {
        if (one.startsWith('BOOKMARK')) seen.push(`${((lab.clock.now() - start) / 1000).toFixed(2)} ${one}`);
      }
    }
    return seen;
  }

  it('come about every minute, with the RV of the last event or progress notify', async () => {
    lab = await new Lab().start();
    const log = await lab.watch(100, { bookmarks: true });
    const rv = await lab.create('a');
    const seen = await bookmarksOver(log, 190);
    expect(seen).toEqual([`60.00 BOOKMARK @${rv}`, `120.00 BOOKMARK @${rv}`, `180.00 BOOKMARK @${rv}`]);
    await lab.store.put('/registry/elsewhere', new Uint8Array(1));
    expect((await bookmarksOver(log, 60)).map((one) => one.split(' ').slice(1).join(' '))).toEqual([
      `BOOKMARK @${rv + 1}`,
    ]);
  });

  it('do not depend on traffic: a busy watch gets them too', async () => {
    lab = await new Lab().start();
    const log = await lab.watch(100, { bookmarks: true });
    await lab.create('a');
    const seen: string[] = [];
    for (let i = 0; i < 65; i += 1) {
      await lab.update('a', { note: String(i) });
      await lab.clock.advance(1_000);
      seen.push(...log.take());
    }
    const bookmarks = seen.filter((one) => one.startsWith('BOOKMARK'));
    expect(bookmarks).toHaveLength(1);
    const at = seen.indexOf(bookmarks[0]!);
    expect(seen[at - 1]).toBe(`MODIFIED a@${bookmarks[0]!.split('@')[1]}`);
  });

  it('come before the deadline: from 3 s to 0.7 s before the end, once or twice', async () => {
    lab = await new Lab().start();
    await lab.clock.advance(300);
    const log = await lab.watch(100, { bookmarks: true, timeoutMs: 10_000 });
    await lab.create('a');
    const seen = (await bookmarksOver(log, 10)).map((one) => Number(one.split(' ')[0]));
    expect(seen.length).toBeGreaterThanOrEqual(1);
    expect(seen.length).toBeLessThanOrEqual(2);
    expect(Math.min(...seen)).toBeGreaterThanOrEqual(7);
    expect(Math.max(...seen)).toBeLessThanOrEqual(9.3);
  });

  it('do not come to a watch of less than 2 s', async () => {
    lab = await new Lab().start();
    const log = await lab.watch(100, { bookmarks: true, timeoutMs: 1_900 });
    await lab.create('a');
    expect(await bookmarksOver(log, 5)).toEqual([]);
  });

  it('come only to who allows them', async () => {
    lab = await new Lab().start();
    const log = await lab.watch(100);
    await lab.create('a');
    expect(await bookmarksOver(log, 130)).toEqual([]);
  });

  it('come only above the baseline: after a replay and nothing since, none', async () => {
    lab = await new Lab({ store: { progressNotifyMs: 3_600_000 } }).start();
    const last = await lab.create('a');
    await lab.clock.turn();
    const replayed = await lab.watch(100, { bookmarks: true });
    const caughtUp = await lab.watch(last, { bookmarks: true });
    const ahead = await lab.watch(last + 2, { bookmarks: true });
    expect(await bookmarksOver(replayed, 65)).toEqual([]);
    expect([caughtUp.lines, ahead.lines]).toEqual([[], []]);
    const next = await lab.update('a', { note: '1' });
    await lab.clock.advance(65_000);
    expect(caughtUp.lines).toEqual([`MODIFIED a@${next}`, `BOOKMARK @${next}`]);
    expect(ahead.lines).toEqual([]);
  });

  it('do not come from a cache that has seen neither event nor progress since it was filled', async () => {
    lab = new Lab({ store: { progressNotifyMs: 3_600_000 } });
    await lab.create('a');
    await lab.start();
    const log = await lab.watch(0, { bookmarks: true });
    expect(await bookmarksOver(log, 130)).toEqual([]);
    // Who was due meanwhile waits for his next turn, as anybody.
    await lab.update('a', { note: '1' });
    expect((await bookmarksOver(log, 65)).map((one) => one.split(' ').slice(1).join(' '))).toEqual(['BOOKMARK @102']);
  });

  it('are skipped, not queued, where the client has no room for them', async () => {
    lab = await new Lab().start();
    const watcher = await lab.cacher.watch('/registry/pods/', lab.params(100, { bookmarks: true, timeoutMs: 70_000 }));
    await lab.create('a');
    // 10 in each queue, and one in the hands of the loop between them.
    await lab.burst('a', 20);
    await lab.clock.advance(66_000);
    const kinds: string[] = [];
    for (let event = watcher.poll(); event; event = watcher.poll()) kinds.push(event.type);
    await lab.clock.turn();
    for (let event = watcher.poll(); event; event = watcher.poll()) kinds.push(event.type);
    expect(kinds).toHaveLength(21);
    expect(kinds).not.toContain('BOOKMARK');
    await lab.clock.advance(4_000);
    expect(watcher.poll()?.type).toBe('BOOKMARK');
  });
});

describe('the bookmark that ends the initial events', () => {
  let lab: Lab;
  afterEach(() => lab.stop());

  const streaming = { sendInitialEvents: true, bookmarks: true };

  it('comes at the first tick after them, marked, once; later ones are not marked', async () => {
    lab = await new Lab().start();
    const rv = await lab.create('a');
    await lab.clock.turn();
    const log = await lab.watch('0', streaming);
    expect(log.take()).toEqual([`ADDED a@${rv}`]);
    await lab.clock.advance(1_500);
    expect(log.take()).toEqual([`BOOKMARK @${rv} end of initial events`]);
    await lab.create('b');
    // Filed anew after the mark went out: the next is due in a minute, not at the next tick.
    await lab.clock.advance(57_000);
    expect(log.take()).toEqual([`ADDED b@${rv + 1}`]);
    await lab.clock.advance(5_000);
    expect(log.take()).toEqual([`BOOKMARK @${rv + 1}`]);
  });

  it('waits until the dispatcher has reached its target', async () => {
    lab = await new Lab().start();
    await lab.create('a');
    await lab.clock.turn();
    await lab.store.put('/registry/elsewhere', new Uint8Array(1));
    const opening = lab.watch('', streaming);
    await lab.clock.advance(1_000);
    await lab.update('a', { note: '1' });
    const log = await opening;
    expect(log.take()).toEqual(['ADDED a@103']);
    await lab.clock.advance(1_000);
    expect(log.take()).toEqual(['BOOKMARK @103 end of initial events']);
  });

  it('is not one below its target, which a dispatcher may be after a relist: it is tried at every tick', async () => {
    lab = new Lab();
    const link = new Link(lab.store);
    await lab.start();
    await lab.create('a');
    await lab.clock.turn();
    link.compactedAway();
    await lab.store.put('/registry/elsewhere', new Uint8Array(1));
    await lab.clock.advance(1_000);
    expect(lab.cacher.state()).toMatchObject({ generation: 2, listResourceVersion: 102 });
    const log = await lab.watch('0', streaming);
    await lab.clock.advance(4_000);
    expect(log.take()).toEqual(['ADDED a@101']);
    // The progress notify of the new watch brings the dispatcher to 102, the next tick the mark.
    await lab.clock.advance(2_000);
    expect(log.take()).toEqual(['BOOKMARK @102 end of initial events']);
  });

  it('comes with the first progress of a cache that nothing has happened to since it was filled', async () => {
    lab = new Lab();
    await lab.create('a');
    await lab.start();
    const log = await lab.watch(0, { sendInitialEvents: true, bookmarks: true });
    await lab.clock.advance(3_000);
    expect(log.take()).toEqual(['ADDED a@101']);
    await lab.clock.advance(9_000);
    expect(log.take()).toEqual(['BOOKMARK @101 end of initial events']);
  });

  it('is not owed without allowWatchBookmarks', async () => {
    lab = await new Lab().start();
    await lab.create('a');
    await lab.clock.turn();
    const log = await lab.watch('0', { sendInitialEvents: true });
    await lab.clock.advance(5_000);
    expect(log.lines).toEqual(['ADDED a@101']);
  });

  it('with an RV the cache has not reached in 3 s: 504 in the stream', async () => {
    lab = await new Lab({ store: { progressNotifyMs: 3_600_000 } }).start();
    const opening = lab.watch('500', streaming);
    await lab.clock.advance(3_000);
    const log = await opening;
    expect(log.lines).toEqual(['ERROR 504 Timeout: Too large resource version: 500, current: 100']);
    expect(log.ended).toBe(true);
  });
});
