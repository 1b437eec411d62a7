import type { EventBatch, EventSink, Watcher } from '../../src/store/resource-storage.ts';
import { line } from './lab.ts';

/** A handler with a socket, as the apiserver's: it follows while the socket has room, and reads one by one else. */
export class FollowingClient implements EventSink {
  readonly watcher: Watcher;
  readonly lines: string[] = [];
  ended = false;
  /** The next thing it is given fills the socket. */
  closing = false;
  #ready = true;
  #again: (() => void) | undefined;

  constructor(watcher: Watcher) {
    this.watcher = watcher;
    void this.#run();
  }

  get ready(): boolean {
    return this.#ready;
  }

  deliver(batch: EventBatch): void {
    if (!this.#ready) throw new Error('delivered to a full socket');
    this.#write(batch.events.map(line));
  }

  /** The socket has room again. */
  open(): void {
    this.#ready = true;
    this.closing = false;
    this.#again?.();
    this.watcher.resume?.();
  }

  #write(lines: string[]): void {
    this.lines.push(...lines);
    if (!this.closing) return;
    this.closing = false;
    this.#ready = false;
  }

  async #run(): Promise<void> {
    for (;;) {
      const event = this.watcher.poll() ?? (await this.#next());
      if (!event) break;
      this.#write([line(event)]);
      await this.#room();
    }
    this.ended = true;
  }

  async #next() {
    const following = this.watcher.follow?.(this);
    if (!following) return this.watcher.next();
    await following;
    await this.#room();
    return this.watcher.poll() ?? this.watcher.next();
  }

  async #room(): Promise<void> {
    while (!this.#ready) {
      await new Promise<void>((resolve) => {
        this.#again = resolve;
      });
    }
  }
}
