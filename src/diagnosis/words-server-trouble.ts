import { NOT_READY } from './known-texts.ts';
import { times } from './quantity.ts';
import { quote } from './quote.ts';
import { resourceName } from './scene.ts';
import { previousLive } from './signs.ts';
import { how, type OwnRefusedWords, retryAfter, type ToldRefusal } from './words-refused-phrases.ts';

/** Words for trouble inside the apiserver or behind it: webhooks, storage. */

export function conversionWords({ place, answer, repeats }: ToldRefusal): OwnRefusedWords {
  const failed = /conversion webhook for ([^,:]+(?:, Kind=\w+)?)/i.exec(answer.message)?.[1];
  const service = /service "([^"]+)"|https:\/\/([^/:"]+)/i.exec(answer.message);
  const what = quote(failed ?? resourceName(place.target), 80);
  const wrapped = NOT_READY.test(answer.message);
  return {
    title: `The conversion webhook for ${what} fails`,
    text: [
      `${how(answer)}${repeats > 1 ? `, ${times(repeats)}` : ''}: stored objects of ${what} cannot be converted to the watched version, ${wrapped ? 'so the watch cache cannot be filled. The outer words (not ready) are only the wrapper; the conversion webhook is the cause' : 'so neither a list nor a watch of that version can bring them'}.`,
      `Retrying does not help until it answers: restore or fix the webhook's service${service ? ` (${quote(service[1] ?? service[2] ?? '', 60)})` : ''} and its certificate, or change the CRD's conversion (strategy: None where the schemas allow it).`,
    ],
    evidence: [],
    ruledOut: ['load (priority and fairness)', 'a cache that only needs time'],
    next: [
      `kubectl get crd ${quote(resourceName(place.target), 60)} -o jsonpath={.spec.conversion}: which service, which CA`,
      'kubectl get endpointslices for that service: are there ready pods behind it?',
      'redeploy the webhook, or remove the conversion from the CRD',
    ],
    who: `the apiserver, ${how(answer)}: a conversion webhook failed`,
    why: `it names the conversion webhook for ${what}`,
    do: 'fix the conversion webhook: somebody has to act',
  };
}

/** What storage cannot give: a value whose key is missing, an object that cannot be read, or nothing at all just now. */
type StorageFault = 'encrypted' | 'unreadable' | 'other';

function faultOf(message: string): StorageFault {
  if (/transform key|decrypt/i.test(message)) return 'encrypted';
  return /corrupt|(?:unable|failed) to decode/i.test(message) ? 'unreadable' : 'other';
}

const FAULT_CAUSE: Record<StorageFault, string> = {
  encrypted:
    'A stored value cannot be decrypted: the keys that this apiserver has (encryption configuration, KMS) do not fit it.',
  unreadable: 'A stored object cannot be read: it is corrupt, or of a kind that this apiserver does not know.',
  other: 'Storage (etcd, decryption, decoding) could not deliver.',
};

const FAULT_STEP: Record<StorageFault, string[]> = {
  encrypted: [
    '--encryption-provider-config of each apiserver: are the key and the KMS plugin that wrote this value still there?',
  ],
  unreadable: [
    'restore or remove the object that the text names: kubectl delete --ignore-store-read-error-with-cluster-breaking-potential (1.32 and later), else etcdctl',
  ],
  other: [],
};

export function storageWords(told: ToldRefusal): OwnRefusedWords {
  const { place, answer, repeats, episode } = told;
  if (episode.main.decision.rule === 'apiserver’s own time limit') return ownTimeoutWords(told);
  const prev = /PrevKv=nil \(key="([^"]*)", modRevision=(\d+)/.exec(answer.message);
  const plain = episode.main.decision.rule === 'internal error';
  if (plain && NOT_OF_STORAGE.test(answer.message)) return filterWords(told);
  const fault = faultOf(answer.message);
  const last = place.stream?.lastRv ?? place.stream?.requestedRv;
  return {
    title: prev
      ? `500: etcd no longer has the previous value of ${quote(prev[1] ?? '', 60)}`
      : `${answer.code ?? answer.httpStatus ?? 500}: ${plain ? 'internal error of the apiserver' : 'storage could not deliver'}`,
    text: [
      prev
        ? `${how(answer)}: "PrevKv=nil" for key ${quote(prev[1] ?? '', 120)} at revision ${prev[2]}. The object's state before that change was compacted, so the change cannot be told as an event. It was not delivered.`
        : `${how(answer)}${repeats > 1 ? `, ${times(repeats)}` : ''}: "${quote(answer.message, 240)}". ${plain ? 'The apiserver failed inside; its log says where.' : (etcdSays(answer.message) ?? FAULT_CAUSE[fault])}`,
      NOT_READY.test(answer.message) ? fillingSentence(told) : '',
      healingSentence(fault, NOT_READY.test(answer.message), last, prev !== null),
    ],
    evidence: repeats > 1 ? ['the same words each time'] : [],
    ruledOut: ['the connection (a Status came over it)'],
    next: [
      ...FAULT_STEP[fault],
      'kubectl get --raw /readyz?verbose: what does the apiserver say of etcd?',
      ...(etcdSays(answer.message) ? ['etcdctl endpoint status -w table; etcdctl alarm list'] : []),
      ...(prev ? ['list again without resourceVersion: only that shows what the lost event would have said'] : []),
      'apiserver and etcd logs at this moment',
    ],
    who: `the apiserver, ${how(answer)}`,
    why: prev ? `previous value of ${quote(prev[1] ?? '', 60)} compacted at ${prev[2]}` : quote(answer.message, 120),
    do: {
      encrypted: 'somebody has to mend the encryption keys of the apiserver',
      unreadable: 'somebody has to restore or remove that object',
      other: 'relist; somebody has to look at storage if it stays',
    }[fault],
  };
}

/** What etcd's own words mean for who waits for it. */
const ETCD_SAYS: readonly [RegExp, string][] = [
  [
    /etcdserver: (?:no leader|leader changed)/,
    'etcd has no leader, or has just elected one: an election is over in seconds; if it stays so, etcd has lost its quorum.',
  ],
  [
    /etcdserver: (?:request timed out|too many requests|request ignored)/,
    'etcd is there, and did not answer in time: a slow disk, too much load, or a quorum that is lost.',
  ],
  [/database space exceeded/, 'etcd has reached its quota and takes no more writes; reads go on.'],
];

function etcdSays(message: string): string | undefined {
  return ETCD_SAYS.find(([words]) => words.test(message))?.[1];
}

/** What wraps a handler failed, or panicked, before storage was asked (facts/server §5.4, §5.5). */
const NOT_OF_STORAGE = /^Internal Server Error: "|caused apiserver to panic/;

function filterWords({ answer, repeats, place }: ToldRefusal): OwnRefusedWords {
  const panicked = /panic/.test(answer.message);
  const last = previousLive(place)?.lastRv ?? place.stream?.requestedRv;
  return {
    title: `500: the apiserver ${panicked ? 'panicked over this request' : 'failed before it came to the watch'}`,
    text: [
      `${how(answer)}${repeats > 1 ? `, ${times(repeats)}` : ''}: "${quote(answer.message, 240)}".`,
      panicked
        ? 'Its handler panicked. Its log has the stack; the same request may do it again.'
        : 'In these words it tells of what comes before storage: authentication, authorization, audit. Most often that is a webhook (an authorizer, a token review) that does not answer; storage was then not asked at all.',
      last ? `RV ${last} stays good: resume from it once this is over.` : 'Retry with back-off.',
    ],
    evidence: repeats > 1 ? ['the same words each time'] : [],
    ruledOut: ['the connection (an answer came over it)'],
    next: [
      'apiserver log at this moment (by the Audit-Id)',
      ...(panicked ? [] : ['authentication and authorization webhooks: does the address in the text answer?']),
    ],
    who: `the apiserver, ${how(answer)}`,
    why: quote(answer.message, 120),
    do: 'retry; somebody has to look at the apiserver if it stays',
  };
}

function fillingSentence({ latest }: ToldRefusal): string {
  const after = retryAfter(latest);
  return `The outer words (not ready) are only the wrapper: the watch cache cannot be filled, since its own list of storage fails so${after ? `. It asks to wait for ${after} (Retry-After)` : ''}.`;
}

function healingSentence(fault: StorageFault, filling: boolean, last: string | undefined, lost: boolean): string {
  if (fault !== 'other') {
    const until = fault === 'encrypted' ? 'the key is back or the object is gone' : 'the object is mended or gone';
    return `A list that reads storage runs into the same, whoever asks, until ${until}; then list again (relist).`;
  }
  if (filling)
    return last
      ? `Once storage answers the cache fills by itself: resume from ${last}, and list again (relist) if that is too old by then.`
      : 'Once storage answers the cache fills by itself; then list again (relist).';
  return last
    ? lost
      ? `Resuming from ${last} runs into the same again; list again (relist) without resourceVersion.`
      : `Resume from ${last} once it answers; where that runs into the same again, list again (relist) without resourceVersion.`
    : 'List again (relist) once it answers.';
}

/** 504 Timeout of the apiserver itself: it waited for something until the request's time was over. */
function ownTimeoutWords({ answer, repeats, place }: ToldRefusal): OwnRefusedWords {
  const list = answer.isList ? 'LIST' : 'watch';
  const last = previousLive(place)?.lastRv;
  return {
    title: `504: the apiserver itself gave the ${list} up, its time was over`,
    text: [
      `${how(answer)}${repeats > 1 ? `, ${times(repeats)}` : ''}: "${quote(answer.message, 160)}". That is the apiserver's own Status, with its Audit-Id, and no proxy's timeout: it waited for something until the request's time (--request-timeout, 60 s) was over.`,
      'What it waited for is not said: a slow or unavailable etcd (a LIST without resourceVersion reads it), or a watch cache that is not ready (up to 1.30 a request at an RV waits for it).',
      last ? `RV ${last} stays good: resume from it once it answers.` : 'Retry with back-off.',
    ],
    evidence: ['a Status with reason Timeout', ...(answer.fromApiserver ? ['Audit-Id is there'] : [])],
    ruledOut: ['a gateway in front (the Status and the Audit-Id are the apiserver’s)'],
    next: [
      'kubectl get --raw /readyz?verbose: what does the apiserver say of etcd?',
      'kubectl get --raw /metrics | grep etcd_request_duration_seconds: is etcd slow?',
      'limit=500: a LIST in pages asks for less at once',
    ],
    who: `the apiserver, ${how(answer)}`,
    why: quote(answer.message, 120),
    do: 'retry; look at etcd and at the readiness of the cache if it stays',
  };
}
