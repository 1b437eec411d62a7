/**
 * A resourceVersion as it stands on the wire. Opaque: clients may hand it back, and compare it only where both sides are
 * plain decimals (Kubernetes API concepts; aggregated and multi-cluster APIs send tokens that have no order).
 */
export type ResourceVersion = string & { readonly __rv: unique symbol };

/** Brands a string as a resourceVersion. No check: a foreign server may send anything. */
export function rv(text: string): ResourceVersion {
  return text as ResourceVersion;
}

/** True for a non-empty run of ASCII digits, the only form whose order means something. */
export function isDecimalRv(text: string): boolean {
  return /^\d+$/.test(text);
}

/** -1, 0, 1 as for `sort`, or undefined unless both are plain decimals. Works beyond 2^53. */
export function compareRv(a: string, b: string): -1 | 0 | 1 | undefined {
  if (a === b) return isDecimalRv(a) ? 0 : undefined;
  if (!isDecimalRv(a) || !isDecimalRv(b)) return undefined;
  const [x, y] = [withoutZeros(a), withoutZeros(b)];
  if (x.length !== y.length) return x.length < y.length ? -1 : 1;
  return x === y ? 0 : x < y ? -1 : 1;
}

function withoutZeros(text: string): string {
  return text.startsWith('0') ? text.replace(/^0+(?=\d)/, '') : text;
}

/** How many revisions `to` lies above `from` (negative: below), or undefined where they have no order. */
export function revisionsApart(from: string, to: string): number | undefined {
  if (!isDecimalRv(from) || !isDecimalRv(to)) return undefined;
  return Number(BigInt(to) - BigInt(from));
}
