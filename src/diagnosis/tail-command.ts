import type { WatchTarget } from '../client/facts.ts';
import { isNamespaced } from '../client/resource-name.ts';
import { quote } from './quote.ts';
import { resourceName } from './scene.ts';

/** Names as Kubernetes allows them: anything else (a hostile path) is quoted for the shell as a path. */
const PLAIN = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/;

/** The command that watches this target again, as it can be typed: resource, namespace, and where to start. */
export function tailCommand(target: WatchTarget, rv?: string): string {
  const from = rv === undefined ? '' : ` --rv ${/^\w+$/.test(rv) ? rv : 'list'}`;
  const { resource, name, namespace, group = '' } = target;
  const plain = [resource, name ?? 'x', namespace ?? 'x', group || 'x'].every((part) => PLAIN.test(part ?? ''));
  if (resource === undefined || !plain)
    return `kwatch tail --raw '${quote(target.path.replaceAll("'", '%27'), 80)}'${from}`;
  const what = name === undefined ? resourceName(target) : `${resourceName(target)}/${name}`;
  const where = namespace !== undefined ? ` -n ${namespace}` : isNamespaced(group, resource) === false ? '' : ' -A';
  return `kwatch tail ${what}${where}${from}`;
}

/** The RV of a list of this target, as one apiserver sees it: `kubectl get --raw …`. */
export function rawCommand(target: WatchTarget, query: string): string {
  return `kubectl get --raw '${quote(target.path.replaceAll("'", '%27'), 100)}?${query}'`;
}
