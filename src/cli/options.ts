import { InvalidArgumentError } from 'commander';
import { CLASSES, type FindingClass } from '../diagnosis/finding.ts';
import { MAX_RING } from '../scenario/script-limits.ts';
import { parseGoDuration } from '../util/go-duration.ts';

/** Apiservers of one lab at most: each has caches of its own. */
export const MAX_REPLICAS = 16;

/** Parsers of flag values. Each throws commander's InvalidArgumentError, whose text becomes one line and exit code 2. */

/** A Go duration, not negative: ms. */
export function duration(text: string): number {
  const ms = parseGoDuration(text);
  if (ms === undefined || ms < 0) throw new InvalidArgumentError('a duration is written as in Go: 500ms, 90s, 1m30s.');
  return ms;
}

/** A whole number of at least `least`. */
export function wholeNumber(least: number, most = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < least || value > most) {
      const range = most === Number.MAX_SAFE_INTEGER ? `at least ${least}` : `from ${least} to ${most}`;
      throw new InvalidArgumentError(`it must be a whole number ${range}.`);
    }
    return value;
  };
}

/** `WatchList=true`, with commas between several: the gates of the embedded apiserver, as kube-apiserver takes them. */
export function featureGates(text: string): { watchList: boolean } {
  const gates = { watchList: false };
  for (const pair of text.split(',').filter((one) => one !== '')) {
    const [, name = '', value = ''] = /^([^=]*)=(.*)$/s.exec(pair.trim()) ?? [];
    if (name !== 'WatchList')
      throw new InvalidArgumentError(`the gates known here: WatchList; write it WatchList=true.`);
    if (!/^(true|false)$/i.test(value)) throw new InvalidArgumentError(`${name} is either true or false.`);
    gates.watchList = value.toLowerCase() === 'true';
  }
  return gates;
}

/** `auto`, or a ring pinned to so many events: at most as many as upstream's own may grow to. */
export function cacheSize(text: string): number | 'auto' {
  return text === 'auto' ? 'auto' : wholeNumber(1, MAX_RING)(text);
}

/** `N` writes at the story's pace, or `N/D`: N writes within D. */
export function burst(text: string): { count: number; durationMs: number | undefined } {
  const [count, within, ...more] = text.split('/');
  if (more.length > 0) throw new InvalidArgumentError('write it N or N/D: 500, 500/2s.');
  return {
    count: wholeNumber(0, 1_000_000)(count ?? ''),
    durationMs: within === undefined ? undefined : duration(within),
  };
}

/** A duration of at least 1 s, or `off` (commander would take an undefined for a flag without a value). */
export function intervalOrOff(text: string): number | 'off' {
  if (text === 'off') return 'off';
  const ms = duration(text);
  if (ms < 1000) throw new InvalidArgumentError('write a duration of at least 1s, or off.');
  return ms;
}

/** How many times faster than real time: greater than 0, at most 1000. */
export function speed(text: string): number {
  const value = Number(text);
  if (!/^\d+(\.\d+)?$/.test(text) || value <= 0 || value > 1000) {
    throw new InvalidArgumentError('it must be a number greater than 0 and at most 1000.');
  }
  return value;
}

/** One `-H 'Name: value'`, added to those before. Header names as HTTP has them, no control characters in a value. */
export function header(text: string, before: Record<string, string> = {}): Record<string, string> {
  const found = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([^\x00-\x08\x0a-\x1f\x7f]*)$/.exec(text);
  if (!found) throw new InvalidArgumentError("write it as 'Name: value'.");
  return { ...before, [found[1] as string]: (found[2] as string).trim() };
}

/** One `--raw PATH`, added to those before. */
export function rawPath(text: string, before: string[] = []): string[] {
  if (!text.startsWith('/') || /[\s#\x00-\x1f\x7f]/.test(text)) {
    throw new InvalidArgumentError("it is a path with an optional query: '/api/v1/pods?watch=1'.");
  }
  return [...before, text];
}

/** A resourceVersion to ask about. They are uint64: a text, never a number. */
export function knownRv(text: string): string {
  if (/^[1-9]\d{0,19}$/.test(text)) return text;
  throw new InvalidArgumentError('it is a resourceVersion, a whole number.');
}

/** One value of a flag that may be given several times, added to those before. */
export function repeated(text: string, before: string[] = []): string[] {
  return [...before, text];
}

/** Classes of findings, with commas or repeated, added to those before. Nobody is told of `healthy` while a run goes on. */
export function findingClasses(text: string, before: FindingClass[] = []): FindingClass[] {
  const known = CLASSES.filter((name) => name !== 'healthy');
  const named = text.split(',').map((name) => {
    const found = known.find((one) => one === name.trim());
    if (!found) throw new InvalidArgumentError(`the classes are ${known.join(', ')}.`);
    return found;
  });
  return [...before, ...named];
}

/** Where to start (contract §4). */
export function startRv(text: string): string {
  if (/^(list|now|unset|\d+)$/.test(text)) return text;
  throw new InvalidArgumentError('it is one of list, now, unset, 0 or a resourceVersion N.');
}
