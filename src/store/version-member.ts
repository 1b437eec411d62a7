const OPENING = Buffer.from(',"resourceVersion":"');
const QUOTE = '"'.charCodeAt(0);
const ZERO = '0'.charCodeAt(0);

/** Bytes of `,"resourceVersion":"RV"`. */
export function versionMemberLength(rv: number): number {
  return OPENING.length + digits(rv) + 1;
}

/** Writes it to `at`, without a text in between: a list has ten thousand of them. */
export function writeVersionMember(rv: number, into: Uint8Array, at: number): void {
  for (let i = 0; i < OPENING.length; i += 1) into[at + i] = OPENING[i]!;
  const first = at + OPENING.length;
  let rest = rv;
  let place = first + digits(rv);
  into[place] = QUOTE;
  while (place > first) {
    const tenth = Math.floor(rest / 10);
    place -= 1;
    into[place] = ZERO + (rest - 10 * tenth);
    rest = tenth;
  }
}

function digits(rv: number): number {
  let count = 1;
  for (let limit = 10; rv >= limit; limit *= 10) count += 1;
  return count;
}

/** Bytes before the place of a copy that are put aside; the heads of objects that are left out are not longer. */
const saved = new Uint8Array(128);

/**
 * Copies `bytes` without the first `from` to `at`. All of them are copied, and what stood before `at` is put back where that is
 * shorter: a view of the rest is an object more than the copy of a few bytes.
 */
export function copyFrom(bytes: Uint8Array, from: number, into: Uint8Array, at: number): void {
  if (from > saved.length || from > at) {
    into.set(bytes.subarray(from), at);
    return;
  }
  const begin = at - from;
  for (let i = 0; i < from; i += 1) saved[i] = into[begin + i]!;
  into.set(bytes, begin);
  for (let i = 0; i < from; i += 1) into[begin + i] = saved[i]!;
}
