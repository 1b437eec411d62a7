import { ApiError } from '../protocol/api-error.ts';
import { invalidShown } from '../protocol/field-error.ts';
import type { KubeObject } from '../protocol/object.ts';
import type { StoredObject } from '../store/resource-storage.ts';
import { sendJson } from './answer.ts';
import type { Exchange } from './exchange.ts';
import { checkRouteAccepts, negotiate } from './negotiation.ts';
import { decodedBody, type ObjectRequest, patchRequest, placeOf } from './object-handler.ts';
import { badRequest, invalid, notFound } from './refusals.ts';
import { updateObject } from './registry-update.ts';
import { readBody } from './request-body.ts';
import { writeOptions } from './request-options.ts';
import { type Resource, storageKey } from './resource.ts';
import type { Serving } from './serving.ts';
import { isObject, type JsonObject, section } from './strategy.ts';

/** A controller's size as autoscaling/v1 Scale, whatever the controller is (registry/…/storage ScaleREST). */
export function scaleOf(resource: Resource, controller: KubeObject): KubeObject {
  const { name = '', namespace = '', uid = '', resourceVersion = '', creationTimestamp } = controller.metadata;
  const spec = isObject(controller.spec) ? controller.spec : {};
  const status = isObject(controller.status) ? controller.status : {};
  const selector = selectorText(resource, spec.selector);
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp: creationTimestamp ?? null },
    spec: spec.replicas ? { replicas: spec.replicas } : {},
    status: { replicas: status.replicas ?? 0, ...(selector === '' ? {} : { selector }) },
  };
}

/** GET …/NAME/scale. */
export async function getScale(_: Serving, exchange: Exchange, request: ObjectRequest): Promise<void> {
  const { resource, storage } = request.served;
  const { namespace, name } = request.route;
  const key = storageKey(resource, namespace, name);
  const stored = await storage.get(key, { resourceVersion: '', signal: exchange.signal }).catch((error: unknown) => {
    const isMissing = error instanceof ApiError && error.status.code === 404;
    // It is the scale that is not found.
    throw isMissing
      ? notFound({ group: resource.group || 'autoscaling', name: `${resource.name}/scale` }, name ?? '')
      : error;
  });
  send(exchange, resource, stored);
}

/** PUT …/NAME/scale. */
export async function putScale(serving: Serving, exchange: Exchange, request: ObjectRequest): Promise<void> {
  const { resource } = request.served;
  const bytes = await readBody(exchange.request);
  const options = writeOptions('UpdateOptions', exchange.query);
  const scale = decodedBody(exchange, asScale(resource), bytes, options);
  const place = placeOf(options, request);
  const { stored } = await updateObject(serving, place, {
    scope: 'object',
    propose: (current) => scaled(current as KubeObject, scale),
    uid: scale.metadata.uid,
    mayCreate: false,
  });
  send(exchange, resource, stored);
}

/** PATCH …/NAME/scale. */
export async function patchScale(serving: Serving, exchange: Exchange, request: ObjectRequest): Promise<void> {
  const { resource } = request.served;
  const { patch, options, warn } = await patchRequest(exchange, asScale(resource));
  const { stored } = await updateObject(serving, placeOf(options, request), {
    scope: 'object',
    propose: (current) => {
      const patched = patch(scaleOf(resource, current as KubeObject));
      warn(patched.unknown);
      return scaled(current as KubeObject, patched.object);
    },
    mayCreate: false,
  });
  send(exchange, resource, stored);
}

/** How a Scale is read: as a type of its own that needs no defaults. */
const asScale = (resource: Resource): Resource => ({
  ...resource,
  kind: 'Scale',
  group: 'autoscaling',
  version: 'v1',
  strategy: {},
});

/** The controller with the size that the scale says. Throws 400, or 422 on a negative size. */
function scaled(controller: KubeObject, scale: KubeObject): KubeObject {
  const { name } = scale.metadata;
  if (name !== undefined && name !== controller.metadata.name) {
    throw badRequest(
      `the name of the object (${name}) does not match the name on the URL (${controller.metadata.name ?? ''})`,
    );
  }
  const { replicas = 0 } = (isObject(scale.spec) ? scale.spec : {}) as { replicas?: number };
  if (replicas < 0) {
    const why = 'must be greater than or equal to 0';
    throw invalid({ group: 'autoscaling', kind: 'Scale' }, controller.metadata.name ?? '', [
      invalidShown('spec.replicas', String(replicas), why),
    ]);
  }
  const next = structuredClone(controller);
  section(next, 'spec').replicas = replicas;
  next.metadata.resourceVersion = scale.metadata.resourceVersion ?? '';
  return next;
}

function send(exchange: Exchange, resource: Resource, { object }: StoredObject): void {
  checkRouteAccepts(exchange.accept, false);
  sendJson(exchange, 200, scaleOf(resource, object), negotiate(exchange.accept).format);
}

/** A selector as text: labels, or a LabelSelector's labels. */
function selectorText(resource: Resource, selector: unknown): string {
  if (!isObject(selector)) return '';
  const { matchLabels } = selector;
  const labels: JsonObject = resource.group === '' ? selector : isObject(matchLabels) ? matchLabels : {};
  return Object.keys(labels)
    .sort()
    .map((key) => `${key}=${String(labels[key])}`)
    .join(',');
}
