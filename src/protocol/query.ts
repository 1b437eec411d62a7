/** A parsed query: each name with its values in the order of the text. */
export type Query = ReadonlyMap<string, readonly string[]>;

/**
 * Parses the part of a URL behind `?` as Go's `URL.Query()` does: a pair with a bad `%` sequence or a `;` is dropped without
 * a word (URLSearchParams would keep it), `+` is a blank, a name without `=` has the value ''. Bytes that are no UTF-8
 * become U+FFFD.
 */
export function parseQuery(text: string): Query {
  const query = new Map<string, string[]>();
  for (const pair of text.split('&')) {
    if (pair === '' || pair.includes(';')) continue;
    const cut = pair.indexOf('=');
    const name = unescaped(cut < 0 ? pair : pair.slice(0, cut));
    const value = unescaped(cut < 0 ? '' : pair.slice(cut + 1));
    if (name === undefined || value === undefined) continue;
    const values = query.get(name);
    if (values) values.push(value);
    else query.set(name, [value]);
  }
  return query;
}

/** The value that counts: the first. undefined where the name is absent. */
export function firstValue(query: Query, name: string): string | undefined {
  return query.get(name)?.[0];
}

/** A run of escapes is decoded as a whole: one character may take several. */
function unescaped(text: string): string | undefined {
  if (/%(?![0-9a-fA-F]{2})/.test(text)) return undefined;
  return text
    .replaceAll('+', ' ')
    .replace(/(?:%[0-9a-fA-F]{2})+/g, (run) => Buffer.from(run.replaceAll('%', ''), 'hex').toString());
}
