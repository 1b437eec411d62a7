import type { TLSSocket } from 'node:tls';
import type { Clock } from '../util/clock.ts';
import { dial } from './dial.ts';
import { classifyError } from './end-kind.ts';
import type { Endpoint } from './endpoint.ts';

/** What a server agrees to before a request. */
export type Handshake =
  | {
      kind: 'agreed';
      /** `TLSv1.3`. */
      protocol: string;
      /** It took `h2` where both were offered. */
      http2: boolean;
      /** False: any certificate would have done. */
      verified: boolean;
      /** When its certificate ends, ms since the epoch, where it says so. */
      certificateEndsAt?: number;
    }
  | { kind: 'failed'; detail: string };

/** One TLS handshake that offers both versions of HTTP, and no request. Never rejects. `patienceMs`: of the clock. */
export function shakeHands(endpoint: Endpoint, clock: Pick<Clock, 'timer'>, patienceMs: number): Promise<Handshake> {
  return new Promise((resolve) => {
    const socket = dial(endpoint, ['h2', 'http/1.1'], 0) as TLSSocket;
    const tell = (handshake: Handshake) => {
      timer.cancel();
      socket.destroy();
      resolve(handshake);
    };
    const timer = clock.timer(patienceMs, () => tell({ kind: 'failed', detail: 'no answer to the handshake' }));
    socket.on('error', (error) => tell({ kind: 'failed', detail: classifyError(error, false).detail }));
    socket.once('close', () => tell({ kind: 'failed', detail: 'closed during the handshake' }));
    socket.once('secureConnect', () => tell(agreed(socket, endpoint)));
  });
}

function agreed(socket: TLSSocket, { tls }: Endpoint): Handshake {
  const endsAt = Date.parse(socket.getPeerCertificate().valid_to ?? '');
  return {
    kind: 'agreed',
    protocol: socket.getProtocol() ?? 'TLS',
    http2: socket.alpnProtocol === 'h2',
    verified: tls.rejectUnauthorized !== false,
    ...(Number.isNaN(endsAt) ? {} : { certificateEndsAt: endsAt }),
  };
}
