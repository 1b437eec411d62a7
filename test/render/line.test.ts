import { describe, expect, it } from 'vitest';
import { LineFace } from '../../src/render/line.ts';
import { makeTheme } from '../../src/render/theme.ts';
import { localStory, tailStory } from '../support/canned-story.ts';
import { eventItem, findingItem, START } from '../support/feed-items.ts';

const theme = makeTheme('never', {}, false);

describe('-o line', () => {
  it('tells the story as it is drawn for pipes', () => {
    const face = new LineFace({ theme, labels: 'none' });
    expect(
      tailStory()
        .flatMap((item) => face.lines(item))
        .join('\n'),
    ).toBe(
      [
        '12:04:31.500 ↻ list at 20410: 43 objects',
        '12:04:31.600 ▫ stream 1 from 20410',
        '12:04:32.002 M cart-5d11-0qk2m                                       20475',
        '12:04:33.002 D cart-5d11-0qk2m                                       20479      +4',
        '12:04:47.310 B bookmark                                              20481      +2',
        '12:05:02.114 ▪ stream 1 ended: proper end, as asked (5 m 12 s)',
        '12:05:02.131 ▫ stream 2 from 20481 … no answer: connection refused',
        '12:09:40.877 ▫ stream 3 from 20481',
        '12:09:40.902 E ERROR 410 Expired: too old resource version: 20481 (22390)',
        '12:09:40.903 ▪ stream 3 ended: proper end (0.0 s)',
        '12:09:40.902 ! RING-BUFFER EXPIRY, rolled over, high: refused by watch cache, in the stream (HTTP 200): 20481 < floor 22390',
        '12:09:40.902 !   why: away 4 m 39 s; the window slid past 20481 while we were away',
        '12:09:40.902 !   ruled out: compaction (etcd still has 20481); rebuild (the floor crept)',
        '12:09:40.902 !   do: nothing. Nobody has to be woken.',
        '12:09:40.951 ↻ relist at 24102: 3 created, 41 changed, 2 deleted unseen',
        '12:09:40.960 ▫ stream 4 from 24102',
        '12:09:41.377 M cart-7c9f-x2k4l                                       24110      +8',
        '12:09:42.016 A cart-7c9f-zz81q                                       24131     +21',
        '12:09:43.560 M cart-7c9f-zz81q                                       24185     +54',
        '12:09:52.101 B bookmark                                              24188      +3',
      ].join('\n'),
    );
  });

  it('tells local’s story with the watcher’s label and the time since the start', () => {
    const face = new LineFace({ theme, labels: 'watcher', since: START });
    const lines = localStory().flatMap((item) => face.lines(item));
    expect(lines).toContain(' 0:00.998 [B] M web-02                                                 1041      +1');
    expect(lines).toContain(' 0:01.000 [B] ▪ B leaves, holds 1041');
    expect(lines).toContain(' 0:03.510 [B] !   server agrees ✓');
  });

  it('says what the server says where it does not agree, and by what a finding is explained', () => {
    const face = new LineFace({ theme, labels: 'none' });
    const says = face.lines(findingItem(START, {}, { ok: false, says: 'compacted\x1b[31m' }));
    expect(says.at(-1)).toBe('12:04:32.000 !   server says compacted\\x1b[31m');
    const explained = face.lines(findingItem(START, { explainedBy: 'f2' }));
    expect(explained.slice(1)).toEqual(['12:04:32.000 !   explained by finding 2']);
  });

  it('keeps quiet about what was explained before anything was said of it', () => {
    const face = new LineFace({ theme, labels: 'none' });
    expect(face.lines(findingItem(START, { id: 'f9', explainedBy: 'f10' }))).toEqual([]);
  });

  it('prints a revision that reads the same once, and one that reads otherwise again', () => {
    const face = new LineFace({ theme, labels: 'none' });
    expect(face.lines(findingItem(START, { rev: 1 })).length).toBeGreaterThan(0);
    expect(face.lines(findingItem(START + 50, { rev: 2 }))).toEqual([]);
    expect(face.lines(findingItem(START + 60, { rev: 3, severity: 'error' })).length).toBeGreaterThan(0);
  });

  it('keeps the columns of several targets apart', () => {
    const face = new LineFace({ theme, labels: 'target' });
    expect(face.lines(eventItem(START, { name: 'web-0', rv: '7' }))).toEqual([
      '12:04:32.000 [pods]         M web-0                                                     7',
    ]);
  });

  it('colours only where it may', () => {
    const colored = new LineFace({ theme: makeTheme('always', { NO_COLOR: '1' }, false), labels: 'none' });
    expect(colored.lines(eventItem(START, { type: 'DELETED', name: 'web-0' }))[0]).toContain('\x1b[31m');
    expect(makeTheme('auto', { NO_COLOR: '1' }, true).colored).toBe(false);
    expect(makeTheme('auto', { TERM: 'dumb' }, true).colored).toBe(false);
    expect(makeTheme('auto', {}, false).colored).toBe(false);
  });
});
