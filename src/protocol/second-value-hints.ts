const CLOSE_OBJECT = 0x7d;
const SPACE = 0x20;
const TAB = 0x09;
const RETURN = 0x0d;

/**
 * Says whether a line may hold two objects in a row, by native searches that run once over a piece of bytes, not once a
 * line. JSON without blanks has `}{` only inside strings, and tabs and returns never do; a false alarm costs time only.
 */
export class SecondValueHints {
  readonly #bytes: Buffer;
  #adjacent = NOT_SEARCHED;
  #spaced = NOT_SEARCHED;
  #tab = NOT_SEARCHED;
  #return = NOT_SEARCHED;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** Lines must be asked for in the order in which they stand. */
  within(from: number, to: number): boolean {
    const bytes = this.#bytes;
    if (this.#adjacent < from) this.#adjacent = orNever(bytes.indexOf('}{', from));
    if (this.#adjacent < to) return true;
    if (this.#tab < from) this.#tab = orNever(bytes.indexOf(TAB, from));
    if (this.#tab < to) return true;
    if (this.#return < from) this.#return = orNever(bytes.indexOf(RETURN, from));
    if (this.#return < to) return true;
    if (this.#spaced < from) this.#spaced = this.#nextSpaced(from);
    return this.#spaced < to;
  }

  /** The next `}`, one or more spaces, `{`: the position of that last space. */
  #nextSpaced(from: number): number {
    const bytes = this.#bytes;
    for (let at = bytes.indexOf(' {', from); at >= 0; at = bytes.indexOf(' {', at + 1)) {
      let before = at;
      while (bytes[before] === SPACE && before > from) before--;
      if (bytes[before] === CLOSE_OBJECT) return at;
    }
    return Number.POSITIVE_INFINITY;
  }
}

const NOT_SEARCHED = -1;

function orNever(position: number): number {
  return position < 0 ? Number.POSITIVE_INFINITY : position;
}
