/** upstream util.go hasPathPrefix: `prefix` is the key itself, or ends where one of its segments ends. */
export function hasPathPrefix(key: string, prefix: string): boolean {
  if (!key.startsWith(prefix)) return false;
  return key.length === prefix.length || prefix.endsWith('/') || key[prefix.length] === '/';
}
