import { SelectorError } from './selector-error.ts';

/** A parsed field selector (apimachinery `fields.Selector`): `=`, `==`, `!=` joined by commas. */
export interface FieldSelector {
  readonly empty: boolean;
  /** In the order in which upstream looks at them: sorted by their text. */
  readonly requirements: readonly FieldRequirement[];
  /** A field that an object does not have counts as empty. */
  matches(fields: Record<string, string>): boolean;
  /** The one value that `field` must have, or undefined (upstream `RequiresExactMatch`). */
  requiresExactMatch(field: string): string | undefined;
}

export interface FieldRequirement {
  readonly field: string;
  /** `==` is given as `=`. */
  readonly operator: '=' | '!=';
  readonly value: string;
}

/** The selector of no requirement. */
export const everything: FieldSelector = fieldSelector([]);

/** A selector of requirements that are known to be right, such as `metadata.name=X` of a request path. */
export function fieldSelector(requirements: readonly FieldRequirement[]): FieldSelector {
  return {
    empty: requirements.length === 0,
    requirements,
    matches: (fields) =>
      requirements.every(({ field, operator, value }) => {
        const actual = Object.hasOwn(fields, field) ? fields[field] : '';
        return (actual === value) === (operator === '=');
      }),
    requiresExactMatch: (field) => requirements.find((one) => one.operator === '=' && one.field === field)?.value,
  };
}

/**
 * Parses `metadata.name=a,type!=b`. Blanks count; `\\`, `\,` and `\=` stand for the character itself. Which fields a
 * resource knows is not looked at. Throws SelectorError with the text of apimachinery pkg/fields/selector.go.
 */
export function parseFieldSelector(text: string): FieldSelector {
  const terms = splitTerms(text).sort(byBytes);
  const requirements = terms.filter((term) => term !== '').map((term) => parseTerm(term, text));
  return requirements.length === 0 ? everything : fieldSelector(requirements);
}

/** The pieces between commas, each with its backslashes. A backslash takes the meaning from the character behind it. */
function splitTerms(text: string): string[] {
  const terms: string[] = [];
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === ',') {
      terms.push(text.slice(start, i));
      start = i + 1;
    }
  }
  terms.push(text.slice(start));
  return terms;
}

/** `field op value`, cut at the first operator; `==` and `!=` win over `=` where they begin at the same place. */
function parseTerm(term: string, whole: string): FieldRequirement {
  const match = /^(.*?)(!=|==|=)(.*)$/su.exec(term);
  if (match === null) throw new SelectorError(`invalid selector: '${whole}'; can't understand '${term}'`);
  const [, field, operator, value] = match;
  return { field: field!, operator: operator === '!=' ? '!=' : '=', value: unescapeValue(value!) };
}

function unescapeValue(value: string): string {
  return value.replace(/\\(.?)|[,=]/gsu, (sequence, escaped: string | undefined) => {
    // Upstream prints the character's number here, by accident or not.
    if (escaped === undefined) throw new SelectorError(`${UNESCAPED}: ${sequence.codePointAt(0)}`);
    if (escaped !== '\\' && escaped !== ',' && escaped !== '=') {
      throw new SelectorError(`invalid field selector: invalid escape sequence: ${sequence}`);
    }
    return escaped;
  });
}

const UNESCAPED = 'invalid field selector: unescaped character in value';

/** Go compares strings by their UTF-8 bytes; UTF-16 code units order differently beyond the surrogates. */
function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
