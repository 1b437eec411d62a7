/**
 * What sockets, HTTP/2 sessions and answers of Node have: a timer that begins anew with every byte. It is about a peer on a real
 * socket, so it runs in real time whatever the clock of a lab says.
 */
export interface Stallable {
  setTimeout(ms: number, onStalled?: () => void): unknown;
}

/** Calls `then` once nothing has moved for `ms`. */
export function onStall(one: Stallable, ms: number, then: () => void): void {
  one.setTimeout(ms, then);
}

/** Nobody is to be told of a stall any more. */
export function forgetStall(one: Stallable): void {
  one.setTimeout(0);
}
