import { expect, it } from 'vitest';
import { Metrics } from '../../src/util/metrics.ts';

it('gives one series for one name and set of labels, and prints families in order', () => {
  const metrics = new Metrics();
  metrics.counter('b_total', 'B.', { resource: 'pods' }).value += 2;
  metrics.counter('b_total', 'B.', { resource: 'pods' }).value += 1;
  metrics.counter('b_total', 'B.', { resource: 'secrets' });
  metrics.gauge('a', 'A.', {}).value = 7;
  const shown = metrics.families().map(({ name, type, samples }) => [name, type, [...samples.values()]]);
  expect(shown).toEqual([
    ['a', 'gauge', [{ labels: {}, value: 7 }]],
    [
      'b_total',
      'counter',
      [
        { labels: { resource: 'pods' }, value: 3 },
        { labels: { resource: 'secrets' }, value: 0 },
      ],
    ],
  ]);
});
