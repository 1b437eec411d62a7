import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Coverage } from '../../src/client/coverage.ts';
import { ObjectMap } from '../../src/client/object-map.ts';
import { bookmark, bytes, ended, errorEvent, event, listed, opened, play } from '../support/playbook.ts';

describe('Coverage', () => {
  it('names the lowest bookmark that promised a change, else the highest event', () => {
    const coverage = new Coverage();
    coverage.beginAt('100');
    for (const rv of ['150', '200', '260']) coverage.delivered('bookmark', rv);
    coverage.delivered('event', '300');
    expect(coverage.of('155')).toEqual({ rv: '200', by: 'bookmark' });
    expect(coverage.of('200')).toEqual({ rv: '200', by: 'bookmark' });
    expect(coverage.of('270')).toEqual({ rv: '300', by: 'event' });
    expect([coverage.of('100'), coverage.of('301'), coverage.of('x')]).toEqual([undefined, undefined, undefined]);
  });

  it('promises nothing without a beginning, nor after something that could not be read', () => {
    const coverage = new Coverage();
    coverage.delivered('bookmark', '200');
    expect(coverage.of('150')).toBeUndefined();
    coverage.continueAt('100');
    coverage.delivered('bookmark', '200');
    expect(coverage.of('150')).toEqual({ rv: '200', by: 'bookmark' });
    coverage.breakOff();
    coverage.delivered('bookmark', '300');
    expect(coverage.of('150')).toBeUndefined();
  });

  it('goes on over a resume, and begins anew with a list', () => {
    const coverage = new Coverage();
    coverage.continueAt('100');
    coverage.delivered('event', '120');
    coverage.continueAt('120');
    expect(coverage.of('110')).toEqual({ rv: '120', by: 'event' });
    coverage.beginAt('500');
    expect(coverage.of('110')).toBeUndefined();
  });
});

describe('missed changes', () => {
  const known = () => {
    const map = new ObjectMap();
    map.replace([{ key: 'a', name: 'n/a', rv: '90' }], true);
    map.coverage.beginAt('100');
    map.coverage.delivered('bookmark', '200');
    return map;
  };

  it('is a new or changed object that a bookmark had promised', () => {
    const listedNow = [
      { key: 'a', name: 'n/a', rv: '150' },
      { key: 'b', name: 'n/b', rv: '140' },
    ];
    expect(known().missed(listedNow, '300')).toEqual({
      count: 2,
      names: ['n/a', 'n/b'],
      name: 'n/b',
      rv: '140',
      coveredBy: { rv: '200', by: 'bookmark' },
    });
  });

  it.each([
    ['unchanged', [{ key: 'a', name: 'n/a', rv: '90' }], '300'],
    ['newer than what was promised', [{ key: 'a', name: 'n/a', rv: '250' }], '300'],
    ['older than the beginning', [{ key: 'b', name: 'n/b', rv: '95' }], '300'],
    ['in a list that is older than what was delivered', [{ key: 'b', name: 'n/b', rv: '150' }], '199'],
    ['in a list without an RV', [{ key: 'b', name: 'n/b', rv: '150' }], undefined],
  ])('nothing was missed: %s', (_name, now, listRv) => {
    expect(known().missed(now, listRv)).toBeUndefined();
  });

  it('never accuses a server that delivers everything, whatever the order of creations, changes and deletions', () => {
    const change = fc.record({ key: fc.constantFrom('a', 'b', 'c', 'd'), gone: fc.boolean(), told: fc.boolean() });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 40 }), (changes) => {
        const map = new ObjectMap();
        map.coverage.beginAt('100');
        const store = new Map<string, string>();
        let rv = 100;
        for (const { key, gone, told } of changes) {
          rv += 1;
          const type = gone && store.has(key) ? 'DELETED' : store.has(key) ? 'MODIFIED' : 'ADDED';
          if (type === 'DELETED') store.delete(key);
          else store.set(key, String(rv));
          map.note({ type, name: key, uid: key, rv: String(rv) });
          map.coverage.delivered('event', String(rv));
          if (told) map.coverage.delivered('bookmark', String(rv));
        }
        const now = [...store].map(([key, version]) => ({ key, name: key, rv: version }));
        expect(map.missed(now, String(rv))).toBeUndefined();
      }),
    );
  });

  it('is told with the list after a 410, over all streams since the list before', () => {
    const gone = errorEvent(410, 'too old resource version: 310 (400)');
    play({ start: 'list' })
      .gets(opened(), listed('300', [['a', '100']]), opened(), bytes(event('MODIFIED', 'a', '301'), bookmark('310')))
      .gets(ended(), opened(), bytes(gone), ended())
      .skip()
      .gets(
        opened(),
        listed('500', [
          ['a', '301'],
          ['b', '305'],
        ]),
      )
      .says(
        { kind: 'open' },
        { kind: 'list', facts: { missed: { name: 'shop/b', rv: '305', coveredBy: { rv: '310' } } } },
      );
  });
});

describe('a resume that was accepted and stays silent', () => {
  it('is answered with a LIST, once, where bookmarks had come before', () => {
    const query = 'watch=1&resourceVersion=100&allowWatchBookmarks=true&timeoutSeconds=240';
    play({ query })
      .gets(opened(), bytes(bookmark('150')))
      .after(70_000)
      .gets(ended())
      .skip()
      .gets(opened())
      .after(240_000)
      .gets(ended())
      .does(['list'])
      .gets(opened(), listed('90'))
      .does(['open-watch', 'resourceVersion=90'])
      .gets(opened())
      .after(240_000)
      .gets(ended())
      .does(['open-watch', 'resourceVersion=90']);
  });

  it('is none where no bookmark ever came: the resource may have none', () => {
    play({ query: 'watch=1&resourceVersion=100&allowWatchBookmarks=true&timeoutSeconds=240' })
      .gets(opened())
      .after(240_000)
      .gets(ended())
      .skip()
      .gets(opened())
      .after(240_000)
      .gets(ended())
      .does(['open-watch', 'resourceVersion=100']);
  });
});
