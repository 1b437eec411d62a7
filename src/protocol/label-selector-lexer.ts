/** A word (key, value, or `in`/`notin`), one of the symbols `( ) , ! = == != > <`, or the end (text ''). */
export interface SelectorToken {
  readonly kind: 'word' | 'symbol' | 'end';
  readonly text: string;
}

/**
 * One token after blanks. A NUL ends a token and, where one would start, the whole text: upstream's lexer reads a
 * NUL as its own end mark (apimachinery pkg/labels/selector.go: Lexer.read).
 */
const TOKEN = /[ \t\r\n]*(?:(==|!=|[()=!,<>])|([^()=!,<> \t\r\n\0]+))\0?/y;

/** Cuts a label selector into tokens; the last one is always the end. Nothing is refused here. */
export function lexLabelSelector(text: string): SelectorToken[] {
  const tokens: SelectorToken[] = [];
  TOKEN.lastIndex = 0;
  for (let match = TOKEN.exec(text); match !== null; match = TOKEN.exec(text)) {
    const [, symbol, word] = match;
    tokens.push(symbol === undefined ? { kind: 'word', text: word! } : { kind: 'symbol', text: symbol });
  }
  tokens.push({ kind: 'end', text: '' });
  return tokens;
}
