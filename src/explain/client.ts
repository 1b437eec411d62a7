/** Who wrote the text, as far as that decides what happens next. */
export type Client =
  | 'kubectl'
  | 'kopf'
  | 'airflow'
  | 'python'
  | 'fabric8'
  | 'java'
  | 'javascript'
  | 'kube-rs'
  | 'dotnet'
  | 'ruby'
  | 'apiserver'
  | 'etcd'
  | 'other';

/** Ordered: what is built on a client comes before the client, and all of them before the servers whose words they quote. */
const SIGNS: readonly [Client, RegExp][] = [
  ['kubectl', /^Error from server|^[ \t]*STATUS[ \t]+REASON[ \t]+MESSAGE/m],
  ['kopf', /\bkopf[._]/],
  [
    'fabric8',
    /\bio\.fabric8\.|i\.f\.k\.c\.|AbstractWatchManager|WatchConnectionManager|WatcherWebSocketListener|ExecutorPodsWatchSnapshot|\bStatus\(apiVersion=v1/,
  ],
  ['java', /\bio\.kubernetes\.client\.|ReflectorRunnable/],
  [
    'kube-rs',
    /kube_(?:runtime|client|rs)\b|kubert|hyper(?:_util)?::|returned by\s{1,8}apiserver during watch|ErrorResponse \{|Watch(?:Start)?Failed|InitialListFailed|vector::|Error reading events stream|failed to (?:start watching object|perform initial object list)/,
  ],
  ['dotnet', /\bk8s\.(?!io)[A-Z]|KubeOps|\bSystem\.(?:Net|IO|Threading)\./],
  ['ruby', /kubeclient|Kubeclient|filter_kube|kubernetes_metadata_|HTTP::ConnectionError|410 Gone encountered/],
  ['airflow', /kubernetes_executor|KubernetesJobWatcher|kube watcher process/],
  [
    'python',
    /Traceback \(most recent call last\)|ApiException|urllib3|aiohttp|HTTPSConnectionPool|kubernetes_asyncio|\.py", line \d|\(410\)\s*\n?Reason:/,
  ],
  [
    'javascript',
    /client-node|node:(?:internal|_http|_tls|dns)|node_modules\/|code: 'E[A-Z_]{2,}|UND_ERR_|\binformer\b[^\n]{0,80}\bError: |\bFetchError: |type: 'ERROR'/,
  ],
  ['apiserver', /watch chan error|cacher\.go|kube-apiserver\[/],
  ['etcd', /etcd-client|rpc error: code = OutOfRange/],
];

/** The program that wrote the text, by names and forms that only it has. */
export function clientOf(text: string): Client {
  return SIGNS.find(([, sign]) => sign.test(text))?.[0] ?? 'other';
}

/** These report a refused RV and stop: the program that uses them has to list again. */
const REPORTING: readonly Client[] = ['python', 'fabric8', 'javascript', 'dotnet', 'ruby'];

/** Whether a client heals by itself after a 410 in the stream. */
export function heals(client: Client): boolean {
  return !REPORTING.includes(client);
}

/** kube-rs asks with the same RV again and again when the watch request itself is refused with a 410 (facts/client §4). */
export function refusedAtStart(text: string): boolean {
  return /WatchStartFailed|failed to start watching object/.test(text);
}
