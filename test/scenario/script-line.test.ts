import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readScript } from '../../src/scenario/read-script.ts';
import type { ScriptStep } from '../../src/scenario/script.ts';
import { scriptLine } from '../../src/scenario/script-line.ts';

const AROUND = { replicas: 3, classes: ['ring-buffer-expiry', 'upstream-compaction'] };

/** Steps that need none above them. */
const label = fc.stringMatching(/^([A-Za-z0-9]|[A-Za-z0-9][A-Za-z0-9_.-]{0,20}[A-Za-z0-9])?$/);
const text = fc.stringMatching(/^[ -~äß→]{1,30}$/).filter((one) => one.trim() !== '');
const ms = fc.integer({ min: 0, max: 60_000 });
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const resource = fc.constantFrom('pods', 'events', 'configmaps');

const step: fc.Arbitrary<ScriptStep> = fc.oneof(
  fc.record({
    verb: fc.constant('write' as const),
    resource,
    name: optional(fc.constantFrom('web-01', 'a.b', '0', 'null')),
    size: optional(fc.integer({ min: 0, max: 1_000_000 })),
    labels: optional(fc.dictionary(fc.constantFrom('app', 'x/y', '1'), label, { maxKeys: 3, noNullPrototype: true })),
  }),
  fc.record({
    verb: fc.constant('burst' as const),
    count: fc.nat(1000),
    withinMs: optional(ms),
    resource: optional(resource),
  }),
  fc.record({ verb: fc.constant('delete' as const), resource, count: optional(fc.integer({ min: 1, max: 99 })) }),
  fc.record({
    verb: fc.constant('compact' as const),
    revision: fc.oneof(fc.constant('head' as const), fc.integer({ min: 1, max: 1e6 })),
  }),
  fc.record({ verb: fc.constant('wait' as const), forMs: ms }),
  fc.record({
    verb: fc.constant('cut' as const),
    resource: fc.constantFrom('upstream', 'pods'),
    server: optional(fc.nat(2)),
    silent: optional(fc.constant(true)),
  }),
  fc.record({ verb: fc.constant('restore' as const), resource: fc.constant('upstream') }),
  fc.record({ verb: fc.constant('restart' as const), server: fc.nat(2), kill: optional(fc.constant(true)) }),
  fc.record({ verb: fc.constant('resize' as const), resource, capacity: fc.integer({ min: 1, max: 1000 }) }),
  fc.record({
    verb: fc.constant('throttle' as const),
    server: fc.nat(2),
    forMs: ms,
    retryAfter: optional(fc.integer({ min: 1, max: 99 })),
  }),
  fc.record({
    verb: fc.constant('proxy' as const),
    proxy: fc.constantFrom('P', 'no'),
    server: optional(fc.nat(2)),
    idleMs: optional(ms),
    ageMs: optional(ms),
    holdMs: optional(ms),
  }),
  fc.record({
    verb: fc.constant('watch' as const),
    watcher: fc.constantFrom('A', 'no', 'x-1'),
    resource,
    rv: optional(fc.constantFrom('list', 'now', 'unset', '0', '1041')),
    labelSelector: optional(text),
    timeoutSeconds: optional(fc.integer({ min: 1, max: 99 })),
    role: optional(text),
  }),
  fc.record({
    verb: fc.constant('list' as const),
    list: fc.constant('L'),
    resource,
    rv: optional(fc.constant('7')),
    limit: optional(fc.constant(5)),
  }),
  fc.record({
    verb: fc.constant('expect' as const),
    of: fc.constant('server'),
    trace: fc.constantFrom('terminate' as const, 'refuse' as const),
    times: optional(fc.nat(9)),
    withinMs: optional(ms),
    because: optional(text),
  }),
) as fc.Arbitrary<ScriptStep>;

const withoutUndefined = (value: object) => JSON.parse(JSON.stringify(value)) as unknown;

describe('the line of a script that a step equals', () => {
  it('is the same step when it is read again', () => {
    fc.assert(
      fc.property(step, (one) => {
        const script = readScript(new TextEncoder().encode(`steps:\n${scriptLine(one)}\n`), 'x.yaml', AROUND);
        expect(script.steps).toEqual([{ ...(withoutUndefined(one) as object), line: 2 }]);
      }),
    );
  });

  it.each<[ScriptStep, string]>([
    [{ verb: 'compact', revision: 'head' }, '- compact: head'],
    [{ verb: 'burst', count: 500, withinMs: 2000 }, '- { burst: 500, within: 2s }'],
    [{ verb: 'wait', forMs: 1500 }, '- wait: 1500ms'],
    [{ verb: 'resume', watcher: 'B', server: 1, line: 7 }, '- { resume: B, server: 1 }'],
    [
      { verb: 'expect', of: 'B', finding: ['healthy'], withinMs: 2000, line: 3 },
      '- { expect: B, finding: healthy, within: 2s }',
    ],
  ])('%j', (one, line) => {
    expect(scriptLine(one)).toBe(line);
  });
});
