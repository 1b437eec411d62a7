import { everything, type FieldSelector, fieldSelector } from '../protocol/field-selector.ts';
import { goQuote } from '../protocol/go-strconv.ts';
import { type ListOptions, parseListOptions } from '../protocol/list-options.ts';
import type { Predicate } from '../store/resource-storage.ts';
import type { Exchange } from './exchange.ts';
import { isPathSegment } from './object-names.ts';
import { badRequest } from './refusals.ts';
import { type Resource, selectableFields } from './resource.ts';
import type { ResourceRoute } from './route.ts';

/** Options of a LIST or WATCH, with what the path says. */
export interface CollectionOptions extends Omit<ListOptions, 'fieldSelector' | 'labelSelector'> {
  predicate: Predicate;
  /** Namespace and name as upstream's RequestInfo has them: the watch cache files watchers under them. */
  scope: { namespace?: string; name?: string };
}

/**
 * Decodes and checks the options of a collection request: decode, default, validate, field labels, name against selector
 * (facts/server §1.3). Throws 400 or 422.
 */
export function collectionOptions(exchange: Exchange, route: ResourceRoute, watchList: boolean): CollectionOptions {
  const { labelSelector, fieldSelector, ...options } = parseListOptions(exchange.query, { watchList });
  checkFieldLabels(route.resource, fieldSelector);
  const { resource } = route;
  const predicate = {
    label: labelSelector,
    field: withPathName(fieldSelector, route.name),
    fieldsOf: (object: Parameters<Predicate['fieldsOf']>[0]) => selectableFields(resource, object),
  };
  return { ...options, watch: options.watch || route.forceWatch, predicate, scope: scopeOf(route, predicate.field) };
}

/** Throws 400 on a field that the type cannot be selected by, in the words of its conversion function. */
function checkFieldLabels(resource: Resource, selector: FieldSelector): void {
  const known = [
    'metadata.name',
    ...(resource.namespaced ? ['metadata.namespace'] : []),
    ...Object.keys(resource.fields),
  ];
  const unknown = selector.requirements.find(({ field }) => !known.includes(field));
  if (unknown === undefined) return;
  throw badRequest(
    resource.ownFieldLabels
      ? `field label not supported: ${unknown.field}`
      : `${goQuote(unknown.field)} is not a known field selector: only "metadata.name", "metadata.namespace"`,
  );
}

/** The deprecated watch of one object has the name in its path; a selector may only repeat it. */
function withPathName(selector: FieldSelector, name: string | undefined): FieldSelector {
  if (name === undefined) return selector;
  if (selector === everything || selector.empty)
    return fieldSelector([{ field: 'metadata.name', operator: '=', value: name }]);
  if (selector.requiresExactMatch('metadata.name') === name) return selector;
  throw badRequest("fieldSelector metadata.name doesn't match requested name");
}

/**
 * In `…/watch/namespaces/NAME` upstream takes NAME for the namespace too, though namespaces have none: such a watch gets
 * the initial state and nothing more (facts/server §1.1, there in 1.30.3).
 */
function scopeOf({ resource, namespace, name }: ResourceRoute, selector: FieldSelector): CollectionOptions['scope'] {
  const selected = name ?? selector.requiresExactMatch('metadata.name');
  const within = resource.name === 'namespaces' ? name : namespace;
  return {
    ...(within === undefined ? {} : { namespace: within }),
    ...(selected !== undefined && isPathSegment(selected) ? { name: selected } : {}),
  };
}
