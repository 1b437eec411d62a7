import { isDeepStrictEqual } from 'node:util';
import { type FieldError, forbiddenField, invalidShown, requiredField } from '../protocol/field-error.ts';
import { goQuote } from '../protocol/go-strconv.ts';
import type { KubeObject } from '../protocol/object.ts';
import { isObject, type JsonObject, objectsOf } from './strategy.ts';

/** The least that a pod needs (core/validation ValidatePodSpec: containers with a name and an image each). */
export function containerErrors(spec: unknown, path: string): FieldError[] {
  const containers = isObject(spec) ? objectsOf(spec.containers) : [];
  if (containers.length === 0) return [requiredField(`${path}.containers`)];
  const names = containers.map((one) => one.name);
  return containers.flatMap((container, index) => {
    const at = `${path}.containers[${index}]`;
    const errors: FieldError[] = [];
    if (!container.name) errors.push(requiredField(`${at}.name`));
    else if (names.indexOf(container.name) < index) {
      const message = `Duplicate value: ${JSON.stringify(container.name)}`;
      errors.push({ reason: 'FieldValueDuplicate', message, field: `${at}.name` });
    }
    if (!container.image) errors.push(requiredField(`${at}.image`));
    return errors;
  });
}

/** What a pod keeps for its life: everything but these (core/validation ValidatePodUpdate; the text ends before its diff). */
const POD_UPDATE =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)\n';

export function podUpdateErrors(pod: KubeObject, old: KubeObject): FieldError[] {
  const [names, before] = [pod, old].map(({ spec }) => (isObject(spec) ? objectsOf(spec.containers) : []));
  if (names?.length !== before?.length) {
    return [forbiddenField('spec.containers', 'pod updates may not add or remove containers')];
  }
  if (isDeepStrictEqual(fixedPart(pod.spec), fixedPart(old.spec))) return [];
  return [forbiddenField('spec', POD_UPDATE)];
}

function fixedPart(spec: unknown): unknown {
  if (!isObject(spec)) return undefined;
  const { activeDeadlineSeconds: _, tolerations: __, terminationGracePeriodSeconds: ___, ...fixed } = spec;
  const withoutImages = (list: unknown) => objectsOf(list).map(({ image: ____, ...container }) => container);
  return {
    ...fixed,
    containers: withoutImages(spec.containers),
    initContainers: withoutImages(spec.initContainers),
  };
}

/** A controller's pods must be those that its selector finds; `selector`: labels that they need; undefined: it finds none. */
export function templateErrors(template: unknown, selector: JsonObject | undefined, path: string): FieldError[] {
  if (!isObject(template)) return [requiredField(path)];
  const labels = isObject(template.metadata) && isObject(template.metadata.labels) ? template.metadata.labels : {};
  const found = selector !== undefined && Object.entries(selector).every(([key, value]) => labels[key] === value);
  const why = '`selector` does not match template `labels`';
  return [
    ...(found ? [] : [invalidShown(`${path}.metadata.labels`, goLabels(labels), why)]),
    ...containerErrors(template.spec, `${path}.spec`),
  ];
}

/** apps/validation ValidateDeploymentSpec, as far as a hand-written deployment goes wrong. */
export function deploymentErrors({ spec }: KubeObject): FieldError[] {
  if (!isObject(spec)) return [];
  const { selector, template } = spec;
  if (!isObject(selector))
    return [requiredField('spec.selector'), ...templateErrors(template, undefined, 'spec.template')];
  const { matchLabels } = selector;
  return templateErrors(template, isObject(matchLabels) ? matchLabels : {}, 'spec.template');
}

export function deploymentUpdateErrors(deployment: KubeObject, old: KubeObject): FieldError[] {
  const [now, before] = [deployment, old].map(({ spec }) => (isObject(spec) ? spec.selector : undefined));
  if (isDeepStrictEqual(now, before)) return [];
  const labels = isObject(now) && isObject(now.matchLabels) ? goLabels(now.matchLabels) : 'map[string]string(nil)';
  const shown = `v1.LabelSelector{MatchLabels:${labels}, MatchExpressions:[]v1.LabelSelectorRequirement(nil)}`;
  return [invalidShown('spec.selector', shown, 'field is immutable')];
}

/** Labels in Go's `%#v`. */
function goLabels(labels: JsonObject): string {
  if (Object.keys(labels).length === 0) return 'map[string]string(nil)';
  const members = Object.keys(labels)
    .sort()
    .map((key) => `${goQuote(key)}:${goQuote(String(labels[key]))}`);
  return `map[string]string{${members.join(', ')}}`;
}
