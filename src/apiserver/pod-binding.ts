import { goQuote } from '../protocol/go-strconv.ts';
import type { KubeObject } from '../protocol/object.ts';
import type { StoredObject } from '../store/resource-storage.ts';
import { sendJson } from './answer.ts';
import type { Exchange } from './exchange.ts';
import { checkContentType, decodeJsonObject, typed } from './object-decoding.ts';
import { badRequest, conflict, notFound, unrecognised } from './refusals.ts';
import { type Registry, type Served, timestamp } from './registry.ts';
import { readBody } from './request-body.ts';
import { storageKey } from './resource.ts';
import { bindPod } from './strategies.ts';
import { isObject } from './strategy.ts';

/** POST …/pods/NAME/binding or …/bindings: gives a pod its node, as a scheduler does. `name` undefined: it is in the body. */
export async function postBinding(
  serving: Registry,
  exchange: Exchange,
  pods: Served,
  namespace: string | undefined,
  name: string | undefined,
): Promise<void> {
  checkContentType(exchange.request.headers['content-type']);
  const binding = decodeJsonObject(await readBody(exchange.request), 'Binding');
  const { name: inBody } = isObject(binding.metadata) ? binding.metadata : {};
  const { name: node, kind } = isObject(binding.target) ? binding.target : {};
  if (name !== undefined && inBody !== name) throw badRequest('name in URL does not match name in Binding object');
  if (kind !== undefined && kind !== '' && kind !== 'Node') {
    throw unrecognised(`target.kind: Unsupported value: ${goQuote(String(kind))}: supported values: "Node", "<empty>"`);
  }
  // The validation's error is sent as it is: nobody upstream interprets it (core/pod/storage BindingREST).
  if (typeof node !== 'string' || node === '') throw unrecognised('target.name: Required value');
  const pod = name ?? inBody;
  if (typeof pod !== 'string' || pod === '') throw badRequest('name is required');
  await pods.storage.guaranteedUpdate(storageKey(pods.resource, namespace, pod), {}, (current) => {
    if (current === undefined) throw notFound(pods.resource, pod);
    return bound(serving, pods, current, node);
  });
  sendJson(exchange, 201, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 });
}

function bound({ clock }: Registry, { resource }: Served, current: StoredObject, node: string): KubeObject {
  const object = structuredClone(current.object);
  const pod = object.metadata.name ?? '';
  const { nodeName } = (object.spec ?? {}) as { nodeName?: unknown };
  if (nodeName) {
    const why = `pod ${pod} is already assigned to node "${String(nodeName)}"`;
    throw conflict({ group: '', name: 'pods/binding' }, pod, why);
  }
  bindPod(object, node, timestamp(clock.now()));
  return typed(object, resource).object;
}
