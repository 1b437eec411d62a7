/** Who watched, and whom it asked, as a record names them. Names are the program's, bounded; they are shown, never interpreted. */

const QUOTE = String.raw`\\?"`;
const STRUCTURED = new RegExp(`reflector${QUOTE}?\\s*[:=]\\s*${QUOTE}([^"\\\\]{1,200})`);
const STRUCTURED_TYPE = new RegExp(`\\btype${QUOTE}?\\s*[:=]\\s*${QUOTE}\\*?([^"\\\\]{1,120})`);
const TYPE = String.raw`\*?([A-Za-z][\w.]{0,120}(?:, Kind=\w{1,80})?)`;
/** `<file>.go:<line>: watch of *v1.Pod ended with`, and what client-go says of its lists. */
const PRINTF = new RegExp(
  String.raw`([\w.@/-]{1,200}\.go:\d{1,6}|object-"[^"\s]{1,253}"/"[^"\s]{1,253}"): (?:watch of|failed to (?:list|watch)|watch close -|unexpected watch close) ?${TYPE}?`,
  'i',
);
/** Without the reflector's name: other programs' wrappers, old ones. */
const VERB_AND_TYPE = /(?:watch of|failed to (?:list|watch)|list and watch) \*([A-Za-z][\w.]{0,120})/i;
/** What the apiserver says of its caches and of the watchers it closes. */
const CACHER = /\bcacher \(([\w.-]{1,120})\)|watchers from cacher ([\w.-]{1,120})/;
const FORCED =
  /Forcing ([\w.-]{1,120}) watcher close[^\n]{0,80}?key: "([^"]{0,200})", labels: "([^"]{0,200})", fields: "([^"]{0,200})"/;
/** Kopf, the official Java client's threads, Argo CD. */
const OTHERS =
  /Watcher for ([\w.@-]{1,200})|watch-stream for ([\w.@-]{1,200})|controller-reflector-[\w.]*?(\w{1,80}?)-\d|ailed to watch ([\w.-]{1,200}) on https?:/;
/** The path of the request that failed. */
const API_PATH =
  /\/(?:api\/v1|apis\/[\w.-]{1,120}\/v\w{1,20})\/(?:namespaces\/[^/\s"?]{1,120}\/)?([a-z][\w-]{0,80})(?=[?"\s/:]|$)/;

/** The reflector and the type that it watches, or another name of the watcher. Undefined: the record names none. */
export function watcherOf(record: string): string | undefined {
  const reflector = STRUCTURED.exec(record)?.[1];
  if (reflector !== undefined) return joined(reflector, STRUCTURED_TYPE.exec(record)?.[1]);
  const printf = PRINTF.exec(record);
  if (printf) return joined(printf[1], printf[2]);
  const forced = FORCED.exec(record);
  if (forced) return [forced[1], forced[2], forced[3], forced[4]].filter(Boolean).join(' ');
  return (
    someOf(CACHER.exec(record)) ??
    someOf(OTHERS.exec(record)) ??
    VERB_AND_TYPE.exec(record)?.[1] ??
    API_PATH.exec(record)?.[1]
  );
}

function joined(name: string | undefined, type: string | undefined): string | undefined {
  return name === undefined || type === undefined ? name : `${name} ${type}`;
}

function someOf(found: RegExpExecArray | null): string | undefined {
  return found?.slice(1).find((each) => each !== undefined);
}

/**
 * client-go tells one failed list twice: `failed to list` as it happens, `Failed to watch …: failed to list …` when the reflector gives up.
 * `both`: the second; `list`: the first; `none`: neither.
 */
export function listForm(record: string): 'list' | 'both' | 'none' {
  if (/\bfailed to watch\b/i.test(record)) return 'both';
  return /\bfailed to list\b/i.test(record) ? 'list' : 'none';
}

const SERVER = /https?:\/\/([\w.-]{1,253}(?::\d{1,5})?|\[[\da-f:]{2,45}\](?::\d{1,5})?)(?=\/api|["'\s,:]|$)/;
const DIALLED =
  /\b(?:dial|read|write) tcp (?:\S{1,60}->)?([\d.]{7,15}:\d{1,5}|\[[\da-f:]{2,45}\]:\d{1,5}|[\w.-]{1,253}:\d{1,5})/;

/** The apiserver that the record names. A webhook's or a store's address is none. */
export function apiserverOf(record: string): string | undefined {
  if (/webhook|etcd/.test(record)) return undefined;
  return SERVER.exec(record)?.[1] ?? DIALLED.exec(record)?.[1];
}
