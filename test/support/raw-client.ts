import net from 'node:net';

/** A client that writes what it likes to a TCP connection, and remembers what came back. */
export class RawClient {
  readonly socket: net.Socket;
  /** Everything that came, as text. */
  received = '';
  /** The server has closed its half. */
  ended = false;
  readonly closed: Promise<void>;

  constructor(port: number) {
    this.socket = net.connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    this.socket.on('data', (bytes) => {
      this.received += bytes.toString('latin1');
    });
    // A reset is an end as well; tests look at what came before it.
    this.socket.on('error', () => undefined);
    this.closed = new Promise((resolve) => {
      this.socket.once('end', () => {
        this.ended = true;
        this.socket.end();
      });
      this.socket.once('close', () => resolve());
    });
  }

  /** Resolves once the kernel has it; a client that is cut off in the middle is told nothing. */
  async send(bytes: string | Uint8Array): Promise<void> {
    await new Promise<void>((resolve) => this.socket.write(bytes, () => resolve()));
  }

  /** Sends, and waits for the server to close the connection. */
  async exchange(bytes: string | Uint8Array): Promise<string> {
    this.socket.write(bytes);
    await this.closed;
    return this.received;
  }

  leave(): void {
    this.socket.destroy();
  }
}

/** A request line and headers of HTTP/1.1. */
export const head = (method: string, target: string, more = '') =>
  `${method} ${target} HTTP/1.1\r\nHost: localhost\r\n${more}\r\n`;
