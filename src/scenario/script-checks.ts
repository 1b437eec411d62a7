import {
  type ExpectStep,
  LASTING_BREAKS,
  type ListStep,
  type ProxyStep,
  type Script,
  type ScriptStep,
  type WatchStep,
} from './script.ts';
import { choice, type ScriptFault, shown } from './script-fault.ts';
import { MAX_LISTS, MAX_PROXIES, MAX_TIME_MS, MAX_WATCHERS, MAX_WRITES } from './script-limits.ts';

/** What a script must agree with, and does not say itself. */
export interface ScriptSurroundings {
  /** Apiservers there are, where the script does not say; `outright`: whatever it says. */
  replicas: number;
  outright?: boolean;
  /** The classes of findings. */
  classes: readonly string[];
}

type Actor = { kind: 'watcher'; state: 'live' | 'away' | 'stalled' } | { kind: 'list' } | { kind: 'proxy' };

/**
 * What no single step shows: names that are used before they are given, a watcher that comes back without having left,
 * an apiserver that there is not, times that run backwards. Returns the first fault, or undefined.
 */
export function checkScript(script: Script, surroundings: ScriptSurroundings): ScriptFault | undefined {
  const { replicas, outright } = surroundings;
  const check = new ScriptCheck({
    ...surroundings,
    replicas: outright ? replicas : (script.numbers.replicas ?? replicas),
  });
  for (const [index, step] of script.steps.entries()) {
    const fault = check.take(step);
    if (fault) return { ...fault, path: ['steps', index, ...fault.path] };
  }
  return undefined;
}

/** What `expect` can ask about each kind of actor. */
const ASPECTS = {
  watcher: ['finding', 'resumed', 'state', 'events'],
  list: ['status', 'items', 'finding'],
  server: ['trace'],
} as const;

/** Options that refine one of them. */
const REFINES: Record<string, readonly string[]> = {
  sub: ['finding'],
  given: ['finding'],
  refusedBy: ['finding'],
  confidence: ['finding'],
  reason: ['status'],
  resource: ['trace'],
  times: ['trace'],
};

class ScriptCheck {
  readonly #surroundings: ScriptSurroundings;
  readonly #actors = new Map<string, Actor>();
  #at = 0;
  #time = 0;
  #writes = 0;

  constructor(surroundings: ScriptSurroundings) {
    this.#surroundings = surroundings;
  }

  take(step: ScriptStep): ScriptFault | undefined {
    return this.#times(step) ?? this.#server(step) ?? this.#amount(step) ?? this.#meaning(step);
  }

  #times(step: ScriptStep): ScriptFault | undefined {
    if (step.at !== undefined && step.at < this.#at) {
      return {
        path: ['at'],
        text: `found ${step.at} ms, expected at least ${this.#at} ms: steps come in the order of their times`,
      };
    }
    this.#at = step.at ?? this.#at;
    if (step.verb === 'wait' || step.verb === 'stall') this.#time += step.forMs ?? 0;
    if (step.verb === 'wait') this.#at += step.forMs;
    if (this.#time <= MAX_TIME_MS) return undefined;
    return {
      path: [step.verb === 'wait' ? 'wait' : 'for'],
      text: 'found more than 24h of waiting in all, expected less',
    };
  }

  #server(step: ScriptStep): ScriptFault | undefined {
    const server = 'server' in step ? step.server : undefined;
    const { replicas } = this.#surroundings;
    if (server === undefined || server < replicas) return undefined;
    const most =
      replicas === 1 ? '0: there is one apiserver' : `0 to ${replicas - 1}: there are ${replicas} apiservers`;
    return {
      path: [step.verb === 'restart' || step.verb === 'throttle' ? step.verb : 'server'],
      text: `found ${server}, expected ${most} (replicas)`,
    };
  }

  #amount(step: ScriptStep): ScriptFault | undefined {
    if (step.verb !== 'write' && step.verb !== 'burst' && step.verb !== 'delete') return undefined;
    if (step.verb !== 'burst' && step.name !== undefined && step.count !== undefined) {
      return { path: ['count'], text: 'found a count beside a name, expected one of them' };
    }
    this.#writes += step.count ?? 1;
    if (this.#writes <= MAX_WRITES) return undefined;
    return { path: [], text: `found more than ${MAX_WRITES} writes in all, expected at most so many` };
  }

  #meaning(step: ScriptStep): ScriptFault | undefined {
    switch (step.verb) {
      case 'watch':
        return this.#via(step) ?? this.#name(step) ?? this.#tooMany('watcher', MAX_WATCHERS);
      case 'proxy':
        return this.#name(step) ?? this.#tooMany('proxy', MAX_PROXIES);
      case 'break':
        return this.#break(step);
      case 'list':
        return this.#list(step);
      case 'disconnect':
        return this.#move(step.verb, step.watcher, ['live', 'stalled'], 'away', 'it has left already');
      case 'stall':
        return this.#move(step.verb, step.watcher, ['live'], 'stalled', 'it is away or has stalled already');
      case 'resume':
        return this.#resume(step);
      case 'expect':
        return this.#expect(step);
      default:
        return undefined;
    }
  }

  #resume(step: Extract<ScriptStep, { verb: 'resume' }>): ScriptFault | undefined {
    const actor = this.#actors.get(step.watcher);
    const stalled = actor?.kind === 'watcher' && actor.state === 'stalled';
    const fault = this.#move(
      'resume',
      step.watcher,
      ['away', 'stalled'],
      'live',
      'it never left (disconnect or stall)',
    );
    if (fault) return fault;
    const change =
      step.server !== undefined ? 'server' : step.timeoutSeconds !== undefined ? 'timeoutSeconds' : undefined;
    if (!stalled || change === undefined) return undefined;
    return {
      path: [change],
      key: 'key',
      text: `found ${change}, expected none: ${step.watcher} has only stalled, its stream is open`,
    };
  }

  #move(
    verb: string,
    name: string,
    from: string[],
    to: 'live' | 'away' | 'stalled',
    why: string,
  ): ScriptFault | undefined {
    const actor = this.#actors.get(name);
    if (actor?.kind !== 'watcher') return { path: [verb], text: this.#unknown(name, 'watcher') };
    if (!from.includes(actor.state))
      return { path: [verb], text: `found ${shown(name)}, expected another watcher: ${why}` };
    actor.state = to;
    return undefined;
  }

  #via({ via, server }: WatchStep): ScriptFault | undefined {
    if (via === undefined) return undefined;
    if (server !== undefined)
      return { path: ['via'], key: 'key', text: 'found via beside server, expected one of them' };
    return this.#actors.get(via)?.kind === 'proxy' ? undefined : { path: ['via'], text: this.#unknown(via, 'proxy') };
  }

  #break({ proxy, by, forMs }: Extract<ScriptStep, { verb: 'break' }>): ScriptFault | undefined {
    if (this.#actors.get(proxy)?.kind !== 'proxy') return { path: ['break'], text: this.#unknown(proxy, 'proxy') };
    if (forMs === undefined || LASTING_BREAKS.includes(by)) return undefined;
    return { path: ['for'], key: 'key', text: `found for, expected none: ${by} happens once` };
  }

  #name(step: WatchStep | ListStep | ProxyStep): ScriptFault | undefined {
    const name = step.verb === 'watch' ? step.watcher : step.verb === 'list' ? step.list : step.proxy;
    if (name === 'server' || this.#actors.has(name)) {
      const why = name === 'server' ? 'that is the apiserver' : 'there is one';
      return { path: [step.verb], text: `found ${shown(name)}, expected a new name: ${why}` };
    }
    this.#actors.set(name, step.verb === 'watch' ? { kind: 'watcher', state: 'live' } : { kind: step.verb });
    return undefined;
  }

  #list(step: ListStep): ScriptFault | undefined {
    const given = [step.rv, step.rvOf, step.continueOf].filter((one) => one !== undefined).length;
    if (given > 1) return { path: [], text: 'found more than one of rv, rvOf and continueOf, expected one' };
    if (step.match !== undefined && step.rv === undefined && step.rvOf === undefined) {
      return { path: ['match'], key: 'key', text: 'found match without rv or rvOf, expected both' };
    }
    const { rvOf, continueOf } = step;
    if (rvOf !== undefined && (this.#actors.get(rvOf)?.kind ?? 'proxy') === 'proxy')
      return { path: ['rvOf'], text: this.#unknown(rvOf) };
    if (continueOf !== undefined && this.#actors.get(continueOf)?.kind !== 'list') {
      return { path: ['continueOf'], text: this.#unknown(continueOf, 'list') };
    }
    return this.#name(step) ?? this.#tooMany('list', MAX_LISTS);
  }

  #expect(step: ExpectStep): ScriptFault | undefined {
    const kind = step.of === 'server' ? 'server' : this.#actors.get(step.of)?.kind;
    if (kind === undefined || kind === 'proxy') return { path: ['expect'], text: this.#unknown(step.of) };
    const fields = Object.keys(step);
    const aspects: readonly string[] = ASPECTS[kind];
    const asked = fields.filter((field) => aspects.includes(field));
    const foreign = Object.values(ASPECTS)
      .flat()
      .find((field) => fields.includes(field) && !aspects.includes(field));
    const expected = `expected one of ${aspects.join(', ')}`;
    if (foreign) return { path: [foreign], key: 'key', text: `found ${foreign} of a ${kind}, ${expected}` };
    if (asked.length !== 1 && !(kind === 'list' && asked.length > 0)) {
      return { path: [], text: `found ${asked.length === 0 ? 'nothing' : asked.join(' and ')} to expect, ${expected}` };
    }
    const loose = fields.find((field) => REFINES[field]?.every((base) => !asked.includes(base)));
    if (loose)
      return { path: [loose], key: 'key', text: `found ${loose} without ${REFINES[loose]?.join()}, expected both` };
    return this.#classes(step);
  }

  #classes({ finding }: ExpectStep): ScriptFault | undefined {
    const { classes } = this.#surroundings;
    const wrong = finding?.find((name) => !classes.includes(name));
    if (wrong === undefined) return undefined;
    return { path: ['finding'], text: `found ${shown(wrong)}, expected ${choice(wrong, classes)}` };
  }

  #tooMany(kind: Actor['kind'], most: number): ScriptFault | undefined {
    const count = [...this.#actors.values()].filter((actor) => actor.kind === kind).length;
    return count <= most
      ? undefined
      : {
          path: [],
          text: `found more than ${most} ${kind === 'proxy' ? 'proxies' : `${kind}s`}, expected at most so many`,
        };
  }

  #unknown(name: string, kind?: Actor['kind']): string {
    const known = [...this.#actors]
      .filter(([, actor]) => (kind === undefined ? actor.kind !== 'proxy' : actor.kind === kind))
      .map(([one]) => one);
    const what = kind ?? 'watcher or list';
    if (known.length === 0)
      return `found ${shown(name)}, expected a ${what} that a step above has named: there is none`;
    return `found ${shown(name)}, expected a ${what} that a step above has named: ${choice(name, known)}`;
  }
}
