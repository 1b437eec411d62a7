/** Measurements of what was delivered, and how: a part of StreamFacts and ListFacts (facts.ts). Times as there. */

export interface SelectionExits {
  count: number;
  /** The first five, `namespace/name`. */
  names: string[];
  first: { name: string; at: number; kind?: string; rv?: string };
  /** One of them was seen again: the same object, so it had only left. */
  cameBack?: { name: string; rv?: string };
}

export interface Clump {
  at: number;
  /** No byte came for so long before it. */
  quietMs: number;
  events: number;
  /** From the oldest to the newest time at which its events were made, by their own account. */
  spreadMs: number;
}

export interface MissedEvents {
  count: number;
  /** The first ones, `namespace/name`. */
  names: string[];
  /** The oldest of them, and what covered it. */
  name: string;
  rv: string;
  coveredBy: { rv: string; by: 'bookmark' | 'event' };
}
