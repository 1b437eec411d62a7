import { KUBERNETES_BY_NAME } from './about-kubernetes.ts';
import type { Sentence } from './sentence.ts';

/** What speaks gRPC beside Kubernetes' storage: runtimes, volumes and images of a node, meshes. */
const OTHER_GRPC =
  /\b(?:csi|cri|containerd|cri-o|runtime|volumes?|images?|sandbox|device ?plugin|xds|kms|konnectivity|grpc_health)\b/i;

/** The stretch between the apiserver and its storage (etcd, kine), where no sentence of storage itself is told. Asked after those. */
export const STORAGE_WATCH_SENTENCES: readonly Sentence[] = [
  {
    // gRPC's server ends connections that ping more often than it allows (keepalive.EnforcementPolicy).
    pattern: /received prior goaway: code: ENHANCE_YOUR_CALM|\btoo_many_pings\b/,
    class: 'storage-error',
    confidence: 'medium',
    harm: 'depends',
    others: ['cache-rebuilt', 'connection-lost'],
    title: 'The apiserver’s connection to its storage was closed: too many keepalive pings',
    text: 'The gRPC server (etcd, or kine, that of K3s) found that its client pings more often than it allows, and ended the connection with ENHANCE_YOUR_CALM. All watches on it end with it and begin anew, so that caches may be rebuilt and clients meet a 410. The usual reason is a storage (an old kine, a proxy before etcd) that does not know the keepalive of newer apiservers. Once is harmless; every few minutes it stays until it is updated.',
    next: [
      'how far apart are they? kwatch explain FILE finds a rhythm',
      'update what is behind the apiserver (K3s, kine, etcd or its proxy)',
    ],
  },
  {
    // etcd `api/v3rpc/watch.go` (debug or warning by the reason), and etcd's client when its connection is gone already.
    pattern:
      /failed to (?:receive watch request from|send watch (?:control )?response to) gRPC stream|(?:sending|failed to send) watch cancel request/,
    class: 'self-inflicted',
    confidence: 'low',
    harm: 'harmless-once',
    others: ['connection-lost', 'apiserver-shutdown'],
    ordinary: true,
    title: 'etcd and its client took leave of each other: a watch was cancelled at the client’s end',
    text: 'The client of etcd (mostly an apiserver) ended a watch, or its connection was gone: it stopped, restarted, or a client of its own had ended a watch of an uncached resource (events). etcd, or its client library, only notes it. Many in one moment are an apiserver that ends; a steady trickle is ordinary.',
    next: ['many in one moment: did an apiserver stop then? Its own log says why', 'otherwise nothing is to be done'],
  },
  {
    pattern: /storage\/cacher\.go:\/[^\n]{1,300}(?:ended with|ailed to (?:list|watch))|unexpected ListAndWatch error: /,
    beside: { test: (text) => !/context canceled/.test(text) },
    class: 'storage-error',
    confidence: 'medium',
    harm: 'depends',
    others: ['cache-rebuilt'],
    title: 'A watch cache of the apiserver could not list or watch its storage',
    text: 'This reflector is the apiserver’s own: it fills the watch cache of a resource from etcd (or kine), and that failed; the words behind it are of that stretch, not of a client’s watch. It begins anew by itself. Until it has, watches of the resource bring nothing new or are turned away, and clients may meet a 410 afterwards. Once is harmless; again and again somebody has to look at the storage.',
    next: [
      'etcd or kine at that time: up, with a leader, fast enough?',
      'kubectl get --raw /metrics | grep watch_cache_initializations_total',
    ],
  },
  {
    // Errors of etcd's gRPC that the apiserver passes on, as 500 or as the reason of a failed list.
    pattern:
      /\b(?:[Ww]atch\w*|[Ll]ist\w*|resourceVersion|Error from server(?: \(\w{1,40}\))?:)(?=\W)[^\n]{0,400}\brpc error: code = (?:Unavailable|Internal|Unknown|DeadlineExceeded|ResourceExhausted|Aborted)\b/,
    beside: { test: (text) => KUBERNETES_BY_NAME.test(text) && !OTHER_GRPC.test(text) },
    class: 'storage-error',
    confidence: 'medium',
    harm: 'depends',
    others: ['connection-lost'],
    title: 'The apiserver passed on an error of its storage (gRPC, the protocol of etcd)',
    text: '"rpc error" is not said by HTTP: the apiserver could not read etcd (a member that was restarted, a change of its leader, a connection between the two that broke) and hands on the words. Lists and watches of that moment fail; clients that try again get through once etcd answers. Once is harmless; minutes need somebody.',
    next: [
      'etcd: is each member up, has it a leader? etcd_server_leader_changes_seen_total',
      'kubectl get --raw "/readyz?verbose": the etcd checks',
      'does the program try again? If not, restart it',
    ],
  },
];
