import type { Sentence } from './sentence.ts';

/** What stands between a client and its cluster and is no HTTP proxy: tunnels, aggregation, `kubectl proxy`. */
export const TUNNEL_SENTENCES: readonly Sentence[] = [
  {
    pattern: /failed calling webhook|failed to call webhook|admission webhook \\{0,4}"[^"\n]{1,253}" denied/,
    class: 'unknown',
    confidence: 'low',
    harm: 'depends',
    title: 'An admission webhook failed or said no: a write, no watch',
    text: 'The apiserver asks admission webhooks when an object is written. This one could not be called, or denied the change; a refused connection, a certificate or a timeout in the line is the webhook’s, not the apiserver’s. No watch is involved.',
    next: ['the service behind the webhook: endpoints, certificate (caBundle), network policy'],
  },
  {
    pattern: /\b(?:Liveness|Readiness|Startup) probe (?:failed|errored)/,
    class: 'unknown',
    confidence: 'low',
    harm: 'depends',
    title: 'A kubelet’s probe of a container failed: no watch',
    text: 'The kubelet asked the container on its health port and got no good answer; the refused connection or the timeout in it is of that port. It says nothing about a watch, even if a watch brought this Event.',
    next: ['kubectl describe pod: is the container ready, does it restart?'],
  },
  {
    pattern: /Teleport proxy failed to connect to "kube" agent|no tunnel connection found/,
    class: 'gateway-error',
    confidence: 'high',
    harm: 'depends',
    others: ['unreachable'],
    title: 'Teleport has no tunnel to the agent of this cluster',
    text: 'Teleport’s proxy answered: the Kubernetes agent that would pass the request on is offline or not registered. The apiserver has not seen the request. Seconds are a restart of the agent; longer needs somebody.',
    next: ['the agent’s pod and its log (teleport-kube-agent)', 'tsh kube ls: is the cluster listed?'],
  },
  {
    pattern:
      /ClusterUnavailable|failed to find Session for client|waiting for cluster agent to connect|[Cc]luster agent (?:is )?(?:not connected|disconnected)/,
    class: 'gateway-error',
    confidence: 'high',
    harm: 'depends',
    others: ['unreachable'],
    title: 'Rancher has no connection to the cluster’s agent',
    text: 'Requests go through Rancher and a tunnel that cattle-cluster-agent opens from within the cluster; there is none now. The apiserver itself may be well: ask it directly. Seconds are a reconnect; longer needs somebody.',
    next: [
      'kubectl -n cattle-system logs -l app=cattle-cluster-agent (with a kubeconfig that goes past Rancher)',
      'WebSockets through the load balancer before Rancher: allowed, and how long idle?',
    ],
  },
  {
    pattern:
      /tunnel disconnect|[Rr]emotedialer.{0,60}(?:websocket: close|error|i\/o timeout)|to close remotedialer|websocket: close 10\d\d .{0,40}remotedialer/,
    class: 'connection-lost',
    confidence: 'medium',
    harm: 'depends',
    others: ['idle-cut-by-proxy', 'unreachable'],
    title: 'Rancher’s tunnel to the cluster broke, and all watches in it',
    text: 'Watches through Rancher share one WebSocket between Rancher and the cluster’s agent (remotedialer); 1006 means that it broke off without a goodbye. The agent connects again by itself and reflectors list again. Once is harmless; with a rhythm it is a timer of a load balancer before Rancher.',
    next: [
      'how far apart are they? kwatch explain FILE finds a rhythm',
      'idle timeout of the load balancer before Rancher, WebSocket support',
    ],
  },
  {
    pattern: /No agent available/,
    class: 'gateway-error',
    confidence: 'medium',
    harm: 'depends',
    others: ['unreachable'],
    title: 'konnectivity has no agent: the apiserver cannot reach into the cluster’s network',
    text: 'The apiserver goes to nodes, webhooks and aggregated APIs through konnectivity, and no agent is connected to this server. Watches of ordinary resources do not use it; those of aggregated APIs (metrics), webhooks, logs and exec fail. Seconds are a restart of an agent; longer needs somebody.',
    next: [
      'kubectl -n kube-system get pods -l k8s-app=konnectivity-agent; their logs',
      'several apiservers: is each agent connected to each of them (server count)?',
      'kubectl get apiservices: which are not Available?',
    ],
  },
  {
    pattern: /error dialing backend: .{0,200}:10250\b/,
    class: 'unknown',
    confidence: 'low',
    harm: 'depends',
    title: 'The apiserver could not reach a kubelet: logs or exec, no watch',
    text: 'Port 10250 is a kubelet’s: kubectl logs, exec, attach and port-forward go there through the apiserver, and this node did not answer. No watch is involved.',
    next: ['kubectl get nodes: is that node Ready?', 'network between the control plane and the node, port 10250'],
  },
  {
    // client-go discovery: one group that does not answer spoils the list of all.
    pattern:
      /unable to retrieve the complete list of server APIs|stale GroupVersion discovery|[Cc]ouldn't get resource list for |failed to retrieve openAPI spec, http error/,
    named:
      /(?:stale GroupVersion discovery|server APIs|resource list for|loading OpenAPI spec for):? \\{0,4}"?([\w.-]{1,150}(?:\/v\w{1,20})?)/,
    class: 'gateway-error',
    confidence: 'medium',
    harm: 'depends',
    others: ['unreachable', 'not-a-watch'],
    title: 'Discovery failed for an API group: most likely an aggregated API that does not answer',
    text: 'A program asked which resources the apiserver has, and for the group that is named no answer could be had (stale: only an old one). That is mostly an aggregated API whose backend is down. Watches of other groups go on, but programs that need the whole list first (garbage collection, quotas, removal of namespaces, operators that start) wait for it. Seconds are a restart of the backend; longer needs somebody.',
    next: [
      'kubectl get apiservices | grep False: which group, and its message',
      'the service behind it: endpoints, certificate, network policy; or delete the APIService if nothing serves it any more',
    ],
  },
  {
    pattern:
      /error trying to reach service|failing or missing response from https?:\/\/|is not ready: an attempt failed with statusCode|^[ \t]*service unavailable[ \t\r]*$/m,
    class: 'gateway-error',
    confidence: 'medium',
    harm: 'depends',
    others: ['unreachable'],
    title: 'An aggregated API does not answer: kube-apiserver could not reach its backend',
    text: 'kube-apiserver passes requests for this API group on to a service of the cluster (an aggregated API), and could not reach it. Only this group is hit, the other resources are served as ever. It passes when the backend’s pods are ready again.',
    next: [
      'kubectl get apiservices: Available, and its message',
      'the service behind it: endpoints, certificate, network policy',
    ],
  },
  {
    pattern:
      /proxy_server\.go:\d+\] Error while proxying request: context canceled|http: proxy error: context canceled/,
    class: 'self-inflicted',
    confidence: 'medium',
    harm: 'harmless-once',
    title: 'The client behind the proxy went away',
    text: 'kubectl proxy (or another proxy in Go) notes that the client closed its request: a tab that was closed, a watch that was stopped, a timeout of the client. Nothing is to be done.',
    next: ['nothing is to be done'],
  },
];
