import { FUTURE_REVISION, tooLargeText } from './known-texts.ts';
import { times } from './quantity.ts';
import { quote } from './quote.ts';
import { resourceName } from './scene.ts';
import { previousLive } from './signs.ts';
import { how, type OwnRefusedWords, retryAfter, rvOf, type ToldRefusal, verb } from './words-refused-phrases.ts';

/** Words for refusals that pass by themselves, as long as one waits or asks for less. */

export function tooLargeWords({ place, answer, episode, repeats }: ToldRefusal): OwnRefusedWords {
  const told = tooLargeText(answer.message);
  const rv = place.stream?.requestedRv ?? rvOf(place.list?.methodPath);
  const asked = told?.requested ?? rv ?? '(not known)';
  const current = told?.current;
  const seen = new Set(episode.members.map((one) => tooLargeText(one.answer?.message ?? '')?.current));
  const still = repeats > 1 && seen.size === 1;
  return {
    title: `RV ${asked} lies ahead of this server${current ? `, which is at ${current}` : ''}`,
    text: [
      FUTURE_REVISION.test(answer.message)
        ? `The ${verb(answer)} asked etcd for exactly RV ${asked}, and etcd has not come to it: it lies in the future of this storage. Apiservers up to 1.33 say so with a bare 500; nothing failed inside.`
        : `The ${verb(answer)} asked for RV ${asked}${current ? `, and this apiserver's watch cache is at ${current}` : ''}: it is behind (lags, stale, or has not yet caught up) and said so itself (a cache waits about 3 s first). It is no gateway's timeout.`,
      still
        ? `The current value is unchanged over ${repeats} answers: most likely no object of this resource changed here, so this cache's RV does not move, while the RV came from elsewhere (another replica, another resource, before a restore).`
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

export function throttledWords(told: ToldRefusal): OwnRefusedWords {
  const { answer, latest, repeats } = told;
  if (told.episode.main.decision.rule === '429 of another kind') return notNowWords(told);
  const flow = answer.headers['x-kubernetes-pf-flowschema-uid'];
  const level = answer.headers['x-kubernetes-pf-prioritylevel-uid'];
  const after = retryAfter(latest);
  const uids = flow ? `FlowSchema ${quote(flow, 40)}, priority level ${quote(level ?? '?', 40)}` : '';
  return {
    title: `429: priority and fairness (APF) turned the ${verb(answer)} away${repeats > 1 ? `, ${times(repeats)}` : ''}`,
    text: [
      `${how(answer)}, ${repeats > 1 ? `${times(repeats)} in a row` : 'once'}: the apiserver's priority and fairness filter (APF) had no seat for this request.${uids ? ` It was filed under ${uids}.` : ''}`,
      'A watch holds a seat only while it starts, so the usual cause is many requests that start at once (reconnect storms, many informers, watches that wait for a cache), not the open watches.',
      after
        ? `It asks to wait for ${after} (Retry-After), which grows while requests keep being dropped.`
        : 'Wait before the next try.',
    ],
    evidence: [...(uids ? [uids] : ['no APF headers on the answer']), ...(after ? [`Retry-After: ${after}`] : [])],
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
    do: `${after ? `wait for ${after}` : 'wait'}; find who starts so many requests at once`,
  };
}

/** A 429 whose words are none of the three that are known: who said it is open, and so is why. */
function notNowWords({ answer, latest, repeats }: ToldRefusal): OwnRefusedWords {
  const after = retryAfter(latest);
  const message = quote(answer.message, 160);
  return {
    title: `429: the ${verb(answer)} was turned away for now${repeats > 1 ? `, ${times(repeats)}` : ''}; by whom cannot be told`,
    text: [
      `${how(answer)}${repeats > 1 ? `, ${times(repeats)}` : ''}: ${message ? `"${message}"` : 'no message'}. These are not the words of priority and fairness (APF), of a watch cache that is not ready, or of a shutdown.`,
      answer.inStream
        ? 'It came as an ERROR inside an open stream, where an apiserver itself has no 429: an aggregated API server or a storage behind it has most likely said so.'
        : 'An aggregated API server, an admission or rate limiter, or a storage that is busy may have said so.',
      after
        ? `It asks to wait for ${after}; we do. Then resume from the last RV.`
        : 'Wait before the next try, then resume.',
    ],
    evidence: after ? [`Retry-After: ${after}`] : [],
    ruledOut: [],
    next: [
      'kubectl get apiservice: is this group served by an aggregated API server? Then its log says why',
      'kubectl get --raw /metrics | grep apiserver_flowcontrol_rejected_requests_total: does it rise with each refusal? Then it is APF after all',
    ],
    who: `the server, ${how(answer)}`,
    why: message || '429 without a message',
    do: `${after ? `wait for ${after}` : 'wait'} and try again`,
  };
}

export function notReadyWords({ place, answer, latest, repeats }: ToldRefusal): OwnRefusedWords {
  const after = retryAfter(latest);
  const resource = quote(resourceName(place.target), 60);
  const last = previousLive(place)?.lastRv;
  if (/cacher is stopped/.test(answer.message)) return stoppedWords(answer, resource);
  return {
    title: `${answer.httpStatus ?? 429}: the watch cache of ${resource} is not ready, it is initializing`,
    text: [
      `The apiserver answered ${how(answer)}${repeats > 1 ? `, ${times(repeats)}` : ''}: the watch cache of ${resource} is being filled ((re)initializing). This says nothing about load and nothing about this client.`,
      `It is usually temporary: after a start, after a CRD was created or edited, or after the cache lost etcd. Retry${after ? ` after ${after} (Retry-After; from 1.33 on it grows with the time it takes, up to 30 s)` : ''}.`,
      last ? `RV ${last} is kept: resume from it, and list again if the new cache begins above it (410).` : '',
      'If it lasts for minutes, the cache cannot list from etcd: the apiserver log names the error.',
    ],
    evidence: [...(after ? [`Retry-After: ${after}`] : [])],
    ruledOut: ['priority and fairness (its 429 is plain text)'],
    next: [
      `apiserver log: "cacher (${resource}): unexpected ListAndWatch error"`,
      'kubectl get --raw /readyz?verbose: etcd and informers',
    ],
    who: `the apiserver, ${how(answer)}: its cache is not ready`,
    why: 'a Status with the words (re)initializing',
    do: 'wait and retry; look at etcd if it lasts for minutes',
  };
}

/** `Cacher.Stop`: its storage is taken down, and this one is never filled again. */
function stoppedWords(answer: ToldRefusal['answer'], resource: string): OwnRefusedWords {
  return {
    title: `${answer.httpStatus ?? 503}: the watch cache of ${resource} is not ready, it was stopped`,
    text: [
      `The apiserver answered ${how(answer)}: the watch cache of ${resource} was stopped. It is not filled again: a new one takes its place where the CRD was edited; or the CRD was removed, or this apiserver is going down. This says nothing about load and nothing about this client.`,
      'Retry: a new cache, another apiserver, or a 404 where the resource is gone.',
    ],
    evidence: [],
    ruledOut: ['priority and fairness (its 429 is plain text)'],
    next: [
      'kubectl get crd NAME -o yaml: was it edited or removed at that moment?',
      'process_start_time_seconds in /metrics: did the apiserver restart?',
    ],
    who: `the apiserver, ${how(answer)}: its cache was stopped`,
    why: 'a Status with the words of a stopped cacher',
    do: 'wait and retry',
  };
}

export function shuttingDownWords({ answer, latest, repeats, episode, place }: ToldRefusal): OwnRefusedWords {
  const after = retryAfter(latest);
  const starting = episode.main.decision.rule === 'starting up';
  const last = previousLive(place)?.lastRv ?? place.stream?.requestedRv;
  const resume = last ? `Resume from RV ${last}.` : '';
  return {
    title: `${how(answer)}: this apiserver is ${starting ? 'just starting' : 'shutting down'}`,
    text: [
      `The apiserver itself says that it is ${starting ? 'starting and not complete yet' : 'shutting down in order (a graceful, planned stop: restart, drain, rolling update)'}${repeats > 1 ? `, ${times(repeats)} by now` : ''}.`,
      starting
        ? `It will answer soon${after ? `: retry after ${after}` : ''}. ${resume}`
        : `Another one, or the same one soon, will answer${after ? `: retry after ${after}` : ''}, over a new connection. ${resume}`,
    ],
    evidence: after ? [`Retry-After: ${after}`] : [],
    ruledOut: ['load (priority and fairness)'],
    next: [
      'kubectl get --raw /readyz: does another apiserver answer?',
      ...(starting ? [] : ['a new connection for the next try: this one leads to the apiserver that leaves']),
    ],
    who: `the apiserver, ${how(answer)}`,
    why: 'its own words',
    do: 'nothing: reconnect and resume',
  };
}
