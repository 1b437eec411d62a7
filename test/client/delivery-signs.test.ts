import { describe, expect, it } from 'vitest';
import { ClumpLog } from '../../src/client/clump-log.ts';
import { SelectionExitLog } from '../../src/client/selection-exits.ts';
import type { WatchEventType } from '../../src/protocol/watch-event.ts';
import { opened, play } from '../support/playbook.ts';

const NOON = 1_900_000_000_000;
const time = (at: number) => new Date(at).toISOString().replace(/\.\d+Z$/, 'Z');

function fields(type: WatchEventType, uid: string, name = 'routes') {
  return { type, kind: 'ConfigMap', namespace: 'ops', name, uid, rv: '7' };
}

function raw(metadata: object): Uint8Array {
  return Buffer.from(JSON.stringify({ type: 'MODIFIED', object: { metadata } }));
}

describe('ClumpLog', () => {
  const log = (events: [arrived: number, made: number | undefined, quiet: number, type?: WatchEventType][]) => {
    const clumps = new ClumpLog();
    for (const [arrived, made, quiet, type = 'MODIFIED'] of events) {
      const metadata =
        made === undefined ? {} : { managedFields: [{ time: time(NOON + made) }, { time: time(NOON - 9_900_000) }] };
      clumps.event(fields(type, 'u'), raw(metadata), NOON + arrived, quiet);
    }
    return clumps.clumps.map(({ events, spreadMs }) => [events, spreadMs]);
  };

  it('finds events that came at one moment and were made far apart', () => {
    expect(
      log([
        [45_000, 1_000, 45_000],
        [45_000, 14_000, 45_000],
        [45_010, 44_000, 45_000],
      ]),
    ).toEqual([[3, 43_000]]);
  });

  it('does not care how far the clocks differ', () => {
    const late = 3_600_000;
    expect(
      log([
        [late + 45_000, 1_000, 45_000],
        [late + 45_000, 44_000, 45_000],
      ]),
    ).toEqual([[2, 43_000]]);
  });

  it('takes a creation, or conditions, where managedFields were stripped; of a change, not of what it was created', () => {
    const spread = (type: WatchEventType, body: (made: string) => object) => {
      const clumps = new ClumpLog();
      for (const made of [1_000, 44_000]) {
        const bytes = Buffer.from(JSON.stringify({ type, object: body(time(NOON + made)) }));
        clumps.event(fields(type, 'u'), bytes, NOON + 45_000, 45_000);
      }
      return clumps.clumps[0]?.spreadMs;
    };
    const created = (at: string) => ({ metadata: { creationTimestamp: at } });
    const beat = (lastHeartbeatTime: string) => ({
      metadata: {},
      status: { conditions: [{ lastHeartbeatTime, lastTransitionTime: '2999-01-01T00:00:00Z' }] },
    });
    expect(spread('ADDED', created)).toBe(43_000);
    expect(spread('MODIFIED', created)).toBeUndefined();
    expect(spread('MODIFIED', beat)).toBe(43_000);
  });

  it.each<[string, [number, number | undefined, number, WatchEventType?][]]>([
    [
      'that come as they are made',
      [
        [45_000, 44_900, 45_000],
        [75_000, 74_900, 30_000],
      ],
    ],
    ['of a busy stream', Array.from({ length: 40 }, (_, i) => [45_000 + i * 500, 45_000 + i * 500, 45_000])],
    [
      'made together',
      [
        [45_000, 43_000, 45_000],
        [45_000, 44_000, 45_000],
      ],
    ],
    [
      'without silence before',
      [
        [45_000, 1_000, 900],
        [45_000, 44_000, 900],
      ],
    ],
    [
      'whose times are of other changes',
      [
        [45_000, 1_000, 45_000],
        [45_000, 44_000, 45_000],
        [45_000, -9_000_000, 45_000],
      ],
    ],
    [
      'of deletions, whose times are old',
      [
        [45_000, 1_000, 45_000, 'DELETED'],
        [45_000, 44_000, 45_000],
      ],
    ],
    [
      'without times',
      [
        [45_000, undefined, 45_000],
        [45_000, undefined, 45_000],
      ],
    ],
  ])('is silent about events %s', (_name, events) => {
    expect(log(events)).toEqual([]);
  });
});

describe('SelectionExitLog', () => {
  it('tells DELETED without a deletionTimestamp, and takes back what was deleted after all', () => {
    const log = new SelectionExitLog();
    log.note(fields('DELETED', 'u1'), raw({}), 5);
    expect(log.facts).toMatchObject({ count: 1, names: ['ops/routes'], first: { name: 'ops/routes', rv: '7', at: 5 } });
    log.note(fields('ADDED', 'u2'), raw({}), 6);
    expect(log.facts).toBeUndefined();
  });

  it('knows an object that came back', () => {
    const log = new SelectionExitLog();
    log.note(fields('DELETED', 'u1'), raw({}), 5);
    log.note(fields('ADDED', 'u1'), raw({}), 6);
    expect(log.facts?.cameBack).toEqual({ name: 'ops/routes', rv: '7' });
  });

  it('says nothing of an object that was being deleted', () => {
    const log = new SelectionExitLog();
    log.note(fields('DELETED', 'u1'), raw({ deletionTimestamp: '2031-03-01T10:00:00Z' }), 5);
    expect(log.facts).toBeUndefined();
  });

  it.each([
    ['labelSelector=tier%3Dedge', true],
    ['fieldSelector=spec.nodeName%3Dnode-a', true],
    ['fieldSelector=metadata.name%3Droutes', undefined],
    ['fieldSelector=metadata.name%3Droutes%2Cmetadata.namespace%3Dops', undefined],
    ['labelSelector=', undefined],
  ])('a selection by %s can be left: %s', (selector, can) => {
    const { state } = play({ query: `watch=1&resourceVersion=7&${selector}` }).gets(opened());
    expect(state.kind === 'streaming' && state.recorder.facts.canLeaveSelection).toBe(can);
  });
});
