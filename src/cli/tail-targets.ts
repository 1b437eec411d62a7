import { collectionPath, resolveResource } from '../client/resource-name.ts';
import type { StartAt, TargetSpec } from '../client/run.ts';
import { UsageError } from '../util/usage-error.ts';

/** The flags that say what is watched (contract §4; kubectl's spelling). */
export interface TargetFlags {
  resources: string[];
  raw: string[];
  namespace?: string;
  allNamespaces?: boolean;
  selector?: string;
  fieldSelector?: string;
  rv?: string;
}

/** The watches of a run, from its names and `--raw` paths. `namespace`: the context's, where no flag names one. */
export function targetsOf(flags: TargetFlags, namespace: string): TargetSpec[] {
  if (flags.resources.length === 0 && flags.raw.length === 0) {
    throw new UsageError("name a resource, as in kwatch tail pods, or a path: --raw '/api/v1/pods?watch=1'");
  }
  const scope = flags.allNamespaces ? undefined : (flags.namespace ?? namespace);
  return [
    ...flags.resources.map((name) => namedTarget(name, scope, flags)),
    ...flags.raw.map((path) => rawTarget(path, flags)),
  ];
}

function namedTarget(text: string, namespace: string | undefined, flags: TargetFlags): TargetSpec {
  const [type = '', name, ...more] = text.split('/');
  if (more.length > 0 || name === '' || type === '') {
    throw new UsageError(`${JSON.stringify(text.slice(0, 80))} is no resource: write pods or pods/web-0`);
  }
  const path = collectionPath(resolveResource(type), namespace);
  const query = new URLSearchParams();
  if (flags.selector) query.set('labelSelector', flags.selector);
  const fields = [...(name ? [`metadata.name=${name}`] : []), ...(flags.fieldSelector ? [flags.fieldSelector] : [])];
  if (fields.length > 0) query.set('fieldSelector', fields.join(','));
  return { path, query: query.toString(), raw: false, start: startOf(flags.rv, 'list') };
}

function rawTarget(text: string, flags: TargetFlags): TargetSpec {
  const mark = text.indexOf('?');
  const path = mark < 0 ? text : text.slice(0, mark);
  return { path, query: mark < 0 ? '' : text.slice(mark + 1), raw: true, start: startOf(flags.rv, 'url') };
}

function startOf(rv: string | undefined, otherwise: StartAt): StartAt {
  if (rv === undefined) return otherwise;
  return rv === 'list' || rv === 'now' || rv === 'unset' ? rv : { rv };
}
