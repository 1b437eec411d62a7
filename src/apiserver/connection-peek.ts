import type { Socket } from 'node:net';
import { forgetStall, onStall } from '../util/stall-timer.ts';

/** What HTTP/2 begins with where nobody negotiated it (RFC 9113 §3.4). No request line begins like this. */
const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');

/** First byte of a TLS handshake (RFC 8446 §5.1); no HTTP method has it. */
const TLS_HANDSHAKE = 0x16;

/** What is spoken on a plain connection; undefined: these bytes do not say yet. */
export function httpVersionOf(head: Buffer): 'http/1' | 'http/2' | undefined {
  const common = Math.min(head.length, PREFACE.length);
  if (head.compare(PREFACE, 0, common, 0, common) !== 0) return 'http/1';
  return common === PREFACE.length ? 'http/2' : undefined;
}

export const isTls = (head: Buffer): boolean => head[0] === TLS_HANDSHAKE;

/**
 * Reads the first bytes of a connection until `decide` knows, puts them back and goes on with `then`. A connection that stays
 * undecided for `patienceMs` without a byte, or ends, is closed.
 */
export function peek<T>(
  socket: Socket,
  patienceMs: number,
  decide: (head: Buffer) => T | undefined,
  then: (decision: T) => void,
): void {
  let head: Buffer = Buffer.alloc(0);
  const giveUp = () => socket.destroy();
  const onReadable = () => {
    const bytes: Buffer | null = socket.read();
    if (bytes === null) return;
    head = Buffer.concat([head, bytes]);
    const decision = decide(head);
    if (decision === undefined) return;
    socket.off('readable', onReadable).off('end', giveUp).off('timeout', giveUp);
    forgetStall(socket);
    socket.unshift(head);
    then(decision);
  };
  // A connection that breaks is no fault of ours; 'close' follows.
  socket.on('error', ignore);
  socket.on('readable', onReadable).on('end', giveUp);
  onStall(socket, patienceMs, giveUp);
}

/** Made apart, so that a connection does not keep what was peeked at. */
function ignore(): void {
  // 'close' follows.
}
