import { goQuoteCharacter } from './go-strconv.ts';

const UNEXPECTED_END = 'unexpected end of JSON input';
const HEX = /^[0-9a-fA-F]$/;

/**
 * What Go's encoding/json says of a text that is no JSON (its scanner.go). `error`: what this runtime said of it, for what
 * Go would have taken.
 */
export function goSyntaxError(bytes: Uint8Array, error: unknown): string {
  // Byte by byte, as Go does.
  const said = new Scanner(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')).run();
  return said ?? (error instanceof Error ? error.message : String(error));
}

/** Thrown inside of the scanner alone: the first thing that Go stumbles over. */
class Stumble extends Error {}

/** Reads one value without recursion, since a hostile text nests as deep as it is long. */
class Scanner {
  readonly #text: string;
  #at = 0;
  /** What is open around here, innermost last. */
  readonly #open: ('{' | '[')[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  /** The complaint, or undefined where there is none. */
  run(): string | undefined {
    try {
      do this.#value();
      while (this.#goesOn());
      if (this.#skipBlanks() !== undefined) this.#stumble('after top-level value');
      return undefined;
    } catch (error) {
      if (error instanceof Stumble) return error.message;
      throw error;
    }
  }

  /** One value; of an object or list no more than its beginning, where something is in it. */
  #value(): void {
    for (;;) {
      const first = this.#skipBlanks();
      if (first !== '{' && first !== '[') {
        this.#scalar(first);
        return;
      }
      this.#at++;
      if (this.#skipBlanks() === (first === '{' ? '}' : ']')) {
        this.#at++;
        return;
      }
      this.#open.push(first);
      if (first === '{') this.#key();
    }
  }

  /** After a value: closes what ends here. True: another value follows. */
  #goesOn(): boolean {
    for (let open = this.#open.at(-1); open !== undefined; open = this.#open.at(-1)) {
      const next = this.#skipBlanks();
      this.#at++;
      if (next === ',') {
        if (open === '{') this.#key();
        return true;
      }
      if (next !== (open === '{' ? '}' : ']')) {
        this.#at--;
        this.#stumble(open === '{' ? 'after object key:value pair' : 'after array element');
      }
      this.#open.pop();
    }
    return false;
  }

  #key(): void {
    if (this.#skipBlanks() !== '"') this.#stumble('looking for beginning of object key string');
    this.#string();
    if (this.#skipBlanks() !== ':') this.#stumble('after object key');
    this.#at++;
  }

  #scalar(first: string | undefined): void {
    if (first === '"') this.#string();
    else if (first === 't') this.#literal('true');
    else if (first === 'f') this.#literal('false');
    else if (first === 'n') this.#literal('null');
    else if (first !== undefined && /[-0-9]/.test(first)) this.#number();
    else this.#stumble('looking for beginning of value');
  }

  #string(): void {
    for (this.#at++; ; this.#at++) {
      const character = this.#text[this.#at];
      if (character === '"') break;
      if (character === '\\') this.#escape();
      else if (character === undefined || character < ' ') this.#stumble('in string literal');
    }
    this.#at++;
  }

  #escape(): void {
    this.#at++;
    const kind = this.#text[this.#at];
    if (kind === undefined || !'bfnrtu\\/"'.includes(kind)) this.#stumble('in string escape code');
    for (let digit = 0; kind === 'u' && digit < 4; digit++) {
      this.#at++;
      if (!HEX.test(this.#text[this.#at] ?? '')) this.#stumble('in \\u hexadecimal character escape');
    }
  }

  #literal(word: string): void {
    for (const [index, expected] of [...word].entries()) {
      if (index > 0 && this.#text[this.#at] !== expected) {
        this.#stumble(`in literal ${word} (expecting ${goQuoteCharacter(expected)})`);
      }
      this.#at++;
    }
  }

  #number(): void {
    if (this.#text[this.#at] === '-') this.#at++;
    // Nothing follows a zero that stands first: what comes is for whoever is next.
    if (this.#text[this.#at] === '0') this.#at++;
    else this.#digits('in numeric literal');
    if (this.#text[this.#at] === '.') {
      this.#at++;
      this.#digits('after decimal point in numeric literal');
    }
    if (/[eE]/.test(this.#text[this.#at] ?? '')) {
      this.#at++;
      if (/[-+]/.test(this.#text[this.#at] ?? '')) this.#at++;
      this.#digits('in exponent of numeric literal');
    }
  }

  #digits(where: string): void {
    const from = this.#at;
    while (/[0-9]/.test(this.#text[this.#at] ?? '')) this.#at++;
    if (this.#at === from) this.#stumble(where);
  }

  /** The next character that is no blank; undefined at the end. */
  #skipBlanks(): string | undefined {
    while (BLANKS.has(this.#text[this.#at] ?? '')) this.#at++;
    return this.#text[this.#at];
  }

  #stumble(where: string): never {
    const character = this.#text[this.#at];
    throw new Stumble(
      character === undefined ? UNEXPECTED_END : `invalid character ${goQuoteCharacter(character)} ${where}`,
    );
  }
}

const BLANKS = new Set([' ', '\t', '\r', '\n']);
