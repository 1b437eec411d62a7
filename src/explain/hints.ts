/** Words without which none of the known sentences is there. */
const HINTS = /too old|compacted|continue parameter|Too large resource version|"code"\s*:\s*410/i;

/** Whether `recognise` could find anything in a record: asked of every line of a log, so that few are looked at. */
export function mayTell(record: string): boolean {
  return HINTS.test(record);
}
