import { span, times } from './quantity.ts';
import { quote } from './quote.ts';
import { previousLive } from './signs.ts';
import { how, type OwnRefusedWords, retryAfter, type ToldRefusal } from './words-refused-phrases.ts';

/** Words for answers of what stands in front of the apiserver, or behind it. */

/** What a gateway means by its code (RFC 9110 §15). */
const GATEWAY_REASON: Record<number, string> = {
  408: 'which gave the request up before it had an answer for it',
  429: 'which limits how often it may be asked',
  502: 'which got no proper answer from its backend',
  503: 'which has no backend that is up, or turns requests away for now',
  504: 'which waited too long for its backend',
  // Of no standard, but as the gateways that use them document them.
  520: 'which got no proper answer from its backend',
  521: 'which was refused by its backend',
  522: 'which could not connect to its backend in time',
  523: 'which found no way to its backend',
  524: 'which waited too long for its backend',
  525: 'whose TLS handshake with its backend failed',
  526: 'which does not trust the certificate of its backend',
};

/** What a gateway does by its own rules, whatever its backend does. */
function gatewayReason(code: number, location: string | undefined, message: string): string {
  if (code >= 300 && code < 400) {
    const host = /^https?:\/\/[^/?#]+/.exec(location ?? '')?.[0];
    return `which sends the client elsewhere${host ? ` (${quote(host, 80)})` : ''}: most likely to a login page of its own (SSO)`;
  }
  if (code === 413 || code === 414 || code === 431 || (code === 400 && /too (?:large|long|big)/i.test(message)))
    return 'which finds the request too large (a big token or a long query)';
  if (code >= 400 && code < 500) return 'which does not let this request through';
  return 'which answered in its place';
}

/** Refused by a rule of the gateway, and again until that or the request changes. */
function isRuled(code: number): boolean {
  return code < 500 && code !== 408 && code !== 429;
}

/** An answer that comes so late, ms, was waited for: a proxy that is refused says so at once. */
const LATE_MS = 3_000;
/** Codes of a time limit: what went by before them is that limit. */
const TIMED_OUT = [408, 504, 522, 524];

/** How long the answer took, where that tells something. */
function lateness({ stream, list }: ToldRefusal['place']): number | undefined {
  const took = stream ? (stream.openedAt ?? stream.askedAt) - stream.askedAt : list ? list.endedAt - list.askedAt : 0;
  return took >= LATE_MS && (list === undefined || list.pages <= 1) ? took : undefined;
}

export function gatewayWords({ answer, latest, repeats, place, episode }: ToldRefusal): OwnRefusedWords {
  const server = answer.headers.server ?? answer.headers.via;
  const own = answer.fromApiserver;
  const down = episode.main.decision.rule === 'aggregated API down';
  const code = answer.httpStatus ?? answer.code ?? 0;
  const last = previousLive(place)?.lastRv;
  const after = retryAfter(latest);
  const late = lateness(place);
  const sure = episode.main.decision.confidence === 'high';
  const { group, version } = place.target;
  return {
    title: own
      ? `${how(answer)}: ${down ? 'the server behind this aggregated API is down' : 'the request could not be served'}`
      : `HTTP ${code}${sure ? '' : ', most likely'} from a proxy, not from the apiserver`,
    text: [
      own
        ? `${how(answer)}${repeats > 1 ? `, ${times(repeats)}` : ''}: ${answer.message.trim() ? `"${quote(answer.message, 200)}"` : 'no message'}. ${down ? 'The apiserver answered, as the proxy of an aggregated API (APIService): it could not reach the server behind it. The apiserver itself works.' : "An Audit-Id shows that it passed an apiserver; who behind it failed is not said (an aggregated API's backend, storage, or its own time limit)."}`
        : `HTTP ${code}${repeats > 1 ? `, ${times(repeats)} in a row` : ''}, with a body that is no Kubernetes Status and without an Audit-Id: it was ${sure ? '' : 'most likely '}made by a gateway, proxy or load balancer in front of the apiserver${server ? ` ("${quote(server, 40)}")` : ''}, ${GATEWAY_REASON[code] ?? gatewayReason(code, answer.headers.location, answer.message)}.`,
      late !== undefined && TIMED_OUT.includes(code)
        ? `The answer came ${span(late)} after the request: so long a time limit it has.`
        : '',
      own
        ? ''
        : isRuled(code)
          ? 'The apiserver has most likely not seen the request: trying again does not help until the proxy lets it through.'
          : 'What happened to the apiserver itself cannot be seen from here.',
      last ? `RV ${last} stays good: resume from it once it is back.` : isRuled(code) ? '' : 'Retry with back-off.',
      after ? `It asks to wait for ${after} (Retry-After).` : '',
    ],
    evidence: [
      own ? 'Audit-Id is there' : 'no Audit-Id, no Status',
      ...(late === undefined ? [] : [`it came ${span(late)} after the request`]),
      ...(server ? [`Server or Via: ${quote(server, 60)}`] : []),
      ...(answer.headers['content-type'] ? [`Content-Type: ${quote(answer.headers['content-type'], 60)}`] : []),
    ],
    ruledOut: own ? ['a gateway in front of the apiserver'] : ['an answer of the apiserver itself'],
    next: own
      ? [
          group && version
            ? `kubectl get apiservice ${quote(`${version}.${group}`, 80)}: is this group served by an aggregated API server, and is it Available?`
            : 'kubectl get apiservice: is an aggregated API server behind this path, and is it Available?',
          'kubectl get --raw /readyz?verbose, and the apiserver’s log at this moment (by the Audit-Id)',
        ]
      : code === 429
        ? [
            'rate limit of the proxy or gateway: raise it for watches and their reconnects, or exempt this client',
            'share informers, spread reconnects (back-off with jitter)',
          ]
        : isRuled(code)
          ? [
              'rules of the proxy (login, allow lists, WAF, limits of headers): this path with its query has to be let through',
              'curl -k https://APISERVER:6443/readyz, past the proxy: is the apiserver there?',
            ]
          : [
              'curl -k https://APISERVER:6443/readyz, past the proxy: is the apiserver there?',
              'log of the proxy or load balancer: which backend, and why did it fail?',
            ],
    who: own
      ? `the apiserver, or something behind it, ${how(answer)}`
      : `a proxy in front of the apiserver, HTTP ${code}`,
    why: own ? quote(answer.message, 120) : 'foreign body, no Audit-Id',
    do: own
      ? 'retry; look at the backend'
      : isRuled(code)
        ? 'have the proxy let it through'
        : 'look at the proxy and its backends; resume afterwards',
  };
}
