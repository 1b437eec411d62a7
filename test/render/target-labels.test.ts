import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { watchTarget } from '../../src/client/watch-target.ts';
import { LineFace } from '../../src/render/line.ts';
import { TargetLabels } from '../../src/render/target-labels.ts';
import { makeTheme } from '../../src/render/theme.ts';
import { textWidth } from '../../src/render/width.ts';
import { eventItem, findingItem, PODS, START } from '../support/feed-items.ts';

const targets = (paths: readonly string[]) => paths.map((path, index) => watchTarget(index, path).target);

function labels(...paths: string[]): (string | undefined)[] {
  const named = new TargetLabels(targets(paths));
  return paths.map((_, index) => named.of(index));
}

describe('labels of targets', () => {
  it.each<[string[], string[]]>([
    [
      ['/api/v1/pods', '/api/v1/events'],
      ['pods', 'events'],
    ],
    [
      ['/api/v1/namespaces/a/pods', '/api/v1/namespaces/b/pods'],
      ['a/pods', 'b/pods'],
    ],
    [
      ['/api/v1/namespaces/a/pods', '/api/v1/pods', '/api/v1/events'],
      ['a/pods', 'pods', 'events'],
    ],
    [
      ['/api/v1/events', '/apis/events.k8s.io/v1/events'],
      ['events', 'events.events.k8s.io'],
    ],
    [
      ['/api/v1/namespaces/a/pods/x', '/api/v1/namespaces/a/pods/y'],
      ['a/pods/x', 'a/pods/y'],
    ],
    [
      ['/api/v1/pods', '/api/v1/pods'],
      ['pods#1', 'pods#2'],
    ],
    [
      ['/healthz', '/readyz'],
      ['/healthz', '/readyz'],
    ],
    [
      [
        '/api/v1/namespaces/a-very-long-namespace-name-one/pods',
        '/api/v1/namespaces/a-very-long-namespace-name-two/pods',
      ],
      ['pods#1', 'pods#2'],
    ],
    [
      ['/api/v1/namespaces/%1b%5b2J/pods', '/api/v1/pods'],
      ['\\x1b[2J/pods', 'pods'],
    ],
  ])('%j are %j', (paths, expected) => {
    expect(labels(...paths)).toEqual(expected);
  });

  it('always differ, and are never wider than a column may be', () => {
    const segment = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
      .map((text) => encodeURIComponent(text.replaceAll('/', '-')));
    const path = fc.oneof(
      fc.constantFrom('/api/v1/pods', '/apis/apps/v1/deployments', '/x'),
      fc.tuple(segment, segment).map(([namespace, resource]) => `/api/v1/namespaces/${namespace}/${resource}`),
    );
    fc.assert(
      fc.property(fc.array(path, { maxLength: 12 }), (paths) => {
        const made = labels(...paths);
        expect(new Set(made).size).toBe(paths.length);
        for (const label of made) expect(textWidth(label ?? '')).toBeLessThanOrEqual(24);
      }),
    );
  });

  it('of any width leave the columns of the lines where they are', () => {
    const [one, two] = targets(['/api/v1/namespaces/default/pods', '/api/v1/namespaces/kube-system/pods']);
    const face = new LineFace({ theme: makeTheme('never', {}, false), labels: 'target', targets: [one, two] as never });
    const columns = [one, two].map((target) =>
      face.lines(eventItem(START, { name: 'web-0', rv: '7' }, { target: target as never }))[0]?.indexOf('M web-0'),
    );
    expect(columns[0]).toBe(columns[1]);
  });

  it('are known to the lines of a pipe from the first one on, findings included', () => {
    const [one, two] = targets(['/api/v1/namespaces/a/pods', '/api/v1/namespaces/b/pods']);
    const face = new LineFace({ theme: makeTheme('never', {}, false), labels: 'target', targets: [one, two] as never });
    const first = face.lines(eventItem(START, { name: 'web-0', rv: '7' }, { target: { ...PODS, ...one } }));
    expect(first[0]).toContain('[a/pods]       M web-0');
    expect(face.lines(findingItem(START, { target: 1 }))[0]).toContain('[b/pods]');
  });
});
