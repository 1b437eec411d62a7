import { render } from 'ink-testing-library';
import { describe, expect, it } from 'vitest';
import { makeTheme } from '../../src/render/theme.ts';
import { App } from '../../src/ui/app.tsx';
import { composeFrame } from '../../src/ui/frame.ts';
import { type Action, actionOf } from '../../src/ui/keys.ts';
import { ScreenModel } from '../../src/ui/model.ts';
import { paintFrame, samePaint } from '../../src/ui/painted-frame.ts';
import { localStory, localView, TAIL_NOW, tailStory } from '../support/canned-story.ts';
import { START } from '../support/feed-items.ts';
import { frameLines } from '../support/screen-text.ts';

const plain = makeTheme('never', {}, false);

/** Draws a model through Ink and gives back what Ink made of it, beside what was composed. */
function throughInk(mode: 'tail' | 'local', columns: number, rows: number) {
  const model = new ScreenModel(mode);
  for (const item of mode === 'tail' ? tailStory() : localStory()) model.push(item);
  const context =
    mode === 'tail'
      ? { now: TAIL_NOW, since: undefined, view: undefined, lab: [] }
      : { now: START + 3600, since: START, view: localView(), lab: [] };
  const frame = composeFrame(model, { columns, rows, title: 'prod-eu', probing: true, ...context });
  const painted = paintFrame(frame, plain);
  const actions: Action[] = [];
  const ink = render(
    <App
      subscribe={() => () => {}}
      snapshot={() => painted}
      onKey={(input, key) => {
        const action = actionOf(input, key);
        if (action) actions.push(action);
      }}
      onUnmount={() => {}}
    />,
  );
  return { ink, actions, composed: frameLines(frame).map((line) => line.trimEnd()) };
}

describe('App', () => {
  it.each([
    ['tail', 80, 24],
    ['tail', 40, 10],
    ['local', 100, 30],
    ['local', 40, 10],
  ] as const)('%s at %i×%i: Ink neither wraps nor loses a line', (mode, columns, rows) => {
    const { ink, composed } = throughInk(mode, columns, rows);
    expect(
      ink
        .lastFrame()
        ?.split('\n')
        .map((line) => line.trimEnd()),
    ).toEqual(composed);
    ink.unmount();
  });

  it.each([
    ['q', 'quit'],
    ['\x03', 'interrupt'],
    ['?', 'help'],
    [' ', 'pause'],
    ['\x1b[A', 'up'],
    ['\x1b[B', 'down'],
    ['\x1b[5~', 'page-up'],
    ['\x1b[6~', 'page-down'],
    ['j', 'down'],
    ['k', 'up'],
    ['g', 'top'],
    ['G', 'newest'],
    ['\r', 'open'],
    ['\t', 'next-lane'],
    ['e', 'next-finding'],
    [',', 'leader'],
    // Typed fast, both come in one piece.
    [',c', 'lab:c'],
    [',+', 'lab:+'],
  ])('key %j is %s', (key, action) => {
    const { ink, actions } = throughInk('tail', 80, 24);
    ink.stdin.write(key);
    expect(actions).toEqual([action]);
    ink.unmount();
  });

  it('other keys and pasted text mean nothing', () => {
    const { ink, actions } = throughInk('tail', 80, 24);
    for (const key of ['x', 'quit', '\x01', 'é', ',x', ',cc', '+']) ink.stdin.write(key);
    expect(actions).toEqual([]);
    ink.unmount();
  });
});

describe('painting', () => {
  it('says with a letter what it says with a colour', () => {
    const model = new ScreenModel('tail');
    for (const item of tailStory()) model.push(item);
    const frame = composeFrame(model, {
      columns: 80,
      rows: 24,
      title: 'x',
      probing: true,
      now: TAIL_NOW,
      since: undefined,
      view: undefined,
      lab: [],
    });
    const colored = paintFrame(frame, makeTheme('always', {}, true));
    expect(colored.body.join('\n')).toContain('\x1b[31mD');
    expect(colored.body.join('\n')).toContain('\x1b[34mB');
    expect(colored.body.join('\n')).toContain('\x1b[32mA');
    expect(paintFrame(frame, plain).body.join('\n')).not.toContain('\x1b');
    expect(samePaint(colored, paintFrame(frame, makeTheme('always', {}, true)))).toBe(true);
    expect(samePaint(colored, paintFrame(frame, plain))).toBe(false);
  });
});
