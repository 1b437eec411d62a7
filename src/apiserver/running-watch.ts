import type { EventBatch, EventSink, Watcher, WatcherEvent } from '../store/resource-storage.ts';
import type { Timer } from '../util/clock.ts';
import { tellRefusal } from './refusal-trace.ts';
import type { Resource } from './resource.ts';
import type { Serving } from './serving.ts';
import { NoSuchForm, type WatchEventEncoder } from './watch-events.ts';
import type { WatchMetrics } from './watch-metrics.ts';
import type { WatchStream } from './watch-stream.ts';

export interface RunningWatchOptions {
  serving: Serving;
  resource: Resource;
  auditId: string;
  /** The RV that was asked for, as the client wrote it. */
  requestedRv: string;
  watcher: Watcher;
  encoder: WatchEventEncoder;
  metrics: WatchMetrics;
  /** Ends the request when its time is up. */
  timer: Timer;
  /** To be called when it is over. */
  ended: () => void;
}

/**
 * A watch that was accepted: from its watcher to the socket, waiting for whichever is behind (upstream watch.go HandleHTTP). All that
 * is left of a request while it waits for events, so it keeps nothing that it does not need.
 */
export class RunningWatch implements EventSink {
  readonly #options: RunningWatchOptions;
  readonly #stream: WatchStream;

  constructor(options: RunningWatchOptions, stream: WatchStream) {
    this.#options = options;
    this.#stream = stream;
  }

  get ready(): boolean {
    return this.#stream.ready;
  }

  deliver(batch: EventBatch): void {
    this.#options.metrics.sent.value += batch.events.length;
    this.#stream.deliver(batch);
  }

  /**
   * The loop. While the client reads along its watcher writes to the stream itself (`follow`). Resolves when the stream has
   * ended, properly.
   */
  async run(): Promise<void> {
    const { watcher, encoder, metrics } = this.#options;
    metrics.open.value++;
    try {
      // One loop and no function of its own for the wait: most watches wait most of the time, and each of them keeps the frames.
      for (;;) {
        let event = watcher.poll();
        if (!event) {
          await this.#sendAll();
          const following = encoder.plain ? watcher.follow?.(this) : undefined;
          if (following) {
            await following;
            await this.#stream.drained();
          }
          event = watcher.poll() ?? (await watcher.next());
        }
        if (!event) break;
        this.#write(event);
        const full = this.#stream.drained();
        if (full) await full;
      }
    } catch (error) {
      if (!(error instanceof NoSuchForm)) throw error;
    } finally {
      metrics.open.value--;
      this.#end();
    }
  }

  /** Nothing more is there: what was gathered goes out, and the client has time to take it. */
  #sendAll(): Promise<void> | undefined {
    this.#stream.flush();
    return this.#stream.drained();
  }

  #write(event: WatcherEvent): void {
    const { serving, resource, auditId, requestedRv: requested, encoder, metrics } = this.#options;
    if (event.type === 'ERROR' && event.cause) tellRefusal(serving, { auditId }, { resource, requested }, event.cause);
    this.#stream.write(encoder.encode(event));
    metrics.sent.value++;
  }

  #end(): void {
    const { watcher, timer, ended } = this.#options;
    timer.cancel();
    ended();
    watcher.stop();
    this.#stream.end();
  }
}
