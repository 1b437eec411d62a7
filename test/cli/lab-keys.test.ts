import { describe, expect, it } from 'vitest';
import { LabKeys, labOffers } from '../../src/cli/lab-keys.ts';
import type { LocalView, WatcherView } from '../../src/render/local-view.ts';
import type { ScriptStep } from '../../src/scenario/script.ts';
import { scriptLine } from '../../src/scenario/script-line.ts';
import { localView, podsRing, replica } from '../support/canned-story.ts';

const BURST = { count: 500 };

/** `key says | script line` of each offer. */
function offers(view: LocalView, selected?: string): string[] {
  return labOffers(view, selected, BURST).map(({ key, says, step }) => `${key} ${says} | ${scriptLine(step)}`);
}

const offer = (key: string, view: LocalView, selected?: string) =>
  offers(view, selected).find((text) => text.startsWith(key));

function watcher(more: Partial<WatcherView>): WatcherView {
  return { label: 'B', role: 'traveller', resource: 'pods', state: 'LIVE', story: '', ...more };
}

describe('what the lab keys would do now', () => {
  it('all of them, with their numbers and the script lines that they equal', () => {
    expect(offers(localView({ revision: 1561 }), 'B')).toEqual([
      'b burst 500 | - burst: 500',
      'c compact at 1561 | - compact: head',
      'd drop B | - disconnect: B',
      'u cut upstream | - cut: upstream',
      '+ ring 200 | - { resize: pods, capacity: 200 }',
      '- ring 50 | - { resize: pods, capacity: 50 }',
    ]);
  });

  it('a burst as the story has it', () => {
    const [first] = labOffers(localView(), 'B', { count: 2000, withinMs: 1500 });
    expect(first && scriptLine(first.step)).toBe('- { burst: 2000, within: 1500ms }');
  });

  it('no compaction where the head is compacted already', () => {
    expect(offer('c', localView({ revision: 1561, compacted: 1561 }))).toBeUndefined();
    expect(offer('c', localView({ revision: 1562, compacted: 1561 }))).toBe('c compact at 1562 | - compact: head');
  });

  it.each([
    ['LIVE', 'd drop B | - disconnect: B'],
    ['STALLED', 'd drop B | - disconnect: B'],
    ['TERMINATED', 'd drop B | - disconnect: B'],
    ['NOT READY', 'd drop B | - disconnect: B'],
    ['AWAY', 'd resume B | - resume: B'],
    ['LOST', 'd resume B | - resume: B'],
    ['ENDED', undefined],
    ['STARTING', undefined],
  ])('of a watcher that is %s: %s', (state, expected) => {
    expect(offer('d', localView({ watchers: [watcher({ state, holdsRv: 1041 })] }), 'B')).toBe(expected);
  });

  it('nothing is dropped where nobody is selected', () => {
    expect(offer('d', localView({ watchers: [] }))).toBeUndefined();
  });

  it('upstream: restore where it is cut or silent, nothing while the apiserver starts', () => {
    const at = (more: Parameters<typeof replica>[0]) => offer('u', localView({ replicas: [replica(more)] }), 'B');
    expect(at({ upstream: 'cut' })).toBe('u restore upstream | - restore: upstream');
    expect(at({ upstream: 'blackholed' })).toBe('u restore upstream | - restore: upstream');
    expect(at({ state: 'starting' })).toBeUndefined();
  });

  it('of several apiservers the one that the selected watcher is on', () => {
    const other = replica({ name: ':7411', upstream: 'cut', resources: [podsRing({ capacity: 400 })] });
    const view = localView({ replicas: [replica(), other], watchers: [watcher({ replica: ':7411' })] });
    expect(offers(view, 'B').slice(3)).toEqual([
      'u restore :7411 | - { restore: upstream, server: 1 }',
      '+ ring 800 | - { resize: pods, capacity: 800, server: 1 }',
      '- ring 200 | - { resize: pods, capacity: 200, server: 1 }',
    ]);
  });

  it('a dynamic ring is pinned; none grows beyond the largest or shrinks below one', () => {
    const at = (ring: Parameters<typeof podsRing>[0]) =>
      offers(localView({ replicas: [replica({ resources: [podsRing(ring)] })] })).slice(3);
    expect(at({ pinned: false })).toEqual([
      '+ pin ring at 200 | - { resize: pods, capacity: 200 }',
      '- pin ring at 50 | - { resize: pods, capacity: 50 }',
    ]);
    expect(at({ capacity: 1 })).toEqual(['+ ring 2 | - { resize: pods, capacity: 2 }']);
    expect(at({ capacity: 102_400 })).toEqual(['- ring 51200 | - { resize: pods, capacity: 51200 }']);
    expect(offers(localView({ replicas: [replica({ resources: [] })] })).slice(3)).toEqual([]);
  });
});

describe('pressing one', () => {
  function lab(view: LocalView, perform: (step: ScriptStep) => Promise<void>) {
    const said: string[] = [];
    return { said, keys: new LabKeys({ view: () => view, burst: BURST, perform, say: (text) => said.push(text) }) };
  }

  it('says the line of a script that it equals, and does it', async () => {
    const done: ScriptStep[] = [];
    const { said, keys } = lab(localView(), async (step) => {
      done.push(step);
    });
    keys.press('c', 'B');
    expect(said).toEqual([',c is in a script: - compact: head']);
    expect(done).toEqual([{ verb: 'compact', revision: 'head' }]);
  });

  it('says why it came to nothing', async () => {
    const { said, keys } = lab(localView(), async () => {
      throw new Error('apiserver 0 is starting already');
    });
    keys.press('u', 'B');
    await Promise.resolve();
    await Promise.resolve();
    expect(said).toEqual([',u is in a script: - cut: upstream', ',u came to nothing: apiserver 0 is starting already']);
  });

  it('does nothing that would do nothing now', () => {
    const { said, keys } = lab(localView({ revision: 7, compacted: 7 }), async () => {
      throw new Error('not to be called');
    });
    keys.press('c', 'B');
    expect(said).toEqual([]);
  });
});
