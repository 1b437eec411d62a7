import { ANONYMOUS } from './known-texts.ts';
import { span, times } from './quantity.ts';
import { quote } from './quote.ts';
import { isCustomResource, resourceName } from './scene.ts';
import { succeededBefore } from './signs.ts';
import type { OwnRefusedWords, ToldRefusal } from './words-refused-phrases.ts';

/** Words for requests that the server understood and does not grant, or does not take as a watch. */
export function authWords(told: ToldRefusal): OwnRefusedWords {
  const { place, answer, repeats } = told;
  const { tokenExpiresAt, endpoint } = place.scene.run;
  if (endpoint.anonymous) return nobodyWords(told);
  const ranOut = tokenExpiresAt !== undefined && tokenExpiresAt <= place.at;
  const before = succeededBefore(place);
  const challenge = answer.headers['www-authenticate'];
  return {
    title: before ? '401: the credential is no longer valid' : '401: the credential is not accepted',
    text: [
      `HTTP 401${repeats > 1 ? `, ${times(repeats)}` : ''}: ${answer.fromApiserver || answer.status ? 'the apiserver' : 'the server'} does not accept the credential (token or certificate)${ranOut ? `: the token expired ${span(place.at - tokenExpiresAt)} before this request` : before ? ', which it accepted earlier: expired or revoked' : ': missing, wrong or expired'}.`,
      answer.fromApiserver || answer.status
        ? ''
        : `The answer bears no Audit-Id and no Status: a proxy in front of the apiserver may have said it${challenge ? ` (WWW-Authenticate: ${quote(challenge, 60)})` : ''}, and then its own login is meant.`,
      before
        ? 'It is checked when a request starts, never again: a running stream is not cut by its expiry, only the reconnect is refused.'
        : '',
      'Trying again with the same one is useless: refresh the token, log in anew, or let the client re-read its token file.',
    ],
    evidence: [
      ...(ranOut ? [`exp of the token was ${span(place.at - tokenExpiresAt)} before the request`] : []),
      ...(before ? ['requests of this run were accepted before'] : []),
    ],
    ruledOut: ['permissions (that would be 403)'],
    next: [
      'kubectl auth whoami: who is this credential, and is it still accepted?',
      'renew it: a new token, or log in again; a client has to reload a tokenFile by itself',
    ],
    who: `${answer.fromApiserver || answer.status ? 'the apiserver' : 'the server or a proxy'}, HTTP ${answer.httpStatus ?? 401}`,
    why: ranOut
      ? 'the token had expired by its own exp'
      : before
        ? 'accepted earlier, refused now'
        : 'refused at the first request',
    do: 'get a new credential: somebody or something has to renew it',
  };
}

/** 401 to somebody who sent no credential at all. */
function nobodyWords({ answer, repeats }: ToldRefusal): OwnRefusedWords {
  return {
    title: '401: no credential was sent, and this server takes nobody without one',
    text: [
      `HTTP 401${repeats > 1 ? `, ${times(repeats)}` : ''}: the requests carried no token and no client certificate, so there is nothing that could have expired.`,
      'Give one: --token, or a kubeconfig context with a user. With --server no kubeconfig is read.',
    ],
    evidence: ['no Authorization header and no client certificate on any request'],
    ruledOut: ['an expired credential (none was sent)', 'permissions (that would be 403)'],
    next: [
      '--token "$(kubectl create token SERVICEACCOUNT)": or another bearer token',
      'KUBECONFIG: a context with a user, and no --server',
    ],
    who: `${answer.fromApiserver || answer.status ? 'the apiserver' : 'the server or a proxy'}, HTTP ${answer.httpStatus ?? 401}`,
    why: 'no credential was sent',
    do: 'send a credential (--token, or a kubeconfig with a user)',
  };
}

export function forbiddenWords({ place, answer }: ToldRefusal): OwnRefusedWords {
  const message = quote(answer.message, 260);
  const asked = /cannot (\w+) resource "([^"]+)"(?: in API group "([^"]*)")?(?:.*in the namespace "([^"]+)")?/.exec(
    answer.message,
  );
  const verb = quote(asked?.[1] ?? (answer.isList ? 'list' : 'watch'), 20);
  const resource = quote(asked?.[2] ?? resourceName(place.target), 60);
  const group = asked?.[3] ? `.${quote(asked[3], 60)}` : '';
  const anonymous = ANONYMOUS.test(answer.message);
  const named = /User "([^"]{1,80})"/.exec(answer.message)?.[1];
  const user = named === undefined ? undefined : quote(named, 80);
  const namespace = asked?.[4] ? ` -n ${quote(asked[4], 60)}` : asked ? ' -A' : '';
  return {
    title: anonymous
      ? `403: no credential arrived, system:anonymous may not ${verb} ${resource}${group}`
      : `403: not allowed to ${verb} ${resource}${group}`,
    text: [
      `HTTP 403, Forbidden: ${message || 'no message'}.`,
      anonymous
        ? place.scene.run.endpoint.anonymous
          ? 'No credential was sent: such requests count as system:anonymous. Do not grant rights to system:anonymous; give the request a credential (--token, or a kubeconfig context with a user).'
          : 'The apiserver saw nobody: system:anonymous is who sends no credential at all, or one that never arrived (a token that was not passed, a client certificate that a proxy ended, an Authorization header that was stripped). Do not grant rights to system:anonymous; give the request its credential.'
        : answer.status
          ? `The credential was accepted, but RBAC (or another authorizer) does not grant ${user ? `${user} ` : ''}the verb "${verb}" on ${resource}${group}. A watch needs the verb watch, and a list beside it the verb list: each is a permission of its own.`
          : 'Its body is no Status of an authorizer, so who refused is not sure: an authorizer, or something beside it.',
      anonymous ? '' : 'It stays so until a Role or ClusterRole is bound that grants it.',
    ],
    evidence: anonymous ? ['the request was taken for system:anonymous: no credential counted'] : [],
    ruledOut: anonymous ? [] : ['an expired credential (that would be 401)'],
    next: anonymous
      ? ANONYMOUS_STEPS
      : [
          `kubectl auth can-i ${verb} ${resource}${group}${namespace}${user && /^[\w:.@-]+$/.test(user) ? ` --as=${user}` : ''}`,
          `a Role (namespace) or ClusterRole with verbs get, list, watch on ${resource}${group}, bound to this user or service account`,
          ...(namespace === ' -A' ? ['watch one namespace (-n) if only that is granted'] : []),
        ],
    who: 'the apiserver’s authorizer, HTTP 403',
    why: anonymous
      ? 'no credential arrived: the request counts as system:anonymous'
      : message
        ? quote(answer.message, 150)
        : 'Forbidden',
    do: anonymous
      ? 'send a credential (--token, or a kubeconfig with a user)'
      : 'grant the verb, or watch what is granted',
  };
}

const ANONYMOUS_STEPS = [
  '--token, or a kubeconfig context with a user: this request carried no credential that counts',
  'kubectl auth whoami: who does kubectl come as, over the same address?',
  'a proxy in between: does it pass on Authorization, and does it end TLS (then a client certificate is lost)?',
];

export function notAWatchWords({ place, answer, episode }: ToldRefusal): OwnRefusedWords {
  const { rule } = episode.main.decision;
  if (rule === 'document instead of a stream') return documentWords(place.target.path, answer);
  if (rule === 'resource gone') return goneResourceWords(place.target);
  const code = answer.httpStatus ?? answer.code ?? 404;
  const noWatch = code === 405;
  const path = quote(place.target.path, 100);
  return {
    title: noWatch ? `405: ${path} cannot be watched` : `404: there is no ${path}`,
    text: [
      noWatch
        ? `HTTP 405 MethodNotAllowed: the server knows ${path}, but not as something to watch.`
        : `HTTP 404: this server has no such path or resource: ${path}. The group, version or plural is wrong, or the CRD or aggregated API behind it is not installed here.`,
      answer.message.trim() ? `It said: "${quote(answer.message, 160)}".` : '',
    ],
    evidence: [`path: ${path}`],
    ruledOut: ['permissions (that would be 403)'],
    next: [
      'kubectl api-resources -o wide: name, group, version, and whether watch is among the verbs',
      'a path of another version or group, as kubectl get --raw shows it',
    ],
    who: `${answer.fromApiserver || answer.status ? 'the apiserver' : 'the server'}, HTTP ${code}`,
    why: noWatch ? 'the resource has no verb watch' : 'no such path or resource',
    do: 'correct the resource or path',
  };
}

function documentWords(path: string, answer: ToldRefusal['answer']): OwnRefusedWords {
  const kind = answer.jsonKind ? quote(answer.jsonKind, 60) : undefined;
  const type = quote(answer.headers['content-type'] ?? 'unknown type', 60);
  const what = kind ? `one JSON document of kind ${kind}` : `a body that is no Kubernetes stream (${type})`;
  return {
    title: kind
      ? `200, but no watch: the answer is a plain ${kind}`
      : '200, but no watch: the answer is no stream of events',
    text: [
      `The answer to the ${answer.isList ? 'LIST' : 'watch'} was HTTP 200 with ${what}, and then the end: ${kind?.endsWith('List') ? 'the server did a list' : kind ? 'the server did a plain get' : 'it is not of the watch API'}.`,
      kind
        ? 'So the watch parameter (watch=1) did not reach it: it was dropped on the way (client library, proxy, rewrite rule that strips the query string), or the path names one object, where watch is ignored.'
        : 'A login page, a captive portal or a proxy answered in its place.',
    ],
    evidence: [`path: ${quote(path, 100)}`, `Content-Type: ${type}`, `${answer.bodySize} bytes`],
    ruledOut: ['a stream that ended'],
    next: [
      kind
        ? 'watch=true: does the request that arrives still carry its query string? See the audit log or the access log of the proxy'
        : '--server: is this the address of an apiserver?',
      'the same request past any proxy',
      'one object: use the collection with fieldSelector=metadata.name=NAME',
    ],
    who: 'the server, HTTP 200 with a document',
    why: kind ? `a ${kind} instead of events` : `${type} instead of events`,
    do: 'find who strips the watch parameter',
  };
}

function goneResourceWords(target: ToldRefusal['place']['target']): OwnRefusedWords {
  const resource = quote(resourceName(target), 60);
  return {
    title: `404: ${resource} is served no longer`,
    text: [
      `A watch on ${resource} was live before, and now the server answers 404: its CustomResourceDefinition (CRD) was removed, or no longer serves this version${isCustomResource(target) ? '' : ', or the API was switched off'}.`,
      'Discover again what is served; a relist of the old path does not help.',
    ],
    evidence: ['live before, 404 now'],
    ruledOut: ['a wrong path (it worked before)'],
    next: [
      `kubectl get crd ${resource} -o jsonpath={.spec.versions[*].name}`,
      'kubectl api-resources: which versions are served now?',
    ],
    who: 'the apiserver, HTTP 404',
    why: 'the path worked before',
    do: 'watch a version that is served',
  };
}

export function rejectedWords({ place, answer, episode }: ToldRefusal): OwnRefusedWords {
  const code = answer.httpStatus ?? answer.code ?? 400;
  const causes = (answer.status?.details?.causes ?? [])
    .flatMap(({ field, message }) => (field || message ? [`${field ?? ''}: ${message ?? ''}`] : []))
    .slice(0, 3);
  const message = quote(answer.message, 280);
  const rv = episode.main.decision.rule === 'invalid rv';
  return {
    title: `${code}: the server does not take these parameters`,
    text: [
      `HTTP ${code}${answer.status?.reason ? ` ${quote(answer.status.reason, 40)}` : ''}: ${message || 'no message'}.`,
      rv
        ? 'The resourceVersion is no number that this server knows; it has to come from a list or an event of the same API.'
        : 'The request reached the server and was refused for its parameters: it will be refused again until they change.',
    ],
    evidence: [
      ...causes.map((cause) => quote(cause, 150)),
      `request: ${quote(place.stream?.methodPath ?? place.list?.methodPath ?? '', 150)}`,
    ],
    ruledOut: ['the connection and the credential (the request was read)'],
    next: [
      rv ? 'resourceVersion: list again and use the RV of the list' : parameterStep(answer.message),
      'try the request with fewer parameters: kubectl get --raw PATH?watch=1',
    ],
    who: `the apiserver, HTTP ${code}`,
    why: message ? quote(answer.message, 150) : `HTTP ${code}`,
    do: 'correct the request',
  };
}

/** Which parameter a message names. */
function parameterStep(message: string): string {
  const names = [
    'resourceVersionMatch',
    'sendInitialEvents',
    'resourceVersion',
    'labelSelector',
    'fieldSelector',
    'timeoutSeconds',
    'limit',
    'continue',
  ];
  const named = names.find((name) => message.includes(name));
  if (named) return `${named}: leave it out or correct it`;
  if (/selector|requirement|field label/i.test(message)) return 'labelSelector, fieldSelector: correct the selector';
  return 'query parameters: compare them with the message';
}
