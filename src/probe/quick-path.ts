import { type Answer, refusalOf } from './ask.ts';
import type { Said } from './check.ts';
import type { Measured } from './measured.ts';
import { measured as words } from './times.ts';

/** Certificates, tokens and leases bear some seconds; the header itself has whole ones, ms. */
const SKEW_MS = 5_000;

/** Who answers: kube-apiserver names neither itself nor a `Via`. */
export function whoAnswers(answers: readonly Answer[], { serverVersion }: Measured): Said {
  const heads = answers.flatMap(({ head }) => (head ? [head] : []));
  const [first] = heads;
  if (!first) return { result: 'skip', answer: 'nothing was answered', facts: {} };
  const foreign = ['server', 'via'].flatMap((name) => {
    const value = heads.map(({ headers }) => headers[name]).find((one) => one !== undefined);
    return value === undefined ? [] : [[name, value.slice(0, 80)] as const];
  });
  const version = serverVersion ?? 'unknown version';
  const facts = { http_version: first.httpVersion, server_version: version, ...Object.fromEntries(foreign) };
  const spoken = `${version} over HTTP/${first.httpVersion}`;
  if (foreign.length === 0) return { result: 'pass', answer: `${spoken}, nothing between that names itself`, facts };
  return {
    result: 'info',
    answer: `${spoken}; on the way: ${foreign.map(([name, value]) => `${name}: ${value}`).join(', ')}`,
    detail: 'No kube-apiserver sends these headers: a proxy, a gateway or a balancer does.',
    facts,
  };
}

/** The server's clock against ours. */
export function dateSkew(answer: Answer, into: Measured): Said {
  const date = Date.parse(answer.head?.headers.date ?? '');
  if (Number.isNaN(date)) return { result: 'skip', answer: 'no Date in the answer', facts: {} };
  // The header is cut to whole seconds.
  const skew = date + 500 - (answer.askedAt + (answer.headAfterMs ?? 0) / 2);
  into.dateSkewMs = skew;
  const facts = { skew_ms: Math.round(skew) };
  if (Math.abs(skew) <= SKEW_MS) return { result: 'pass', answer: 'the clocks agree within some seconds', facts };
  return {
    result: 'warn',
    answer: `the server's clock is ${words(Math.abs(skew))} ${skew > 0 ? 'ahead of' : 'behind'} ours`,
    detail: 'Ages of objects and times in logs do not fit together, and tokens may count as expired.',
    facts,
  };
}

/** Flow control names who was asked to wait in its headers. */
export function flowControl(answers: readonly Answer[]): Said {
  const names = answers
    .flatMap(({ head }) => Object.keys(head?.headers ?? {}))
    .filter((name) => name.startsWith('x-kubernetes-pf-'));
  return names.length > 0
    ? { result: 'info', answer: 'priority and fairness is on (X-Kubernetes-Pf headers)', facts: { flow_control: true } }
    : {
        result: 'info',
        answer: 'no X-Kubernetes-Pf headers: priority and fairness is off, or a path removes them',
        facts: { flow_control: false },
      };
}

export function metricsReadable(samples: Record<string, number> | undefined, answer: Answer): Said {
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
  const size = capacity === undefined ? '' : `; the ring holds ${capacity} events`;
  return {
    result: 'pass',
    answer: `readable${size}`,
    facts: { metrics: true, ...(capacity === undefined ? {} : { samples_capacity: capacity }) },
  };
}
