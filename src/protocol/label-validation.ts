/**
 * What may be a label's key and value, in the words of apimachinery (pkg/util/validation: IsQualifiedName,
 * IsValidLabelValue). Each function returns its complaints, none meaning valid. Lengths count UTF-8 bytes, as Go does.
 */

/** Longest name part of a key, and longest value. */
const MAX_LABEL_BYTES = 63;
/** Longest DNS prefix of a key (RFC 1123 subdomain). */
const MAX_SUBDOMAIN_BYTES = 253;

const QUALIFIED_NAME = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const LABEL_VALUE = `(${QUALIFIED_NAME})?`;
const SUBDOMAIN = '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*';

const QUALIFIED_NAME_RULE =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
const LABEL_VALUE_RULE =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
const SUBDOMAIN_RULE =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";

const qualifiedName = new RegExp(`^${QUALIFIED_NAME}$`);
const labelValue = new RegExp(`^${LABEL_VALUE}$`);
const subdomain = new RegExp(`^${SUBDOMAIN}$`);

const EMPTY = 'must be non-empty';
const tooLong = (bytes: number) => `must be no more than ${bytes} characters`;

/** The rule, examples and pattern in one sentence; the two blanks before `or` are upstream's. */
function patternRule(rule: string, pattern: string, ...examples: string[]): string {
  const list = examples.map((example) => `'${example}', `).join(' or ');
  return `${rule} (e.g. ${list}regex used for validation is '${pattern}')`;
}

const NAME_PATTERN_RULE = patternRule(QUALIFIED_NAME_RULE, QUALIFIED_NAME, 'MyName', 'my.name', '123-abc');

/** Complaints about a DNS subdomain such as `example.com`. */
function subdomainErrors(text: string): string[] {
  const errors: string[] = [];
  if (Buffer.byteLength(text) > MAX_SUBDOMAIN_BYTES) errors.push(tooLong(MAX_SUBDOMAIN_BYTES));
  if (!subdomain.test(text)) errors.push(patternRule(SUBDOMAIN_RULE, SUBDOMAIN, 'example.com'));
  return errors;
}

/** Complaints about a label's key: `name` or `prefix/name`. */
export function labelKeyErrors(key: string): string[] {
  const parts = key.split('/');
  if (parts.length > 2) {
    const suffix = " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')";
    return [`a qualified name ${NAME_PATTERN_RULE}${suffix}`];
  }
  const errors: string[] = [];
  const name = parts.at(-1)!;
  if (parts.length === 2) {
    const prefix = parts[0]!;
    const complaints = prefix === '' ? [EMPTY] : subdomainErrors(prefix);
    errors.push(...complaints.map((complaint) => `prefix part ${complaint}`));
  }
  if (name === '') errors.push(`name part ${EMPTY}`);
  else if (Buffer.byteLength(name) > MAX_LABEL_BYTES) errors.push(`name part ${tooLong(MAX_LABEL_BYTES)}`);
  if (!qualifiedName.test(name)) errors.push(`name part ${NAME_PATTERN_RULE}`);
  return errors;
}

/** Complaints about a label's value. The empty value is valid. */
export function labelValueErrors(value: string): string[] {
  const errors: string[] = [];
  if (Buffer.byteLength(value) > MAX_LABEL_BYTES) errors.push(tooLong(MAX_LABEL_BYTES));
  if (!labelValue.test(value)) {
    errors.push(patternRule(LABEL_VALUE_RULE, LABEL_VALUE, 'MyValue', 'my_value', '12345'));
  }
  return errors;
}
