import { KUBERNETES_BY_NAME } from './about-kubernetes.ts';
import type { Sentence } from './sentence.ts';

/** What a client does to itself before a request is sent: its rate limiter, its deadline, its credential. Asked before words of refusals. */
export const OWN_LIMIT_SENTENCES: readonly Sentence[] = [
  {
    // client-go `rest/request.go: tryThrottleWithInfo`.
    pattern: /client rate limiter Wait returned an error|rate: Wait\(n=\d{1,6}\) would exceed context deadline/,
    class: 'self-inflicted',
    confidence: 'medium',
    harm: 'depends',
    title: 'The client’s own deadline ran out while it waited for its own rate limiter',
    text: 'client-go keeps itself to so many requests a second (QPS, burst), and the time that the program had allowed itself (a timeout, --timeout of Helm, a context) ended before this request’s turn. It was not sent: neither the apiserver nor its priority and fairness refused it. Mostly what was waited for simply did not come about in that time, and this is only how the last question ended; a client with far too low limits looks the same.',
    next: [
      'the timeout that ended (helm --timeout, the context of the program): how long was it, and what was waited for?',
      'QPS and Burst of the client (helm --qps, --burst-limit), if it sends many requests',
    ],
  },
  {
    // kubelet: `pkg/kubelet/certificate/transport.go`, `bootstrap/bootstrap.go`.
    pattern:
      /currently active client certificate has expired|[Pp]art of the existing bootstrap client certificate is expired|unable to load bootstrap kubeconfig/,
    class: 'auth-expired',
    confidence: 'high',
    harm: 'act',
    others: ['unreachable'],
    title: 'A kubelet’s client certificate has expired, so that it cannot log in any more',
    text: 'The kubelet renews its certificate by itself as long as the old one is good; this one ended first (the node was off, the clock was wrong, or nobody signed the new one). All of its watches and its node status fail until it has a new certificate. It does not pass by itself, unless the line says that only the server does not answer and the certificate is renewed later.',
    next: [
      'openssl x509 -noout -enddate -in /var/lib/kubelet/pki/kubelet-client-current.pem; date on the node',
      'kubectl get csr: does one wait to be approved?',
      'let the node join anew (kubeadm token create; bootstrap-kubelet.conf), then restart the kubelet',
    ],
  },
  {
    pattern: /: Unauthorized(?:\\{0,4}["']|[ \t\r]*$)/m,
    beside: {
      test: (text) => KUBERNETES_BY_NAME.test(text) || /\bkubelet\b|\bnode \\{0,4}"|leaderelection\.go/.test(text),
    },
    class: 'auth-expired',
    confidence: 'high',
    harm: 'act',
    title: '401: the apiserver does not accept the credential',
    text: 'The token or client certificate has expired, was revoked, or was never good: it is about who asks, not about what is allowed. The watches of the same program meet it as soon as they are opened anew. A client that reads its credential again recovers by itself; others try for ever with the old one.',
    next: [
      'the credential of that program: a service account’s token file, a client certificate; is it read again when it is renewed?',
      'kubectl auth whoami with the same credential',
    ],
  },
];
