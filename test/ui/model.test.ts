import { describe, expect, it } from 'vitest';
import type { FeedItem } from '../../src/render/feed.ts';
import type { Action } from '../../src/ui/keys.ts';
import type { LabKey } from '../../src/ui/lab.ts';
import { ScreenModel } from '../../src/ui/model.ts';
import { localStory, localView } from '../support/canned-story.ts';
import { eventItem, findingItem, START } from '../support/feed-items.ts';
import { screenOf } from '../support/screen-text.ts';

/** A model with a person in front of it: after each key the screen is drawn anew, as in life. */
class Person {
  readonly model: ScreenModel;
  rows = 24;

  constructor(items: FeedItem[]) {
    this.model = new ScreenModel('tail');
    this.see(...items);
    this.look();
  }

  see(...items: FeedItem[]): void {
    for (const item of items) this.model.push(item);
  }

  press(...actions: Action[]): string[] {
    for (const action of actions) {
      this.model.act(action);
      this.look();
    }
    return this.look();
  }

  look(): string[] {
    return screenOf(this.model, { columns: 80, rows: this.rows, now: START });
  }

  /** Names of the objects in the list, top to bottom. */
  names(): string[] {
    return this.look().flatMap((line) => /web-\d+/.exec(line)?.[0] ?? []);
  }

  selected(): string | undefined {
    return this.look().find((line) => line.startsWith('▸'));
  }
}

const events = (count: number, from = 0) =>
  Array.from({ length: count }, (_, i) =>
    eventItem(START + (from + i) * 10, { name: `web-${from + i}`, rv: String(100 + i) }),
  );
const footer = (screen: string[]) => screen.at(-1);

describe('the list', () => {
  it('follows; space holds it still and counts; space follows again', () => {
    const person = new Person(events(40));
    expect(person.names().at(-1)).toBe('web-39');
    person.press('pause');
    person.see(...events(5, 40));
    expect(person.names().at(-1)).toBe('web-39');
    expect(footer(person.look())).toMatch(/space follow .*PAUSED, 5 new$/);
    person.press('pause');
    expect(person.names().at(-1)).toBe('web-44');
    expect(footer(person.look())).toMatch(/space pause/);
  });

  it('moves the selection up through history, and below the newest it follows again', () => {
    const person = new Person(events(40));
    person.press('up');
    expect(person.selected()).toContain('web-39');
    person.press('up', 'up');
    expect(person.selected()).toContain('web-37');
    person.see(...events(5, 40));
    expect(person.selected()).toContain('web-37');
    person.press(...Array.from({ length: 8 }, (): Action => 'down'));
    expect(person.selected()).toBeUndefined();
    expect(person.names().at(-1)).toBe('web-44');
  });

  it('scrolls when the selection leaves the window, at both edges', () => {
    const person = new Person(events(60));
    const height = person.names().length;
    person.press(...Array.from({ length: height + 3 }, (): Action => 'up'));
    expect(person.names()[0]).toBe(`web-${60 - height - 3}`);
    expect(person.selected()).toContain(`web-${60 - height - 3}`);
    const before = person.names();
    person.press(...Array.from({ length: height }, (): Action => 'down'));
    expect(person.selected()).toContain(`web-${60 - 3}`);
    expect(person.names()).not.toEqual(before);
  });

  it('g goes to the oldest, G follows the newest, esc too', () => {
    const person = new Person(events(60));
    person.press('top');
    expect(person.names()[0]).toBe('web-0');
    expect(person.selected()).toContain('web-0');
    person.press('newest');
    expect(person.names().at(-1)).toBe('web-59');
    person.press('page-up', 'page-up');
    expect(person.selected()).toContain('web-26');
    person.press('back');
    expect(person.selected()).toBeUndefined();
  });

  it('keys do no harm where nothing has happened', () => {
    const person = new Person([]);
    const all: Action[] = [
      'up',
      'down',
      'top',
      'newest',
      'open',
      'pause',
      'next-finding',
      'next-lane',
      'page-up',
      'page-down',
      'back',
      'help',
      'help',
    ];
    for (const action of all) person.press(action);
    expect(person.look().join('\n')).toContain('nothing has happened yet');
    expect(footer(person.press('back'))).toBe(' ? keys  space pause  q quit');
  });
});

describe('findings', () => {
  const story = () => [
    ...events(5),
    findingItem(START),
    ...events(30, 5),
    findingItem(START, { id: 'f2', lines: { ...findingItem(START).finding.lines, verdict: 'PLANNED END · high' } }),
    ...events(30, 35),
  ];

  it('e goes to the newest, then round from the first; what it goes to is unfolded', () => {
    const person = new Person(story());
    person.press('next-finding');
    expect(person.selected()).toContain('PLANNED END');
    const first = person.press('next-finding');
    expect(person.selected()).toContain('RING-BUFFER EXPIRY');
    expect(first.join('\n')).toContain('ruled out');
    person.press('next-finding');
    expect(person.selected()).toContain('PLANNED END');
  });

  it('a finding that is not on the screen stands in the rule', () => {
    const person = new Person(story());
    expect(person.look()[2]).toMatch(/^─── ┃ PLANNED END · high ─+$/);
    person.press('next-finding');
    expect(person.look()[2]).toMatch(/^─+$/);
  });

  it('a later revision changes it where it stands', () => {
    const person = new Person([findingItem(START)]);
    person.see(findingItem(START, { rev: 2, explainedBy: 'f9' }));
    const text = person.look().join('\n');
    expect(text).toContain('explained by finding 9');
    expect(text).not.toContain('ruled out');
  });
});

describe('detail', () => {
  const raw = new TextEncoder().encode(
    JSON.stringify({
      type: 'ADDED',
      object: { kind: 'Secret', metadata: { name: 'db\x1b[2J' }, data: { password: 'aHVudGVyMg==' } },
    }),
  );

  it('enter shows fields and the raw frame of the selected row, harmless and without Secret data', () => {
    const person = new Person([eventItem(START, { type: 'ADDED', kind: 'Secret', name: 'db', rv: '7' }, { raw })]);
    person.rows = 50;
    const text = person.press('open').join('\n');
    expect(text).toContain(' name        db');
    expect(text).toContain('"password": "[masked]"');
    expect(text).toContain('"name": "db\\u001b[2J"');
    expect(text).not.toContain('aHVudGVyMg');
    expect(person.press('back').join('\n')).not.toContain('[masked]');
  });

  it('enter shows all of a finding', () => {
    const person = new Person([findingItem(START)]);
    person.rows = 50;
    const text = person.press('next-finding', 'open').join('\n');
    expect(text).toContain(' because     · the text is the watch cache’s');
    expect(text).toContain(' next        · nothing: nobody has to be woken');
    expect(text).toContain('refused_by watch-cache, requested_rv 20481');
  });

  it('scrolls, to its ends and not beyond', () => {
    const object = { kind: 'Pod', spec: Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`key-${i}`, i])) };
    const long = new TextEncoder().encode(JSON.stringify({ type: 'ADDED', object }));
    const person = new Person([eventItem(START, { name: 'web-0' }, { raw: long })]);
    expect(person.press('open').join('\n')).toMatch(/· \d+ more ↓/);
    expect(person.press('newest').join('\n')).toContain('"key-49": 49');
    const end = person.look();
    expect(person.press('down', 'page-down')).toEqual(end);
    expect(person.press('top').join('\n')).toContain(' type        MODIFIED');
    expect(footer(person.look())).toMatch(/↑↓ scroll {2}esc back/);
  });

  it('says when the raw frame is no longer kept, and when it cannot be shown safely', () => {
    const gone = new Person([eventItem(START, { name: 'web-0' }, { raw: new Uint8Array(0) })]);
    gone.rows = 40;
    expect(gone.press('open').join('\n')).toContain('the raw frame is no longer kept');
    const odd = new Person([eventItem(START, { name: 'web-0' }, { raw: new TextEncoder().encode('{"half') })]);
    odd.rows = 40;
    expect(odd.press('open').join('\n')).toContain('no JSON that can be shown safely');
  });

  it('a note that is too long for its row goes on below, once; on a narrow screen it is cut', () => {
    const words = 'word '.repeat(60).trim();
    const person = new Person([{ kind: 'note', at: START, text: words }, ...events(1)]);
    const lines = person.look().filter((line) => line.includes('word'));
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(/^ 12:04:32\.000 +· {2}word/);
    expect(lines[1]).toMatch(/^ {25}word .*…$/);
    const small = screenOf(person.model, { columns: 50, rows: 24, now: START });
    expect(small.filter((line) => line.includes('word'))).toHaveLength(1);
  });

  it('shows any other row as its record', () => {
    const person = new Person([{ kind: 'note', at: START, text: 'B returns' }]);
    person.rows = 40;
    expect(person.press('open').join('\n')).toContain(' what        B returns');
  });
});

describe('help and lanes', () => {
  it('? shows every key and what letters mean; ? or esc go back', () => {
    const person = new Person(events(3));
    const text = person.press('help').join('\n');
    for (const key of ['space', 'enter', 'esc', 'tab', 'g  G', '↑ ↓', 'q  ctrl-c']) expect(text).toContain(` ${key}`);
    expect(person.press('help').join('\n')).toContain('web-0');
    expect(person.press('help', 'back').join('\n')).toContain('web-0');
  });

  it('tab in local shows one watcher’s rows, and everybody’s findings and the server’s own doing', () => {
    const model = new ScreenModel('local');
    for (const item of localStory()) model.push(item);
    model.push({ kind: 'trace', at: START + 4000, what: 'compact', rv: 1561, why: 'asked' });
    const look = () =>
      screenOf(model, { columns: 100, rows: 30, now: START + 4000, since: START, view: localView() }).join('\n');
    expect(look()).toContain('web-30');
    expect(look()).not.toContain('web-31');
    model.act('next-lane');
    expect(look()).not.toContain('web-30');
    for (const _ of ['B', 'C', 'E']) {
      expect(look()).toContain('RING-BUFFER EXPIRY');
      expect(look()).toContain('store compacted at 1561');
      model.act('next-lane');
    }
    expect(look()).toContain('▸ A steady');
  });
});

describe('the lab’s leader', () => {
  const LAB: LabKey[] = [
    { key: 'b', says: 'burst 500', short: 'burst' },
    { key: 'c', says: 'compact at 1561', short: 'compact' },
    { key: 'd', says: 'resume B', short: 'resume' },
    { key: 'u', says: 'restore upstream', short: 'restore' },
    { key: '+', says: 'ring 200', short: '200' },
    { key: '-', says: 'ring 50', short: '50' },
  ];

  function lab(keys = LAB) {
    const model = new ScreenModel('local');
    for (const item of localStory()) model.push(item);
    const last = (columns = 120, rows = 30) =>
      screenOf(model, { columns, rows, now: START + 4000, since: START, view: localView(), lab: keys }).at(-1);
    last();
    return { model, last };
  }

  it.each([
    [120, ' ,b burst 500  ,c compact at 1561  ,d resume B  ,u restore upstream  ,+ ring 200  ,- ring 50  esc'],
    [80, ' ,b burst  ,c compact  ,d resume  ,u restore  ,+ 200  ,- 50  esc'],
    [56, ' b burst c compact d resume u restore + 200 - 50 esc'],
    [46, ' b burst c compact d resume u restore + - esc'],
    [40, ' b c d u + - esc'],
  ])('at %i columns the footer shows what each key would do now', (columns, footer) => {
    const { model, last } = lab();
    expect(last(columns)).toMatch(/, lab| , /);
    model.act('leader');
    expect(last(columns)).toBe(footer);
  });

  it('any key ends it: esc goes back no further, others do what they always do, unknown ones nothing', () => {
    const { model, last } = lab();
    for (const action of ['back', undefined, 'leader', 'lab:c'] as const) {
      model.act('help');
      model.act('leader');
      expect(model.leading).toBe(true);
      model.act(action);
      expect(model.leading).toBe(false);
      expect(model.overlay).toBe('help');
      model.act('help');
    }
    model.act('leader');
    model.act('next-lane');
    expect(model.lanes.selected).toBe('B');
    expect(last()).toContain(', lab');
  });

  it('only keys that do something now are the lab’s', () => {
    const { model } = lab(LAB.slice(0, 2));
    expect(model.labKeyOf('lab:c')).toBe('c');
    expect(model.labKeyOf('lab:d')).toBeUndefined();
    expect(model.labKeyOf('next-lane')).toBeUndefined();
  });

  it('there is no leader, and no word of it, where there is nothing behind it', () => {
    const { model, last } = lab([]);
    model.act('leader');
    expect(model.leading).toBe(false);
    expect(last()).not.toContain('lab');
    model.act('help');
    expect(screenOf(model, { columns: 120, rows: 40, now: START, view: localView() }).join('\n')).not.toContain(
      'burst',
    );
  });
});
