import { goQuote, parseInt64 } from './go-strconv.ts';
import { lexLabelSelector, type SelectorToken } from './label-selector-lexer.ts';
import { labelKeyErrors, labelValueErrors } from './label-validation.ts';
import { SelectorError } from './selector-error.ts';

/** A parsed label selector (apimachinery `labels.Selector`). */
export interface LabelSelector {
  readonly empty: boolean;
  /** As it was written: selectors of one text are one. */
  readonly text: string;
  matches(labels: Record<string, string> | undefined): boolean;
}

/** The selector of no requirement: it matches every object, also one without labels. */
export const everything: LabelSelector = { empty: true, text: '', matches: () => true };

type Operator = 'in' | 'notin' | '=' | '==' | '!=' | 'gt' | 'lt' | 'exists' | '!';

interface Requirement {
  readonly key: string;
  readonly operator: Operator;
  /** Sorted, without repetition. */
  readonly values: readonly string[];
}

const BINARY_OPERATORS: Record<string, Operator> = {
  in: 'in',
  notin: 'notin',
  '=': '=',
  '==': '==',
  '!=': '!=',
  '>': 'gt',
  '<': 'lt',
};

/**
 * Parses `a=b,c in (d,e),!f`; the empty text is `everything`. Throws SelectorError with the text of
 * apimachinery pkg/labels/selector.go (facts/server §1.4).
 */
export function parseLabelSelector(text: string): LabelSelector {
  const requirements = new Parser(lexLabelSelector(text)).parse();
  if (requirements.length === 0) return everything;
  return { empty: false, text, matches: (labels = {}) => requirements.every((one) => satisfied(one, labels)) };
}

function satisfied({ key, operator, values }: Requirement, labels: Record<string, string>): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case 'in':
    case '=':
    case '==':
      return value !== undefined && values.includes(value);
    case 'notin':
    case '!=':
      return value === undefined || !values.includes(value);
    case 'exists':
      return value !== undefined;
    case '!':
      return value === undefined;
    case 'gt':
    case 'lt':
      return value !== undefined && compares(operator, value, values[0]!);
  }
}

/** A label that is no whole number is neither greater nor less than anything. */
function compares(operator: 'gt' | 'lt', label: string, bound: string): boolean {
  const left = parseInt64(label);
  const right = parseInt64(bound);
  if (!left.ok || !right.ok) return false;
  return operator === 'gt' ? left.value > right.value : left.value < right.value;
}

/**
 * Recursive descent. `in` and `notin` are operators only where one is expected: they may be keys and values too.
 * The last token is always the end, and no path reads behind it.
 */
class Parser {
  readonly #tokens: readonly SelectorToken[];
  #position = 0;

  constructor(tokens: readonly SelectorToken[]) {
    this.#tokens = tokens;
  }

  parse(): Requirement[] {
    const requirements: Requirement[] = [];
    for (;;) {
      const token = this.#ahead();
      if (token.kind === 'end') return requirements;
      if (token.kind !== 'word' && token.text !== '!') {
        throw new SelectorError(`found '${token.text}', expected: !, identifier, or 'end of string'`);
      }
      requirements.push(this.#requirement());
      const after = this.#next();
      if (after.kind === 'end') return requirements;
      if (after.text !== ',' || after.kind === 'word') {
        throw new SelectorError(`found '${after.text}', expected: ',' or 'end of string'`);
      }
      const following = this.#ahead();
      if (following.kind !== 'word' && following.text !== '!') {
        throw new SelectorError(`found '${following.text}', expected: identifier after ','`);
      }
    }
  }

  #ahead(): SelectorToken {
    return this.#tokens[this.#position]!;
  }

  #next(): SelectorToken {
    return this.#tokens[this.#position++]!;
  }

  #requirement(): Requirement {
    let token = this.#next();
    const negated = token.kind === 'symbol' && token.text === '!';
    if (negated) token = this.#next();
    if (token.kind !== 'word') throw unparsable(`found '${token.text}', expected: identifier`);
    const key = token.text;
    const complaints = labelKeyErrors(key);
    if (complaints.length > 0) throw unparsable(`<nil>: Invalid value: ${goQuote(key)}: ${complaints.join('; ')}`);
    if (negated) return { key, operator: '!', values: [] };
    if (this.#atEndOr(',')) return { key, operator: 'exists', values: [] };
    const operator = this.#operator();
    const values = operator === 'in' || operator === 'notin' ? this.#set() : [this.#value()];
    return checked({ key, operator, values: [...new Set(values)].sort(byCodeUnit) });
  }

  #operator(): Operator {
    const token = this.#next();
    const operator = Object.hasOwn(BINARY_OPERATORS, token.text) ? BINARY_OPERATORS[token.text] : undefined;
    if (operator === undefined) {
      throw unparsable(`found '${token.text}', expected: in, notin, =, ==, !=, gt, lt`);
    }
    return operator;
  }

  #value(): string {
    if (this.#atEndOr(',')) return '';
    const token = this.#next();
    if (token.kind !== 'word') throw unparsable(`found '${token.text}', expected: identifier`);
    return token.text;
  }

  /**
   * `(a,b)`. Between commas and brackets nothing means the empty value, with upstream's one exception: two commas in a
   * row may not stand before the closing bracket.
   */
  #set(): string[] {
    const open = this.#next();
    if (!isSymbol(open, '(')) throw unparsable(`found '${open.text}' expected: '('`);
    const first = this.#ahead();
    if (first.kind !== 'word' && !isSymbol(first, ',') && !isSymbol(first, ')')) {
      throw unparsable(`found '${first.text}', expected: ',', ')' or identifier`);
    }
    const values = isSymbol(first, ')') ? [''] : this.#elements();
    this.#position++;
    return values;
  }

  /** Up to, not including, the closing bracket. */
  #elements(): string[] {
    const values: string[] = [];
    for (;;) {
      const token = this.#next();
      if (token.kind === 'word') {
        values.push(token.text);
        const after = this.#ahead();
        if (isSymbol(after, ')')) return values;
        if (!isSymbol(after, ',')) throw unparsable(`found '${after.text}', expected: ',' or ')'`);
      } else if (isSymbol(token, ',')) {
        if (values.length === 0) values.push('');
        if (isSymbol(this.#ahead(), ')')) return [...values, ''];
        if (isSymbol(this.#ahead(), ',')) {
          this.#position++;
          values.push('');
        }
      } else {
        throw unparsable(`found '${token.text}', expected: ',', or identifier`);
      }
    }
  }

  #atEndOr(symbol: string): boolean {
    const token = this.#ahead();
    return token.kind === 'end' || isSymbol(token, symbol);
  }
}

function isSymbol(token: SelectorToken, text: string): boolean {
  return token.kind === 'symbol' && token.text === text;
}

/** Values must be label values, and numbers for `>` and `<`. Several complaints stand in brackets, each one once. */
function checked(requirement: Requirement): Requirement {
  const { key, operator, values } = requirement;
  const errors: string[] = [];
  if (operator === 'gt' || operator === 'lt') {
    const value = values[0]!;
    if (!parseInt64(value).ok) {
      errors.push(
        `values[0]: Invalid value: ${goQuote(value)}: for 'Gt', 'Lt' operators, the value must be an integer`,
      );
    }
  }
  values.forEach((value, index) => {
    const complaints = labelValueErrors(value);
    if (complaints.length > 0) {
      errors.push(`values[${index}][${key}]: Invalid value: ${goQuote(value)}: ${complaints.join('; ')}`);
    }
  });
  if (errors.length > 0) throw unparsable(errors.length === 1 ? errors[0]! : `[${errors.join(', ')}]`);
  return requirement;
}

/** Go sorts strings by bytes; for what label values may hold that is the order of code units. */
function byCodeUnit(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function unparsable(why: string): SelectorError {
  return new SelectorError(`unable to parse requirement: ${why}`);
}
