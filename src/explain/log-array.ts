/** Characters at the beginning of a file that are looked at to see whether it is one JSON document with its entries in a list. */
const HEAD = 256;
/**
 * `[{"…`, or `{"events": [{"…`: as `gcloud logging read --format=json`, `aws logs filter-log-events` and the exports of web
 * consoles write a log.
 */
const LIST_OF_ENTRIES = /^\s*(?:\{\s*"(?:events|entries|logs|records|messages)":\s*)?\[\s*\{\s*"/;
/** So far nothing speaks against it, but there is too little of it. */
const MAY_BECOME = /^\s*(?:\{\s*(?:"\w{0,40}(?:"(?::\s*(?:\[\s*(?:\{\s*)?)?)?)?)?|\[\s*(?:\{\s*)?)?$/;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** Gives a log that is one JSON list an entry a line; any other text goes through as it is. Text may come cut anywhere. */
export class ListedEntries {
  #head: string | undefined = '';
  #listed = false;
  /** Open braces and brackets of the entry. */
  #depth = 0;
  #inString = false;
  #escaped = false;

  /** The text, or what is known of it so far. */
  take(text: string): string {
    if (this.#head === undefined) return this.#listed ? this.#entries(text) : text;
    const head = this.#head + text;
    if (head.length < HEAD && MAY_BECOME.test(head)) {
      this.#head = head;
      return '';
    }
    this.#head = undefined;
    this.#listed = LIST_OF_ENTRIES.test(head);
    if (!this.#listed) return head;
    return this.#entries(head.slice(head.indexOf('[')));
  }

  /** What was held back at the end of a file; the next one may be of another kind. */
  end(): string {
    const rest = this.#head ?? '';
    this.#head = '';
    this.#listed = false;
    this.#depth = 0;
    this.#inString = false;
    this.#escaped = false;
    return rest;
  }

  #entries(text: string): string {
    const pieces: string[] = [];
    let from = 0;
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (this.#depth === 0) {
        if (code === 0x7b) {
          from = i;
          this.#depth = 1;
        }
        continue;
      }
      if (code === LINE_FEED || code === CARRIAGE_RETURN) {
        pieces.push(text.slice(from, i), ' ');
        from = i + 1;
      } else if (this.#inString) this.#inside(code);
      else if (code === QUOTE) this.#inString = true;
      else if (code === 0x7b || code === 0x5b) this.#depth += 1;
      else if (code === 0x7d || code === 0x5d) {
        this.#depth -= 1;
        if (this.#depth > 0) continue;
        pieces.push(text.slice(from, i + 1), '\n');
      }
    }
    if (this.#depth > 0) pieces.push(text.slice(from));
    return pieces.join('');
  }

  #inside(code: number): void {
    if (this.#escaped) this.#escaped = false;
    else if (code === BACKSLASH) this.#escaped = true;
    else if (code === QUOTE) this.#inString = false;
  }
}
