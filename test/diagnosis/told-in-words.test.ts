import { describe, expect, it } from 'vitest';
import { diagnose } from '../../src/diagnosis/diagnose.ts';
import type { Finding, FindingClass } from '../../src/diagnosis/finding.ts';
import { verdictOf } from '../../src/diagnosis/verdict.ts';
import { FactsBuilder, failure, seconds } from './facts-builder.ts';

/** What a finding says, all of it that a person reads. */
const wordsOf = ({ title, text, evidence, next }: Finding) => [title, text, ...evidence, ...next].join('\n');

function told(b: FactsBuilder, now: number, name: FindingClass): Finding {
  const found = diagnose(b.run(now)).find((one) => one.class === name);
  if (!found) throw new Error(`no finding of class ${name}`);
  return found;
}

describe('numbers of an outage', () => {
  it('are what was seen: so many refused, and when one was answered again', () => {
    const b = new FactsBuilder();
    const target = b.target('pods');
    b.stream(target, { at: 0, end: 'reset', until: 41, timeout: 540, last: ['110', 40], events: 10 });
    for (const at of [41, 42, 45]) b.stream(target, { at, rv: '110', rvAt: 40, end: 'refused' });
    b.stream(target, { at: 50, rv: '110', rvAt: 40 });
    const { text } = told(b, 200, 'connection-lost');
    expect(text).toContain('Then 3 connections were refused, until one was answered again 9 s after the first of them');
    expect(text).not.toContain('refused for');
  });

  it('stand beside a planned end as well, which the short absence belongs to', () => {
    const b = new FactsBuilder();
    const target = b.target('pods');
    b.stream(target, { at: 0, end: 'eof', until: 120, timeout: 120, last: ['118', 118], bookmarks: [60, 118] });
    for (const at of [120.1, 121]) b.stream(target, { at, rv: '118', rvAt: 118, end: 'refused' });
    b.stream(target, { at: 124, rv: '118', rvAt: 118, timeout: 120 });
    const findings = diagnose(b.run(200));
    const planned = findings.find((one) => one.class === 'server-timeout');
    expect(findings.find((one) => one.class === 'unreachable')?.explainedBy).toBe(planned?.id);
    expect(planned?.text).toContain('Then 2 connections were refused, until one was answered again 3.9 s after');
  });

  it('name the other resources whose streams ended with this one', () => {
    const b = new FactsBuilder();
    const [pods, nodes] = [b.target('pods'), b.target('nodes')];
    b.stream(pods, { at: 0, end: 'eof', until: 95, timeout: 540, last: ['110', 60], bookmarks: [60] });
    b.stream(nodes, { at: 0, end: 'eof', until: 95.3, timeout: 590, last: ['110', 60], bookmarks: [60] });
    b.stream(pods, { at: 95.1, rv: '110', rvAt: 60, end: 'refused' });
    b.stream(pods, { at: 99, rv: '110', rvAt: 60 });
    expect(told(b, 200, 'apiserver-shutdown').text).toContain('1 stream of other resources ended in the same moment');
  });
});

describe('what is said of absences', () => {
  const away = (now: number, ends: ('refused' | 'tls')[]) => {
    const b = new FactsBuilder();
    const target = b.target('pods');
    b.stream(target, { at: 0, end: 'eof', until: 95, timeout: 540, last: ['110', 60], bookmarks: [60] });
    for (const [index, end] of ends.entries()) b.stream(target, { at: 95.1 + index, rv: '110', rvAt: 60, end });
    return told(b, now, 'apiserver-shutdown').text;
  };

  it('is refused only where it was refused', () => {
    expect(away(97, ['refused', 'refused'])).toContain('2 connections were refused, the first 1.9 s ago');
    expect(away(97, ['refused', 'tls'])).toContain('2 connections were refused or not answered');
    expect(away(97, ['tls'])).toContain('1 connection was not answered');
  });

  it('is no restart where it lasts', () => {
    expect(away(97, ['refused'])).toContain('restart of an apiserver looks like');
    expect(away(400, ['refused'])).toContain('A restart would be over in seconds');
  });
});

describe('a proper end after the time that was asked for', () => {
  it('is told as such, and blamed on nobody', () => {
    const b = new FactsBuilder();
    const target = b.target('things.agg.example.io');
    b.stream(target, { at: 0, end: 'eof', until: 300, timeout: 60, rv: '1', last: ['110', 290], events: 30 });
    const found = told(b, 400, 'ambiguous-end');
    expect(found.title).toContain('properly but late');
    expect(found.candidates.map((one) => one.class).slice(1)).toEqual(['age-cut-by-proxy', 'apiserver-shutdown']);
    expect(found.text).not.toContain('crash');
  });
});

describe('a cut before connections that were refused', () => {
  it('fits an idle timer where its silence does', () => {
    const lost = (silence: number) => {
      const b = new FactsBuilder();
      const target = b.target('pods');
      const byte = 300 - silence;
      b.stream(target, { at: 0, end: 'reset', until: 300, timeout: 1800, rv: '1', last: ['110', byte], events: 3 });
      b.stream(target, { at: 300.1, rv: '110', rvAt: byte, end: 'refused' });
      return told(b, 305, 'connection-lost').text;
    };
    expect(lost(240)).toContain('An idle timer of 240 s would fit, too');
    expect(lost(7)).toContain('This fits no idle timer');
  });
});

describe('cuts by something in between', () => {
  it('say how the streams ended, and what named itself on the way', () => {
    const b = new FactsBuilder();
    const target = b.target('pods');
    for (const at of [0, 610, 1220]) {
      const facts = { endDetail: 'RST_STREAM INTERNAL_ERROR', headers: { 'audit-id': 'a', server: 'envoy' } };
      const bookmarks = [60, 120, 180, 240, 300, 360, 420, 480, 540].map((one) => at + one);
      const last: [string, number] = ['200', at + 540];
      b.stream(target, { at, end: 'h2-reset', until: at + 600, timeout: 3000, rv: '100', last, bookmarks, facts });
    }
    const { evidence } = told(b, 1900, 'age-cut-by-proxy');
    expect(evidence).toContain('ends: reset (RST_STREAM INTERNAL_ERROR)');
    expect(evidence).toContain('Server or Via on its answers: envoy');
  });

  it('are said as surely as they are known', () => {
    const silences = (count: number) => {
      const b = new FactsBuilder();
      const target = b.target('pods');
      for (let i = 0; i < count; i++) {
        const at = 200 * i;
        const byte = at + 10 + 25 * i;
        b.stream(target, {
          at,
          end: 'reset',
          until: byte + 60,
          timeout: 1800,
          rv: '1',
          last: ['105', byte],
          events: 1,
        });
      }
      return told(b, 200 * count, 'idle-cut-by-proxy');
    };
    expect([silences(3).confidence, silences(2).confidence]).toEqual(['high', 'medium']);
    expect(silences(3).text).toContain('. So a proxy');
    expect(silences(2).text).toContain('. So, most likely, a proxy');
  });

  it('leave open whether silence or age was counted, where both were the same each time', () => {
    const b = new FactsBuilder();
    const target = b.target('pods');
    for (const at of [0, 121, 242])
      b.stream(target, { at, end: 'truncated', until: at + 120.01, timeout: 1800, rv: '100' });
    const found = told(b, 500, 'idle-cut-by-proxy');
    expect(found.title).toContain('or a cap of the age');
    expect(found.text).toContain('or that are so old');
  });
});

describe('one idle timer on the way of several watches', () => {
  const twoWatches = (apart: number, longer?: number, now = 480) => {
    const b = new FactsBuilder();
    const [pods, services, nodes] = [b.target('pods'), b.target('services'), b.target('nodes')];
    b.stream(pods, { at: 0, end: 'reset', until: 250, timeout: 1800, rv: '100', last: ['105', 10], events: 1 });
    const at = 10 + apart;
    b.stream(services, {
      at: 0,
      end: 'reset',
      until: at + 240,
      timeout: 1800,
      rv: '100',
      last: ['110', at],
      events: 1,
    });
    if (longer) b.stream(nodes, { at: 0, timeout: 1800, rv: '100', facts: { longestSilenceMs: longer * 1000 } });
    b.stream(pods, { at: 251, timeout: 1800, rv: '105' });
    return diagnose(b.run(now)).map((one) => [one.class, one.confidence]);
  };

  it('is found where each was cut once, after the same silence and at another moment', () => {
    expect(twoWatches(85)).toEqual([
      ['idle-cut-by-proxy', 'medium'],
      ['idle-cut-by-proxy', 'medium'],
    ]);
  });

  it('is not where they were cut together, or where another watch outlived that silence', () => {
    expect(twoWatches(1)).toEqual([
      ['ambiguous-end', 'low'],
      ['ambiguous-end', 'low'],
    ]);
    expect(twoWatches(85, 400).map(([name]) => name)).toEqual(['ambiguous-end', 'ambiguous-end']);
    const later = twoWatches(85, undefined, 640).map(([, confidence]) => confidence);
    expect(later).toEqual(['low', 'low']);
  });

  it('may say GOAWAY; an apiserver that goes down does not wait for the same silence each time', () => {
    const goaways = (silences: number[]) => {
      const b = new FactsBuilder();
      const target = b.target('pods');
      let at = 0;
      for (const [index, silence] of silences.entries()) {
        const byte = at + 5 + 20 * index;
        const facts = { endDetail: 'GOAWAY NO_ERROR' };
        b.stream(target, {
          at,
          end: 'goaway',
          until: byte + silence,
          timeout: 1800,
          last: ['101', byte],
          events: 1,
          facts,
        });
        at = byte + silence + 1;
      }
      return diagnose(b.run(at + 10)).map((one) => one.class);
    };
    expect(goaways([60, 60, 60])).toEqual(['idle-cut-by-proxy']);
    expect(new Set(goaways([60, 60]))).toEqual(new Set(['apiserver-shutdown']));
    expect(new Set(goaways([60, 20, 90]))).toEqual(new Set(['apiserver-shutdown']));
  });
});

describe('a silent stream', () => {
  it('is told with the length of its silence, and with a stream of the same run that went on', () => {
    const b = new FactsBuilder();
    const [pods, services] = [b.target('pods'), b.target('services', { path: '/api/v1/namespaces/shop/services' })];
    const bookmarks = [60, 120, 180];
    b.stream(pods, { at: 0, rv: '1', timeout: 1800, last: ['112', 180], bookmarks });
    b.stream(services, { at: 0, rv: '1', timeout: 1800, last: ['118', 400], bookmarks, facts: { connection: 2 } });
    const found = told(b, 420, 'silent-stall');
    expect(found.text).toContain('Nothing has come for 240 s');
    expect(found.text).toContain('Another stream of this run (/api/v1/namespaces/shop/services) went on meanwhile');
    expect(found.title).toContain('most likely dead');
  });
});

describe('an early end whose cause is open', () => {
  const early = (backlog: number) => {
    const b = new FactsBuilder();
    const target = b.target('pods');
    const facts = { peakPerSecond: 400, peakAt: seconds(9.5), bytes: 9_000 };
    b.stream(target, { at: 0, end: 'eof', until: 10, timeout: 480, rv: '1', last: ['400', 9.9], events: 400, facts });
    b.stream(target, { at: 10.1, rv: '400', rvAt: 9.9, events: 200, facts: { eventsInFirstSecond: backlog } });
    return told(b, 90, 'ambiguous-end').text;
  };

  it('is told with what its resume met', () => {
    expect(early(200)).toContain('began with a backlog (200 events in its first second)');
    expect(early(0)).toContain('taken, without a backlog');
  });
});

describe('an early end of Events, which have no watch cache', () => {
  it('is not blamed on a cache or a slow reader', () => {
    const b = new FactsBuilder();
    const target = b.target('events');
    const facts = {
      peakPerSecond: 400,
      peakAt: seconds(33),
      readStalledMs: 5_000,
      readStallEndedAt: seconds(33),
      bytes: 9_000,
    };
    b.stream(target, { at: 0, end: 'eof', until: 34, timeout: 500, rv: '1', last: ['400', 33.9], events: 400, facts });
    b.stream(target, { at: 34.1, rv: '400', rvAt: 33.9 });
    const found = told(b, 90, 'ambiguous-end');
    expect(found.candidates.map((one) => one.class)).toEqual(['ambiguous-end', 'apiserver-shutdown', 'storage-error']);
    expect(wordsOf(found)).not.toMatch(/cacher|watch cache|terminated_watchers/);
  });
});

describe('half an event at the planned time', () => {
  it('is a broken connection, and less surely so', () => {
    const b = new FactsBuilder();
    const facts = { tailBytes: 75, tailText: '{"type":"MODIFIED"' };
    b.stream(b.target('pods'), {
      at: 0,
      end: 'truncated',
      until: 200,
      timeout: 200,
      last: ['119', 190],
      events: 9,
      facts,
    });
    const found = told(b, 250, 'connection-lost');
    expect([found.confidence, found.candidates[1]?.class]).toEqual(['medium', 'server-timeout']);
    expect(found.text).toContain('timeoutSeconds=200');
    expect(found.ruledOut).not.toContain('a planned end');
  });
});

describe('a healthy stream', () => {
  it('is no quiet one where bytes came all the while', () => {
    const health = (longestSilenceMs: number) => {
      const b = new FactsBuilder();
      const facts = { longestSilenceMs };
      b.stream(b.target('pods'), { at: 0, rv: '1', timeout: 600, last: ['110', 4], events: 2, byteAt: 280, facts });
      const run = b.run(300);
      return verdictOf(diagnose(run), run).confidence;
    };
    expect([health(20_000), health(200_000)]).toEqual(['high', 'medium']);
  });

  it('that got none of the bookmarks it asked for is not surely alive', () => {
    const b = new FactsBuilder();
    b.stream(b.target('pods'), { at: 0, rv: '1', timeout: 600 });
    const run = b.run(200);
    expect(verdictOf(diagnose(run), run).text).toContain('Bookmarks were asked for and none has come');
  });
});

describe('refusals', () => {
  const refused = (
    name: FindingClass,
    status: number,
    message: string,
    more: { html?: true; granted?: true; at?: number } = {},
  ) => {
    const b = new FactsBuilder();
    const target = b.target('gates.net.example.io', { path: '/apis/net.example.io/v1/namespaces/shop/gates' });
    if (more.granted) b.stream(target, { at: 0, end: 'eof', until: 100, timeout: 100, last: ['110', 60] });
    const at = more.granted ? 101 : 0;
    const body = more.html
      ? { text: message, size: message.length }
      : { status: failure({ message, code: status, reason: 'X' }), text: message, size: message.length };
    b.stream(target, {
      at,
      end: status === 200 ? 'not-a-stream' : 'rejected',
      status,
      facts: {
        body,
        openedAt: seconds(at + (more.at ?? 0.01)),
        ...(more.html ? { headers: { 'content-type': 'text/html' } } : {}),
      },
    });
    return told(b, 300, name);
  };

  it('that came late with a code of a time limit tell how late', () => {
    expect(refused('gateway-error', 504, '<html>504</html>', { html: true, at: 60 }).text).toContain(
      '60 s after the request',
    );
    expect(refused('gateway-error', 504, '<html>504</html>', { html: true }).text).not.toContain('after the request');
  });

  it('of a right that was granted before say so', () => {
    const message =
      'gates.net.example.io is forbidden: User "u" cannot watch resource "gates" in API group "net.example.io"';
    expect(refused('forbidden', 403, message, { granted: true }).title).toContain('no longer allowed');
    expect(refused('forbidden', 403, message).title).toContain('not allowed');
  });

  it('for a corrupt object are storage’s, in the words of 1.32 as well', () => {
    const message =
      'Internal error occurred: StorageError: corrupt object, Code: 5, Key: /registry/x/y, ResourceVersion: 5, AdditionalErrorMsg: proto: wrong wireType';
    const found = refused('storage-error', 500, message);
    expect(found.confidence).toBe('high');
    expect(found.text).toContain('A stored object cannot be read');
  });

  it('of a conversion webhook speak of a wrapper only where there is one', () => {
    const webhook = 'conversion webhook for net.example.io/v2, Kind=Gate failed: Post "https://h.ops.svc:443/": EOF';
    expect(refused('conversion-webhook-failed', 500, webhook).text).not.toContain('wrapper');
    expect(refused('conversion-webhook-failed', 429, `storage is (re)initializing: ${webhook}`).text).toContain(
      'wrapper',
    );
  });

  it('with a page in place of a stream send nobody after the watch parameter', () => {
    const found = refused('not-a-watch', 200, '<!DOCTYPE html>', { html: true });
    expect(wordsOf(found)).not.toContain('fieldSelector');
    expect(found.lines.do).toBe('find who answers in place of the apiserver');
  });

  it('of a shutdown tell the RV to resume from', () => {
    const found = refused('apiserver-shutdown', 429, 'The apiserver is shutting down, please try again later.', {
      granted: true,
    });
    expect(found.text).toContain('Resume from RV 110.');
  });

  it('that are over say so', () => {
    const b = new FactsBuilder();
    const target = b.target('pods');
    const answer = { text: '<html>502</html>', size: 16 };
    for (const at of [0, 1, 3]) {
      b.stream(target, { at, end: 'rejected', status: 502, facts: { body: answer, headers: { server: 'nginx' } } });
    }
    expect(told(b, 5, 'gateway-error').text).not.toContain('over by now');
    b.stream(target, { at: 7, rv: '100', timeout: 300 });
    expect(told(b, 60, 'gateway-error').text).toContain('It is over by now: a watch was answered 7 s after the first');
  });

  it('of a CRD that is there again say so', () => {
    const b = new FactsBuilder();
    const target = b.target('gates.net.example.io');
    b.stream(target, { at: 0, end: 'eof', until: 25, timeout: 500, rv: '100', last: ['140', 24.9], events: 1 });
    b.stream(target, { at: 25.1, rv: '140', end: 'rejected', status: 404 });
    expect(told(b, 30, 'crd-changed').text).toContain('Watch a version that is served');
    b.stream(target, { at: 31, rv: '140' });
    expect(told(b, 60, 'crd-changed').text).toContain('By now it is served again');
  });

  it('in another encoding than JSON are no login page', () => {
    const b = new FactsBuilder();
    const headers = { 'audit-id': 'a', 'content-type': 'application/vnd.kubernetes.protobuf;stream=watch' };
    b.stream(b.target('pods'), { at: 0, end: 'not-a-stream', facts: { headers, body: { text: 'k8s', size: 23 } } });
    const found = told(b, 10, 'not-a-watch');
    expect(wordsOf(found)).toContain('Accept');
    expect(wordsOf(found)).not.toContain('login');
  });

  it('of a watch on one object name it', () => {
    const b = new FactsBuilder();
    const target = b.target('pods', { name: 'a-1', path: '/api/v1/namespaces/shop/pods/a-1' });
    b.stream(target, { at: 0, end: 'not-a-stream', facts: { body: { text: '{', size: 99, jsonKind: 'Pod' } } });
    const found = told(b, 10, 'not-a-watch');
    expect(found.text).toContain('The path names one object (a-1)');
    expect(found.next[0]).toContain('metadata.name=a-1');
    expect(wordsOf(found)).not.toContain('strips');
  });

  it('at the cluster scope ask for a ClusterRole alone', () => {
    const message =
      'secrets is forbidden: User "u" cannot list resource "secrets" in API group "" at the cluster scope';
    const found = refused('forbidden', 403, message);
    expect(found.text).toContain('until a ClusterRole is bound that grants it in all namespaces');
    expect(found.next.join()).not.toContain('a Role (namespace)');
  });

  it('of a proxy that wants a login of its own name it, also where no credential was sent', () => {
    const b = new FactsBuilder();
    const headers = { server: 'nginx', 'www-authenticate': 'Basic realm="x"' };
    const facts = { headers, body: { text: '<html>401</html>', size: 16 } };
    b.stream(b.target('pods'), { at: 0, end: 'rejected', status: 401, facts });
    const [found] = diagnose(b.run(10, { endpoint: { scheme: 'https', host: 'h:1', anonymous: true } }));
    expect(found?.text).toContain('"nginx"');
    expect(found?.text).toContain('WWW-Authenticate: Basic');
  });

  it('of a LIST that broke off are no documents of something else', () => {
    const b = new FactsBuilder();
    const target = b.target('pods');
    b.list(target, 0, undefined, { refusal: { end: 'truncated', detail: 'other side closed', hadContinue: false } });
    const [found] = diagnose(b.run(10));
    expect(found).toMatchObject({ class: 'connection-lost', confidence: 'medium' });
    expect(found?.title).toContain('The LIST broke off in the middle');
  });

  it('in etcd’s own words say what they mean', () => {
    expect(refused('storage-error', 500, 'Internal error occurred: etcdserver: no leader').text).toContain('election');
    const slow = refused('storage-error', 500, 'Internal error occurred: etcdserver: request timed out');
    expect(slow.text).toContain('did not answer in time');
    expect(slow.next.join()).toContain('etcdctl endpoint status');
  });

  it('of a format speak of Accept, and of a large header to a proxy of its size', () => {
    const format = refused('request-rejected', 406, 'only the following media types are accepted: application/cbor');
    expect(wordsOf(format)).toContain('Accept');
    const large = refused('gateway-error', 400, '<title>400 Request Header Or Cookie Too Large</title>', {
      html: true,
    });
    expect(large.text).toContain('finds the request too large');
  });

  it('of a path that was live before do not call it wrong', () => {
    const b = new FactsBuilder();
    const target = b.target('pods');
    b.stream(target, { at: 0, end: 'eof', until: 60, timeout: 60, last: ['110', 50] });
    b.stream(target, { at: 61, rv: '110', end: 'rejected', status: 404 });
    const found = told(b, 70, 'not-a-watch');
    expect(found.title).toContain('any more');
    expect(found.text).not.toContain('plural is wrong');
  });

  it('with 404 or 405 and no sign of an apiserver may be a proxy’s', () => {
    expect(refused('not-a-watch', 404, 'default backend - 404', { html: true }).text).toContain('a proxy in front');
    expect(refused('gateway-error', 422, '<html>no</html>', { html: true }).confidence).toBe('medium');
  });

  it('end with one full stop, and what is over does not stay so', () => {
    expect(refused('request-rejected', 400, 'no such field.').text).toContain('no such field. The request');
    const b = new FactsBuilder();
    const target = b.target('pods');
    const body = { status: failure({ message: 'pods is forbidden', code: 403 }), text: '', size: 9 };
    b.stream(target, { at: 0, end: 'rejected', status: 403, facts: { body } });
    b.stream(target, { at: 5, rv: '100' });
    const { text } = told(b, 50, 'forbidden');
    expect(text).toContain('It is over by now');
    expect(text).not.toContain('It stays so');
  });
});
