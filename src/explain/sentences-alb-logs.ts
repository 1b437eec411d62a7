import { KUBERNETES } from './about-kubernetes.ts';
import type { Sentence } from './sentence.ts';

/** An Application Load Balancer's access log: type, time, name, client, target, three times, its code, the target's code. */
function alb(codes: string): RegExp {
  return new RegExp(
    `(?:https?|h2|grpcs|wss?) \\S{20,40} app/\\S{1,100} \\S{1,60} \\S{1,60} (?:-?[\\d.]{1,12} ){3}${codes} (?:-|\\d{3}) `,
  );
}
const TIMES = /app\/\S{1,100} \S{1,60} \S{1,60} (?:-?[\d.]{1,12} )([\d.]{1,12}) -?[\d.]{1,12} \d{3} /;

export const ALB_LOG_SENTENCES: readonly Sentence[] = [
  {
    pattern: alb('50[234]'),
    beside: KUBERNETES,
    named: TIMES,
    class: 'gateway-error',
    confidence: 'medium',
    harm: 'depends',
    others: ['idle-cut-by-proxy', 'unreachable'],
    title: 'AWS’s load balancer (ALB) got no proper answer from its target, and notes 502, 503 or 504',
    text: '502: the target closed or broke off; 503: no healthy target; 504: it did not connect, or nothing came within the idle timeout (60 s by default). A dash as the second code says that the target sent none, so that the load balancer answered by itself. The second of the three times is how long it waited, in seconds: the idle timeout, where it is a round number.',
    next: [
      'idle_timeout of the load balancer: longer than the watches (up to 4000 s)',
      'health of the target group; is the target the apiserver itself?',
    ],
  },
  {
    pattern: alb('460'),
    beside: KUBERNETES,
    class: 'self-inflicted',
    confidence: 'low',
    harm: 'harmless-once',
    others: ['connection-lost'],
    title: 'The client went away before its answer, AWS’s load balancer only notes it (460)',
    text: 'Code 460 says that the client closed its connection before the load balancer could answer: it stopped, or a timeout of its own was shorter than the idle timeout.',
    next: ['the log of the client at that time'],
  },
];
