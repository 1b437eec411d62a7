import { describe, expect, it } from 'vitest';
import {
  bookmark,
  bytes,
  ended,
  errorEvent,
  event,
  listed,
  opened,
  play,
  probed,
  refused,
} from '../support/playbook.ts';

const BUSY = `${JSON.stringify({ type: 'ERROR', object: { kind: 'Status', status: 'Failure', code: 429, message: 'busy', details: { retryAfterSeconds: 7 } } })}\n`;
const TOO_OLD = errorEvent(410, 'too old resource version: 100 (205)');

describe('session: list, then watch', () => {
  it('lists in pages, watches from the RV of the list, and tells both', () => {
    play({ start: 'list', raw: false, query: '' })
      .does(['list', /^\/api\/v1\/namespaces\/shop\/pods\?limit=500$/])
      .gets(opened(), listed('300', [['a', '1']], 'token'))
      .does(['list', 'limit=500&continue=token'])
      .gets(opened(), listed('300', [['b', '2']]))
      .says(
        { kind: 'open', verb: 'list' },
        { kind: 'open' },
        { kind: 'list', facts: { rv: '300', items: 2, pages: 2, truncated: false, why: 'start' } },
      )
      .does(['open-watch', 'watch=1&allowWatchBookmarks=true&timeoutSeconds=300&resourceVersion=300'])
      .gets(opened())
      .says({ kind: 'open', verb: 'watch', stream: 1, requestedRv: '300' })
      .is('streaming', { recorder: { facts: { requestedRvOrigin: 'list', lastRv: '300' } } });
  });

  it('--rv now asks for one object, and does not turn the page', () => {
    play({ start: 'now', raw: false, query: '' })
      .does(['list', 'limit=1'])
      .gets(opened(), listed('300', [['a', '1']], 'token'))
      .says({ kind: 'open' }, { kind: 'list', facts: { items: 1, truncated: true } })
      .does(['open-watch', 'resourceVersion=300']);
  });

  it('--raw --rv list: the LIST has the same query without what only a watch knows', () => {
    play({
      start: 'list',
      query: 'labelSelector=a%3Db&resourceVersion=7&resourceVersionMatch=NotOlderThan&timeoutSeconds=60&watch=1',
    })
      .does(['list', /pods\?labelSelector=a%3Db&resourceVersion=7&resourceVersionMatch=NotOlderThan$/])
      .gets(opened(), listed('9'))
      .does(['open-watch', /pods\?labelSelector=a%3Db&resourceVersion=9&timeoutSeconds=60&watch=1$/]);
  });

  it('begins anew, without an RV, where the RV or the token of a LIST is gone', () => {
    play({ start: 'list', query: 'resourceVersion=7' })
      .gets(opened(), listed('7', [], 'old'))
      .skip()
      .gets(refused(410))
      .says(
        { kind: 'open', httpStatus: 410 },
        { kind: 'list', facts: { httpStatus: 410, refusal: { hadContinue: true } } },
      )
      .does(['list', /pods\?limit=500$/]);
  });

  it('asks without the RV after the server did not come to it three times', () => {
    const tooLarge = refused(504, { retryAfter: '1', causes: ['ResourceVersionTooLarge'] });
    const book = play({ start: 'list', query: 'resourceVersion=7' }).does(['list', 'resourceVersion=7']);
    for (const delay of [1000, 1600]) book.gets(tooLarge).does().after(delay).does(['list', 'resourceVersion=7']);
    book
      .gets(tooLarge)
      .after(3200)
      .does(['list', /pods\?limit=500$/]);
  });
});

describe('session: resume', () => {
  it('resumes at once from the last whole frame after a proper end', () => {
    play()
      .does(['open-watch', /^\/api\/v1\/namespaces\/shop\/pods\?watch=1&resourceVersion=100$/])
      .gets(opened(), bytes(event('ADDED', 'web-0', '101')))
      .says({ kind: 'open' }, { kind: 'event', fields: { type: 'ADDED', name: 'web-0', rv: '101' }, stream: 1 })
      .gets(bytes(bookmark('105'), '{"type":"ADD'), ended('truncated'))
      .says(
        { kind: 'event', rvStep: 4 },
        {
          kind: 'end',
          facts: { end: 'truncated', events: 1, bookmarks: 1, lastRv: '105', lastRvOrigin: 'bookmark', tailBytes: 12 },
        },
      )
      .does(['open-watch', 'resourceVersion=105']);
  });

  it('keeps the query as it was given and replaces the RV alone', () => {
    play({ query: 'fieldSelector=a%2Cb&watch&resourceVersion=1&x=%zz' })
      .does(['open-watch', /\?fieldSelector=a%2Cb&watch&resourceVersion=1&x=%zz$/])
      .gets(opened(), bytes(bookmark('5')), ended())
      .does(['open-watch', /\?fieldSelector=a%2Cb&watch&resourceVersion=5&x=%zz$/]);
  });

  it('--pin-query reopens with the same query, also after a 410', () => {
    play({ pinQuery: true })
      .skip()
      .gets(opened(), bytes(event('ADDED', 'a', '101')), ended())
      .does(['open-watch', /resourceVersion=100$/])
      .gets(opened(), bytes(TOO_OLD), ended())
      .after(1000)
      .does(['open-watch', /resourceVersion=100$/]);
  });

  it('--pin-query with bookmarks: what comes again went not backwards', () => {
    const { state } = play({ pinQuery: true }).gets(
      opened(),
      bytes(bookmark('150'), bookmark('190')),
      ended(),
      opened(),
      bytes(bookmark('150')),
    );
    expect(state).toMatchObject({ kind: 'streaming', recorder: { facts: { stream: 2, bookmarks: 1 } } });
    expect(state.kind === 'streaming' && state.recorder.facts.wentBackwards).toBe(undefined);
  });

  it('a LIST that waits for its headers is told as such, and is the same LIST when they come', () => {
    const book = play({ start: 'list' }).gets({ kind: 'no-headers', writtenAt: 1_000_003 });
    const { state } = book;
    const pending = state.kind === 'listing' ? state.list.pending : undefined;
    expect(pending).toMatchObject({ askedAt: 1_000_003, noAnswerAt: 1_000_000, why: 'start' });
    book
      .skip()
      .gets({ ...opened(), writtenAt: 1_000_003 } as ReturnType<typeof opened>, listed('7'))
      .says({ kind: 'open' }, { kind: 'list', facts: { rv: '7', askedAt: 1_000_003, noAnswerAt: 1_000_000 } });
  });

  it('waits for as long as an ERROR event in the stream asks for', () => {
    play()
      .skip()
      .gets(opened(), bytes(event('ADDED', 'a', '101'), BUSY), ended())
      .after(6999)
      .does()
      .after(1)
      .does(['open-watch', 'resourceVersion=101']);
  });

  it('backs off when nothing listens, and asks for the same RV again', () => {
    play()
      .skip()
      .gets(ended('refused', 'ECONNREFUSED'))
      .says({ kind: 'end', facts: { end: 'refused', endDetail: 'ECONNREFUSED' } })
      .does()
      .is('backoff')
      .after(799)
      .does()
      .after(1)
      .does(['open-watch', 'resourceVersion=100']);
  });

  it('waits for as long as Retry-After says, and longer where its own back-off is longer', () => {
    const book = play()
      .skip()
      .gets(refused(429, { retryAfter: '4' }));
    book.after(3999).does().after(1).does(['open-watch']);
    book.gets(refused(503)).after(1599).does().after(1).does(['open-watch']);
  });

  it('backs off after very short, empty streams, and lists after the third', () => {
    const book = play().skip();
    for (const delay of [800, 1600])
      book.gets(opened(), ended()).does().after(delay).does(['open-watch', 'resourceVersion=100']);
    book.gets(opened(), ended()).after(3200).does(['list']);
    book.gets(opened(), listed('300')).does(['open-watch', 'resourceVersion=300']);
  });

  it('never asks for more than six watches in 30 s, however healthy each looks', () => {
    const times: number[] = [];
    const book = play().skip();
    for (let rv = 101; rv < 140; rv++) {
      if (book.state.kind === 'connecting') {
        times.push(book.at);
        book.gets(opened(), bytes(event('MODIFIED', 'a', String(rv))), ended());
      }
      book.after(1000);
    }
    for (const [n, at] of times.entries()) {
      const seventh = times[n + 6];
      if (seventh !== undefined) expect(seventh - at).toBeGreaterThanOrEqual(30_000);
    }
    expect(times.length).toBeGreaterThan(6);
  });

  it('but reopens at once after each planned end, which it asked for itself', () => {
    const book = play({ query: 'watch=1&resourceVersion=100&timeoutSeconds=2' }).skip();
    for (let n = 0; n < 10; n++) book.gets(opened()).after(2000).gets(ended()).does(['open-watch']);
  });
});

describe('session: 410', () => {
  it('lists at once after the first, with a gap proof, and never uses the RV again', () => {
    play({ start: 'list', raw: false, query: '' })
      .gets(
        opened(),
        listed('100', [
          ['kept', '1'],
          ['changed', '2'],
          ['deleted', '3'],
        ]),
      )
      .skip()
      .gets(opened(), bytes(TOO_OLD))
      .says({ kind: 'open' }, { kind: 'event', fields: { type: 'ERROR' }, status: { code: 410 } })
      .does()
      .gets(ended())
      .says({ kind: 'end', facts: expect.not.objectContaining({ lastRv: expect.anything() }) })
      .does(['list', /^[^?]*\?limit=500$/])
      .gets(
        opened(),
        listed('300', [
          ['kept', '1'],
          ['changed', '9'],
          ['created', '8'],
        ]),
      )
      .says(
        { kind: 'open' },
        {
          kind: 'list',
          facts: {
            why: '410',
            gap: {
              created: { count: 1, names: ['shop/created'] },
              changed: { count: 1, names: ['shop/changed'] },
              deleted: { count: 1, names: ['shop/deleted'] },
            },
          },
        },
      )
      .does(['open-watch', 'resourceVersion=300']);
  });

  it('gives no gap proof where it did not know everything before', () => {
    play()
      .gets(opened(), bytes(event('ADDED', 'a', '101'), TOO_OLD), ended())
      .skip()
      .gets(opened(), listed('300', [['b', '2']]))
      .says({ kind: 'open' }, { kind: 'list', facts: expect.not.objectContaining({ gap: expect.anything() }) });
  });

  it('knows everything after the initial state of a watch without an RV', () => {
    play({ query: 'watch=1' })
      .gets(opened(), bytes(event('ADDED', 'a', '7'), event('ADDED', 'b', '5'), bookmark('9'), TOO_OLD), ended())
      .skip()
      .gets(opened(), listed('300', [['a', '7']]))
      .says({ kind: 'open' }, { kind: 'list', facts: { gap: { deleted: { count: 1 } } } });
  });

  it('waits before the second within two minutes', () => {
    play()
      .gets(opened(), bytes(TOO_OLD), ended())
      .gets(opened(), listed('300'))
      .skip()
      .gets(opened(), bytes(TOO_OLD), ended())
      .does()
      .is('backoff')
      .after(1600)
      .does(['list']);
  });

  it('as HTTP status: the same', () => {
    play()
      .skip()
      .gets(refused(410))
      .says({ kind: 'open', httpStatus: 410 }, { kind: 'end', facts: { end: 'rejected', httpStatus: 410 } })
      .does(['list', /pods\?limit=500$/])
      .gets(opened(), listed(undefined))
      .does(['open-watch', /pods\?watch=1$/]);
  });

  it('lists by the same path without watch/ where the path was a legacy one', () => {
    play({ path: '/api/v1/watch/namespaces/shop/endpoints/cart', query: 'resourceVersion=100' })
      .does(['open-watch', /^\/api\/v1\/watch\/namespaces\/shop\/endpoints\/cart\?resourceVersion=100$/])
      .gets(opened(), bytes(TOO_OLD), ended())
      .does(['list', /^\/api\/v1\/namespaces\/shop\/endpoints\?limit=500&fieldSelector=metadata.name%3Dcart$/])
      .gets(opened(), listed('300'))
      .does(['open-watch', /\/watch\/namespaces\/shop\/endpoints\/cart\?resourceVersion=300$/]);
  });

  it('is told by the code alone: another ERROR with the words of a 410 is none', () => {
    play()
      .skip()
      .gets(opened(), bytes(errorEvent(500, 'too old resource version: 100 (205)')), ended())
      .does()
      .after(800)
      .does(['open-watch', 'resourceVersion=100']);
  });

  it('closes a stream that the server leaves open after its ERROR', () => {
    play().skip().gets(opened(), bytes(TOO_OLD)).after(29_999).does().after(1).does(['close'], ['list']);
  });
});

describe('session: refusals of the first request', () => {
  it.each([302, 400, 401, 403, 404, 405, 406, 422])('%i ends it', (status) => {
    play()
      .skip()
      .gets(refused(status))
      .says({ kind: 'open' }, { kind: 'end', facts: { end: 'rejected' } })
      .is('stopped', { why: 'refused' });
    play({ start: 'list' }).gets(refused(status)).is('stopped', { why: 'refused' });
  });

  it.each([408, 429, 500, 502, 503, 504])('%i is tried again', (status) => {
    play().gets(refused(status)).is('backoff');
    play({ start: 'list' }).gets(refused(status)).is('backoff');
  });

  it.each([401, 403, 404])('%i is tried again once a stream was live', (status) => {
    play()
      .gets(opened(), bytes(bookmark('101')), ended(), refused(status))
      .is('backoff');
  });

  it('tls and a name that does not exist end it, a refused connection does not', () => {
    play().gets(ended('tls', 'ERR_SSL_WRONG_VERSION_NUMBER')).is('stopped', { why: 'refused' });
    play().gets(ended('refused', 'ENOTFOUND')).is('stopped', { why: 'refused' });
    play().gets(ended('refused', 'EAI_AGAIN')).is('backoff');
    play().gets(ended('refused', 'ECONNREFUSED')).is('backoff');
  });

  it('a list instead of a stream ends it; later it does not', () => {
    const list = '{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"8"},"items":[]}';
    play()
      .skip()
      .gets(opened(), bytes(list))
      .says({ kind: 'open' }, { kind: 'end', facts: { end: 'not-a-stream', body: { jsonKind: 'PodList' } } })
      .does(['close'])
      .is('stopped', { why: 'refused' });
    play()
      .gets(opened(), bytes(bookmark('101')), ended(), opened(), bytes(list))
      .is('backoff');
  });

  it('a page instead of a stream ends it', () => {
    play()
      .gets(opened({ headers: { 'content-type': 'text/html' } }), bytes('<html>log in</html>'), ended())
      .is('stopped', { why: 'refused' });
  });

  it('a 401 is tried once more where the credential may have been renewed', () => {
    play({ renewable: true })
      .skip()
      .gets(refused(401))
      .does(['renew-credentials'], ['open-watch'])
      .gets(refused(401))
      .does()
      .is('stopped', { why: 'refused' });
  });
});

describe('session: ends of our own', () => {
  it('--once stops after the first stream', () => {
    play({ once: true })
      .gets(opened(), bytes(bookmark('101')), ended())
      .is('stopped', { why: 'once' });
  });

  it('gives up a stream that is silent past its timeout, not one that still sends', () => {
    const book = play({ query: 'watch=1&resourceVersion=100&timeoutSeconds=60' })
      .skip()
      .gets(opened())
      .after(69_999)
      .does();
    book
      .after(1)
      .does(['close'], ['open-watch'])
      .says({ kind: 'open' }, { kind: 'end', facts: { end: 'stalled' } });
    const busy = play({ query: 'watch=1&resourceVersion=100&timeoutSeconds=60' }).skip().gets(opened());
    for (let n = 0; n < 20; n++)
      busy
        .after(9000)
        .gets(bytes(bookmark(String(101 + n))))
        .does();
  });

  it('does not give up while it leaves the socket unread itself', () => {
    play({ query: 'watch=1&resourceVersion=100&timeoutSeconds=60' })
      .skip()
      .gets(opened(), { kind: 'read-paused' })
      .after(200_000)
      .does()
      .gets({ kind: 'read-resumed' })
      .after(9_000)
      .does()
      .gets(ended())
      .says({ kind: 'open' }, { kind: 'end', facts: { readStalledMs: 200_000, end: 'eof' } });
  });

  it('silence alone cuts nothing', () => {
    play()
      .skip()
      .gets(opened(), bytes(bookmark('101')))
      .after(86_400_000)
      .does()
      .is('streaming');
  });

  it('gives up a frame that grows over the bound', () => {
    const piece = `{"type":"ADDED","object":{"x":"${'x'.repeat(8 * 1024 * 1024)}`;
    play()
      .skip()
      .gets(
        opened(),
        bytes(event('ADDED', 'a', '101'), piece, ...Array.from({ length: 4 }, () => 'x'.repeat(8 * 1024 * 1024))),
      )
      .does(['close'])
      .is('backoff');
  });

  it('tells when no headers come, goes on waiting, and says so at the end', () => {
    play()
      .skip()
      .gets({ kind: 'no-headers' })
      .says({ kind: 'phase', phase: { state: 'no-answer', stream: 1 } })
      .is('connecting')
      .gets({ kind: 'stop-asked' })
      .says({ kind: 'end', facts: { end: 'no-response' } })
      .does(['close']);
    play({ start: 'list' })
      .gets({ kind: 'no-headers' }, { kind: 'stop-asked' })
      .says({ kind: 'list', facts: { refusal: { end: 'no-response' } } });
  });
});

describe('session: probes', () => {
  it('asks for version, counters and floor once the first watch is open, then for the floor now and then', () => {
    const book = play({ probing: true }).skip().gets(opened());
    book.does(['probe', 'version'], ['probe', 'metrics'], ['probe', 'window']);
    book.after(29_999).does().after(1).does(['probe', 'window']).after(30_000).does(['probe', 'window']);
    book.gets(ended()).does(['open-watch']).gets(opened()).does();
  });

  it('asks after a 410 whether etcd still has the RV, for the counters, and three times for the floor', () => {
    play({ probing: true })
      .gets(opened())
      .skip()
      .gets(bytes(TOO_OLD))
      .does(['probe', 'exact 100'], ['probe', 'metrics'], ['probe', 'window'])
      .gets(ended(), opened(), listed('300'), opened())
      .skip()
      .after(2000)
      .does(['probe', 'window'])
      .after(3000)
      .does(['probe', 'window']);
  });

  it('asks about the RV it had come to where the 410 hits in mid-stream', () => {
    play({ probing: true })
      .gets(opened(), bytes(event('ADDED', 'a', '120')))
      .skip()
      .gets(bytes(errorEvent(410)))
      .does(['probe', 'exact 120'], ['probe', 'metrics'], ['probe', 'window']);
  });

  it('asks nothing under --no-probe', () => {
    play().skip().gets(opened(), bytes(TOO_OLD), ended()).does(['list']);
  });

  it('asks a second watch when bookmarks fail to come, and cuts the stream that it contradicts', () => {
    const book = play({ probing: true, query: 'watch=1&resourceVersion=100&allowWatchBookmarks=true' });
    book
      .gets(opened(), bytes(bookmark('101')))
      .skip()
      .after(189_999);
    const windows = Array.from({ length: 6 }, () => ['probe', 'window'] as ['probe', string]);
    book
      .does(...windows)
      .after(1)
      .does(['probe', 'side 101'], ['probe', 'cache-rv']);
    const askedAt = book.at;
    book
      .gets(probed('side', { kind: 'side', frames: 0, waitedMs: 5000 }, askedAt))
      .is('streaming')
      .does();
    book
      .gets(probed('side', { kind: 'side', frames: 2, waitedMs: 5000 }, askedAt))
      .does(['close'], ['open-watch', 'resourceVersion=101']);
  });

  it('does not cut a stream that was heard since the question', () => {
    const book = play({ probing: true }).gets(opened(), bytes(bookmark('101')));
    const askedAt = book.at;
    book
      .after(10)
      .gets(bytes(bookmark('102')), probed('side', { kind: 'side', frames: 2, waitedMs: 1 }, askedAt))
      .is('streaming');
  });
});

describe('session: leave and return', () => {
  it('holds the RV while away, and comes back with it, with another timeout if asked', () => {
    play()
      .skip()
      .gets(opened(), bytes(bookmark('120')), { kind: 'leave' })
      .does(['close'])
      .is('away')
      .after(3_600_000)
      .does()
      .gets({ kind: 'return', timeoutSeconds: 5 })
      .does(['open-watch', /resourceVersion=120&timeoutSeconds=5$/]);
  });

  it('lists when it comes back, where its RV was refused just before it left', () => {
    play().skip().gets(opened(), bytes(TOO_OLD), { kind: 'leave' }, { kind: 'return' }).does(['close'], ['list']);
  });
});
