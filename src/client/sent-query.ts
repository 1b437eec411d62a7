/**
 * A query as a list of parameters that keep their bytes: what a `--raw` path says is sent as it was given, a bare `watch`
 * stays bare, and only the parameters that must change are written anew.
 */
interface Parameter {
  name: string;
  /** Decoded value; "" for a bare name. */
  value: string;
  /** As it is sent. */
  text: string;
}

export type SentQuery = readonly Parameter[];

export function readQuery(text: string): SentQuery {
  return text
    .split('&')
    .filter((part) => part !== '')
    .map((part) => {
      const equals = part.indexOf('=');
      const name = equals < 0 ? part : part.slice(0, equals);
      return { name: decode(name), value: equals < 0 ? '' : decode(part.slice(equals + 1)), text: part };
    });
}

export function formatQuery(query: SentQuery): string {
  return query.map(({ text }) => text).join('&');
}

/** The first value of a parameter (as Go's `url.Values.Get`), or undefined. */
export function valueIn(query: SentQuery, name: string): string | undefined {
  return query.find((parameter) => parameter.name === name)?.value;
}

/** Sets one parameter: in the place of the first of that name, else at the end. */
export function withValue(query: SentQuery, name: string, value: string): SentQuery {
  const parameter = { name, value, text: `${encodeURIComponent(name)}=${encodeURIComponent(value)}` };
  const at = query.findIndex((one) => one.name === name);
  if (at < 0) return [...query, parameter];
  return query.flatMap((one, index) => (index === at ? [parameter] : one.name === name ? [] : [one]));
}

export function without(query: SentQuery, ...names: string[]): SentQuery {
  return query.filter(({ name }) => !names.includes(name));
}

/** `a+b%20c` → `a b c`; text that is no valid escape stays as it is, for the server to judge. */
function decode(text: string): string {
  const spaced = text.replaceAll('+', ' ');
  try {
    return decodeURIComponent(spaced);
  } catch {
    // A stray % is the server's to refuse; the parameter is still sent as it was given.
    return spaced;
  }
}
