import { describe, expect, it } from 'vitest';
import type { Untimed } from '../../src/client/exchange.ts';
import type { SessionState } from '../../src/client/session-state.ts';
import { bookmark, bytes, ended, listed, opened, type Playbook, play, probed, refused } from '../support/playbook.ts';

/** Each state, reached by the shortest way. */
const REACH: Record<SessionState['kind'], () => Playbook> = {
  listing: () => play({ start: 'list' }),
  connecting: () => play(),
  streaming: () => play().gets(opened()),
  backoff: () => play().gets(ended('refused', 'ECONNREFUSED')),
  away: () => play().gets({ kind: 'leave' }),
  stopped: () => play().gets({ kind: 'stop-asked' }),
};

const INPUTS: Record<Untimed['kind'], Untimed> = {
  opened: opened(),
  refused: refused(503),
  'no-headers': { kind: 'no-headers' },
  bytes: bytes(bookmark('101')),
  ended: ended(),
  listed: listed('300'),
  'list-failed': { kind: 'list-failed', end: { end: 'reset', detail: 'ECONNRESET' } },
  probed: probed('window', { kind: 'open' }, 0),
  woke: { kind: 'woke' },
  pong: { kind: 'pong' },
  'no-pong': { kind: 'no-pong' },
  'path-alive': { kind: 'path-alive' },
  'read-paused': { kind: 'read-paused' },
  'read-resumed': { kind: 'read-resumed' },
  leave: { kind: 'leave' },
  return: { kind: 'return' },
  'stop-asked': { kind: 'stop-asked' },
};

/** The state after each input; a dot: the input does not belong here, or changes no state. */
const TABLE: Record<Untimed['kind'], Record<SessionState['kind'], SessionState['kind'] | '.'>> = {
  //              listing                connecting             streaming               backoff               away                   stopped
  opened: { listing: '.', connecting: 'streaming', streaming: '.', backoff: '.', away: '.', stopped: '.' },
  refused: { listing: 'backoff', connecting: 'backoff', streaming: '.', backoff: '.', away: '.', stopped: '.' },
  'no-headers': { listing: '.', connecting: '.', streaming: '.', backoff: '.', away: '.', stopped: '.' },
  bytes: { listing: '.', connecting: '.', streaming: '.', backoff: '.', away: '.', stopped: '.' },
  ended: { listing: '.', connecting: 'backoff', streaming: 'backoff', backoff: '.', away: '.', stopped: '.' },
  listed: { listing: 'connecting', connecting: '.', streaming: '.', backoff: '.', away: '.', stopped: '.' },
  'list-failed': { listing: 'backoff', connecting: '.', streaming: '.', backoff: '.', away: '.', stopped: '.' },
  probed: { listing: '.', connecting: '.', streaming: '.', backoff: '.', away: '.', stopped: '.' },
  woke: { listing: '.', connecting: '.', streaming: '.', backoff: 'connecting', away: '.', stopped: '.' },
  pong: { listing: '.', connecting: '.', streaming: '.', backoff: '.', away: '.', stopped: '.' },
  'no-pong': { listing: '.', connecting: '.', streaming: '.', backoff: '.', away: '.', stopped: '.' },
  'path-alive': { listing: '.', connecting: '.', streaming: '.', backoff: '.', away: '.', stopped: '.' },
  'read-paused': { listing: '.', connecting: '.', streaming: '.', backoff: '.', away: '.', stopped: '.' },
  'read-resumed': { listing: '.', connecting: '.', streaming: '.', backoff: '.', away: '.', stopped: '.' },
  leave: { listing: 'away', connecting: 'away', streaming: 'away', backoff: 'away', away: '.', stopped: '.' },
  return: { listing: '.', connecting: '.', streaming: '.', backoff: '.', away: 'connecting', stopped: '.' },
  'stop-asked': {
    listing: 'stopped',
    connecting: 'stopped',
    streaming: 'stopped',
    backoff: 'stopped',
    away: 'stopped',
    stopped: '.',
  },
};

/** Inputs that are told even where they change no state. */
const TELLS: Partial<Record<Untimed['kind'], SessionState['kind'][]>> = {
  opened: ['listing'],
  'no-headers': ['listing', 'connecting'],
  bytes: ['streaming'],
  probed: ['listing', 'connecting', 'streaming', 'backoff', 'away'],
};

const cells = Object.entries(TABLE).flatMap(([input, row]) =>
  Object.entries(row).map(([state, to]) => [state, input, to] as [SessionState['kind'], Untimed['kind'], string]),
);

describe('session: every state and every input', () => {
  it.each(cells)('%s + %s → %s', (from, input, to) => {
    const book = REACH[from]();
    book.is(from).skip();
    const before = book.state;
    if (input === 'woke' && from === 'backoff') book.after(60_000);
    else book.gets(INPUTS[input]);
    expect(book.state.kind).toBe(to === '.' ? from : to);
    if (to !== '.' || TELLS[input]?.includes(from)) return;
    expect(book.state).toBe(before);
    book.says().does();
  });
});
