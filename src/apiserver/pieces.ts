import type { Exchange } from './exchange.ts';

/** Bytes of the block that a long answer is written through: enough that the calls out do not count. */
export const PIECE_BYTES = 256 * 1024;

/** Blocks that wait for the next answer: making one costs as much as filling it many times. */
const SPARE_MAX = 4;
const spare: Buffer[] = [];

/**
 * Sends the rest of an answer piece by piece through one block, which is filled anew when the client has taken it: however long the
 * answer and however slow the client, no more than that is held here. The headers are out.
 */
export function sendPieces(
  { response, signal }: Pick<Exchange, 'response' | 'signal'>,
  pieces: (block: Buffer) => Iterator<Uint8Array>,
): void {
  const block = spare.pop() ?? Buffer.allocUnsafeSlow(PIECE_BYTES);
  const rest = pieces(block);
  const next = (): void => {
    // Of a client that is gone the block may still be somewhere: it is not used again.
    if (signal.aborted) return;
    const { done, value } = rest.next();
    if (done) {
      if (spare.length < SPARE_MAX) spare.push(block);
      response.end();
    } else response.write(value, taken);
  };
  const taken = (error?: Error | null): void => {
    if (!error) next();
  };
  next();
}
