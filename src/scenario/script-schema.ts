import * as v from 'valibot';
import { BREAKS, type ScriptStep, TRACED_THINGS, type Verb, WATCHER_STATES } from './script.ts';
import {
  MAX_BACKGROUND,
  MAX_OBJECTS,
  MAX_REPLICAS,
  MAX_RETRY_AFTER_S,
  MAX_RING,
  MAX_STEPS,
  MAX_WRITES,
} from './script-limits.ts';
import {
  actorName,
  duration,
  labels,
  objectName,
  oneOf,
  resourceVersion,
  sentence,
  size,
  startingPoint,
  whole,
  yes,
} from './script-values.ts';

/** What a script may say, verb by verb. `v.optional` is an option that may be left out; anything else is refused. */

const server = v.optional(whole(0, MAX_REPLICAS - 1));
const at = v.optional(duration);
const seconds = v.optional(whole(1, 86_400));
/** Served resources that the lab can write. */
const resource = oneOf(['pods', 'events', 'configmaps', 'secrets']);
const link = oneOf(['upstream', 'pods', 'events', 'configmaps', 'secrets']);

const CLASSES = 'a class of finding, or a list of up to five';
const INTERVAL = 'off, or a duration of at least 1s';

const step = <const T extends v.ObjectEntries>(entries: T) => v.strictObject({ ...entries, at });

/** Each verb's options, as YAML spells them. */
export const STEP_SCHEMAS = {
  write: step({
    write: resource,
    name: v.optional(objectName),
    count: v.optional(whole(1, MAX_WRITES)),
    size: v.optional(size),
    labels: v.optional(labels),
  }),
  burst: step({
    burst: whole(0, MAX_WRITES),
    within: v.optional(duration),
    resource: v.optional(resource),
    size: v.optional(size),
  }),
  delete: step({ delete: resource, name: v.optional(objectName), count: v.optional(whole(1, MAX_WRITES)) }),
  compact: step({
    compact: v.union([v.literal('head'), whole(1, Number.MAX_SAFE_INTEGER)], 'head, or a revision of the store'),
  }),
  wait: step({ wait: duration }),
  stall: step({ stall: actorName, for: v.optional(duration) }),
  disconnect: step({ disconnect: actorName }),
  resume: step({ resume: actorName, server, timeoutSeconds: seconds }),
  cut: step({ cut: link, server, silent: v.optional(yes) }),
  restore: step({ restore: link, server }),
  restart: step({ restart: whole(0, MAX_REPLICAS - 1), kill: v.optional(yes) }),
  resize: step({ resize: resource, capacity: whole(1, MAX_RING), server }),
  throttle: step({
    throttle: whole(0, MAX_REPLICAS - 1),
    for: duration,
    retryAfter: v.optional(whole(1, MAX_RETRY_AFTER_S)),
  }),
  proxy: step({
    proxy: actorName,
    server,
    idle: v.optional(duration),
    age: v.optional(duration),
    hold: v.optional(duration),
  }),
  break: step({ break: actorName, by: oneOf(BREAKS), for: v.optional(duration) }),
  watch: step({
    watch: actorName,
    resource,
    server,
    via: v.optional(actorName),
    rv: v.optional(startingPoint),
    labelSelector: v.optional(sentence),
    fieldSelector: v.optional(sentence),
    timeoutSeconds: seconds,
    role: v.optional(sentence),
  }),
  list: step({
    list: actorName,
    resource,
    server,
    rv: v.optional(resourceVersion),
    rvOf: v.optional(actorName),
    match: v.optional(oneOf(['Exact', 'NotOlderThan'])),
    limit: v.optional(whole(1, 10_000)),
    continueOf: v.optional(actorName),
  }),
  expect: step({
    expect: actorName,
    within: v.optional(duration),
    because: v.optional(sentence),
    finding: v.optional(
      v.union([sentence, v.pipe(v.array(sentence), v.minLength(1, CLASSES), v.maxLength(5, CLASSES))], CLASSES),
    ),
    given: v.optional(oneOf(['terminate', 'refuse'])),
    sub: v.optional(sentence),
    refusedBy: v.optional(oneOf(['watch-cache', 'etcd'])),
    confidence: v.optional(oneOf(['high', 'medium', 'low'])),
    resumed: v.optional(yes),
    state: v.optional(oneOf(WATCHER_STATES)),
    events: v.optional(whole(0, MAX_WRITES)),
    status: v.optional(whole(100, 599)),
    reason: v.optional(sentence),
    items: v.optional(whole(0, MAX_WRITES)),
    trace: v.optional(oneOf(TRACED_THINGS)),
    resource: v.optional(resource),
    times: v.optional(whole(0, MAX_WRITES)),
  }),
} satisfies Record<Verb, unknown>;

export const VERBS = Object.keys(STEP_SCHEMAS) as Verb[];

/** Everything but the steps, which are read one by one. */
export const HEAD_SCHEMA = v.strictObject({
  title: v.optional(sentence),
  cacheSize: v.optional(
    v.union([v.literal('auto'), whole(1, MAX_RING)], `auto, or a whole number from 1 to ${MAX_RING}`),
  ),
  objects: v.optional(whole(1, MAX_OBJECTS)),
  replicas: v.optional(whole(1, MAX_REPLICAS)),
  seed: v.optional(whole(0, 2 ** 32 - 1)),
  compactEvery: v.optional(v.union([v.literal('off'), v.pipe(duration, v.minValue(1000, INTERVAL))], INTERVAL)),
  progressNotify: v.optional(duration),
  background: v.optional(whole(0, MAX_BACKGROUND)),
  steps: v.pipe(
    v.array(v.unknown(), 'a list of steps'),
    v.minLength(1, 'at least one step'),
    v.maxLength(MAX_STEPS, `at most ${MAX_STEPS} steps`),
  ),
});

/** Where the value behind the verb goes. */
const SUBJECT: Record<Verb, string> = {
  write: 'resource',
  burst: 'count',
  delete: 'resource',
  compact: 'revision',
  wait: 'forMs',
  stall: 'watcher',
  disconnect: 'watcher',
  resume: 'watcher',
  cut: 'resource',
  restore: 'resource',
  restart: 'server',
  resize: 'resource',
  throttle: 'server',
  proxy: 'proxy',
  break: 'proxy',
  watch: 'watcher',
  list: 'list',
  expect: 'of',
};

/** A step that its schema has let through, under the names that the program uses. */
export function readStep(verb: Verb, fields: Record<string, unknown>): ScriptStep {
  const { [verb]: subject, within, for: forMs, idle, age, hold, finding, ...rest } = fields;
  return {
    verb,
    [SUBJECT[verb]]: subject,
    ...rest,
    ...(within === undefined ? {} : { withinMs: within }),
    ...(forMs === undefined ? {} : { forMs }),
    ...(idle === undefined ? {} : { idleMs: idle }),
    ...(age === undefined ? {} : { ageMs: age }),
    ...(hold === undefined ? {} : { holdMs: hold }),
    ...(finding === undefined ? {} : { finding: Array.isArray(finding) ? finding : [finding] }),
  } as unknown as ScriptStep;
}
