/**
 * The counters of a watch cache (facts/server §7). `process_start_time_seconds` has no resource: it is the process's own.
 * Names before 1.25 had another prefix; nothing older than that is measured.
 */
const WANTED = new Set([
  'apiserver_terminated_watchers_total',
  'apiserver_watch_cache_events_received_total',
  'apiserver_watch_cache_initializations_total',
  'apiserver_watch_cache_resource_version',
  'process_start_time_seconds',
  'watch_cache_capacity',
  'watch_cache_capacity_decrease_total',
  'watch_cache_capacity_increase_total',
]);
/** Families come in the order of their names: behind this one nothing that is wanted can come. */
const LAST = 'watch_cache_capacity_increase_total';
/** Longest line that is looked at, characters: a label set of an apiserver is far shorter. */
const MAX_LINE = 64 * 1024;

export interface MeteredResource {
  group: string;
  resource: string;
}

/** Reads a /metrics body as it comes, and keeps the samples of some resources. Never holds more than one line. */
export class MetricsScan {
  /** One record of samples, by name, for each resource, in their order. */
  readonly samples: Record<string, number>[];
  readonly #resources: readonly MeteredResource[];
  #rest = '';
  #done = false;

  constructor(resources: readonly MeteredResource[]) {
    this.#resources = resources;
    this.samples = resources.map(() => ({}));
  }

  /** True as soon as nothing more is wanted. */
  get done(): boolean {
    return this.#done;
  }

  push(chunk: Uint8Array): void {
    // Names and labels that matter are ASCII, and latin1 never splits a character.
    const text = this.#rest + Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length).toString('latin1');
    let from = 0;
    for (let end = text.indexOf('\n'); end >= 0 && !this.#done; end = text.indexOf('\n', from)) {
      this.#line(text.slice(from, end));
      from = end + 1;
    }
    this.#rest = text.length - from > MAX_LINE ? '' : text.slice(from);
  }

  #line(line: string): void {
    if (line === '' || line.startsWith('#')) return;
    const name = /^[A-Za-z_:][\w:]*/.exec(line)?.[0] ?? '';
    if (name > LAST) this.#done = true;
    if (!WANTED.has(name)) return;
    const rest = line.slice(name.length);
    const labels = /^\{([^}]*)\}/.exec(rest);
    const value = Number.parseFloat(rest.slice(labels?.[0].length ?? 0));
    if (!Number.isFinite(value)) return;
    this.#resources.forEach((resource, index) => {
      if (!labels || isAbout(labels[1] as string, resource))
        (this.samples[index] as Record<string, number>)[name] = value;
    });
  }
}

/** `resource="deployments.apps"` up to 1.33, `group="apps",resource="deployments"` from 1.34 on. */
function isAbout(labels: string, { group, resource }: MeteredResource): boolean {
  const named = /(?:^|,)\s*resource="([^"]*)"/.exec(labels)?.[1];
  const inGroup = /(?:^|,)\s*group="([^"]*)"/.exec(labels)?.[1];
  if (inGroup !== undefined) return named === resource && inGroup === group;
  return named === (group === '' ? resource : `${resource}.${group}`);
}
