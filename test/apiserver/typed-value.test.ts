import { describe, expect, it } from 'vitest';
import { goStruct } from '../../src/apiserver/go-types.ts';
import { readTyped, zeroStruct } from '../../src/apiserver/typed-value.ts';

const read = (type: string, object: Record<string, unknown>) => readTyped(goStruct(type), object, []);

describe('readTyped', () => {
  it('writes what Go writes: its order, its zero values, maps by key, nothing that omitempty leaves out', () => {
    const { value } = read('Container', {
      image: '',
      env: [{ value: '', name: 'A' }],
      name: 'c',
      tty: false,
      livenessProbe: {},
      resources: { limits: { memory: 1, cpu: '2' } },
    });
    expect(JSON.stringify(value)).toBe(
      '{"name":"c","env":[{"name":"A"}],"resources":{"limits":{"cpu":"2","memory":"1"}},"livenessProbe":{}}',
    );
  });

  it('takes null for nothing, and in a map or list for the zero value', () => {
    expect(read('ConfigMap', { data: { a: null, b: 'x' }, immutable: null, binaryData: null }).value).toEqual({
      metadata: { creationTimestamp: null },
      data: { a: '', b: 'x' },
    });
  });

  it('names what the type does not have, by its path', () => {
    const { value, unknown } = read('Pod', { nope: 1, spec: { containers: [{ name: 'c' }, { Name: 'd' }], x: {} } });
    expect(unknown).toEqual(['nope', 'spec.containers[1].Name', 'spec.x']);
    expect(value.spec).toEqual({
      containers: [
        { name: 'c', resources: {} },
        { name: '', resources: {} },
      ],
    });
  });

  it.each([
    [
      'ConfigMap',
      { data: { a: 1 } },
      'json: cannot unmarshal number into Go struct field ConfigMap.data of type string',
    ],
    [
      'ConfigMap',
      { data: [] },
      'json: cannot unmarshal array into Go struct field ConfigMap.data of type map[string]string',
    ],
    [
      'ConfigMap',
      { binaryData: { a: true } },
      'json: cannot unmarshal bool into Go struct field ConfigMap.binaryData of type []uint8',
    ],
    ['ConfigMap', { binaryData: { a: '!' } }, 'illegal base64 data at input byte 0'],
    [
      'Pod',
      { spec: { containers: [{ ports: [{ containerPort: 1.5 }] }] } },
      'json: cannot unmarshal number 1.5 into Go struct field ContainerPort.spec.containers.ports.containerPort of type int32',
    ],
    [
      'Pod',
      { metadata: { uid: 1 } },
      'json: cannot unmarshal number into Go struct field ObjectMeta.metadata.uid of type types.UID',
    ],
    [
      'Pod',
      { spec: { restartPolicy: {} } },
      'json: cannot unmarshal object into Go struct field PodSpec.spec.restartPolicy of type v1.RestartPolicy',
    ],
    [
      'Service',
      { spec: { ports: [{ targetPort: true }] } },
      'json: cannot unmarshal bool into Go struct field ServicePort.spec.ports.targetPort of type int32',
    ],
    [
      'Pod',
      { spec: 'x', metadata: 1 },
      'json: cannot unmarshal string into Go struct field Pod.spec of type v1.PodSpec',
    ],
  ])('says of %s %j what Go says', (type, object, message) => {
    expect(read(type, object).error).toBe(message);
  });
});

describe('zeroStruct', () => {
  it.each([
    ['ConfigMap', { metadata: { creationTimestamp: null } }],
    ['Pod', { metadata: { creationTimestamp: null }, spec: { containers: null }, status: {} }],
    ['ReplicationController', { metadata: { creationTimestamp: null }, spec: {}, status: { replicas: 0 } }],
  ])('of %s', (type, expected) => {
    expect(zeroStruct(goStruct(type))).toEqual(expected);
  });
});
