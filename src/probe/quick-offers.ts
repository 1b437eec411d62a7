import { type Answer, noStream, refusalOf, unusable } from './ask.ts';
import type { Said } from './check.ts';
import type { Measured } from './measured.ts';
import { plural } from './plural.ts';

const INVALID = 422;

const skip = (answer: string): Said => ({ result: 'skip', answer, facts: {} });

/** Streaming lists: the initial state as a watch, with a bookmark at its end. */
export function watchList(answer: Answer): Said {
  const { head, frames, status } = answer;
  if (head?.status === INVALID) {
    return { result: 'info', answer: 'off: sendInitialEvents is refused', facts: { watch_list: false } };
  }
  const why = unusable(answer);
  if (why !== undefined) return skip(why);
  if (frames.some(({ initialEventsEnd }) => initialEventsEnd)) {
    return {
      result: 'info',
      answer: 'on: the bookmark at the end of the initial events came',
      facts: { watch_list: true },
    };
  }
  if (status)
    return { result: 'warn', answer: `an ERROR: ${status.message?.slice(0, 200) ?? ''}`, facts: { watch_list: false } };
  return {
    result: 'warn',
    answer: 'granted, but the bookmark that ends the initial events did not come',
    detail:
      'A client that streams its list waits for it for ever. A server that does not know the parameter does this (kube-apiserver before 1.27), a path that drops bookmarks, and up to 1.30 a cache that has seen no event since it was built.',
    next: 'compare with the apiserver itself: --via URL',
    facts: { watch_list: false },
  };
}

/** A watch and a list by somebody who takes gzip. A watch must come as it is (before 1.37); a short list, too (facts/server §5.1). */
export function compression(watch: Answer, list: Answer): Said {
  const { head } = watch;
  const encoding = head?.headers['content-encoding'] ?? 'identity';
  const listEncoding = list.head?.status === 200 ? (list.head.headers['content-encoding'] ?? 'identity') : undefined;
  const facts = {
    content_encoding: encoding === 'identity' ? 'none' : encoding,
    ...(listEncoding === undefined ? {} : { list_encoding: listEncoding === 'identity' ? 'none' : listEncoding }),
  };
  if (head?.status !== 200) return skip(refusalOf(watch));
  if (encoding !== 'identity') {
    return {
      result: 'warn',
      answer: `a watch comes compressed (${encoding})`,
      detail:
        'No apiserver before 1.37 compresses a plain watch: something on the path does, and what compresses waits for more.',
      next: 'send Accept-Encoding: identity, or turn compression off on the path',
      facts,
    };
  }
  const none = noStream(watch);
  if (none !== undefined) return skip(none);
  const lists = listEncoding === undefined || listEncoding === 'identity' ? '' : `; a list comes as ${listEncoding}`;
  return { result: 'pass', answer: `a watch comes as it is also where gzip is accepted${lists}`, facts };
}

/** Flow control names in its headers what it took a request for; `throttled`: requests that it asked to wait. */
export function flowControl(answers: readonly Answer[], throttled: number): Said {
  const header = (name: string) =>
    answers.map(({ head }) => head?.headers[`x-kubernetes-pf-${name}`]).find((value) => value !== undefined);
  const [schema, level] = [header('flowschema-uid'), header('prioritylevel-uid')];
  const on = schema !== undefined || level !== undefined;
  const facts = {
    flow_control: on,
    ...(schema === undefined ? {} : { flow_schema_uid: schema.slice(0, 80) }),
    ...(level === undefined ? {} : { priority_level_uid: level.slice(0, 80) }),
    throttled,
  };
  const answer = on
    ? `on: FlowSchema ${schema?.slice(0, 80) ?? 'unknown'}`
    : 'no X-Kubernetes-Pf headers: it is off, or a path removes them';
  if (throttled === 0) return { result: 'info', answer, facts };
  return {
    result: 'warn',
    answer: `${plural(throttled, 'request')} got HTTP 429; ${answer}`,
    detail:
      'We waited as Retry-After asks. A watch that is refused so long loses its RV, lists anew, and adds to the load.',
    next: 'kubectl get flowschemas -o custom-columns=NAME:.metadata.name,UID:.metadata.uid names the FlowSchema',
    facts,
  };
}

/** The counters of the resource's cache, where /metrics may be read. */
export function metricsReadable(samples: Measured['samples'], answer: Answer): Said {
  if (!samples) {
    return {
      result: 'info',
      answer:
        answer.head?.status === 200 ? 'without any counter of a watch cache' : `not readable (${refusalOf(answer)})`,
      detail:
        'Then a cache that was rebuilt, a slow watcher that was closed, and the ring’s size have to be concluded from outside.',
      next: 'a ClusterRole with nonResourceURLs ["/metrics"], verbs ["get"] lets you',
      facts: { metrics: false },
    };
  }
  const capacity = samples.watch_cache_capacity;
  const built = samples.apiserver_watch_cache_initializations_total;
  const closed = samples.apiserver_terminated_watchers_total;
  const told = [
    ...(capacity === undefined ? [] : [`the ring holds ${plural(capacity, 'event')}`]),
    ...(built === undefined ? [] : [`the cache was built ${built === 1 ? 'once' : plural(built, 'time')}`]),
    ...(closed === undefined ? [] : [`${plural(closed, 'slow watcher')} closed`]),
  ];
  return {
    result: 'pass',
    answer: ['readable', ...told].join('; '),
    facts: {
      metrics: true,
      ...(capacity === undefined ? {} : { ring_capacity: capacity }),
      ...(built === undefined ? {} : { initializations: built }),
      ...(closed === undefined ? {} : { terminated_watchers: closed }),
    },
  };
}
