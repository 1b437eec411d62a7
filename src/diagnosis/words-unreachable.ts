import type { AskedEndpoint } from '../client/facts.ts';
import { span } from './quantity.ts';
import { quote } from './quote.ts';
import { outageFrom, previousLive, wasLive } from './signs.ts';
import type { OwnRefusedWords, ToldRefusal } from './words-refused-phrases.ts';

/** Words for servers that could not be talked to. Each names only what was seen: refused, TLS, silence. */
export function unreachableWords(told: ToldRefusal): OwnRefusedWords {
  switch (told.episode.main.decision.rule) {
    case 'connection refused':
      return refusedConnectionWords(told);
    case 'tls failed':
    case 'wrong scheme':
      return tlsWords(told);
    case 'no headers':
      return noHeadersWords(told);
    default:
      return closedWords(told);
  }
}

/** Where the refused request itself went. */
function endpointOf({ place: { stream, list, scene } }: ToldRefusal): AskedEndpoint {
  return (stream ?? list)?.endpoint ?? scene.run.endpoint;
}

function address(told: ToldRefusal): string {
  const { scheme, host } = endpointOf(told);
  return quote(`${scheme}://${host}`, 80);
}

function refusedConnectionWords(told: ToldRefusal): OwnRefusedWords {
  const { answer, place, repeats, episode } = told;
  const where = address(told);
  const name = /ENOTFOUND|EAI_/.test(answer.detail);
  const noRoute = /EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ENETDOWN|EADDRNOTAVAIL/.test(answer.detail);
  const what = name
    ? 'its name was not found'
    : noRoute
      ? 'there is no route to it'
      : 'the connection was refused (ECONNREFUSED)';
  const before = previousLive(place);
  const first = episode.members[0]!.place;
  const outage = outageFrom(first);
  const lasted = span(Math.max(0, outage.until - first.at));
  return {
    title: name
      ? `Unreachable: no such host behind ${where}`
      : noRoute
        ? `Unreachable: no route to ${where}`
        : `Unreachable: ${where} refused the connection`,
    text: [
      `No server could be talked to at ${where}: ${what}${repeats > 1 ? `, ${repeats} times` : ''}.`,
      before
        ? outage.healed
          ? `A stream was live before; then nobody answered at this address and port, and ${lasted} after the first try somebody does again.`
          : `A stream was live before; since ${lasted} nobody answers at this address and port. A restart is over in seconds; if it lasts, the server or the way to it is down.`
        : 'Nobody listens at this address and port, or a firewall refuses it. Nothing can be said about watches yet.',
      before ? `RV ${before.lastRv ?? before.requestedRv ?? '(none)'} is kept for the resume.` : '',
    ],
    evidence: [quote(answer.detail, 150) || 'connection refused'],
    ruledOut: [],
    next: [
      `--server: is ${where} the right address and port?`,
      'is the apiserver running and listening there (ss -ltn, crictl ps), or is there a firewall or tunnel in between?',
    ],
    who: name ? 'nobody: the name leads nowhere' : `nobody listens at ${where}`,
    why: quote(answer.detail, 120) || what,
    do: name
      ? 'check the name in the server URL'
      : 'check address and port (--server), and that the apiserver is running',
  };
}

function tlsWords(told: ToldRefusal): OwnRefusedWords {
  const { answer } = told;
  const where = address(told);
  const plain = /wrong version|packet length|EPROTO|unknown protocol|http request/i.test(answer.detail);
  if (ALERT.test(answer.detail)) return clientCertificateWords(where, answer.detail);
  const wrongWay = told.episode.main.decision.rule === 'wrong scheme';
  const certificate = !plain && /cert|issuer|self.signed|altname|expired|signature/i.test(answer.detail);
  return {
    title: wrongWay
      ? `Unreachable: ${where} speaks https, it was spoken to in plain http`
      : certificate
        ? `Unreachable: the TLS certificate of ${where} is not accepted`
        : `Unreachable: the TLS handshake with ${where} failed`,
    text: [
      wrongWay
        ? 'The server expects TLS and was sent a plain HTTP request: the scheme of the server URL is wrong (https:// is needed).'
        : `The TLS handshake failed: ${quote(answer.detail, 160) || 'no reason was given'}.`,
      wrongWay
        ? ''
        : certificate
          ? 'The address is right, but its certificate is not signed by the CA in use, is for another name, or is out of date.'
          : 'What answers there does not speak TLS: most likely plain http:// behind an https:// URL (wrong scheme), or the wrong port.',
      wrongWay
        ? 'No apiserver has read a request yet; nothing can be said about watches.'
        : 'No request was seen by anybody yet; nothing can be said about watches.',
    ],
    evidence: [quote(answer.detail, 150) || 'TLS handshake failed'],
    ruledOut: [],
    next: certificate
      ? [
          '--certificate-authority: the CA that signed the server’s certificate',
          '--tls-server-name: the name in its certificate',
        ]
      : [
          `--server ${wrongWay ? 'https' : 'http'}://…: the other scheme; or the right port`,
          'openssl s_client -connect HOST:PORT: who answers, and with what?',
        ],
    who: wrongWay ? 'the server: it speaks https only' : 'nobody yet: the TLS handshake failed',
    why: quote(answer.detail, 120) || 'handshake failed',
    do: certificate ? 'check the CA and the name' : 'check scheme and port of the server URL',
  };
}

/** The server's own alert: it broke the handshake off, and not we. Such an alert is nearly always about the client's certificate. */
const ALERT =
  /alert[ _](?:certificate[ _]required|bad[ _]certificate|unknown[ _]ca|certificate[ _](?:expired|unknown|revoked)|access[ _]denied|handshake[ _]failure)|_ALERT_(?:CERTIFICATE|BAD_CERTIFICATE|UNKNOWN_CA|ACCESS_DENIED|HANDSHAKE_FAILURE)/i;

function clientCertificateWords(where: string, detail: string): OwnRefusedWords {
  const sure = /certificate|unknown[ _]ca/i.test(detail);
  const said = quote(detail, 150);
  return {
    title: sure
      ? `Unreachable: ${where} demands a client certificate that it accepts`
      : `Unreachable: ${where} broke off the TLS handshake with an alert`,
    text: [
      `The server ended the TLS handshake with an alert: ${said}.`,
      sure
        ? 'It wants a client certificate, and none was sent, or one that it does not accept (signed by another CA, expired). Its own certificate is not the trouble here.'
        : 'Usually it wants a client certificate and got none, or the two sides have no TLS version or cipher in common.',
      'No request was read by anybody yet; nothing can be said about watches.',
    ],
    evidence: [said],
    ruledOut: ['plain http behind an https URL (the server speaks TLS)'],
    next: [
      'client-certificate and client-key of the kubeconfig’s user: are they there, of this cluster’s CA, and not expired?',
      'openssl s_client -connect HOST:PORT: "Acceptable client certificate CA names" shows which CA it wants',
      'a token instead of a certificate: only where the address leads to an apiserver that does not demand one (no mutual TLS)',
    ],
    who: 'the server: its TLS alert ended the handshake',
    why: quote(detail, 120),
    do: sure
      ? 'send a client certificate that this server accepts'
      : 'check the client certificate and the TLS versions of both sides',
  };
}

function noHeadersWords(told: ToldRefusal): OwnRefusedWords {
  const { place, answer } = told;
  const where = address(told);
  const { stream, list } = place;
  const what = list ? 'LIST' : 'watch';
  const late = (stream && wasLive(stream) && stream.openedAt !== undefined) || list?.rv !== undefined;
  const waited = stream && late ? span(Math.max(0, (stream.openedAt ?? 0) - stream.askedAt)) : 'more than 10 s';
  return {
    title: late
      ? `The headers of the ${what} came only after ${waited}`
      : `No answer to the ${what}: connected to ${where}, but no headers within 10 s`,
    text: [
      late
        ? `The connection stood, but for ${waited} no headers came; then the ${what} was answered.`
        : `The connection stands, but ten seconds have passed without headers: the ${what} is not answered. That is no silent stream, there is no stream yet. We go on waiting.`,
      list
        ? 'A LIST waits in the apiserver where it reads from a slow etcd, where its watch cache is being filled (up to 1.30), or where the apiserver is overloaded or frozen; a proxy that buffers may hold back the answer, too.'
        : 'Apiservers up to 1.30 hold a watch without headers while the watch cache of the resource is initializing (the ready gate), and some proxies hold the headers back until the first event. An overloaded or frozen apiserver looks the same.',
    ],
    evidence: [
      late
        ? `the status line came ${waited} after the request was written`
        : 'no status line 10 s after the request was written',
      ...(answer.detail ? [quote(answer.detail, 120)] : []),
    ],
    ruledOut: ['a closed port (the connection was accepted)'],
    next: [
      'kubectl get --raw /readyz?verbose over a new connection: does the apiserver answer anything?',
      'apiserver log: "cacher (…): initialized" missing for this resource?',
      'a proxy in between: does it wait for the first event (buffering)?',
    ],
    who: late ? 'the server, late' : 'nobody has answered yet',
    why: late ? `headers only after ${waited}` : 'connected, no headers for 10 s',
    do: late
      ? 'nothing if it came once; look at /readyz and at proxies in between if it comes again'
      : 'wait: a cache that fills answers in the end; check /readyz meanwhile',
  };
}

function closedWords(told: ToldRefusal): OwnRefusedWords {
  const { answer, repeats, place } = told;
  const { scheme } = endpointOf(told);
  const where = address(told);
  const before = previousLive(place);
  return {
    title: `Unreachable: ${where} closes the connection without an answer`,
    text: [
      `The connection was made and then closed (${answer.end ?? 'no end known'}) before any status line${repeats > 1 ? `, ${repeats} times` : ''}: ${quote(answer.detail, 160) || 'no reason was given'}.`,
      before
        ? 'A stream was live here before, so scheme and port are right: the server is going away or just starting, or a proxy in between has no backend.'
        : scheme === 'https'
          ? 'Either the server demands a client certificate and got none (TLS 1.3 servers may just close then), or a proxy has no backend, or the server just went away.'
          : 'Either what listens there speaks no HTTP (https:// needed? another protocol?), or a proxy has no backend, or the server just went away.',
    ],
    evidence: [quote(answer.detail, 150) || 'closed before the status line'],
    ruledOut: ['a closed port (the connection was accepted)'],
    next: [
      ...(before ? [] : [`--server: does ${where} have the right scheme (http or https) and port?`]),
      ...(scheme === 'https' ? ['client-certificate of the kubeconfig’s user: does this server demand one?'] : []),
      'log of the proxy or load balancer at this address',
    ],
    who: 'whoever accepted the connection closed it without an answer',
    why: quote(answer.detail, 120) || 'closed before the status line',
    do: before
      ? 'wait: a restart is over in seconds; if it lasts, look at the apiserver'
      : 'check scheme and port of the server URL',
  };
}
