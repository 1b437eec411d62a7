import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readScript } from '../../src/scenario/read-script.ts';
import type { ScriptStep } from '../../src/scenario/script.ts';
import { UsageError } from '../../src/util/usage-error.ts';

const AROUND = { replicas: 1, classes: ['ring-buffer-expiry', 'upstream-compaction', 'slow-watcher-terminated'] };

function read(text: string | Uint8Array) {
  return readScript(typeof text === 'string' ? new TextEncoder().encode(text) : text, 'a.yaml', AROUND);
}

function complaint(text: string | Uint8Array): string {
  try {
    read(text);
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
  return 'no complaint';
}

const steps = (...lines: string[]) => `steps:\n${lines.map((line) => `  - ${line}\n`).join('')}`;
const A = '{ watch: A, resource: pods }';

describe('a script that is right', () => {
  it('becomes steps with the names that the program uses', () => {
    const script = read(`
title: a ring that is overrun
cacheSize: 100
compactEvery: off
progressNotify: 5s
steps:
  - watch: A
    resource: pods
    rv: 0
  - { burst: 500, within: 1m30s, size: 12KiB, at: 1s }
  - expect: A
    finding: ring-buffer-expiry
    within: 2s
`);
    expect(script).toMatchObject({
      name: 'a',
      title: 'a ring that is overrun',
      numbers: { cacheSize: 100, compactEveryMs: 'off', progressNotifyMs: 5000 },
    });
    expect(script.steps).toEqual([
      { verb: 'watch', watcher: 'A', resource: 'pods', rv: '0', line: 7 },
      { verb: 'burst', count: 500, withinMs: 90_000, size: 12_288, at: 1000, line: 10 },
      { verb: 'expect', of: 'A', finding: ['ring-buffer-expiry'], withinMs: 2000, line: 11 },
    ] satisfies ScriptStep[]);
  });

  it('may have a byte order mark and the line ends of Windows', () => {
    expect(read(`\ufeffsteps:\r\n  - wait: 2s\r\n`).steps).toEqual([{ verb: 'wait', forMs: 2000, line: 2 }]);
  });
});

/** What is wrong, and the line that is told of it. */
const WRONG: [string, string, string | RegExp][] = [
  [
    'an unknown verb',
    steps('brust: 500'),
    'script a.yaml:2:5: found "brust", expected one of write, burst, delete, compact, wait, stall, disconnect, resume, cut, restore, restart, resize, throttle, proxy, break, watch, list, expect (did you mean burst?)',
  ],
  [
    'an unknown option',
    steps('{ burst: 5, withn: 2s }'),
    'script a.yaml:2:17: found "withn", expected one of burst, within, resource, size, at (did you mean within?)',
  ],
  [
    'two verbs',
    steps('{ write: pods, burst: 5 }'),
    'script a.yaml:2:20: found burst beside write, expected one verb a step',
  ],
  [
    'a verb alone',
    steps('restore'),
    'script a.yaml:2:5: found "restore", expected a step: a map with its verb and what it is about, as { restore: … }',
  ],
  ['a step that is a number', steps('5'), 'script a.yaml:2:5: found 5, expected a step: a map'],
  ['an empty step', steps('{}'), /:2:5: found an empty step, expected one of write/],
  ['a missing step', 'steps:\n  -\n', /found nothing, expected a step: a map/],
  [
    'a verb without its subject',
    steps('wait:'),
    'script a.yaml:2:10: found nothing, expected a duration from 0s to 24h, as 2s or 500ms',
  ],
  [
    'a text for a number',
    steps('burst: many'),
    'script a.yaml:2:12: found "many", expected a whole number from 0 to 1000000',
  ],
  [
    'a number for a duration',
    steps('wait: 2'),
    'script a.yaml:2:11: found 2, expected a duration from 0s to 24h, as 2s or 500ms',
  ],
  ['a negative number', steps('burst: -1'), 'script a.yaml:2:12: found -1, expected a whole number from 0 to 1000000'],
  [
    'a negative duration',
    steps('wait: -2s'),
    'script a.yaml:2:11: found "-2s", expected a duration from 0s to 24h, as 2s or 500ms',
  ],
  ['a fraction', steps('burst: 1.5'), /found 1.5, expected a whole number/],
  ['not a number', steps('burst: .nan'), /found NaN, expected a whole number/],
  ['a huge count', steps('burst: 99999999999'), /found 99999999999, expected a whole number from 0 to 1000000/],
  [
    'too many writes in all',
    steps('burst: 1000000', 'burst: 1'),
    'script a.yaml:3:5: found more than 1000000 writes in all, expected at most so many',
  ],
  ['a huge object', steps('{ write: pods, size: 2MiB }'), /found "2MiB", expected bytes up to 1024KiB/],
  ['a wait for ever', steps('wait: 9999h'), /found "9999h", expected a duration from 0s to 24h/],
  ['too much waiting in all', steps('wait: 20h', 'wait: 20h'), /:3:11: found more than 24h of waiting in all/],
  [
    'times that run backwards',
    steps('{ compact: head, at: 2s }', '{ compact: head, at: 1s }'),
    'script a.yaml:3:26: found 1000 ms, expected at least 2000 ms: steps come in the order of their times',
  ],
  [
    'a resource that is not served',
    steps('write: pod'),
    'script a.yaml:2:12: found "pod", expected one of pods, events, configmaps, secrets (did you mean pods?)',
  ],
  ['a watcher without a resource', steps('watch: A'), 'script a.yaml:2:5: found no resource, expected resource too'],
  ['a name with a space', steps('{ watch: "A B", resource: pods }'), /found "A B", expected a name of letters/],
  ['a name that is a number', steps('{ watch: 1, resource: pods }'), /found 1, expected a name of letters/],
  ['a name twice', steps(A, A), 'script a.yaml:3:14: found "A", expected a new name: there is one'],
  ['the name of the server', steps('{ watch: server, resource: pods }'), /expected a new name: that is the apiserver/],
  [
    'a watcher that nobody has named',
    steps('disconnect: A'),
    'script a.yaml:2:17: found "A", expected a watcher that a step above has named: there is none',
  ],
  [
    'a watcher that comes later',
    steps('{ expect: A, resumed: true }', A),
    /:2:15: found "A", expected a watcher or list that a step above has named/,
  ],
  [
    'a slip in a name',
    steps('{ watch: Anna, resource: pods }', 'stall: Ana'),
    'script a.yaml:3:12: found "Ana", expected a watcher that a step above has named: one of Anna (did you mean Anna?)',
  ],
  [
    'a resume of one who never left',
    steps(A, 'resume: A'),
    'script a.yaml:3:13: found "A", expected another watcher: it never left (disconnect or stall)',
  ],
  [
    'a second farewell',
    steps(A, 'disconnect: A', 'disconnect: A'),
    /:4:17: found "A", expected another watcher: it has left already/,
  ],
  [
    'a stalled watcher that moves',
    steps(A, 'stall: A', '{ resume: A, timeoutSeconds: 5 }'),
    /found timeoutSeconds, expected none: A has only stalled/,
  ],
  [
    'an apiserver that there is not',
    steps('{ cut: upstream, server: 1 }'),
    'script a.yaml:2:30: found 1, expected 0: there is one apiserver (replicas)',
  ],
  [
    'nothing to expect',
    steps(A, '{ expect: A, within: 2s }'),
    'script a.yaml:3:5: found nothing to expect, expected one of finding, resumed, state, events',
  ],
  ['two things to expect', steps(A, '{ expect: A, resumed: true, state: live }'), /found resumed and state to expect/],
  [
    'a thing that a watcher has not',
    steps(A, '{ expect: A, status: 410 }'),
    /found status of a watcher, expected one of finding/,
  ],
  [
    'a refinement of nothing',
    steps(A, '{ expect: A, resumed: true, sub: overrun }'),
    /found sub without finding, expected both/,
  ],
  [
    'an unknown class',
    steps(A, '{ expect: A, finding: ring-buffer-expirey }'),
    /found "ring-buffer-expirey", expected one of .*\(did you mean ring-buffer-expiry\?\)/,
  ],
  ['no classes', steps(A, '{ expect: A, finding: [] }'), /found a list, expected a class of finding/],
  [
    'a list from two points',
    steps('{ list: L, resource: pods, rv: 5, continueOf: M }'),
    /found more than one of rv, rvOf and continueOf/,
  ],
  ['a match without an RV', steps('{ list: L, resource: pods, match: Exact }'), /found match without rv or rvOf/],
  [
    'an RV that is no number',
    steps('{ list: L, resource: pods, rv: 1e30 }'),
    /found 1e\+30, expected a resourceVersion/,
  ],
  [
    'a way through a proxy that there is not',
    steps('{ watch: A, resource: pods, via: P }'),
    'script a.yaml:2:38: found "P", expected a proxy that a step above has named: there is none',
  ],
  [
    'a way through a proxy and to a server',
    steps('proxy: P', '{ watch: A, resource: pods, server: 0, via: P }'),
    /:3:\d+: found via beside server, expected one of them/,
  ],
  [
    'a broken watcher',
    steps('{ watch: A, resource: pods }', '{ break: A, by: reset }'),
    'script a.yaml:3:14: found "A", expected a proxy that a step above has named: there is none',
  ],
  [
    'a reset that lasts',
    steps('proxy: P', '{ break: P, by: reset, for: 5s }'),
    /:3:\d+: found for, expected none: reset happens once/,
  ],
  [
    'an expectation of a proxy',
    steps('proxy: P', '{ expect: P, state: live }'),
    /:3:\d+: found "P", expected a watcher or list that a step above has named: there is none/,
  ],
  [
    'a proxy with a name that is given',
    steps('{ watch: P, resource: pods }', 'proxy: P'),
    'script a.yaml:3:12: found "P", expected a new name: there is one',
  ],
  ['too many proxies', steps(...Array.from({ length: 17 }, (_, n) => `proxy: P${n}`)), /found more than 16 proxies/],
  [
    'an apiserver that is to be throttled and is not there',
    steps('{ throttle: 3, for: 2s }'),
    /:2:17: found 3, expected 0: there is one apiserver/,
  ],
  ['no steps', 'steps: []\n', 'script a.yaml:1:8: found a list, expected at least one step'],
  ['no steps at all', 'title: x\n', 'script a.yaml:1:1: found no steps, expected steps too'],
  ['steps that are a map', 'steps: { wait: 2s }\n', /found a map, expected a list of steps/],
  ['a list for a script', '- wait: 2s\n', /found no steps|found a list, expected a map/],
  ['an empty file', '', 'script a.yaml:1:1: found nothing, expected a map with steps'],
  [
    'an unknown number',
    'cachSize: 5\nsteps: [{ wait: 2s }]\n',
    /a.yaml:1:1: found "cachSize", expected one of .*\(did you mean cacheSize\?\)/,
  ],
  ['too many steps', `steps:\n${'  - wait: 0s\n'.repeat(1001)}`, /expected at most 1000 steps/],
  [
    'too many watchers',
    steps(...Array.from({ length: 33 }, (_, n) => `{ watch: W${n}, resource: pods }`)),
    /:34:5: found more than 32 watchers/,
  ],
  [
    'a key twice',
    'steps:\n  - wait: 2s\n    wait: 3s\n',
    'script a.yaml:3:5: found a key that is there already, expected each key once',
  ],
  ['broken YAML', 'steps: [1\n', /script a.yaml:\d:\d+: not YAML: /],
  ['a tab', 'steps:\n\t- wait: 2s\n', /found a tab, expected spaces|not YAML/],
  [
    'two documents',
    'steps: [{ wait: 2s }]\n---\nsteps: []\n',
    'script a.yaml:2:1: found a second document (---), expected one',
  ],
  ['an anchor', 'steps: &a\n  - wait: 2s\n', /found an anchor or an alias/],
  ['a cycle', 'steps: &a [*a]\n', /found an anchor or an alias/],
  ['a bomb', 'a: &a [x,x,x,x]\nb: &b [*a,*a,*a,*a]\nsteps: [*b,*b,*b,*b]\n', /found an anchor or an alias/],
  ['a tag', 'steps: !!js/function "x"\n', /Unresolved tag|found the tag/],
  ['a tag that YAML knows', 'steps: !!set {a}\n', /found the tag|not YAML/],
  ['a list as a key', '? [a]\n: 1\n', /found a key that is no plain word/],
  ['a key called __proto__', '__proto__: 1\nsteps: [{ wait: 2s }]\n', /found "__proto__", expected one of/],
  ['nested brackets', `steps: ${'['.repeat(5000)}`, /found more than 16 levels of nesting/],
  ['nested dashes', `steps:\n${'- '.repeat(5000)}a\n`, /a.yaml:2:1: found more than 16 levels of nesting/],
  [
    'nested maps',
    `${Array.from({ length: 40 }, (_, n) => `${' '.repeat(n)}a:`).join('\n')}\n`,
    /found more than 16 levels of nesting/,
  ],
  [
    'an escape that YAML makes',
    'title: "\\e[31mred"\nsteps: [{ wait: 2s }]\n',
    'script a.yaml:1:8: found "\\u001b[31mred", expected text without control and invisible characters',
  ],
  [
    'a name that turns the writing',
    steps('{ watch: "\\u202eA", resource: pods }'),
    /found "\\u202eA", expected a name/,
  ],
  [
    'a text that is not seen',
    'title: "a\\u200bb"\nsteps: [{ wait: 2s }]\n',
    /found "a\\u200bb", expected text without/,
  ],
  [
    'a line that Unicode ends',
    'title: "a\\u2028b"\nsteps: [{ wait: 2s }]\n',
    /found "a\\u2028b", expected text without/,
  ],
  [
    'letters of the tag plane',
    'title: "a\\U000E0041"\nsteps: [{ wait: 2s }]\n',
    /found "a\\u\{e0041\}", expected text/,
  ],
  [
    'a label that Kubernetes refuses',
    steps('{ write: pods, labels: { app: a b } }'),
    /found "a b", expected labels as/,
  ],
  [
    'a key of a label with an escape',
    steps('{ write: pods, labels: { "a\\e[1m": b } }'),
    /2:\d+: found a map, expected labels/,
  ],
  ['a list instead of a map', '- wait: 2s\n', 'script a.yaml:1:1: found a list, expected a map with steps'],
  [
    'a key that is misspelt, and so another that is missing',
    steps('{ watch: A, resourse: pods }'),
    /a.yaml:2:17: found "resourse", expected one of watch, .* \(did you mean resource\?\)/,
  ],
  ['control characters', 'steps: [\u0000]\n', 'script a.yaml: it holds control characters: no text file'],
  [
    'a file that is too large',
    `steps: []\n#${'x'.repeat(200_000)}`,
    'script a.yaml: it is larger than 128 KiB, the most that is read',
  ],
];

describe('a script that is wrong', () => {
  it.each(WRONG)('%s', (_, text, expected) => {
    const told = complaint(text);
    if (typeof expected === 'string') expect(told).toBe(expected);
    else expect(told).toMatch(expected);
    expect(told).not.toMatch(/\n|Invalid|received/);
  });

  it('bytes that are no text', () => {
    expect(complaint(new Uint8Array([0x7f, 0x45, 0x4c, 0x46, 0xff, 0xfe]))).toBe('script a.yaml: it is no UTF-8 text');
  });
});

const FOLDER = new URL('../../fixtures/scenarios/', import.meta.url);
const shipped = readdirSync(FOLDER).map((file) => readFileSync(new URL(file, FOLDER)));

describe('any bytes', () => {
  it('are a script, or a complaint of one line', () => {
    const told = (bytes: Uint8Array) => {
      const text = complaint(bytes);
      expect(text).not.toMatch(/[\n\x00-\x1f]/);
      expect(text.length).toBeLessThan(1500);
    };
    const cut = fc.record({
      of: fc.constantFrom(...shipped),
      at: fc.nat(900),
      length: fc.nat(40),
      put: fc.uint8Array({ maxLength: 12 }),
    });
    fc.assert(
      fc.property(cut, ({ of, at, length, put }) =>
        told(Buffer.concat([of.subarray(0, at), put, of.subarray(at + length)])),
      ),
      { numRuns: 300 },
    );
    fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), told));
    const yaml = fc.array(
      fc.constantFrom(
        '- ',
        '{',
        '}',
        '[',
        ']',
        ': ',
        'watch',
        'A',
        ', ',
        '\n',
        '  ',
        '"',
        '&a',
        '*a',
        '!!x',
        '#',
        '|',
        '1',
        'steps:',
      ),
      { maxLength: 40 },
    );
    fc.assert(
      fc.property(yaml, (parts) => told(new TextEncoder().encode(parts.join('')))),
      { numRuns: 300 },
    );
  });
});
