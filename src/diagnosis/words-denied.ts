import { ANONYMOUS } from './known-texts.ts';
import { span, times } from './quantity.ts';
import { quote } from './quote.ts';
import { resourceName } from './scene.ts';
import { previousLive, succeededBefore } from './signs.ts';
import { type OwnRefusedWords, sentence, type ToldRefusal } from './words-refused-phrases.ts';

/** Words for requests that the server understood and does not grant. */
export function authWords(told: ToldRefusal): OwnRefusedWords {
  const { place, answer, repeats } = told;
  const { tokenExpiresAt, endpoint } = place.scene.run;
  if (endpoint.anonymous) return succeededBefore(place) ? addedOnTheWayWords(told) : nobodyWords(told);
  const ranOut = tokenExpiresAt !== undefined && tokenExpiresAt <= place.at;
  const before = succeededBefore(place);
  return {
    title: before ? '401: the credential is no longer valid' : '401: the credential is not accepted',
    text: [
      `HTTP 401${repeats > 1 ? `, ${times(repeats)}` : ''}: ${answer.fromApiserver || answer.status ? 'the apiserver' : 'the server'} does not accept the credential (token or certificate)${ranOut ? `: the token expired ${span(place.at - tokenExpiresAt)} before this request` : before ? ', which was accepted earlier: expired, revoked, or not known to the server that answers now' : ': missing, wrong or expired'}.`,
      answer.fromApiserver || answer.status
        ? ''
        : `The answer bears no Audit-Id and no Status: a proxy in front of the apiserver may have said it${challengeOf(answer)}, and then its own login is meant.`,
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

/** 401 to somebody who sent no credential, and was answered all the same before. */
/** What kind of login a 401 asks for, where it says so. */
function challengeOf({ headers }: ToldRefusal['answer']): string {
  const challenge = headers['www-authenticate'];
  return challenge ? ` (WWW-Authenticate: ${quote(challenge, 60)})` : '';
}

function addedOnTheWayWords({ answer, repeats }: ToldRefusal): OwnRefusedWords {
  const foreign = !answer.fromApiserver && !answer.status;
  return {
    title: '401: refused now, though requests of this run were accepted before',
    text: [
      `HTTP 401${repeats > 1 ? `, ${times(repeats)}` : ''}. These requests carry no credential of ours (no token, no client certificate), and earlier ones were accepted: so something on the way added one (kubectl proxy, a sidecar, a gateway), and that is expired, revoked or no longer valid. Or nobody is let in without one any more.`,
      foreign
        ? 'The answer bears no Audit-Id and no Status: a proxy in front of the apiserver may have said it, and then its own login is meant.'
        : '',
      'It is checked when a request starts, never again: a running stream is not cut by its expiry, only the reconnect is refused.',
      'Trying again is useless until that credential (its token or certificate) is renewed, or we send one of our own (--token, or a kubeconfig context with a user).',
    ],
    evidence: [
      'no Authorization header and no client certificate on any request',
      'requests of this run were accepted',
    ],
    ruledOut: ['an expired credential of this client (it sent none)', 'permissions (that would be 403)'],
    next: [
      'kubectl proxy, or whatever adds the credential: start it anew, or let it reload its token',
      '--token "$(kubectl create token SERVICEACCOUNT)": a credential of our own',
    ],
    who: `${foreign ? 'the server or a proxy' : 'the apiserver'}, HTTP ${answer.httpStatus ?? 401}`,
    why: 'accepted earlier without a credential of ours, refused now',
    do: 'renew the credential that is added on the way',
  };
}

/** 401 to somebody who sent no credential at all. */
function nobodyWords({ answer, repeats }: ToldRefusal): OwnRefusedWords {
  const foreign = !answer.fromApiserver && !answer.status;
  const server = answer.headers.server ?? answer.headers.via;
  return {
    title: '401: no credential was sent, and this server takes nobody without one',
    text: [
      `HTTP 401${repeats > 1 ? `, ${times(repeats)}` : ''}: the requests carried no token and no client certificate, so there is nothing that could have expired.`,
      foreign
        ? `The answer bears no Audit-Id and no Status: most likely a proxy in front of the apiserver said it${server ? ` ("${quote(server, 40)}")` : ''}, and it is the proxy’s own login that is asked for${challengeOf(answer)}.`
        : '',
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

export function forbiddenWords({ place, answer, over }: ToldRefusal): OwnRefusedWords {
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
  // A watch that was live on this path, and not a LIST beside it: each verb is granted by itself.
  const granted = !answer.isList && previousLive(place) !== undefined;
  return {
    title: anonymous
      ? `403: no credential arrived, system:anonymous may not ${verb} ${resource}${group}`
      : `403: ${granted ? 'no longer' : 'not'} allowed to ${verb} ${resource}${group}`,
    text: [
      `HTTP 403, Forbidden: ${sentence(message)}`,
      anonymous
        ? place.scene.run.endpoint.anonymous
          ? 'No credential was sent: such requests count as system:anonymous. Do not grant rights to system:anonymous; give the request a credential (--token, or a kubeconfig context with a user).'
          : 'The apiserver saw nobody: system:anonymous is who sends no credential at all, or one that never arrived (a token that was not passed, a client certificate that a proxy ended, an Authorization header that was stripped). Do not grant rights to system:anonymous; give the request its credential.'
        : answer.status
          ? `The credential was accepted, but RBAC (or another authorizer) does not grant ${user ? `${user} ` : ''}the verb "${verb}" on ${resource}${group}. A watch needs the verb watch, and a list beside it the verb list: each is a permission of its own.`
          : 'Its body is no Status of an authorizer, so who refused is not sure: an authorizer, or something beside it.',
      granted
        ? `It was granted before in this run: since then rights were taken away, or the request comes as somebody else. Rights are checked when a request starts, a running stream is not cut.`
        : '',
      anonymous || over
        ? ''
        : `It stays so until a ${namespace === ' -A' ? '' : 'Role or '}ClusterRole is bound that grants it${namespace === ' -A' ? ' in all namespaces' : ''}.`,
    ],
    evidence: [
      ...(anonymous ? ['the request was taken for system:anonymous: no credential counted'] : []),
      ...(granted ? ['a watch of this run on the same path was live before'] : []),
    ],
    ruledOut: anonymous ? [] : ['an expired credential (that would be 401)'],
    next: anonymous
      ? ANONYMOUS_STEPS
      : [
          `kubectl auth can-i ${verb} ${resource}${group}${namespace}${user && /^[\w:.@-]+$/.test(user) ? ` --as=${user}` : ''}`,
          ...(granted ? ['kubectl get rolebindings,clusterrolebindings -A -o wide: which one is missing now?'] : []),
          namespace === ' -A'
            ? `a ClusterRole with verbs get, list, watch on ${resource}${group}, bound to this user or service account by a ClusterRoleBinding`
            : `a Role (namespace) or ClusterRole with verbs get, list, watch on ${resource}${group}, bound to this user or service account`,
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
