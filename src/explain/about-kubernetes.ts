/** What only Kubernetes' API, its servers and its clients are called. */
const NAMES =
  /(?<![\w-])kubernetes(?!\.io\b|\\{0,4}"\s*:|_(?:namespace|pod|container|labels|host)\b)|client-node|client-go|kube[-_]?(?:apiserver|client|runtime|builder)|kubert|kubectl|kubeclient|\bkopf\b|\bk8s\.(?:Kubernetes|Watcher|Autorest|LineSep)|io\.fabric8|io\.kubernetes|KubeOps|i\.f\.k\.c\.|KubernetesJob|WatchConnectionManager|AbstractWatchManager|ReflectorRunnable|apiserver|informer|(?<!\w)reflector|failed to list|Error from server|Unable to connect to the server|ErrorResponse \{|Watch(?:Start)?Failed|InitialListFailed|initial object list|JupyterHub|CoreV1Api|CustomObjectsApi|\blist_(?:namespaced|cluster_custom|\w{1,40}_for_all_namespaces)|HTTP-Code: \d|pykube|lightkube|before Until timeout|listSyncAndWatch|retry_?watcher|'Audit-Id'|\bu?['"]?kind['"]?\s*[:=]>?\s*u?['"]Status['"]|has prevented the request from succeeding/i;

/** Its paths and parameters, which other APIs do not have. `/api/v1` alone many have. */
const PATHS =
  /\/apis\b|\/api\/v1\/(?:namespaces|pods|nodes|services|endpoints|configmaps|secrets|events|persistentvolume|serviceaccounts|replicationcontrollers|watch\b)|[?&](?:resourceVersion=|watch=(?:1|true)\b|allowWatchBookmarks=)|:6443\b|\bport=6443\b|serviceaccount\//i;

/** Its kinds of objects, as people and logs call them. */
const KINDS =
  /\b(?:pods?|namespaces?|config ?maps?|deployments?|endpoint ?slices?|endpoints|ingress(?:es)?|daemonsets?|statefulsets?|replicasets?|cron ?jobs?|secrets|nodes|customresource\w*|custom resources?|resource ?versions?|watch channel)\b/i;

/** The first address of a range of services on port 443: where pods find the apiserver. */
const SERVICE_ADDRESS = /\b(?:10|172|192)\.\d{1,3}\.\d{1,3}\.1(?::443\b|', ?port=443\b)/;

/** A watch, but not of files, clouds, time or health. */
const WATCH =
  /(?<!cloud|stop|smart|file|files|filesystem|file |file-|directory )watch(?!dog|tower|man\b|ed (?:variable|directory|folder|file|path)|ing (?:path|file))/i;

/** Programs whose connections break in the same words, and that say "watch" of other things. */
const OTHERS =
  /\b(?:consul|redis|memcached?|mysql|mariadb|postgres\w*|psycopg\w*|npgsql|mongo\w*|kafka|rdkafka|rabbitmq|amqp|nats|elasticsearch|opensearch|cassandra|smtp|inotify|fsnotify|chokidar|nodemon|webpack|vite|file watchers?|ENOSPC|zookeeper|file ?systems?|database|jdbc|sql|tables?)\b|:(?:25|587|1433|3306|4222|5432|5672|6379|8500|9092|9200|11211|27017)\b/i;

/**
 * It is about a watch, a list, or an apiserver: words like "connection reset" may be any program's. Named things of Kubernetes are
 * enough; the word watch alone is, unless another system stands beside it.
 */
export const KUBERNETES = {
  test: (text: string): boolean =>
    NAMES.test(text) || PATHS.test(text) || ((SERVICE_ADDRESS.test(text) || WATCH.test(text)) && !OTHERS.test(text)),
};

/** As KUBERNETES, but the word watch is not enough: for words that any program has of its requests and objects. */
export const KUBERNETES_SURELY = {
  test: (text: string): boolean => NAMES.test(text) || PATHS.test(text) || SERVICE_ADDRESS.test(text),
};

/** As KUBERNETES, but a program that watches must also say what: any program has watchers that fail. */
export const KUBERNETES_BY_NAME = {
  test: (text: string): boolean => NAMES.test(text) || PATHS.test(text) || (KINDS.test(text) && !OTHERS.test(text)),
};
