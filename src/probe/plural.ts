/** `1 revision`, `12,345 revisions`. */
export function plural(value: number, of: string): string {
  return `${String(value).replace(/\B(?=(\d{3})+$)/g, ',')} ${of}${value === 1 ? '' : 's'}`;
}
