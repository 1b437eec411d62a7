import { type FieldError, invalidValue } from '../protocol/field-error.ts';

const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const SERVICE_LABEL = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;

/** Characters in a name: RFC 1123 and RFC 1035, through apimachinery util/validation. */
const SUBDOMAIN_MAX = 253;
const LABEL_MAX = 63;

const SUBDOMAIN_TEXT =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const LABEL_TEXT =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const SERVICE_TEXT =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";

/** What a type asks of its objects' names; `segment`: only that it can stand in a path, as of events. */
export type NameRule = 'subdomain' | 'label' | 'service' | 'segment';

/** `field`: `metadata.name`, or `metadata.generateName`, which is a beginning and may end in a dash. */
export function nameErrors(rule: NameRule, name: string, field = 'metadata.name'): FieldError[] {
  const isPrefix = field === 'metadata.generateName';
  const said = (why: string) => invalidValue(field, name, why);
  if (rule === 'segment') return segmentErrors(name, isPrefix).map(said);
  const checked = isPrefix && name.length > 1 && name.endsWith('-') ? `${name.slice(0, -1)}a` : name;
  const [form, text, max] = rules[rule];
  return [
    ...(checked.length > max ? [said(`must be no more than ${max} characters`)] : []),
    ...(form.test(checked) ? [] : [said(text)]),
  ];
}

const rules = {
  subdomain: [SUBDOMAIN, SUBDOMAIN_TEXT, SUBDOMAIN_MAX],
  label: [LABEL, LABEL_TEXT, LABEL_MAX],
  service: [SERVICE_LABEL, SERVICE_TEXT, LABEL_MAX],
} as const;

/** apimachinery path.IsValidPathSegmentName, or IsValidPathSegmentPrefix. */
function segmentErrors(name: string, isPrefix: boolean): string[] {
  if (!isPrefix && (name === '.' || name === '..')) return [`may not be '${name}'`];
  return ['/', '%']
    .filter((character) => name.includes(character))
    .map((character) => `may not contain '${character}'`);
}

/** Can this stand as one segment of a path? */
export function isPathSegment(name: string): boolean {
  return name !== '' && segmentErrors(name, false).length === 0;
}
