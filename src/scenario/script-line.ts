import type { ScriptStep } from './script.ts';

/**
 * The line of YAML that a step equals: `- compact: head`, or `- { burst: 500, within: 2s }` where it has options. Read again,
 * it is the same step.
 */
export function scriptLine(step: ScriptStep): string {
  const fields = Object.entries(fieldsOf(step)).filter(([, value]) => value !== undefined);
  const pairs = fields.map(([key, value]) => `${key}: ${text(value)}`);
  return pairs.length === 1 ? `- ${pairs[0]}` : `- { ${pairs.join(', ')} }`;
}

/** The step as YAML spells it: the verb first, then its options; what is undefined is left out. */
function fieldsOf(step: ScriptStep): Record<string, unknown> {
  const at = step.at === undefined ? undefined : durationText(step.at);
  switch (step.verb) {
    case 'write':
      return { write: step.resource, at, name: step.name, count: step.count, size: step.size, labels: step.labels };
    case 'burst':
      return { burst: step.count, at, within: span(step.withinMs), resource: step.resource, size: step.size };
    case 'delete':
      return { delete: step.resource, at, name: step.name, count: step.count };
    case 'compact':
      return { compact: step.revision, at };
    case 'wait':
      return { wait: span(step.forMs), at };
    case 'stall':
      return { stall: step.watcher, at, for: span(step.forMs) };
    case 'disconnect':
      return { disconnect: step.watcher, at };
    case 'resume':
      return { resume: step.watcher, at, server: step.server, timeoutSeconds: step.timeoutSeconds };
    case 'cut':
      return { cut: step.resource, at, server: step.server, silent: step.silent };
    case 'restore':
      return { restore: step.resource, at, server: step.server };
    case 'restart':
      return { restart: step.server, at, kill: step.kill };
    case 'resize':
      return { resize: step.resource, at, capacity: step.capacity, server: step.server };
    case 'throttle':
      return { throttle: step.server, at, for: span(step.forMs), retryAfter: step.retryAfter };
    case 'proxy': {
      const { proxy, server, idleMs, ageMs, holdMs } = step;
      return { proxy, at, server, idle: span(idleMs), age: span(ageMs), hold: span(holdMs) };
    }
    case 'break':
      return { break: step.proxy, at, by: step.by, for: span(step.forMs) };
    case 'watch': {
      const { watcher, resource, server, via, rv, labelSelector, fieldSelector, timeoutSeconds, role } = step;
      return { watch: watcher, at, resource, server, via, rv, labelSelector, fieldSelector, timeoutSeconds, role };
    }
    case 'list': {
      const { list, resource, server, rv, rvOf, match, limit, continueOf } = step;
      return { list, at, resource, server, rv, rvOf, match, limit, continueOf };
    }
    case 'expect': {
      const { verb: _verb, at: _at, line: _line, says: _says, of, withinMs, finding, ...rest } = step;
      return { expect: of, at, finding: finding?.length === 1 ? finding[0] : finding, ...rest, within: span(withinMs) };
    }
  }
}

function span(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : durationText(ms);
}

/** As a script writes a duration: `2s`, `1500ms`. */
export function durationText(ms: number): string {
  return ms % 1000 === 0 ? `${ms / 1000}s` : `${ms}ms`;
}

/** Plain where YAML reads it back as the same text, quoted as in JSON otherwise (which YAML reads too). */
function text(value: unknown): string {
  if (typeof value === 'string')
    return /^[A-Za-z][A-Za-z0-9_./-]*$/.test(value) && !WORDS.test(value) ? value : quoted(value);
  if (Array.isArray(value)) return `[${value.map(text).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    return `{ ${Object.entries(value)
      .map(([key, one]) => `${text(key)}: ${text(one)}`)
      .join(', ')} }`;
  }
  return String(value);
}

/** A duration needs no quotes; other texts that begin with a digit would be read as numbers. */
function quoted(value: string): string {
  return /^\d+m?s$/.test(value) ? value : JSON.stringify(value);
}

/** Words that YAML reads as something else than text. */
const WORDS = /^(?:true|false|null|yes|no|on|off|y|n)$/i;
