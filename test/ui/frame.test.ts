import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Phase } from '../../src/client/output.ts';
import type { Severity } from '../../src/diagnosis/finding.ts';
import { rv } from '../../src/protocol/resource-version.ts';
import type { FeedItem } from '../../src/render/feed.ts';
import { newestFinding } from '../../src/render/timeline-window.ts';
import { textWidth } from '../../src/render/width.ts';
import type { Action } from '../../src/ui/keys.ts';
import { ScreenModel } from '../../src/ui/model.ts';
import { localStory, localView, outsider, podsRing, replica, TAIL_NOW, tailStory } from '../support/canned-story.ts';
import {
  EVENTS,
  endItem,
  errorItem,
  eventItem,
  findingItem,
  listItem,
  openItem,
  PODS,
  phaseItem,
  probeItem,
  START,
} from '../support/feed-items.ts';
import { screenOf } from '../support/screen-text.ts';

function modelOf(mode: 'tail' | 'local', items: FeedItem[]): ScreenModel {
  const model = new ScreenModel(mode);
  for (const item of items) model.push(item);
  return model;
}

const LOCAL = { title: 'kwatch local', since: START, now: START + 3_600, view: localView() };

describe('the screens as drawn', () => {
  it('tail at 80×24', () => {
    expect(screenOf(modelOf('tail', tailStory()), { columns: 80, rows: 24, now: TAIL_NOW })).toEqual([
      ' pods · shop · prod-eu (v1.30.3, HTTP/1.1)                            LIVE  now ',
      ' resume 24188 bookmark now │ window floor 22400 ▕·······▊▏ slack > 135 s',
      '────────────────────────────────────────────────────────────────────────────────',
      ' 12:04:33.002  +1.0s  D  cart-5d11-0qk2m                            20479     +4',
      ' 12:04:47.310 +14.3s  B  bookmark ───────────────────────────────── 20481     +2',
      ' 12:05:02.114         ▪  stream 1 ended: proper end, as asked (5 m 12 s)',
      ' 12:05:02.131         ▫  stream 2 from 20481 … no answer: connection refused',
      ' 12:09:40.877         ▫  stream 3 from 20481',
      ' 12:09:40.902         E  ERROR 410 Expired: too old resource version: 20481 (22…',
      ' 12:09:40.903         ▪  stream 3 ended: proper end (0.0 s)',
      ' ┃ RING-BUFFER EXPIRY · rolled over · high                            finding 1 ',
      ' ┃ refused by  watch cache, in the stream (HTTP 200): 20481 < floor 22390',
      ' ┃ why         away 4 m 39 s; the window slid past 20481 while we were away',
      ' ┃ ruled out   compaction (etcd still has 20481); rebuild (the floor crept)',
      ' ┃ do          nothing. Nobody has to be woken.',
      ' 12:09:40.951         ↻  relist at 24102: 3 created, 41 changed, 2 deleted unse…',
      ' 12:09:40.960         ▫  stream 4 from 24102',
      ' 12:09:41.377  +0.4s  M  cart-7c9f-x2k4l                            24110     +8',
      ' 12:09:42.016  +0.6s  A  cart-7c9f-zz81q                            24131    +21',
      ' 12:09:43.560  +1.5s  M  cart-7c9f-zz81q                            24185    +54',
      ' 12:09:52.101  +8.5s  B  bookmark ───────────────────────────────── 24188     +3',
      '────────────────────────────────────────────────────────────────────────────────',
      ' ? keys  space pause  enter detail  e finding  q quit',
    ]);
  });

  it('tail at 40×10: the finding has scrolled away, so the rule carries it', () => {
    expect(screenOf(modelOf('tail', tailStory()), { columns: 40, rows: 10, now: TAIL_NOW })).toEqual([
      ' pods                LIVE  resume 24188 ',
      '─── ┃ RING-BUFFER EXPIRY · high ────────',
      ' 12:09:40 ↻ relist at 24102: 3 created,…',
      ' 12:09:40 ▫ stream 4 from 24102',
      ' 12:09:41 M cart-7c9f-x2k4l           +8',
      ' 12:09:42 A cart-7c9f-zz81q          +21',
      ' 12:09:43 M cart-7c9f-zz81q          +54',
      ' 12:09:52 B bookmark ────────────     +3',
      ' ? keys  e finding  q quit',
    ]);
  });

  it('local at 100×30, watcher B selected', () => {
    const model = modelOf('local', localStory());
    model.see(LOCAL.view);
    model.act('next-lane');
    expect(screenOf(model, { columns: 100, rows: 30, ...LOCAL })).toEqual([
      ' kwatch local · http://127.0.0.1:7410 · v1.30.3 rules · ×1                     0:03.6  story 5 of 9 ',
      ' store rev 1548, compacted –   pods READY, generation 1   upstream connected  writes 230/s ▁▁▁▁▁▁█▇ ',
      '                                                                        BA ',
      ' ring  100 of 100, pinned ▕███████████████████████████████████████████████▏ 1449 … 1548  floor 1448 ',
      '────────────────────────────────────────────────────────────────────────────────────────────────────',
      '   watcher         resource   state       holds RV  to floor   queues   story',
      '   A steady        pods       LIVE            1548      +100    0   0   nothing happens to it',
      ' ▸ B traveller     pods       LIVE            1548      +100    0   0   was away 2.5 s: lost 1041',
      '   C slow reader   pods       LOST −146       1302      −146        –   closed at 2.4 s, lost 1302',
      '   E events        events     AWAY            1040         –        –   no watch cache: etcd answers',
      '────────────────────────────────────────────────────────────────────────────────────────────────────',
      ' 0:00.1         ▫  stream 1 from 1000',
      ' 0:00.9  +0.8s  M  web-31                                                                1040     +1',
      ' 0:00.9  +98ms  M  web-02                                                                1041     +1',
      ' 0:01.0         ▪  B leaves, holds 1041',
      ' 0:03.5         ▫  stream 2 from 1041',
      ' 0:03.5         E  ERROR 410 Expired: too old resource version: 1041 (1448)',
      ' ┃ B  RING-BUFFER EXPIRY · overrun · high                               finding 3 · server agrees ✓ ',
      ' ┃ refused by  watch cache, in the stream (HTTP 200): 1041 < floor 1448',
      ' ┃ why         1041 was 2.5 s old: 500 writes in 2 s went through a ring of 100',
      ' ┃ ruled out   rebuild (A’s stream lived on); compaction (etcd still has 1041)',
      ' ┃ do          in a cluster: nothing if once. Here: try --cache-size 1000',
      ' 0:03.5         ↻  relist at 1548: 0 created, 40 changed, 0 deleted unseen',
      ' 0:03.6         ▫  stream 3 from 1548',
      '',
      '',
      '',
      '────────────────────────────────────────────────────────────────────────────────────────────────────',
      ' next: compaction at head (0:04)   ? keys  tab watcher  e finding  q quit',
    ]);
  });

  it('local at 40×10', () => {
    const model = modelOf('local', localStory());
    model.see(LOCAL.view);
    model.act('next-lane');
    expect(screenOf(model, { columns: 40, rows: 10, ...LOCAL })).toEqual([
      ' local  rev 1548  ring 100/100   0:03.6 ',
      ' A LIVE +100        ▸B LIVE +100        ',
      ' C LOST −146         E AWAY             ',
      '────────────────────────────────────────',
      ' ┃ B  RING-BUFFER EXPIRY · high',
      ' ┃ do in a cluster: nothing if once. He…',
      ' 0:03.5 ↻ relist at 1548: 0 created, 40…',
      ' 0:03.6 ▫ stream 3 from 1548',
      ' ? keys  tab watcher  e finding  q quit',
    ]);
  });

  it('says what is too small', () => {
    const text = screenOf(modelOf('tail', tailStory()), { columns: 39, rows: 24, now: TAIL_NOW }).join('\n');
    expect(text).toBe('terminal too small\n39×24, at least 40×10\nq quits');
  });

  it('says why the window is unknown, and what replicas disagree about', () => {
    const header = (items: FeedItem[], probing: boolean) =>
      screenOf(modelOf('tail', items), { columns: 100, rows: 24, now: TAIL_NOW, probing })[1];
    const start = [listItem(START), openItem(START)];
    expect(header(start, false)).toContain('window unknown: --no-probe');
    expect(header(start, true)).not.toContain('window');
    const floors = [
      probeItem(START, { kind: 'floor', floor: rv('20400') }, 1),
      probeItem(START + 1_000, { kind: 'floor', floor: rv('20300') }, 2),
    ];
    const soon = { columns: 100, rows: 24, now: START + 2_000 };
    expect(screenOf(modelOf('tail', [...start, ...floors]), soon)[1]).toContain(
      'window floor 20300 … 20400, ≥ 2 replicas',
    );
    expect(header([...start, ...floors.slice(0, 1)], true)).toContain('window floor 20400, told 5 m 20 s ago');
    expect(header([...start, probeItem(START, { kind: 'floor', floor: rv('20500') })], true)).toContain(
      'passed 90 revisions ago',
    );
  });

  it('labels of one resource in two namespaces differ, in the header, in rows and on findings', () => {
    const [a, b] = ['team-a', 'team-b'].map((namespace, index) => ({ ...PODS, index, namespace }));
    const model = modelOf('tail', [
      eventItem(START, { name: 'web-0', rv: '7' }, { target: a as typeof PODS }),
      eventItem(START, { name: 'web-0', rv: '9' }, { target: b as typeof PODS }),
      findingItem(START, { target: 1 }),
    ]);
    const text = screenOf(model, { columns: 80, rows: 24, now: START });
    expect(text[1]).toContain('team-a/pods');
    expect(text[1]).toContain('team-b/pods');
    expect(text.join('\n')).toMatch(/M {2}team-a\/pods web-0/);
    expect(text.join('\n')).toMatch(/┃ team-b\/pods {2}RING-BUFFER EXPIRY · rolled over · high +finding 1/);
    // On a narrow screen the label gives way to the verdict.
    expect(screenOf(model, { columns: 40, rows: 10, now: START }).join('\n')).toContain('┃ RING-BUFFER EXPIRY · high');
  });

  it('gives several targets one header, and their rows a label; tab shows one of them', () => {
    const streaming = (target: typeof PODS) => phaseItem(START, { state: 'streaming', stream: 1 }, target);
    const model = modelOf('tail', [
      ...[openItem(START), streaming(PODS), eventItem(START, { name: 'web-0', rv: '7' })],
      ...[
        openItem(START, { target: EVENTS }),
        phaseItem(START, { state: 'backoff', until: START, attempt: 1, why: '' }, EVENTS),
      ],
      eventItem(START, { name: 'ev-0', rv: '9' }, { target: EVENTS }),
    ]);
    const all = screenOf(model, { columns: 80, rows: 24, now: START + 500 });
    expect(all[0]).toMatch(/^ 2 watches · prod-eu +RECONNECTING/);
    expect(all[1]).toBe(' pods LIVE 7 │ events RECONNECTING 9');
    expect(all.join('\n')).toMatch(/M {2}pods {5}web-0/);
    model.act('next-lane');
    const one = screenOf(model, { columns: 80, rows: 24, now: START + 500 });
    expect(one[0]).toMatch(/^ pods · shop · prod-eu .*LIVE {2}now $/);
    expect(one.join('\n')).not.toContain('ev-0');
    model.act('next-lane');
    model.act('next-lane');
    expect(screenOf(model, { columns: 80, rows: 24, now: START })[0]).toContain('2 watches');
  });
});

/** Text as an attacker would choose it, and as an unlucky team might. */
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.constantFrom(
    'web-0',
    'x'.repeat(300),
    '日本語'.repeat(30),
    '🙂'.repeat(40),
    '\x1b[2J\x1b[H',
    '\u202e',
    'a\nb',
    '🇩🇪👍🏽1️⃣',
  ),
);
const time = fc.integer({ min: START, max: START + 400_000 });
const phase = fc.constantFrom<Phase>(
  { state: 'listing' },
  { state: 'connecting', stream: 2 },
  { state: 'streaming', stream: 1 },
  { state: 'no-answer', stream: 1 },
  { state: 'backoff', until: START + 5_000, attempt: 2, why: 'refused' },
  { state: 'stopped', why: 'asked' },
);
const target = text.map((resource) => ({ ...PODS, index: resource.length % 3, resource, namespace: resource }));
const item: fc.Arbitrary<FeedItem> = fc.oneof(
  fc
    .record({ at: time, name: text, rv: text, target })
    .map(({ at, target: to, ...fields }) => eventItem(at, { type: 'ADDED', ...fields }, { target: to, rvStep: 4 })),
  fc.record({ at: time, name: text }).map(({ at, name }) => eventItem(at, { name, rv: '24188' })),
  fc.record({ at: time, message: text }).map(({ at, message }) => errorItem(at, message)),
  fc.record({ at: time, requestedRv: text }).map(({ at, ...more }) => openItem(at, more)),
  fc
    .record({ at: time, endDetail: text })
    .map(({ at, endDetail }) => endItem(at, { endDetail, end: 'tls', openedAt: undefined as never })),
  fc.record({ at: time, phase }).map(({ at, phase: now }) => phaseItem(at, now)),
  fc.record({ at: time, floor: text }).map(({ at, floor }) => probeItem(at, { kind: 'floor', floor: rv(floor) })),
  fc
    .record({
      at: time,
      line: text,
      id: fc.constantFrom('f1', 'f2', 'f3'),
      severity: fc.constantFrom<Severity>('info', 'note', 'warning', 'error'),
    })
    .map(({ at, line, id, severity }) =>
      findingItem(at, {
        id,
        severity,
        title: line,
        text: line,
        evidence: [line],
        next: [line],
        lines: { verdict: `TROUBLE · ${line}`, refusedBy: line, why: line, ruledOut: '', do: line },
      }),
    ),
);
const action = fc.constantFrom<Action>(
  'up',
  'down',
  'top',
  'newest',
  'open',
  'back',
  'next-lane',
  'next-finding',
  'pause',
  'help',
  'page-up',
  'page-down',
);
const columns = fc.integer({ min: 40, max: 200 });
const rows = fc.integer({ min: 10, max: 60 });

describe('at every size', () => {
  const check = (screen: string[], width: number, height: number) => {
    expect(screen.length).toBe(height - 1);
    for (const line of screen) {
      expect(textWidth(line)).toBeLessThanOrEqual(width);
      expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
    }
  };

  it('no line of tail is too wide, none is missing, and none holds a control character', () => {
    fc.assert(
      fc.property(
        fc.array(item, { maxLength: 40 }),
        fc.array(action, { maxLength: 8 }),
        columns,
        rows,
        (items, actions, width, height) => {
          const model = modelOf('tail', items);
          const draw = () =>
            screenOf(model, { columns: width, rows: height, now: START + 400_000, title: '\u202eprod' });
          check(draw(), width, height);
          for (const each of actions) {
            model.act(each);
            check(draw(), width, height);
          }
        },
      ),
      { numRuns: 150 },
    );
  });

  it('no line of local is too wide, whatever the server’s state', () => {
    const watcher = fc.record({
      label: fc.constantFrom('A', 'B', 'C', 'D', 'E'),
      role: text,
      resource: text,
      state: text,
      story: text,
      holdsRv: fc.nat(),
      toFloor: fc.integer(),
    });
    const view = fc.record({
      watchers: fc.array(watcher, { maxLength: 12 }),
      used: fc.nat(120),
      revision: fc.nat(),
      servers: fc.integer({ min: 1, max: 6 }),
      strangers: fc.nat(9),
      word: text,
    });
    fc.assert(
      fc.property(
        fc.array(item, { maxLength: 20 }),
        view,
        columns,
        rows,
        (items, { watchers, used, revision, servers, strangers, word }, width, height) => {
          const model = modelOf(
            'local',
            items.map((each) => ({ watcher: 'B', ...each })),
          );
          const pods = podsRing({ used, pinned: false, oldest: 5, newest: 5 + used, floor: 4 });
          const one = replica({ name: word, upstream: used > 50 ? 'connected' : 'cut', resources: [pods] });
          const replicas = Array.from({ length: servers }, () => ({
            ...one,
            resources: [{ ...pods, ready: used > 50 }],
          }));
          const some = Array.from({ length: strangers }, () => outsider({ role: word }));
          const shown = localView({ watchers, revision, replicas, foreign: { some, total: strangers * 3 } });
          check(screenOf(model, { columns: width, rows: height, ...LOCAL, view: shown }), width, height);
        },
      ),
      { numRuns: 150 },
    );
  });

  it('state word, resume RV and the newest finding are always there', () => {
    const noise = fc.array(
      fc.record({ at: time, name: text }).map(({ at, name }) => eventItem(at, { name, rv: '24188' })),
      { maxLength: 60 },
    );
    fc.assert(
      fc.property(noise, fc.array(action, { maxLength: 5 }), columns, rows, (after, actions, width, height) => {
        const model = modelOf('tail', [...tailStory(), ...after]);
        screenOf(model, { columns: width, rows: height, now: TAIL_NOW });
        for (const each of actions) {
          model.act(each);
          screenOf(model, { columns: width, rows: height, now: TAIL_NOW });
        }
        const screen = screenOf(model, { columns: width, rows: height, now: TAIL_NOW });
        expect(screen[0]).toMatch(/LIVE|QUIET|SILENT/);
        expect(screen.slice(0, 2).join('\n')).toContain('resume 24188');
        expect(newestFinding(model.timeline)).toBeDefined();
        expect(screen.join('\n')).toContain('RING-BUFFER EXPIRY');
      }),
      { numRuns: 150 },
    );
  });
});
