import { KUBERNETES } from './about-kubernetes.ts';
import { HEALS, type Sentence } from './sentence.ts';
import { STORAGE_WATCH_SENTENCES } from './sentences-storage-watch.ts';

/** Programs of other systems use etcd, too. */
const OF_APISERVER = {
  test: (text: string): boolean =>
    KUBERNETES.test(text) ||
    /addrConn|clientconn|retry_interceptor|etcd-client|SubConns|\bkine\b|\bk3s\b|kubelite|dqlite|error in txn|ListAndWatch|[Cc]ompact failed/.test(
      text,
    ),
};

/** What the apiserver, its caches and etcd say of themselves, and what of it reaches clients. */
export const STORAGE_SENTENCES: readonly Sentence[] = [
  {
    // etcd 2 `store/event_history.go: scan`: [oldest kept/asked for], then the newest. Its code 401 is no HTTP status.
    pattern: /event in requested index is outdated and cleared/,
    named: /requested history has been cleared (\[\d{1,20}\/\d{1,20}\])/,
    class: 'upstream-compaction',
    confidence: 'medium',
    harm: 'depends',
    refusedBy: 'etcd',
    title: 'The history that was asked for is gone in etcd (etcd 2); its code 401 is not a login',
    text: 'etcd 2 keeps its last 1000 events only, of all keys together, and this watch wanted to begin before them: in the brackets stand the oldest index that it still had and the one that was asked for. 401 is etcd’s own number for it and has nothing to do with credentials. To a client it is what a 410 is today: list again, and watch from the new list. Reflectors do so; a client that asks with the same index again loops.',
    next: [
      'list again (relist) without resourceVersion, and watch from the RV of the new list',
      'does the same index come again and again? Then the client loops: restart or update it',
      'how old is this cluster? etcd 2 went with Kubernetes 1.13',
    ],
  },
  {
    // kine, which takes the place of etcd in K3s: `pkg/server/types.go: ErrCompacted` of older versions.
    pattern: /\brevision has been compact(?!ed)/,
    class: 'upstream-compaction',
    confidence: 'medium',
    harm: 'depends',
    refusedBy: 'etcd',
    title: 'The revision that was asked for is compacted in kine, the storage behind the apiserver',
    text: 'kine keeps Kubernetes’ objects in an SQL database where others have etcd, and speaks as etcd does: the revision of a list or watch was compacted. Once after an absence it is normal, and who asked lists again. The same range again and again is a client or a cache that does not, or the fault of an old version of kine.',
    next: [
      'list again (relist) without resourceVersion, and watch from the RV of the new list',
      'does it come each second? Update K3s (kine), or restart its server',
    ],
  },
  {
    pattern: /conversion webhook for /,
    named: /https:\/\/([\w.-]{1,200})/,
    class: 'conversion-webhook-failed',
    confidence: 'high',
    harm: 'act',
    title: 'A conversion webhook failed: objects of this type cannot be read',
    text: 'The apiserver has to convert stored objects to the version that was asked for, and the webhook of the CRD that does it could not be called. Every LIST and WATCH of the type fails until the webhook answers; the watch cache of the type cannot be filled either. It does not pass by itself.',
    next: [
      'kubectl get crd NAME -o yaml: spec.conversion.webhook names the service; has it endpoints?',
      'the certificate of the webhook: caBundle in the CRD and the served one',
    ],
  },
  {
    pattern: /PrevKv=nil/,
    class: 'storage-error',
    confidence: 'high',
    harm: 'depends',
    title: 'etcd’s event lacked the previous value: the watch was ended',
    text: 'etcd had compacted the revision before a change or a deletion while the watch was behind, so the event came without the previous value (PrevKv=nil), and the apiserver ends such a watch with a 500. Once is harmless: list again. Often: the apiserver or etcd is too slow for the writes.',
    next: [
      'list again without resourceVersion, and watch from the RV of the new list',
      'etcd and apiserver: latency at that time',
    ],
  },
  {
    pattern: /unable to transform key|object data is corrupt|StorageReadError/,
    named: /unable to transform key \\{0,4}"([^"\\\s]{1,200})/,
    class: 'storage-error',
    confidence: 'high',
    harm: 'act',
    title: 'A stored object cannot be read: decryption or decoding fails',
    text: 'One object in etcd cannot be decrypted or decoded, and a LIST of its resource from etcd fails as a whole with it. Its watch cache cannot be filled; once it has to begin anew, nobody can list or watch the resource. Mostly the encryption configuration of this apiserver lacks the key that wrote the object (a key was taken out too early, or the apiservers differ), or its KMS plugin does not answer. It does not pass by itself.',
    next: [
      'EncryptionConfiguration of each apiserver: the same keys? Old ones stay until everything is rewritten',
      'kubectl get --raw "/readyz?verbose": kms-provider checks',
      'the key in the text: which object is it, when was it written, and by which apiserver?',
    ],
  },
  {
    pattern:
      /etcdserver: (?:leader changed|no leader)|\b[0-9a-f]{8,16} (?:lost leader [0-9a-f]{8,16}|is starting a new election) at term\b/,
    class: 'storage-error',
    confidence: 'high',
    harm: 'depends',
    others: ['cache-rebuilt'],
    title: 'etcd had no leader at that moment: requests failed until one was elected',
    text: 'The members of etcd were electing a leader (one was restarted, or was too slow to be heard). That is over within seconds, and clients and watch caches try again by themselves; a cache whose own watch was hit begins anew, and resumes may meet a 410. Once, in a roll-out: harmless. Again and again, or for longer: disks or network of the etcd members, and somebody has to look.',
    next: [
      'etcd: etcd_server_leader_changes_seen_total, how often?',
      'disk latency (wal_fsync) and network between the members, if it repeats',
    ],
  },
  {
    pattern: /etcdserver: mvcc: database space exceeded|alarm:NOSPACE/,
    class: 'storage-error',
    confidence: 'high',
    harm: 'act',
    title: 'etcd is full: it takes no more writes until somebody makes space',
    text: 'The database has reached its quota (2 GB unless set otherwise), and etcd has raised its NOSPACE alarm: reads and watches go on, but no write is taken, so that nothing changes any more, node leases neither. It does not pass by itself, and compaction alone does not lift it.',
    next: [
      'etcdctl endpoint status -w table, alarm list; compact, then defrag each member, then alarm disarm',
      'what fills it? etcdctl get / --prefix --keys-only, counted by resource (events, a CRD)',
    ],
  },
  {
    pattern: /etcdserver: request is too large|trying to send message larger than max/,
    class: 'storage-error',
    confidence: 'medium',
    harm: 'act',
    title: 'An object or an answer is larger than etcd (or its connection) takes',
    text: 'etcd takes requests of up to 1.5 MB by default, and its client sends none above 2 MB: a write beyond that is refused each time, whoever tries. It is about this one object (a ConfigMap, Secret or custom resource that has grown, or a long history in one), and no trouble of watches.',
    next: ['which object is it? Split it, or keep what is in it elsewhere', 'etcd --max-request-bytes, as a stopgap'],
  },
  {
    // A read at a revision that this member has not come to (or never will).
    pattern: /required revision is a future revision/,
    class: 'rv-too-large',
    confidence: 'medium',
    harm: 'depends',
    others: ['rv-went-backwards'],
    title: 'etcd has not come to the revision that was asked for',
    text: 'Somebody asked for a revision above the newest one of this etcd: its RV is of another cluster, or of a time before a backup was restored, which stays so until the client lists again; or this member lags, which passes within seconds.',
    next: [
      'list again without resourceVersion, and watch from the RV of the new list',
      'was etcd restored from a backup lately? Then restart every client that keeps RVs',
    ],
  },
  {
    // etcd `etcdserver/raft.go`, `v3_server.go`, `rafthttp`; in the words of before and after 3.5.
    pattern:
      /failed to send out heartbeat on time|server is likely overloaded|leader is overloaded|timed out waiting for read index response|waiting for ReadIndex response took too long|dropped internal Raft message|lost TCP streaming connection with/,
    class: 'storage-error',
    confidence: 'medium',
    harm: 'depends',
    others: ['cache-rebuilt'],
    title: 'A member of etcd is too slow, or cut off from the others',
    text: 'etcd’s members missed each other’s messages, mostly since a disk is slow (each write waits for it), CPU is short, or the network between them is. While it lasts, reads and writes of the apiserver wait or fail, and a new leader may be elected; watches bring changes late, and caches whose own watch was hit begin anew. A line now and then is harmless; many in a row need somebody.',
    next: [
      'etcd: etcd_disk_wal_fsync_duration_seconds, etcd_disk_backend_commit_duration_seconds (above 25 ms is too much)',
      'etcd_network_peer_round_trip_time_seconds; what else runs on those hosts and disks?',
    ],
  },
  {
    // Its log begins with that word as well, where it tells of requests that it answered late.
    pattern:
      /(?<![DIWE] \| )etcdserver: (?!mvcc: required revision has been compacted|(?:read-only range )?request \\{0,4}")/,
    class: 'storage-error',
    confidence: 'high',
    harm: 'act',
    others: ['cache-rebuilt'],
    title: 'Storage behind the apiserver failed: etcd did not answer as it should',
    text: 'etcd itself reported an error (no leader, a request that timed out, no space): the apiserver passes it on, and its watch cache has to begin anew if its own watch was hit. Clients cannot mend it.',
    next: [
      'etcd: leader changes, disk latency (wal_fsync), space',
      'apiserver log: does "Terminating all watchers from cacher" follow?',
    ],
  },
  {
    // etcd's client inside the apiserver (gRPC, and etcd 2's), the apiserver's own health check, and kine's database.
    pattern:
      /etcd cluster is unavailable or misconfigured|\[-\]etcd\S{0,80} failed|(?:[Cc]ompact failed|error in txn): .{0,100}database is locked|(?:addrConn|createTransport|retry_interceptor|error while dialing|all SubConns|latest balancer error).{0,400}(?::2379\b|etcd).{0,200}(?:refused|timeout|[Dd]eadline|failed)|etcd-client.{0,400}(?:DeadlineExceeded|Unavailable)|:2379\b.{0,300}(?:connection refused|i\/o timeout|deadline exceeded)/i,
    beside: OF_APISERVER,
    class: 'storage-error',
    confidence: 'medium',
    harm: 'depends',
    others: ['cache-rebuilt', 'unreachable'],
    title: 'Storage behind the apiserver does not answer: etcd (or kine) is down, slow or locked',
    text: 'etcd (in K3s kine and its database) could not be reached, or did not answer in time. Where an apiserver says so it can, while that lasts, neither list nor fill its watch caches, and running watches bring nothing new. Seconds are a restart or a new leader; minutes need somebody, and clients cannot mend it.',
    next: [
      'etcd: is each member up, has it a leader? Disk latency (wal_fsync), space',
      'etcd’s address and certificates in the flags of the apiserver (--etcd-servers, --etcd-cafile)',
      'apiserver log: does "Terminating all watchers from cacher" follow?',
    ],
  },
  {
    // apiserver `storage/etcd3/watcher.go`: an event of etcd that it cannot make an object of, and an end of its own watch.
    pattern:
      /failed to prepare current and previous objects|watch chan error: (?!.{0,300}(?:compacted|cancell?ed|too_many_pings))/,
    class: 'storage-error',
    confidence: 'medium',
    harm: 'depends',
    others: ['cache-rebuilt'],
    title: 'The apiserver’s own watch on its storage failed',
    text: 'The apiserver watches etcd (or kine) to fill its caches, and this watch ended with an error, or brought an object that this apiserver cannot convert (as with apiservers of two versions side by side). The cache of the resource begins anew then, and its watchers are ended. Once, and during an upgrade, it passes; again and again somebody has to look at the storage.',
    next: [
      'etcd or kine, and its database: do they answer? Their log at that time',
      'apiservers of different versions at once? Finish the upgrade',
      'kubectl get --raw /metrics | grep watch_cache_initializations_total',
    ],
  },
  {
    pattern: /Terminating all watchers from cacher/,
    class: 'cache-rebuilt',
    confidence: 'medium',
    harm: 'depends',
    others: ['crd-changed', 'apiserver-shutdown'],
    title: 'The apiserver rebuilt a watch cache, and ended all its watchers',
    text: 'The cache of this resource was given up: all watches of it ended without an ERROR. Mostly it lost its own watch on etcd (a compaction while it was behind, etcd trouble) and begins anew; with a custom resource its CRD changed or was removed; with many resources in one moment the apiserver may be stopping. Resumes may meet a 410, since the new history starts at a newer RV. Once is harmless, clients list again; again and again is trouble behind the apiserver.',
    next: [
      'apiserver log before it: "unexpected ListAndWatch error"? etcd slow?',
      'kubectl get --raw /metrics | grep watch_cache_initializations_total',
    ],
  },
  {
    pattern: /Forcing (?:\S{1,200} )?watcher close due to unresponsiveness/,
    class: 'slow-watcher-terminated',
    confidence: 'high',
    harm: 'depends',
    title: 'The apiserver closed a watcher that did not read fast enough',
    text: 'The queue of this watcher was full for longer than its share of the dispatch budget, so that it was closed for the sake of the others: the client sees a plain end. One after a burst is harmless, the client resumes; the same one again and again has a consumer that is too slow.',
    next: [
      'key and fields in the line: whose watch is it?',
      'read in one goroutine, work in another; narrow it by selectors',
    ],
  },
  {
    pattern: /storage is \(re\)initializing|apiserver cacher is (?:stopped|reinitializing)/,
    class: 'watch-cache-not-ready',
    confidence: 'high',
    harm: 'depends',
    title: 'The watch cache of this resource was not ready yet',
    text: `The apiserver was still filling the cache of the resource (it has just started, or rebuilds it) and turned the request away for some seconds. "Stopped": it was taken down, as when its CRD changes or the apiserver ends. ${HEALS} If it stays for minutes, the cache cannot be filled: etcd, decryption or a conversion webhook.`,
    next: ['apiserver log: "unexpected ListAndWatch error" for this resource', 'kubectl get --raw "/readyz?verbose"'],
  },
  {
    pattern:
      /finished scheduled compaction|compact tree index|\bCOMPACT (?:revision \d{1,20} has already been compacted|deleted \d{1,20} rows|compactRev=)/,
    class: 'healthy',
    confidence: 'high',
    harm: 'harmless-once',
    ordinary: true,
    title: 'etcd (or kine) compacted its history, as it does every few minutes',
    text: 'A compaction is routine: revisions below the compacted one are gone, which is expected and harms nobody who is connected. Only what reads etcd below it meets a 410: a continue token, a list at an exact RV, a watch without a watch cache.',
    next: ['nothing is to be done'],
  },
  ...STORAGE_WATCH_SENTENCES,
];
