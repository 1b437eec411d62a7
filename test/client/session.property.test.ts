import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Untimed } from '../../src/client/exchange.ts';
import type { EndKind } from '../../src/client/facts.ts';
import type { SessionOutput } from '../../src/client/output.ts';
import type { StartAt } from '../../src/client/run.ts';
import { startSession, step } from '../../src/client/session.ts';
import type { SessionEffect, SessionInput, SessionState, Step } from '../../src/client/session-state.ts';
import {
  bookmark,
  bytes,
  ended,
  errorEvent,
  event,
  listed,
  opened,
  probed,
  refused,
  sessionConfig,
} from '../support/playbook.ts';

/** A server's or a user's move. RVs only grow, as they do in life, by `grows`. */
interface Move {
  input: (rv: number) => Untimed;
  grows: number;
}

const move = (input: (rv: number) => Untimed, grows = 0): Move => ({ input, grows });
const ENDS: EndKind[] = [
  'eof',
  'eof-unframed',
  'truncated',
  'reset',
  'protocol-error',
  'refused',
  'no-response',
  'tls',
];
const STATUSES = [302, 401, 403, 404, 410, 429, 500, 503];

const REFUSED = STATUSES.map((status) => move(() => refused(status)));
const ENDED = ENDS.map((end) => move(() => ended(end)));
const LISTED = [
  move((rv) => listed(String(rv), [['a', '1']]), 1),
  move((rv) => listed(String(rv), [['b', '1']], 'token'), 1),
  move(() => listed(undefined)),
  move(() => ({ kind: 'list-failed', end: { end: 'reset', detail: '' } })),
];
const BYTES = [
  ...(['ADDED', 'MODIFIED', 'DELETED'] as const).map((type) => move((rv) => bytes(event(type, 'a', String(rv))), 3)),
  move((rv) => bytes(bookmark(String(rv))), 1),
  ...[410, 410, 500, 504].map((code) => move(() => bytes(errorEvent(code)))),
  move(() => bytes('no JSON\n')),
  move(() => bytes('{"kind":"PodList","items":[]}')),
];
const OTHER = [
  ...(['no-headers', 'read-paused', 'read-resumed', 'leave', 'return', 'woke'] as const).map((kind) =>
    move(() => ({ kind })),
  ),
  move(() => probed('side', { kind: 'side', frames: 2, waitedMs: 1 }, 2_000_000)),
];

const times = (n: number, moves: Move[]) => Array.from({ length: n }, () => moves).flat();

/** What belongs to each state, weighted so that histories get somewhere: a first refusal ends most of them. */
const FITTING: Record<SessionState['kind'], Move[]> = {
  listing: [...times(20, LISTED), ...REFUSED],
  connecting: [...times(100, [move(() => opened())]), ...REFUSED, ...ENDED],
  streaming: [...times(8, BYTES.slice(0, 8)), ...BYTES, ...times(2, ENDED), ...OTHER],
  backoff: [move(() => ({ kind: 'woke' }))],
  away: [move(() => ({ kind: 'return' }))],
  stopped: OTHER,
};
const ANY = [...REFUSED, ...ENDED, ...LISTED, ...BYTES, ...OTHER, move(() => opened())];

interface Choice {
  after: number;
  fitting: boolean;
  pick: number;
}

const anyChoice: fc.Arbitrary<Choice> = fc.record({
  after: fc.constantFrom(0, 0, 1, 1, 500, 500, 1500, 1500, 30_000, 200_000),
  fitting: fc.nat(9).map((n) => n > 0),
  pick: fc.nat(10_000),
});

function chosen({ fitting, pick }: Choice, state: SessionState): Move {
  const moves = fitting ? FITTING[state.kind] : ANY;
  return moves[pick % moves.length] as Move;
}

const anyStart = fc.constantFrom<StartAt>('list', 'now', 'unset', 'url', { rv: '50' }, { rv: '0' });

interface History {
  outputs: SessionOutput[];
  effects: { at: number; effect: SessionEffect }[];
  last: Step;
  at: number;
}

function run(start: StartAt, choices: Choice[], probing: boolean): History {
  const config = sessionConfig({ start, probing, query: 'watch=1&allowWatchBookmarks=true&timeoutSeconds=300' });
  let at = 1_000_000;
  let rv = 100;
  const outputs: SessionOutput[] = [];
  const effects: History['effects'] = [];
  const take = (result: Step) => {
    outputs.push(...result.outputs);
    effects.push(...result.effects.map((effect) => ({ at, effect })));
    return result;
  };
  let last = take(startSession(config, at));
  for (const choice of choices) {
    at += choice.after;
    // Woken whenever time has passed: a wake-up that comes early or for nothing must do no harm.
    if (choice.after > 0) last = take(step(last.state, { kind: 'woke', at }));
    const { input, grows } = chosen(choice, last.state);
    rv += grows;
    last = take(step(last.state, { ...input(rv), at } as SessionInput));
  }
  return { outputs, effects, last, at };
}

describe('session: properties of any history', () => {
  const histories = fc.tuple(anyStart, fc.array(anyChoice, { minLength: 20, maxLength: 120 }), fc.boolean());

  it('never resumes behind the last RV it told', () => {
    fc.assert(
      fc.property(histories, ([start, moves, probing]) => {
        const { outputs, effects } = run(start, moves, probing);
        let newest = 0;
        const seen: number[] = [];
        for (const output of outputs) {
          if (output.kind === 'event' && output.fields.rv) newest = Math.max(newest, Number(output.fields.rv));
          if (output.kind === 'list' && output.facts.rv) newest = Math.max(newest, Number(output.facts.rv));
          if (output.kind === 'phase' && output.phase.state === 'connecting') {
            // Without an RV a watch begins with all there is, and misses nothing either.
            const asked = Number(output.phase.rv ?? Number.NaN);
            if (newest > 0 && !Number.isNaN(asked)) expect(asked).toBe(newest);
            seen.push(asked);
          }
        }
        expect(effects.filter(({ effect }) => effect.kind === 'open-watch')).toHaveLength(seen.length);
      }),
    );
  });

  it('never asks again for an RV that was refused with 410', () => {
    fc.assert(
      fc.property(histories, ([start, moves, probing]) => {
        const { outputs } = run(start, moves, probing);
        const refusedRvs = new Set<string>();
        for (const output of outputs) {
          if (output.kind === 'phase' && output.phase.state === 'connecting' && output.phase.rv !== undefined) {
            expect(refusedRvs).not.toContain(output.phase.rv);
          }
          if (output.kind !== 'end' || output.facts.requestedRv === undefined) continue;
          const { facts } = output;
          const gone = facts.errorStatus?.code === 410 || facts.httpStatus === 410;
          // A stream that had come further before its 410 holds a later RV; what it asked for is behind it anyway.
          if (gone && facts.requestedRv !== '0') refusedRvs.add(facts.requestedRv as string);
        }
      }),
    );
  });

  it('tells one end for each stream it asked for, and none twice', () => {
    fc.assert(
      fc.property(histories, ([start, moves, probing]) => {
        const { last, at, outputs } = run(start, moves, probing);
        const all = [...outputs, ...step(last.state, { kind: 'stop-asked', at }).outputs];
        const asked = all.flatMap((output) =>
          output.kind === 'phase' && output.phase.state === 'connecting' ? [output.phase.stream] : [],
        );
        const over = all.flatMap((output) => (output.kind === 'end' ? [output.facts.stream] : []));
        expect(over).toEqual(asked);
      }),
    );
  });

  it('stops whenever it is asked to, and does nothing more', () => {
    fc.assert(
      fc.property(histories, anyChoice, ([start, moves, probing], late) => {
        const { last, at } = run(start, moves, probing);
        const stopped = step(last.state, { kind: 'stop-asked', at });
        expect(stopped.state.kind).toBe('stopped');
        expect(stopped.effects.every(({ kind }) => kind === 'close')).toBe(true);
        const { input } = chosen(late, stopped.state);
        const after = step(stopped.state, { ...input(999), at: at + late.after } as SessionInput);
        expect(after).toEqual({ state: stopped.state, outputs: [], effects: [] });
      }),
    );
  });

  it('never asks for more than six watches in 30 s, but for planned ends and returns', () => {
    fc.assert(
      fc.property(histories, ([start, moves, probing]) => {
        const { effects, outputs } = run(start, moves, probing);
        // Planned ends and returns are somebody's wish: the pace counts from the last of them on.
        const wished = outputs.flatMap((one) => {
          const planned = one.kind === 'end' && one.at - (one.facts.openedAt ?? one.at) >= 290_000;
          return planned || (one.kind === 'phase' && one.phase.state === 'away') ? [one.at] : [];
        });
        const asked = effects.filter(({ effect }) => effect.kind === 'open-watch').map(({ at }) => at);
        for (const [n, at] of asked.entries()) {
          const seventh = asked[n + 6];
          if (seventh === undefined || wished.some((time) => time >= at && time <= seventh)) continue;
          expect(seventh - at).toBeGreaterThanOrEqual(30_000);
        }
      }),
    );
  });

  it('keeps its facts small, whatever the stream brings', () => {
    let { state } = step(startSession(sessionConfig(), 1_000_000).state, {
      ...opened(),
      at: 1_000_000,
    } as SessionInput);
    for (let n = 0; n < 20_000; n++) {
      const input =
        n % 3 === 0
          ? bytes(bookmark(String(n)))
          : n % 3 === 1
            ? bytes(`garbage ${n}\n`)
            : bytes(event('ADDED', `p${n}`, String(n)));
      state = step(state, { ...input, at: 1_000_000 + n * 100 } as SessionInput).state;
    }
    if (state.kind !== 'streaming') throw new Error(`unexpected ${state.kind}`);
    expect(JSON.stringify(state.recorder.facts).length).toBeLessThan(3000);
    expect(state.recorder.facts.bookmarkTimes).toHaveLength(16);
  });
});
