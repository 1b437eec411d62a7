/** Words without one of which none of the known sentences is there. */
const HINTS =
  /too old|compacted|continue parameter|Too large resource version|"code"\s*:\s*410|conversion webhook for|PrevKv=nil|etcdserver:|Terminating all watchers|watcher close due to|storage is \(re\)|cacher is stopped|is forbidden: User|cannot (?:list|watch|get) resource|x509:|Unauthorized|http2: |Certificate rotation|use of closed network|context canceled|Client\.Timeout|stream error:|reset by peer|unexpected EOF|Premature close|Connection broken|shutting down|too many requests|connection refused|Connect call failed|ConnectionRefusedError|ECONNREFUSED|handshake timeout|no route to host|no such host|i\/o timeout|required bookmark|very short watch|Watch close/i;

/** Whether `recognise` could find anything in a record: asked of every line of a log, so that few are looked at. */
export function mayTell(record: string): boolean {
  return HINTS.test(record);
}
