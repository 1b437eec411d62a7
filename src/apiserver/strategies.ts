import { invalidValue, requiredField } from '../protocol/field-error.ts';
import type { KubeObject } from '../protocol/object.ts';
import { dataErrors, immutableErrors, involvedObjectErrors, secretErrors } from './object-validation.ts';
import {
  containerErrors,
  deploymentErrors,
  deploymentUpdateErrors,
  podUpdateErrors,
  templateErrors,
} from './pod-template-validation.ts';
import { fillIn, isObject, type JsonObject, objectsOf, type Strategy, section } from './strategy.ts';

/** Types that are stored as they come: nothing to default, no status. */
export const plain: Strategy = {};

export const configMaps: Strategy = { validate: dataErrors, validateUpdate: immutableErrors };

export const secrets: Strategy = {
  validate: secretErrors,
  validateUpdate: (secret, old) => [
    ...(secret.type === old.type ? [] : [invalidValue('type', String(secret.type), 'field is immutable')]),
    ...immutableErrors(secret, old),
  ],
  setDefaults(secret) {
    fillIn(secret, 'type', 'Opaque');
    if (!isObject(secret.stringData)) return;
    const data = section(secret, 'data');
    for (const [key, text] of Object.entries(secret.stringData)) {
      data[key] = Buffer.from(String(text)).toString('base64');
    }
    delete secret.stringData;
  },
};

export const endpoints: Strategy = { createOnUpdate: true };

export const events: Strategy = {
  createOnUpdate: true,
  garbageCollection: 'unsupported',
  validate: involvedObjectErrors,
};

export const leases: Strategy = { createOnUpdate: true, needsResourceVersion: true };

export const limitRanges: Strategy = {
  createOnUpdate: true,
  prepareForCreate: ({ metadata }) => {
    if (!metadata.name && metadata.uid) metadata.name = metadata.uid;
  },
};

export const serviceAccounts: Strategy = { returnsDeletedObject: true };

export const resourceQuotas: Strategy = { initialStatus: () => ({}), returnsDeletedObject: true };

export const podTemplates: Strategy = {
  generationOf: 'template',
  returnsDeletedObject: true,
  setDefaults: (object) => defaultPodTemplate(section(object, 'template')),
  validate: ({ template }) => templateErrors(template, {}, 'template'),
};

export const services: Strategy = {
  createOnUpdate: true,
  validate: ({ spec }) => (isObject(spec) && objectsOf(spec.ports).length === 0 ? [requiredField('spec.ports')] : []),
  returnsDeletedObject: true,
  initialStatus: () => ({ loadBalancer: {} }),
  setDefaults(service) {
    const spec = section(service, 'spec');
    fillIn(spec, 'sessionAffinity', 'None');
    fillIn(spec, 'type', 'ClusterIP');
    fillIn(spec, 'internalTrafficPolicy', 'Cluster');
    if (spec.clusterIP) fillIn(spec, 'clusterIPs', [spec.clusterIP]);
    for (const port of objectsOf(spec.ports)) {
      fillIn(port, 'protocol', 'TCP');
      // The zero value is there already: Go's omits none of this type.
      if (port.targetPort === 0 || port.targetPort === '') port.targetPort = port.port;
    }
  },
};

export const namespaces: Strategy = {
  returnsDeletedObject: true,
  initialStatus: () => ({ phase: 'Active' }),
  setDefaults(namespace) {
    if (namespace.metadata.name === undefined) return;
    namespace.metadata.labels = {
      ...namespace.metadata.labels,
      'kubernetes.io/metadata.name': namespace.metadata.name,
    };
  },
  prepareForCreate: (namespace) => {
    section(namespace, 'spec').finalizers = ['kubernetes'];
  },
  // The finalizers in spec belong to the namespace controller, which uses …/finalize.
  prepareForUpdate: (namespace, old) => {
    namespace.spec = old.spec;
  },
};

export const replicationControllers: Strategy = {
  validate({ spec }) {
    const { selector, template } = isObject(spec) ? spec : {};
    if (!isObject(selector)) return [requiredField('spec.selector'), ...templateErrors(template, {}, 'spec.template')];
    return templateErrors(template, selector, 'spec.template');
  },
  generationOf: 'spec',
  garbageCollection: 'orphan',
  initialStatus: () => ({ replicas: 0 }),
  setDefaults(controller) {
    const spec = section(controller, 'spec');
    fillIn(spec, 'replicas', 1);
    if (!isObject(spec.template)) return;
    defaultPodTemplate(spec.template);
    const labels = templateLabels(spec.template);
    if (labels === undefined) return;
    if (!isObject(spec.selector) || Object.keys(spec.selector).length === 0) spec.selector = { ...labels };
    if (Object.keys(controller.metadata.labels ?? {}).length === 0) {
      controller.metadata.labels = Object.fromEntries(Object.entries(labels).map(([key, v]) => [key, String(v)]));
    }
  },
};

export const deployments: Strategy = {
  statusKeepsLabels: true,
  validate: deploymentErrors,
  validateUpdate: deploymentUpdateErrors,
  generationOf: 'spec',
  initialStatus: () => ({}),
  setDefaults(deployment) {
    const spec = section(deployment, 'spec');
    fillIn(spec, 'replicas', 1);
    fillIn(spec, 'revisionHistoryLimit', 10);
    fillIn(spec, 'progressDeadlineSeconds', 600);
    const strategy = section(spec, 'strategy');
    fillIn(strategy, 'type', 'RollingUpdate');
    if (strategy.type === 'RollingUpdate') {
      const rolling = section(strategy, 'rollingUpdate');
      fillIn(rolling, 'maxUnavailable', '25%');
      fillIn(rolling, 'maxSurge', '25%');
    }
    if (isObject(spec.template)) defaultPodTemplate(spec.template);
  },
};

/** Seconds a pod gets to stop when nobody says (core/v1 DefaultTerminationGracePeriodSeconds). */
const DEFAULT_GRACE_S = 30;

export const pods: Strategy = {
  validate: ({ spec }) => containerErrors(spec, 'spec'),
  validateUpdate: podUpdateErrors,
  returnsDeletedObject: true,
  initialStatus: () => ({ phase: 'Pending', qosClass: 'BestEffort' }),
  setDefaults(pod) {
    const spec = section(pod, 'spec');
    defaultPodSpec(spec);
    fillIn(spec, 'enableServiceLinks', true);
  },
  /** As upstream podStrategy.CheckGracefulDelete: nobody has to stop a pod that runs nowhere, or no longer. */
  gracePeriod(pod, asked) {
    const spec = section({ ...pod }, 'spec');
    const { phase } = section({ ...pod }, 'status');
    if (!spec.nodeName || phase === 'Failed' || phase === 'Succeeded') return 0;
    const own = spec.terminationGracePeriodSeconds;
    const seconds = asked ?? (typeof own === 'number' ? own : 0);
    return seconds < 0 ? 1 : seconds;
  },
};

function defaultPodTemplate(template: JsonObject): void {
  const metadata = section(template, 'metadata');
  metadata.creationTimestamp = null;
  defaultPodSpec(section(template, 'spec'));
}

function templateLabels(template: JsonObject): JsonObject | undefined {
  const { labels } = section(template, 'metadata');
  return isObject(labels) ? labels : undefined;
}

/** core/v1 SetDefaults_PodSpec and SetDefaults_Container, as far as `kubectl get` and `describe` show it. */
function defaultPodSpec(spec: JsonObject): void {
  for (const container of objectsOf(spec.containers)) {
    fillIn(container, 'resources', {});
    fillIn(container, 'terminationMessagePath', '/dev/termination-log');
    fillIn(container, 'terminationMessagePolicy', 'File');
    fillIn(container, 'imagePullPolicy', pullPolicy(container.image));
    for (const port of objectsOf(container.ports)) fillIn(port, 'protocol', 'TCP');
  }
  fillIn(spec, 'restartPolicy', 'Always');
  fillIn(spec, 'terminationGracePeriodSeconds', DEFAULT_GRACE_S);
  fillIn(spec, 'dnsPolicy', 'ClusterFirst');
  fillIn(spec, 'securityContext', {});
  fillIn(spec, 'schedulerName', 'default-scheduler');
}

function pullPolicy(image: unknown): string {
  const name = typeof image === 'string' ? (image.split('/').at(-1) ?? '') : '';
  const tag = name.includes('@') ? 'digest' : name.split(':')[1];
  return tag === undefined || tag === 'latest' ? 'Always' : 'IfNotPresent';
}

/** Marks a pod as bound to a node, as POST …/pods/NAME/binding does. `at`: RFC 3339. */
export function bindPod(pod: KubeObject, nodeName: string, at: string): void {
  section(pod, 'spec').nodeName = nodeName;
  const status = section(pod, 'status');
  const others = objectsOf(status.conditions).filter((one) => one.type !== 'PodScheduled');
  status.conditions = [...others, { type: 'PodScheduled', status: 'True', lastTransitionTime: at }];
}
