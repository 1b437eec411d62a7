import { denied } from './access-sentence.ts';

/**
 * The resource that a text is about, as printed, without `*` and group. Ordered: what the server says of it before the Go type that the
 * client has for it.
 */
const RESOURCES: readonly RegExp[] = [
  /\((?:get|list|watch) ([a-z][a-z0-9-]{1,62})(?:\.[\w.-]+)?\)/,
  /\bForcing ([a-z][a-z0-9-]{1,62})(?:\.[\w.-]+)? watcher close\b/,
  /\bwatcher close due to unresponsiveness: \*([\w.]{1,100})/,
  /\bcacher \(([a-z][a-z0-9-]{1,62})(?:\.[\w.-]+)?\)/,
  /\bwatchers from cacher ([a-z][a-z0-9-]{1,62})\b/,
  /(?:type="|watch of |list |watch )\*([\w.]+)/i,
  /"type": ?"\*([\w.]+)"/,
];

/** The resource that the text names. */
export function statedResource(text: string): string | undefined {
  const what = denied(text);
  if (what) return what.resource;
  for (const pattern of RESOURCES) {
    const found = pattern.exec(text)?.[1];
    if (found !== undefined) return found;
  }
  return undefined;
}
