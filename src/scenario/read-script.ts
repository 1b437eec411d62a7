import * as v from 'valibot';
import { UsageError } from '../util/usage-error.ts';
import type { Script, ScriptNumbers, ScriptStep, Verb } from './script.ts';
import { checkScript, type ScriptSurroundings } from './script-checks.ts';
import { choice, type ScriptFault, shown, visible } from './script-fault.ts';
import { HEAD_SCHEMA, readStep, STEP_SCHEMAS, VERBS } from './script-schema.ts';
import { type FilePosition, type Path, type PlacedYaml, readYaml, YamlFault } from './script-yaml.ts';

/**
 * Reads a script. `file`: for messages, as it was typed. Throws a UsageError of one line that names the file, the line, the
 * column, what is there and what is expected.
 */
export function readScript(bytes: Uint8Array, file: string, surroundings: ScriptSurroundings): Script {
  let yaml: PlacedYaml;
  try {
    yaml = readYaml(bytes);
  } catch (error) {
    if (!(error instanceof YamlFault)) throw error;
    throw complaint(file, error.position, error.message);
  }
  const fail = (fault: ScriptFault): never => {
    throw complaint(file, yaml.at(fault.path, fault.key), fault.text);
  };
  if (Array.isArray(yaml.value)) fail({ path: [], text: 'found a list, expected a map with steps' });
  const head = parse(HEAD_SCHEMA, yaml.value, [], yaml, fail);
  const steps = head.steps.map((value, index) => ({
    ...readOne(value, ['steps', index], yaml, fail),
    line: yaml.at(['steps', index]).line,
  }));
  const script: Script = {
    name: nameOf(file),
    ...(head.title === undefined ? {} : { title: head.title }),
    numbers: numbersOf(head),
    steps,
  };
  const fault = checkScript(script, surroundings);
  return fault ? fail(fault) : script;
}

function complaint(file: string, position: FilePosition | undefined, text: string): UsageError {
  const place = position ? `${file}:${position.line}:${position.column}` : file;
  return new UsageError(`script ${place}: ${visible(text)}`);
}

/** `dir/ring-overrun.yaml`: `ring-overrun`. */
function nameOf(file: string): string {
  return file.replace(/^.*[/\\]/, '').replace(/\.ya?ml$/, '');
}

function numbersOf(head: v.InferOutput<typeof HEAD_SCHEMA>): ScriptNumbers {
  const { steps: _steps, title: _title, compactEvery, progressNotify, ...numbers } = head;
  return {
    ...(numbers as ScriptNumbers),
    ...(compactEvery === undefined ? {} : { compactEveryMs: compactEvery }),
    ...(progressNotify === undefined ? {} : { progressNotifyMs: progressNotify }),
  };
}

function readOne(value: unknown, path: Path, yaml: PlacedYaml, fail: (fault: ScriptFault) => never): ScriptStep {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    const example = VERBS.includes(value as Verb) ? ` with its verb and what it is about, as { ${value}: … }` : '';
    fail({ path, text: `found ${shown(value)}, expected a step: a map${example}` });
  }
  const keys = Object.keys(value as object);
  const verbs = keys.filter((key): key is Verb => (VERBS as string[]).includes(key));
  const [verb, second] = verbs;
  if (verb === undefined) {
    const [first = ''] = keys;
    fail({
      path: [...path, first],
      key: 'key',
      text: `found ${first === '' ? 'an empty step' : shown(first)}, expected ${choice(first, VERBS)}`,
    });
  }
  if (second !== undefined) {
    fail({ path: [...path, second], key: 'key', text: `found ${second} beside ${verb}, expected one verb a step` });
  }
  return readStep(verb as Verb, parse(STEP_SCHEMAS[verb as Verb], value, path, yaml, fail));
}

/**
 * `value` by `schema`, or the fault that comes first in the file; what is missing comes last, since it stands there under
 * another name where a key is misspelt.
 */
function parse<const T extends v.GenericSchema>(
  schema: T,
  value: unknown,
  path: Path,
  yaml: PlacedYaml,
  fail: (fault: ScriptFault) => never,
): v.InferOutput<T> {
  const result = v.safeParse(schema, value);
  if (result.success) return result.output;
  const there = result.issues.filter((issue) => !isMissing(issue));
  const faults = (there.length > 0 ? there : result.issues).map((issue) => faultOf(issue, value, path, schema));
  const place = ({ path: where, key }: ScriptFault) => {
    const { line, column } = yaml.at(where, key);
    return line * 1e6 + column;
  };
  return fail(faults.toSorted((a, b) => place(a) - place(b))[0] as ScriptFault);
}

/** A key of a map that has to be there, and is not. */
function isMissing({ type, expected, path }: v.BaseIssue<unknown>): boolean {
  return type === 'strict_object' && path !== undefined && expected !== 'never';
}

function faultOf(issue: v.BaseIssue<unknown>, value: unknown, path: Path, schema: v.GenericSchema): ScriptFault {
  const inner = (issue.path ?? []).map(({ key }) => key as string | number);
  const where = [...path, ...inner];
  if (issue.type === 'strict_object' && inner.length > 0) {
    const key = String(inner.at(-1));
    const known = Object.keys((schema as unknown as { entries: object }).entries);
    if (isMissing(issue)) return { path, text: `found no ${key}, expected ${key} too` };
    return { path: where, key: 'key', text: `found ${shown(key)}, expected ${choice(key, known)}` };
  }
  if (issue.type === 'strict_object') return { path: where, text: `found ${shown(value)}, expected a map with steps` };
  const there = inner.reduce<unknown>((from, key) => (from as Record<string | number, unknown>)?.[key], value);
  const words = /^one of (.*)$/.exec(issue.message)?.[1]?.split(', ');
  const expected = words && typeof there === 'string' ? choice(there, words) : issue.message;
  return { path: where, text: `found ${shown(there)}, expected ${expected}` };
}
