import { createServer, type Server, type Socket } from 'node:net';

/** A TCP server that a test scripts by hand: what node:http cannot do wrong, this can. */
export interface RawServer {
  port: number;
  /** Requests read so far (whole heads, as text), over all connections. */
  requests: string[];
  sockets: Socket[];
  close(): Promise<void>;
}

export const CHUNKED = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n';

/** One HTTP chunk. */
export function chunk(text: string): string {
  return `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
}

/** Calls `answer` for each request head; `nth` counts from 0. Listens on 127.0.0.1. */
export async function rawServer(answer: (socket: Socket, nth: number, head: string) => void): Promise<RawServer> {
  const requests: string[] = [];
  const sockets: Socket[] = [];
  const server: Server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => socket.destroy());
    let text = '';
    socket.on('data', (bytes) => {
      text += bytes.toString('latin1');
      for (let end = text.indexOf('\r\n\r\n'); end >= 0; end = text.indexOf('\r\n\r\n')) {
        const head = text.slice(0, end);
        text = text.slice(end + 4);
        requests.push(head);
        answer(socket, requests.length - 1, head);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    port: address.port,
    requests,
    sockets,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}
