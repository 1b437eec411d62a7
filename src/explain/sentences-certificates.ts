import { KUBERNETES } from './about-kubernetes.ts';
import type { Sentence } from './sentence.ts';

/** What the words after `x509:` have in common. */
const REJECTED = {
  beside: KUBERNETES,
  class: 'unreachable',
  confidence: 'medium',
  harm: 'act',
  others: ['auth-expired'],
} as const;
const LOOK = 'openssl s_client -connect HOST:PORT: notAfter, issuer, names';

/** A certificate that Go’s TLS did not accept, by the reason it gives (crypto/x509, verify.go). Clients in other languages: sentences-sockets.ts. */
export const CERTIFICATE_SENTENCES: readonly Sentence[] = [
  {
    ...REJECTED,
    pattern: /certificate has expired or is not yet valid[^\n]{0,100}\bis before /,
    named: /\b(is before \d{4}-\d\d-\d\dT[\d:.]{8,18}Z)/,
    title: 'TLS: the server’s certificate is not valid yet by the client’s clock',
    text: 'The certificate begins later than "current time", which is the clock of the client: mostly that clock is wrong (a node or a VM without NTP, one that slept), else the certificate was made by a host whose clock ran ahead. Nothing is watched until the clock is past the beginning.',
    next: ['date on the client’s host, and NTP there', LOOK],
  },
  {
    ...REJECTED,
    pattern: /certificate has expired/,
    named: /\b(is after \d{4}-\d\d-\d\dT[\d:.]{8,18}Z)/,
    title: 'TLS: the server’s certificate has expired',
    text: 'The certificate that the server showed ended before "current time", which is the clock of the client. Nothing is watched until it is replaced and the server reads the new one; a clock of the client that is ahead looks the same.',
    next: [
      LOOK,
      'kubeadm certs check-expiration; kubeadm certs renew all, and restart the apiserver',
      'date on the client’s host',
    ],
  },
  {
    ...REJECTED,
    pattern: /certificate signed by unknown authority/,
    title: 'TLS: the client does not know the CA that signed the server’s certificate',
    text: 'Nothing is watched until the client has the right CA: it reads an old one (the cluster was built anew, or its CA was changed), that of another cluster, or something on the way opens TLS and signs by itself. "crypto/rsa: verification error" beside it: a CA of the same name and another key, so the cluster’s CA was made anew.',
    next: [
      LOOK,
      'certificate-authority(-data) in the kubeconfig; in a pod /var/run/secrets/kubernetes.io/serviceaccount/ca.crt',
      'a proxy that opens TLS? HTTPS_PROXY, NO_PROXY',
    ],
  },
  {
    ...REJECTED,
    pattern:
      /certificate is (?:valid for|not valid for any)|cannot validate certificate for|doesn't contain any IP SANs|relies on legacy Common Name/,
    named: /\bcertificate (is valid for [^\n"]{1,300}?, not [\w.:-]{1,253})/,
    title: 'TLS: the server’s certificate is not for the name or address that was asked for',
    text: 'The CA is not the trouble: the certificate lists names and addresses, and the one that the client uses is not among them (a new load balancer, another address of the node, or not the apiserver at all). Nothing is watched until one of the two is changed.',
    next: [
      LOOK,
      'use an address that is listed, or tls-server-name in the kubeconfig',
      'else add it to the certificate: kubeadm’s apiServer.certSANs',
    ],
  },
  {
    ...REJECTED,
    pattern: /x509: [a-zA-Z]|tls: failed to (?:parse|verify) certificate/,
    title: 'TLS: the server’s certificate is not accepted, so no request gets through',
    text: 'The client does not accept the certificate that it was shown, or it is not formed as Go demands: the words after x509 say why. Nothing is watched until the certificate is replaced.',
    next: [LOOK, 'kubeadm certs check-expiration; certificate-authority in the kubeconfig'],
  },
];
