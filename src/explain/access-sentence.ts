import { quote } from '../diagnosis/quote.ts';
import type { Sentence } from './sentence.ts';

/** Who may not do what: the authorizer's words, which every client passes on (apiserver `responsewriters/errors.go: Forbidden`). */
export interface Denied {
  user?: string;
  verb: string;
  resource: string;
  group: string;
  /** Undefined: at the cluster scope. */
  namespace?: string;
}

const DENIED =
  /(?:User "([^"\n]{1,300})" )?cannot ([a-z]{1,20}) resource "([\w.*/-]{1,253})"(?: in API group "([^"\n]{0,253})")?(?: in the namespace "([^"\n]{1,253})")?/;

/** Why the node authorizer says no (`plugin/pkg/auth/authorizer/node/node_authorizer.go`). */
const NODE_AUTHORIZER =
  /no relationship found between node|No Object name found|can only (?:read|access|get) \S{1,100} (?:assigned|bound)|only nodes can/;

/** What was denied, where the text says so. */
export function denied(text: string): Denied | undefined {
  const found = DENIED.exec(text);
  if (!found) return undefined;
  const [, user, verb, resource, group, namespace] = found;
  return {
    ...(user === undefined ? {} : { user }),
    verb: verb!,
    resource: resource!,
    group: group ?? '',
    ...(namespace === undefined ? {} : { namespace }),
  };
}

/** 403 with its words: the user, the verb and the resource are in them, so that the remedy can be. */
export function accessSentence(text: string): Sentence | undefined {
  const what = denied(text);
  if (!what) return undefined;
  if (NODE_AUTHORIZER.test(text)) return ofNode(what);
  const { user, verb, group } = what;
  const name = group === '' ? what.resource : `${what.resource}.${group}`;
  const where = what.namespace === undefined ? 'at the cluster scope' : `in namespace ${quote(what.namespace, 63)}`;
  const who = user === undefined ? 'this user' : quote(user, 80);
  const scope = what.namespace === undefined ? '--all-namespaces' : `-n ${quote(what.namespace, 63)}`;
  const as = user === undefined ? '' : ` --as=${quote(user, 120)}`;
  return {
    pattern: DENIED,
    class: 'forbidden',
    confidence: 'high',
    harm: 'act',
    title: `403: ${quote(who, 50)} may not ${verb} ${quote(name, 40)}`,
    text: `RBAC (or another authorizer) does not let ${who} ${verb} ${quote(name, 120)} ${where}. The credential itself was accepted. An informer or reflector needs the verbs get, list and watch, and at the cluster scope if it looks at all namespaces: a Role in one namespace is not enough then. It stays so, and the client tries for ever, until somebody binds a Role or ClusterRole.`,
    next: [
      `kubectl auth can-i ${verb} ${quote(name, 120)} ${scope}${as}`,
      `a ${what.namespace === undefined ? 'ClusterRole' : 'Role or ClusterRole'} with get, list, watch on ${quote(name, 120)}, bound to it`,
    ],
  };
}

function ofNode({ user, verb, resource }: Denied): Sentence {
  return {
    pattern: DENIED,
    class: 'forbidden',
    confidence: 'high',
    harm: 'depends',
    title: `403: the node authorizer does not let a kubelet ${verb} ${quote(resource, 40)}`,
    text: `A kubelet${user === undefined ? '' : ` (${quote(user, 80)})`} may see only what pods on its own node use, and the apiserver knows of no such pod. For moments that is ordinary: the pod was deleted, has just been bound, or the apiserver has just started and does not know the pods yet. If it stays, a pod on the node is not known to the apiserver, or the kubelet asks under the name of another node. It is not a matter of roles.`,
    next: [
      'does it pass within a minute? Then nothing is to be done',
      'kubectl get pods -A --field-selector spec.nodeName=NODE: does one of them use this object?',
      'the node’s name in the kubelet’s certificate: is it that of the Node object?',
    ],
  };
}
