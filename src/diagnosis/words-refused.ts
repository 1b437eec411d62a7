import type { Answer } from './answer.ts';
import type { Episode } from './episode.ts';
import { tooLargeText } from './known-texts.ts';
import { times } from './quantity.ts';
import { quote } from './quote.ts';
import { type Place, resourceName } from './scene.ts';
import { previousLive } from './signs.ts';
import type { Words } from './words.ts';
import { authWords, forbiddenWords, notAWatchWords, rejectedWords } from './words-denied.ts';
import { unreachableWords } from './words-unreachable.ts';

/** Words for requests that were turned away, and for ERRORs in the stream that are no 410. */
export function refusedWords(episode: Episode, answer: Answer): Words {
  const { place } = episode.main;
  const latest = episode.members.at(-1)!;
  const told: ToldRefusal = {
    episode,
    place,
    answer,
    latest: latest.answer ?? answer,
    repeats: episode.members.length,
  };
  const words = byClass(told);
  return {
    ...words,
    evidence: [
      ...words.evidence,
      ...(answer.message.trim() ? [`the answer said: "${quote(answer.message, 150)}"`] : []),
      ...(told.repeats > 1 ? [`${told.repeats} answers of this kind in a row`] : []),
    ],
    facts: refusedFacts(told),
  };
}

export interface ToldRefusal {
  episode: Episode;
  place: Place;
  answer: Answer;
  /** The newest answer of the episode: its Retry-After counts. */
  latest: Answer;
  repeats: number;
}

export type OwnRefusedWords = Omit<Words, 'facts'>;

function byClass(told: ToldRefusal): OwnRefusedWords {
  switch (told.episode.main.decision.class) {
    case 'unreachable':
      return unreachableWords(told);
    case 'rv-too-large':
      return tooLargeWords(told);
    case 'apf-rejected':
      return throttledWords(told);
    case 'watch-cache-not-ready':
      return notReadyWords(told);
    case 'conversion-webhook-failed':
      return conversionWords(told);
    case 'storage-error':
      return storageWords(told);
    case 'apiserver-shutdown':
      return shuttingDownWords(told);
    case 'auth-expired':
      return authWords(told);
    case 'forbidden':
      return forbiddenWords(told);
    case 'not-a-watch':
    case 'crd-changed':
      return notAWatchWords(told);
    case 'request-rejected':
      return rejectedWords(told);
    default:
      return gatewayWords(told);
  }
}

/** `HTTP 429`, or `ERROR 500 in the stream (HTTP 200)`. */
export function how({ inStream, code, httpStatus }: Answer): string {
  return inStream ? `ERROR ${code ?? ''} in the stream (HTTP 200)`.replace('  ', ' ') : `HTTP ${httpStatus ?? '?'}`;
}

function verb({ isList }: Answer): string {
  return isList ? 'LIST' : 'watch';
}

function tooLargeWords({ place, answer, episode, repeats }: ToldRefusal): OwnRefusedWords {
  const told = tooLargeText(answer.message);
  const asked = told?.requested ?? place.stream?.requestedRv ?? 'the RV asked for';
  const current = told?.current;
  const seen = new Set(episode.members.map((one) => tooLargeText(one.answer?.message ?? '')?.current));
  const still = repeats > 1 && seen.size === 1;
  return {
    title: `RV ${asked} lies ahead of this server${current ? `, which is at ${current}` : ''}`,
    text: [
      `The ${verb(answer)} asked for RV ${asked}${current ? `, and this apiserver's watch cache is at ${current}` : ''}: it is behind (lags, stale, or has not yet caught up) and said so itself after waiting about 3 s. It is no gateway's timeout.`,
      still
        ? `The current value is unchanged over ${repeats} answers: no object of this resource changed here, so this cache's RV does not move, while the RV came from elsewhere (another replica, another resource, before a restore).`
        : '',
      'A list without resourceVersion (a consistent read) gets past it. If the RV never comes into reach, etcd was restored from a backup or another cluster answers.',
    ],
    evidence: [`asked ${asked}${current ? `, current ${current}` : ''}${still ? ', the same each time' : ''}`],
    ruledOut: ['a proxy (the apiserver itself answered, with its own cause)'],
    next: [
      'resourceVersion: drop it and list without resourceVersion (quorum read), then watch from that list',
      'compare the RV of a list at each apiserver (--server): one lags, or all are behind',
    ],
    who: `the apiserver, ${how(answer)}: ${asked} > current ${current ?? '?'}`,
    why: still ? 'its cache does not move while the RV came from elsewhere' : 'its cache has not reached this RV',
    do: 'list without resourceVersion',
  };
}

function throttledWords({ answer, latest, repeats }: ToldRefusal): OwnRefusedWords {
  const flow = answer.headers['x-kubernetes-pf-flowschema-uid'];
  const level = answer.headers['x-kubernetes-pf-prioritylevel-uid'];
  const after = latest.headers['retry-after'];
  const uids = flow ? `FlowSchema ${quote(flow, 40)}, priority level ${quote(level ?? '?', 40)}` : '';
  return {
    title: `429: priority and fairness (APF) turned the ${verb(answer)} away${repeats > 1 ? `, ${times(repeats)}` : ''}`,
    text: [
      `HTTP 429, ${repeats > 1 ? `${times(repeats)} in a row` : 'once'}: the apiserver's priority and fairness filter (APF) had no seat for this request.${uids ? ` It was filed under ${uids}.` : ''}`,
      'A watch holds a seat only while it starts, so the cause is many requests that start at once (reconnect storms, many informers, watches that wait for a cache), not the open watches.',
      after
        ? `Retry-After says ${quote(after, 20)} s; it grows while requests keep being dropped. Wait for it.`
        : 'Wait before the next try.',
    ],
    evidence: [
      ...(uids ? [uids] : ['no APF headers on the answer']),
      ...(after ? [`Retry-After: ${quote(after, 20)}`] : []),
    ],
    ruledOut: ['a cache that is not ready (that 429 carries a Status)'],
    next: [
      flow
        ? `kubectl get flowschema -o custom-columns=NAME:.metadata.name,UID:.metadata.uid | grep ${quote(flow, 40)}`
        : 'kubectl get flowschema,prioritylevelconfiguration',
      'kubectl get --raw /metrics | grep apiserver_flowcontrol_rejected_requests_total: which priority level, which reason?',
      'spread reconnects (back-off with jitter), share informers',
    ],
    who: `the apiserver's priority and fairness filter, ${how(answer)}`,
    why: `plain 429 text${uids ? `, ${uids}` : ''}`,
    do: `wait for Retry-After${after ? ` (${quote(after, 20)} s)` : ''}; find who starts so many requests at once`,
  };
}

function notReadyWords({ place, answer, latest, repeats }: ToldRefusal): OwnRefusedWords {
  const after = latest.headers['retry-after'];
  const resource = quote(resourceName(place.target), 60);
  return {
    title: `${answer.httpStatus ?? 429}: the watch cache of ${resource} is not ready, it is initializing`,
    text: [
      `The apiserver answered ${how(answer)}${repeats > 1 ? `, ${times(repeats)}` : ''}: the watch cache of ${resource} is being filled ((re)initializing). This says nothing about load and nothing about this client.`,
      `It is usually temporary: after a start, after a CRD was created or edited, or after the cache lost etcd. Retry${after ? ` after ${quote(after, 20)} s (Retry-After grows with the time it takes, up to 30 s)` : ''}.`,
      'If it lasts for minutes, the cache cannot list from etcd: the apiserver log names the error.',
    ],
    evidence: [...(after ? [`Retry-After: ${quote(after, 20)}`] : [])],
    ruledOut: ['priority and fairness (its 429 is plain text)'],
    next: [
      `apiserver log: "cacher (${resource}): unexpected ListAndWatch error"`,
      'kubectl get --raw /readyz?verbose: etcd and informers',
    ],
    who: `the apiserver, ${how(answer)}: its cache is not ready`,
    why: 'a Status with the words (re)initializing, or a stopped cacher',
    do: 'wait and retry; look at etcd if it lasts for minutes',
  };
}

function conversionWords({ place, answer, repeats }: ToldRefusal): OwnRefusedWords {
  const failed = /conversion webhook for ([^,:]+(?:, Kind=\w+)?)/i.exec(answer.message)?.[1];
  const service = /service "([^"]+)"|https:\/\/([^/:"]+)/i.exec(answer.message);
  const what = quote(failed ?? resourceName(place.target), 80);
  return {
    title: `The conversion webhook for ${what} fails`,
    text: [
      `${how(answer)}${repeats > 1 ? `, ${times(repeats)}` : ''}: stored objects of ${what} cannot be converted to the watched version, so the watch cache cannot be filled. The outer words (not ready, decode) are only the wrapper; the conversion webhook is the cause.`,
      `Retrying does not help until it answers: restore or fix the webhook's service${service ? ` (${quote(service[1] ?? service[2] ?? '', 60)})` : ''} and its certificate, or change the CRD's conversion (strategy: None where the schemas allow it).`,
    ],
    evidence: [],
    ruledOut: ['load (priority and fairness)', 'a cache that only needs time'],
    next: [
      `kubectl get crd ${quote(resourceName(place.target), 60)} -o jsonpath={.spec.conversion}: which service, which CA`,
      'kubectl get endpointslices for that service: are there ready pods behind it?',
      'redeploy the webhook, or remove the conversion from the CRD',
    ],
    who: `the apiserver, ${how(answer)}: a conversion webhook failed`,
    why: `it names the conversion webhook for ${what}`,
    do: 'fix the conversion webhook: somebody has to act',
  };
}

function storageWords({ place, answer, repeats, episode }: ToldRefusal): OwnRefusedWords {
  const prev = /PrevKv=nil \(key="([^"]*)", modRevision=(\d+)/.exec(answer.message);
  const plain = episode.main.decision.rule === 'internal error';
  const last = place.stream?.lastRv ?? place.stream?.requestedRv;
  return {
    title: prev
      ? `500: etcd no longer has the previous value of ${quote(prev[1] ?? '', 60)}`
      : `${answer.code ?? answer.httpStatus ?? 500}: ${plain ? 'internal error of the apiserver' : 'storage could not deliver'}`,
    text: [
      prev
        ? `${how(answer)}: "PrevKv=nil" for key ${quote(prev[1] ?? '', 120)} at revision ${prev[2]}. The object's state before that change was compacted, so the change cannot be told as an event. It was not delivered.`
        : `${how(answer)}${repeats > 1 ? `, ${times(repeats)}` : ''}: "${quote(answer.message, 240)}". ${plain ? 'The apiserver failed inside; its log says where.' : 'Storage (etcd, decryption, decoding) could not deliver.'}`,
      last
        ? `Resuming from ${last} runs into the same again; list again (relist) without resourceVersion.`
        : 'List again (relist) once it answers.',
    ],
    evidence: repeats > 1 ? ['the same words each time'] : [],
    ruledOut: ['the connection (a Status came over it)'],
    next: [
      'kubectl get --raw /readyz?verbose: what does the apiserver say of etcd?',
      ...(prev ? ['list again without resourceVersion: only that shows what the lost event would have said'] : []),
      'apiserver and etcd logs at this moment',
    ],
    who: `the apiserver, ${how(answer)}`,
    why: prev ? `previous value of ${quote(prev[1] ?? '', 60)} compacted at ${prev[2]}` : quote(answer.message, 120),
    do: 'relist; somebody has to look at storage if it stays',
  };
}

function shuttingDownWords({ answer, latest, repeats, episode }: ToldRefusal): OwnRefusedWords {
  const after = latest.headers['retry-after'];
  const starting = episode.main.decision.rule === 'starting up';
  return {
    title: `${how(answer)}: this apiserver is ${starting ? 'just starting' : 'shutting down'}`,
    text: [
      `The apiserver itself says that it is ${starting ? 'starting and not complete yet' : 'shutting down in order (a graceful, planned stop: restart, drain, rolling update)'}${repeats > 1 ? `, ${times(repeats)} by now` : ''}.`,
      `Another one, or the same one soon, will answer${after ? `: retry after ${quote(after, 20)} s` : ''}, over a new connection. Resume from the last RV.`,
    ],
    evidence: after ? [`Retry-After: ${quote(after, 20)}`] : [],
    ruledOut: ['load (priority and fairness)'],
    next: [
      'kubectl get --raw /readyz: does another apiserver answer?',
      'a new connection for the next try: this one leads to the apiserver that leaves',
    ],
    who: `the apiserver, ${how(answer)}`,
    why: 'its own words',
    do: 'nothing: reconnect and resume',
  };
}

function gatewayWords({ answer, latest, repeats, place }: ToldRefusal): OwnRefusedWords {
  const server = answer.headers.server ?? answer.headers.via;
  const own = answer.fromApiserver;
  const code = answer.httpStatus ?? answer.code ?? '?';
  const last = previousLive(place)?.lastRv;
  const after = latest.headers['retry-after'];
  return {
    title: own
      ? `${how(answer)}: the request could not be served`
      : `HTTP ${code} from a proxy, not from the apiserver`,
    text: [
      own
        ? `${how(answer)}${repeats > 1 ? `, ${times(repeats)}` : ''}: "${quote(answer.message, 200)}". An Audit-Id shows that it passed an apiserver; who behind it failed is not said (an aggregated API's backend, storage, or its own time limit).`
        : `HTTP ${code}${repeats > 1 ? `, ${times(repeats)} in a row` : ''}, with a body that is no Kubernetes Status and without an Audit-Id: it was made by a gateway, proxy or load balancer in front of the apiserver${server ? ` ("${quote(server, 40)}")` : ''}, which could not reach one, or would not.`,
      own ? '' : 'What happened to the apiserver itself cannot be seen from here.',
      last ? `RV ${last} stays good: resume from it once it is back.` : 'Retry with back-off.',
      after ? `Retry-After: ${quote(after, 20)} s.` : '',
    ],
    evidence: [
      own ? 'Audit-Id is there' : 'no Audit-Id, no Status',
      ...(server ? [`Server or Via: ${quote(server, 60)}`] : []),
      ...(answer.headers['content-type'] ? [`Content-Type: ${quote(answer.headers['content-type'], 60)}`] : []),
    ],
    ruledOut: own ? [] : ['an answer of the apiserver itself'],
    next: [
      `curl -k https://APISERVER:6443/readyz, past the proxy: is the apiserver there?`,
      'log of the proxy or load balancer: which backend, and why did it fail?',
    ],
    who: own ? `something behind the apiserver, ${how(answer)}` : `a proxy in front of the apiserver, HTTP ${code}`,
    why: own ? quote(answer.message, 120) : 'foreign body, no Audit-Id',
    do: own ? 'retry; look at the backend' : 'look at the proxy and its backends; resume afterwards',
  };
}

function refusedFacts({ place, answer, latest, repeats }: ToldRefusal): Words['facts'] {
  const large = tooLargeText(answer.message);
  const after = Number(latest.headers['retry-after'] ?? latest.status?.details?.retryAfterSeconds);
  const { stream } = place;
  return {
    requested_rv: large?.requested ?? stream?.requestedRv,
    current_rv: tooLargeText(latest.message)?.current ?? large?.current,
    http_status: answer.httpStatus,
    status_code: answer.code,
    retry_after_s: Number.isFinite(after) ? after : undefined,
    last_rv: stream?.lastRv ?? previousLive(place)?.lastRv,
    events: stream && answer.inStream ? stream.events : undefined,
    bookmarks: stream && answer.inStream ? stream.bookmarks : undefined,
    connections: repeats > 1 ? repeats : undefined,
  };
}
