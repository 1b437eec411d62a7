import { type FieldError, invalidValue } from '../protocol/field-error.ts';
import type { Resource } from './resource.ts';

const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

/** Characters in a name: RFC 1123, through apimachinery util/validation. */
const SUBDOMAIN_MAX = 253;
const LABEL_MAX = 63;

const SUBDOMAIN_TEXT =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const LABEL_TEXT =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";

/** Is this a legal name for a new object? Namespaces are DNS labels, everything else is a DNS subdomain. */
export function nameErrors(resource: Resource, name: string): FieldError[] {
  const label = resource.name === 'namespaces';
  const max = label ? LABEL_MAX : SUBDOMAIN_MAX;
  const said = (why: string) => invalidValue('metadata.name', name, why);
  if (name.length > max) return [said(`must be no more than ${max} characters`)];
  if (label ? LABEL.test(name) : SUBDOMAIN.test(name)) return [];
  return [said(label ? LABEL_TEXT : SUBDOMAIN_TEXT)];
}

/** Can this stand as one segment of a path (apimachinery path.IsValidPathSegmentName)? */
export function isPathSegment(name: string): boolean {
  return name !== '' && name !== '.' && name !== '..' && !/[/%]/.test(name);
}
