import type { WatchTarget } from '../client/facts.ts';
import { isNamespaced } from '../client/resource-name.ts';
import { quote } from './quote.ts';
import { resourceName } from './scene.ts';

/** Names as Kubernetes allows them: anything else (a hostile path) is quoted for the shell as a path. */
const PLAIN = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/;

/** The command that watches this target again, as it can be typed: resource, namespace, and where to start. */
export function tailCommand(target: WatchTarget, rv?: string): string {
  const from = rv === undefined ? '' : ` --rv ${/^\w+$/.test(rv) ? rv : 'list'}`;
  const where = whereOf(target);
  if (where === undefined) return `kwatch tail --raw '${quote(target.path.replaceAll("'", '%27'), 80)}'${from}`;
  const what = target.name === undefined ? resourceName(target) : `${resourceName(target)}/${target.name}`;
  return `kwatch tail ${what}${where}${from}`;
}

/** `kwatch probe …` of a second path to this target; undefined where `probe` cannot name it. */
export function probeViaCommand(target: WatchTarget, url: string): string | undefined {
  const where = whereOf(target);
  return where === undefined ? undefined : `kwatch probe ${resourceName(target)}${where} --via ${url}`;
}

/** The options that say where; undefined where the target has no plain resource path. */
function whereOf({ resource, name, namespace, group = '' }: WatchTarget): string | undefined {
  const plain = [resource, name ?? 'x', namespace ?? 'x', group || 'x'].every((part) => PLAIN.test(part ?? ''));
  if (resource === undefined || !plain) return undefined;
  return namespace !== undefined ? ` -n ${namespace}` : isNamespaced(group, resource) === false ? '' : ' -A';
}

/** The RV of a list of this target, as one apiserver sees it: `kubectl get --raw …`. */
export function rawCommand(target: WatchTarget, query: string): string {
  return `kubectl get --raw '${quote(target.path.replaceAll("'", '%27'), 100)}?${query}'`;
}
