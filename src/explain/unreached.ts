import { KUBERNETES } from './about-kubernetes.ts';
import { ADDRESS, HEALS, type Sentence } from './sentence.ts';

/** What a connection that was never made has in common, however a program says so. */
const UNREACHED = {
  beside: KUBERNETES,
  named: ADDRESS,
  class: 'unreachable',
  confidence: 'high',
  harm: 'depends',
} as const;
const COUNT_IT = 'how long did it last? kwatch explain FILE counts it';

type Cause = Omit<Sentence, 'pattern'>;

/** The other side answered the first packet with a reset: ECONNREFUSED. */
export const REFUSED: Cause = {
  ...UNREACHED,
  title: 'No apiserver answered at this address: the connection was refused',
  text: `Something answered at once that nobody listens on this port: the apiserver is down or restarting while its host is up, or the address or port is another’s. A service address (ClusterIP) refuses likewise while no apiserver stands behind it. ${HEALS} Seconds are a restart; minutes need somebody.`,
  next: [
    'is the apiserver running, and is it the right address?',
    'through a service: kubectl get endpointslices -n default, is an apiserver in it?',
    COUNT_IT,
  ],
};

/** Nothing answered the first packet until the client gave up. */
export const SWALLOWED: Cause = {
  ...UNREACHED,
  title: 'No apiserver answered at this address: the connection was not made in time',
  text: `The client asked for a connection and got no answer at all, not even a refusal: packets are dropped on the way (a firewall, security group or network policy), the host is gone or frozen, or the address is nobody’s any more. ${HEALS} Seconds are a restart; minutes need somebody.`,
  next: [
    'is the host up, and is it the right address? Does another host reach it?',
    'firewall, security groups, network policies between the two',
    COUNT_IT,
  ],
};

/** A router, or the client’s own host, said that there is no way: EHOSTUNREACH, ENETUNREACH. */
export const NO_ROUTE: Cause = {
  ...UNREACHED,
  title: 'No apiserver answered at this address: there is no way to it',
  text: `The network said that it cannot deliver. "No route to host" is mostly a host that is down (nobody answers for its address on the last hop) or a firewall that rejects so; "network is unreachable" is a missing route on the client’s own host. ${HEALS} Seconds are a restart; minutes need somebody.`,
  next: ['ip route get ADDRESS on the client’s host', 'is the host up? Does a firewall on it reject?', COUNT_IT],
};

/** The client’s own host forbade the connection: EPERM, EACCES. */
export const NOT_PERMITTED: Cause = {
  ...UNREACHED,
  title: 'No apiserver answered at this address: the client’s own host does not let it out',
  text: `The connection was forbidden where it began, before anything was sent: a firewall rule, a network policy in eBPF, or a sandbox on the client’s side. ${HEALS} It mostly stays until the rule is changed, unless it was being set up at that moment.`,
  next: ['rules on the client’s host: iptables, network policies of its CNI, seccomp', COUNT_IT],
};

/** No address for the name, so no connection was tried. */
export const NO_NAME: Cause = {
  ...UNREACHED,
  title: 'The name of the apiserver could not be resolved',
  text: 'DNS did not know the host name, or did not answer: no connection was tried. EAI_AGAIN, "temporary failure", "server misbehaving" and a timeout are the resolver’s own trouble (DNS of the cluster, a node that starts) and mostly pass; "not found" and "no such host" stay until the name or the search domain is corrected.',
  next: ['nslookup the name from the same pod or host', 'CoreDNS: its pods, the node’s resolv.conf', COUNT_IT],
};

/** A connection that could not be made, in words that do not say why. */
export const UNREACHED_SOMEHOW: Cause = {
  ...UNREACHED,
  title: 'No apiserver answered at this address',
  text: `The connection was refused or could not be made in time: the apiserver is down or restarting, or the way to it (network policy, firewall, a node that starts) is closed. ${HEALS} Seconds are a restart; minutes need somebody.`,
  next: [
    'is the apiserver running, and is it the right address?',
    'from a pod: network policies, kube-proxy and the endpoints of service kubernetes',
    COUNT_IT,
  ],
};
