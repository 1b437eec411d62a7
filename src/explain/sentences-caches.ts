import type { Sentence } from './sentence.ts';

/** What Go programs say of caches that do not come about: the watch behind them never began, or never brought its first list. */
export const CACHE_SENTENCES: readonly Sentence[] = [
  {
    // controller-runtime pkg/internal/source/kind.go.
    pattern: /if kind is a CRD, it should be installed before calling Start/,
    named: /no matches for kind \\{0,4}"([\w.-]{1,100})/,
    class: 'not-a-watch',
    confidence: 'high',
    harm: 'act',
    title: 'A controller cannot watch a kind that this cluster does not serve',
    text: 'The controller asks the apiserver which resource the kind belongs to, and there is none: its CRD is not installed, or not in that version, or discovery of its group fails. It asks again every 10 s, and the manager ends when its caches have not synced in time (2 min by default).',
    next: [
      'kubectl api-resources | grep KIND: is it served, in which version?',
      'install the CRD (or the version that the controller was built for), then the controller goes on by itself',
      'kubectl get apiservices | grep False: a group whose discovery fails looks the same',
    ],
  },
  {
    // apimachinery `api/meta/errors.go: NoKindMatchError`: kubectl, Helm, controllers.
    pattern: /no matches for kind \\{0,4}"/,
    named: /no matches for kind \\{0,4}"([\w.-]{1,100}\\{0,4}" in version \\{0,4}"[\w./-]{1,150})/,
    class: 'not-a-watch',
    confidence: 'medium',
    harm: 'act',
    others: ['crd-changed', 'gateway-error'],
    title: 'This cluster does not serve the kind in the version that was asked for',
    text: 'The program asked the apiserver which resource belongs to the kind, and there is none: its CRD is not installed, that version of an API was removed by an upgrade, or discovery of its group fails at the moment. It can be neither listed nor watched, and it stays so until the CRD is there or the program asks for a version that is served.',
    next: [
      'kubectl api-resources | grep KIND: is it served, in which version?',
      'kubectl get apiservices | grep False: a group whose discovery fails looks the same',
    ],
  },
  {
    // kubectl, and programs on its resource builder.
    pattern: /the server doesn't have a resource type \\{0,4}"/,
    named: /resource type \\{0,4}"([\w.-]{1,253})/,
    class: 'not-a-watch',
    confidence: 'high',
    harm: 'act',
    title: 'There is no resource of this name on that server',
    text: 'kubectl asked the apiserver which resources it has, and this name is none of them: a typing error, a CRD that is not installed (or was removed), another cluster or context than was meant, or a group whose discovery fails. Nothing was listed or watched.',
    next: [
      'kubectl api-resources | grep NAME; kubectl config current-context',
      'kubectl get apiservices | grep False: a group whose discovery fails looks the same',
    ],
  },
  {
    // Cluster API's cache of other clusters.
    pattern: /connection to the workload cluster is down/,
    class: 'unreachable',
    confidence: 'medium',
    harm: 'depends',
    others: ['auth-expired'],
    title: 'The management cluster has no connection to a workload cluster at the moment',
    text: 'Cluster API watches the objects of other clusters over a connection each, and found this one down: the other apiserver did not answer its health checks, or the credential for it was not accepted, or the connection is being made anew (as after a rotated token). It tries again by itself. Once is harmless; when it stays, what the cluster reports is out of date.',
    next: [
      'the lines before it, of the same cluster: which error broke the connection?',
      'kubectl with the kubeconfig secret of that cluster: does its apiserver answer?',
    ],
  },
  {
    pattern:
      /[Ff]ailed to wait for .{0,100}caches? to sync|[Tt]imed out waiting for (?:the )?caches? to (?:be )?sync|[Uu]nable to sync caches? for|cache did not sync|[Ff]ailed to sync (?:the )?cache: |waiting for dependency graph builder sync|Informer startup error|[Ff]ailed waiting for \*\w[\w.]{1,100} [Ii]nformer to sync|failed to sync \*\w[\w.]{1,100}: /,
    class: 'unknown',
    confidence: 'low',
    harm: 'act',
    others: ['forbidden', 'not-a-watch', 'unreachable'],
    title: 'A cache did not get its first list in time; why stands in other lines',
    text: 'The program gave up waiting until its informer had listed a resource once. That is a consequence: the reflector behind it failed again and again, mostly since it may not list or watch (403), the resource or its CRD is not there (404), a conversion webhook fails, or no apiserver answers. The line does not tell which. The program ends or works without that cache until somebody acts.',
    next: [
      'the lines before it: "failed to list" or "Failed to watch", of the same type',
      'kubectl auth can-i watch RESOURCE --as USER: the usual reason',
      'kwatch probe RESOURCE: can it be listed and watched at all?',
    ],
  },
];
