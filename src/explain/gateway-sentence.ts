import { quote } from '../diagnosis/quote.ts';
import { KUBERNETES } from './about-kubernetes.ts';
import { type Gateway, gatewayOf } from './gateways.ts';
import type { Sentence } from './sentence.ts';
import { statedCodes } from './stated-codes.ts';

/** The text is an answer, a page or a body by itself: somebody asks about just this. */
const WHOLE =
  /^\s*(?:HTTP\/\d|<!doctype html|<html|<head|<title|\{"message": ?"Endpoint request|error code: (?:5[0-3]|10[0-3])\d\s*$|upstream (?:connect error|request timeout)|no healthy upstream|RBAC: access denied)/i;
/** A page, or a body that only proxies send. */
const PAGE =
  /<!doctype html|<html|<title>|<h1>|&lt;html|upstream connect error or disconnect|upstream request timeout|\bno healthy upstream|RBAC: access denied|"Endpoint request timed out"|Proxy Authentication Required|^error code: (?:5[0-3]|10[0-3])\d\s*$/im;
const PLAIN_ANSWER = /^\s*HTTP\/\d(?:\.\d)? (\d{3})\b/;
/** The apiserver’s own: its Status, or the id that it gives to every request. */
const APISERVER = /"kind\\{0,4}"\s*:\s*\\{0,4}"Status"|^audit-id:|"type"\s*:\s*"(?:ADDED|MODIFIED|BOOKMARK|ERROR)"/im;
/** kube-apiserver as the proxy of an aggregated API: words of its own, in plain text. */
const AGGREGATED = /error trying to reach service|^[ \t]*service unavailable[ \t\r]*$/m;
const LOGIN =
  /<title>[^<]{0,40}(?:sign ?in|log ?in)|login\.microsoftonline\.com|accounts\.google\.com|openid-connect\/auth|\/oauth2?\/(?:start|auth|sign_in)|\/dex\/auth|\/adfs\/|\/saml/i;
const PLAIN_HTTP = /plain HTTP request was sent to HTTPS port|Client sent an HTTP request to an HTTPS server/;

/** The answer of something in front of the apiserver: a page, a redirect, a few words. Undefined where it may be the apiserver’s own. */
export function gatewaySentence(whole: string): Sentence | undefined {
  const text = ofCurl(whole);
  const plain = PLAIN_ANSWER.exec(text)?.[1];
  if (!(PAGE.test(text) || (plain !== undefined && foreign(plain, text))) || APISERVER.test(text)) return undefined;
  if (AGGREGATED.test(text)) return undefined;
  if (!WHOLE.test(text) && !KUBERNETES.test(text)) return undefined;
  const status = statedCodes(text).http_status ?? plain;
  if (status === '413') return undefined;
  if (PLAIN_HTTP.test(text)) return plainHttp();
  if (/Proxy Authentication Required/.test(text)) return forwardProxy('a forward proxy');
  const gateway = gatewayOf(text);
  if (LOGIN.test(text)) return login(gateway);
  if (/RBAC: access denied/.test(text)) return meshPolicy();
  const server = /^server:[ \t]*(\S{1,60})/im.exec(text)?.[1];
  return byStatus(
    text,
    status,
    gateway,
    server === undefined ? undefined : `a proxy that signs as ${quote(server, 40)}`,
  );
}

/** `curl -v` puts `< ` before the lines of an answer. */
function ofCurl(text: string): string {
  const from = text.search(/^< HTTP\/\d/m);
  return from < 0 ? text : text.slice(from).replace(/^< ?/gm, '');
}

/** Codes that a proxy sends without a page. 401 and 403 in plain text are the apiserver’s too. */
function foreign(status: string, text: string): boolean {
  if (/^(?:40[78]|50[234]|5[23]\d|30[1237])$/.test(status)) return true;
  // The apiserver has no pages: what is in HTML comes from something in front of it.
  if (/^content-type: *text\/html/im.test(text)) return true;
  return (
    (status === '404' || status === '400') &&
    /page not found|default backend|HTTPS server|no Route matched|Route Not Found/.test(text)
  );
}

function byStatus(
  text: string,
  status: string | undefined,
  gateway: Gateway | undefined,
  signed: string | undefined,
): Sentence {
  const name = gateway?.name ?? signed ?? 'a proxy or load balancer';
  const all =
    gateway?.means ??
    '502 and 503: what is behind it could not be reached; 504 and 408: a timeout was over (60 s of silence is the default of many).';
  const means = ofCase(all, status ?? /^error code: (\d{4})\s*$/m.exec(text)?.[1], text);
  const asked = KUBERNETES.test(text) ? '' : ' That a watch was asked for is not in the text itself.';
  const nexts = [
    gateway?.next ?? 'the proxy’s log, and its timeouts for long requests',
    'the same request past the proxy (--server): does the apiserver answer?',
  ];
  const base = { pattern: PAGE, confidence: 'medium', others: ['unreachable'], next: nexts } as const;
  if (status === undefined || /^5|^408/.test(status)) {
    return {
      ...base,
      class: 'gateway-error',
      harm: 'depends',
      title: `${status === undefined ? 'An error page' : status}: ${name} answered, not the apiserver`,
      text: `This answer was written by ${name}, a gateway between client and apiserver: the request never reached the apiserver, or its answer never came back. ${means} Seconds of it are a restart behind the proxy, which clients survive; minutes need somebody.${asked}`,
    };
  }
  if (status === '407') return forwardProxy(name);
  if (status === '404') return notFound(name);
  const page = status === '200' || status.startsWith('3');
  return {
    ...base,
    class: page ? 'not-a-watch' : 'gateway-error',
    others: page ? ['gateway-error', 'auth-expired'] : status === '403' ? ['forbidden'] : ['unreachable'],
    harm: status === '429' ? 'depends' : 'act',
    title: `${status}: a web page of ${name}, not a stream of the apiserver`,
    text: `The client got a page or a redirect (${status}) where the apiserver would answer in JSON: ${name} in front decided by itself, and the request most likely never reached the apiserver.${gateway ? ` ${means}` : ''} No watch takes place until it is let through.${asked}`,
  };
}

/** Of `502: this; 504: that.` what belongs to the code or the words at hand; all of it where they are not told apart. */
function ofCase(means: string, status: string | undefined, text: string): string {
  const part = means.split(/; |(?<=\.) /).find((one) => {
    const key = one.split(':')[0]!;
    return (
      key !== one && ((status !== undefined && key.includes(status)) || (/^[a-z]/.test(key) && text.includes(key)))
    );
  });
  return part === undefined ? means : `${part.replace(/\.$/, '')}.`;
}

function login(gateway: Gateway | undefined): Sentence {
  return {
    pattern: LOGIN,
    class: 'not-a-watch',
    confidence: 'medium',
    others: ['gateway-error', 'auth-expired'],
    harm: 'act',
    title: 'A login page answered, not the apiserver',
    text: `${gateway ? `${gateway.name}: the` : 'The'} request was sent to a login (SSO, OIDC, a captive portal): what stands in front wants a browser with a session, and does not know the credential of the client. Nothing is watched until the client goes past it or the gateway takes its token.`,
    next: [
      'curl -i the same path with the same credential: where does Location lead?',
      'give clients an address of the API without the login, or a token that the gateway takes',
    ],
  };
}

function plainHttp(): Sentence {
  return {
    pattern: PLAIN_HTTP,
    class: 'request-rejected',
    confidence: 'high',
    others: ['unreachable'],
    harm: 'act',
    title: '400: plain HTTP was sent to a port that speaks TLS',
    text: 'The client asked over http:// where the server expects https://. It stays so until the address of the server is corrected.',
    next: ['https:// in the server address (kubeconfig, --server, environment)'],
  };
}

function forwardProxy(name: string): Sentence {
  return {
    pattern: PAGE,
    class: 'gateway-error',
    confidence: 'high',
    harm: 'act',
    title: '407: a forward proxy wants a login of its own',
    text: `The request went through ${name} (HTTPS_PROXY, proxy-url), which wants credentials before it lets anything through. The apiserver has not seen the request; nothing is watched until the proxy is left out or given its credentials.`,
    next: ['NO_PROXY: add the API host and the range of service addresses', 'proxy-url in the kubeconfig'],
  };
}

function notFound(name: string): Sentence {
  return {
    pattern: PAGE,
    class: 'not-a-watch',
    confidence: 'medium',
    others: ['gateway-error', 'crd-changed'],
    harm: 'act',
    title: '404 without a Status: nothing at this address knows the path',
    text: `${name === 'a proxy or load balancer' ? 'A proxy' : name} (an ingress without a rule for the host, a router) answered, or an apiserver that does not serve this group at all: of an object or a resource that is missing it would send a Status in JSON. The client tries for ever.`,
    next: [
      'is it the address of the API? curl -i https://HOST/version',
      'kubectl api-resources: is the resource served, in this version?',
      'an ingress in front: has it a rule for this host?',
    ],
  };
}

function meshPolicy(): Sentence {
  return {
    pattern: PAGE,
    class: 'gateway-error',
    confidence: 'medium',
    others: ['forbidden'],
    harm: 'act',
    title: '403: a policy of the service mesh forbids the request, not the RBAC of Kubernetes',
    text: '"RBAC: access denied" is what Envoy says when an Istio AuthorizationPolicy does not allow the request. It never reached the apiserver, and no Role or ClusterRole would change it.',
    next: ['AuthorizationPolicy of the workload and of its namespace: what allows this caller?'],
  };
}
