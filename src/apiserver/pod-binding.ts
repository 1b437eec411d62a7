import type { StoredObject } from '../store/resource-storage.ts';
import { sendJson } from './answer.ts';
import type { Exchange } from './exchange.ts';
import { checkContentType, decodeJsonObject } from './object-decoding.ts';
import { badRequest, conflict, notFound, unrecognised } from './refusals.ts';
import type { Served } from './registry.ts';
import { readBody } from './request-body.ts';
import { storageKey } from './resource.ts';
import { bindPod } from './strategies.ts';
import { isObject } from './strategy.ts';

/** POST …/pods/NAME/binding or …/bindings: gives a pod its node, as a scheduler does. `name` undefined: it is in the body. */
export async function postBinding(
  exchange: Exchange,
  pods: Served,
  namespace: string | undefined,
  name: string | undefined,
): Promise<void> {
  checkContentType(exchange.request.headers['content-type']);
  const binding = decodeJsonObject(await readBody(exchange.request), 'Binding');
  const { name: inBody } = isObject(binding.metadata) ? binding.metadata : {};
  const { name: node } = isObject(binding.target) ? binding.target : {};
  if (name !== undefined && inBody !== name) throw badRequest('name in URL does not match name in Binding object');
  // The validation's error is sent as it is: nobody upstream interprets it (core/pod/storage BindingREST).
  if (typeof node !== 'string' || node === '') throw unrecognised('target.name: Required value');
  const pod = name ?? inBody;
  if (typeof pod !== 'string' || pod === '') throw badRequest('name is required');
  await pods.storage.guaranteedUpdate(storageKey(pods.resource, namespace, pod), {}, (current) => {
    if (current === undefined) throw notFound(pods.resource, pod);
    return bound(current, pod, node);
  });
  sendJson(exchange, 201, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 });
}

function bound(current: StoredObject, pod: string, node: string) {
  const object = structuredClone(current.object);
  const { nodeName } = (object.spec ?? {}) as { nodeName?: unknown };
  if (nodeName) {
    const why = `pod ${pod} is already assigned to node "${String(nodeName)}"`;
    throw conflict({ group: '', name: 'pods/binding' }, pod, why);
  }
  bindPod(object, node);
  return object;
}
