import type { Replica } from '../apiserver/replica.ts';
import type { Clock } from '../util/clock.ts';
import { Middlebox } from './middlebox.ts';
import type { BreakStep, ProxyStep } from './script.ts';

/** The middleboxes of a script, by name. */
export class Middleboxes {
  readonly #clock: Clock;
  readonly #byName = new Map<string, Middlebox>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Puts one in front of an apiserver; done when it listens. */
  async put({ proxy, idleMs, ageMs, holdMs }: ProxyStep, { url }: Pick<Replica, 'url'>): Promise<void> {
    const { hostname, port, protocol } = new URL(url);
    const behind = { host: hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(port), tls: protocol === 'https:' };
    const rules = {
      ...(idleMs === undefined ? {} : { idleMs }),
      ...(ageMs === undefined ? {} : { ageMs }),
      ...(holdMs === undefined ? {} : { holdMs }),
    };
    const one = new Middlebox(behind, this.#clock, rules);
    await one.open();
    this.#byName.set(proxy, one);
  }

  async strike(step: BreakStep): Promise<void> {
    await this.#named(step.proxy).strike(step);
  }

  portOf(name: string): number {
    return this.#named(name).port;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#byName.values()].map((one) => one.close()));
  }

  #named(name: string): Middlebox {
    const one = this.#byName.get(name);
    if (one === undefined) throw new Error(`there is no proxy ${name}`);
    return one;
  }
}
