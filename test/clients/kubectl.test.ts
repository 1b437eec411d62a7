import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestServer, testServer } from '../support/test-server.ts';

const installed = spawnSync('kubectl', ['version', '--client']).status === 0;
const run = promisify(execFile);

const POD = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p1' },
  spec: { containers: [{ name: 'c', image: 'i' }] },
};

const DEPLOYMENT = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'd1' },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: 'x' } },
    template: {
      metadata: { labels: { app: 'x' } },
      spec: {
        containers: [
          { name: 'a', image: 'i:1', env: [{ name: 'E', value: '1' }] },
          { name: 'b', image: 'j:1' },
        ],
      },
    },
  },
};

/** What a process that goes on has printed so far. */
class Output {
  /** The exit code, once it is over. */
  readonly over: Promise<number | null>;
  #text = '';
  #wake = () => {};

  constructor(child: ChildProcess) {
    this.over = new Promise((resolve) => child.once('close', resolve));
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.#text += text;
      this.#wake();
    });
  }

  /** Resolves with the whole output once it matches. */
  saw(what: RegExp): Promise<string> {
    return new Promise((resolve) => {
      this.#wake = () => what.test(this.#text) && resolve(this.#text);
      this.#wake();
    });
  }
}

describe.skipIf(!installed)('kubectl', () => {
  let lab: TestServer;
  let folder: string;
  beforeAll(async () => {
    lab = await testServer();
    folder = mkdtempSync(join(tmpdir(), 'kwatch-kubectl-'));
  });
  afterAll(async () => {
    await lab.close();
    rmSync(folder, { recursive: true });
  });

  const file = (name: string, ...objects: object[]) => {
    const path = join(folder, name);
    writeFileSync(path, objects.map((one) => JSON.stringify(one)).join('\n---\n'));
    return path;
  };
  const args = (...more: string[]) => [
    '--kubeconfig=/dev/null',
    `--cache-dir=${folder}/cache`,
    '--server',
    lab.url,
    ...more,
  ];
  const kubectl = async (...more: string[]) => (await run('kubectl', args(...more))).stdout;
  const fails = async (...more: string[]) => {
    const { stderr } = (await run('kubectl', args(...more)).catch((error: unknown) => error)) as { stderr: string };
    return stderr;
  };
  const background = (...more: string[]) => new Output(spawn('kubectl', args(...more)));
  /** Until the server has so many watches: whoever started them has listed by then. */
  const watching = async (count: number) => {
    const open = async () => {
      const { text } = await lab.call('GET', '/metrics');
      const gauges = text.matchAll(/^apiserver_longrunning_requests\{.*verb="WATCH".*\} (\d+)$/gm);
      return [...gauges].reduce((sum, [, value]) => sum + Number(value), 0);
    };
    while ((await open()) < count) await lab.clock.turn();
  };

  it('creates, gets with real columns, changes and deletes', async () => {
    const pod = file('pod.json', POD);
    expect(await kubectl('create', '-f', pod)).toBe('pod/p1 created\n');
    expect(await fails('create', '-f', pod)).toContain('pods "p1" already exists');
    expect(await kubectl('get', 'pods')).toMatch(/^NAME +READY +STATUS +RESTARTS +AGE\np1 +0\/1 +Pending +0 +\S+\n$/);
    expect(await kubectl('label', 'pod', 'p1', 'a=b')).toBe('pod/p1 labeled\n');
    expect(await kubectl('annotate', 'pod', 'p1', 'note=1')).toBe('pod/p1 annotated\n');
    expect(await kubectl('get', 'po', '-l', 'a=b', '-o', 'name')).toBe('pod/p1\n');
    expect(await kubectl('get', 'po', '--field-selector', 'status.phase=Running', '-o', 'name')).toBe('');
    expect(await kubectl('describe', 'pod', 'p1')).toMatch(/Labels: +a=b\nAnnotations: +note: 1\nStatus: +Pending/);
    expect(await kubectl('delete', 'pod', 'p1')).toBe('pod "p1" deleted\n');
    expect(await kubectl('get', 'ns', 'default', '-o', 'jsonpath={.status.phase}')).toBe('Active');
  });

  it('is told of a field that the type does not have', async () => {
    const typo = { ...POD, metadata: { name: 'typo' }, spec: { ...POD.spec, restartPolcy: 'Never' } };
    const pod = file('typo.json', typo);
    expect(await fails('create', '-f', pod)).toContain('strict decoding error: unknown field "spec.restartPolcy"');
    expect(await kubectl('explain', 'pods.spec.containers.env')).toMatch(
      /FIELD: env <\[\]EnvVar>[\s\S]*valueFrom\t<EnvVarSource>/,
    );
  });

  it('applies, applies what changed, shows the difference, scales, replaces and edits', async () => {
    const path = file('deploy.json', DEPLOYMENT);
    expect(await kubectl('apply', '-f', path)).toBe('deployment.apps/d1 created\n');
    expect(await kubectl('apply', '-f', path)).toBe('deployment.apps/d1 unchanged\n');
    const [a, b] = DEPLOYMENT.spec.template.spec.containers;
    const spec = { ...DEPLOYMENT.spec, replicas: 3 };
    spec.template = {
      ...spec.template,
      spec: {
        containers: [
          { ...a!, env: [{ name: 'F', value: '2' }] },
          { ...b!, image: 'j:2' },
        ],
      },
    };
    const changed = file('deploy.json', { ...DEPLOYMENT, spec });
    const difference: unknown = await run('kubectl', args('diff', '-f', changed)).catch((error: unknown) => error);
    const { code, stdout } = difference as { code: number; stdout: string };
    expect(code).toBe(1);
    expect(stdout).toMatch(/-( +- )image: j:1\n\+\1image: j:2/);
    expect(await kubectl('apply', '-f', changed)).toBe('deployment.apps/d1 configured\n');
    const state =
      'jsonpath={.spec.replicas} {.metadata.generation} {.spec.template.spec.containers[*].image} {..env[*].name}';
    expect(await kubectl('get', 'deploy', 'd1', '-o', state)).toBe('3 2 i:1 j:2 F');
    expect(await fails('apply', '--server-side', '-f', changed)).toContain('server-side apply is not served here');
    expect(await kubectl('scale', 'deploy', 'd1', '--replicas', '5')).toBe('deployment.apps/d1 scaled\n');
    expect(await kubectl('get', 'deploy', '-o', 'wide')).toMatch(/\nd1 +0\/5 +0 +0 +\S+ +a,b +i:1,j:2 +app=x\n$/);
    const editor = join(folder, 'editor.sh');
    writeFileSync(editor, `#!/bin/sh\nsed -i 's/replicas: 5/replicas: 6/' "$1"\n`, { mode: 0o755 });
    const edited = await run('kubectl', args('edit', 'deploy', 'd1'), { env: { ...process.env, KUBE_EDITOR: editor } });
    expect(edited.stdout).toBe('deployment.apps/d1 edited\n');
    const saved = join(folder, 'saved.json');
    writeFileSync(
      saved,
      (await kubectl('get', 'deploy', 'd1', '-o', 'json')).replace('"replicas": 6', '"replicas": 7'),
    );
    expect(await kubectl('replace', '-f', saved)).toBe('deployment.apps/d1 replaced\n');
    expect(await kubectl('get', 'deploy', 'd1', '-o', 'jsonpath={.spec.replicas}')).toBe('7');
  });

  it('patches in three ways, and pages', async () => {
    await kubectl('create', 'configmap', 'cm1', '--from-literal=a=1');
    await kubectl('create', 'configmap', 'cm2', '--from-literal=a=1');
    await kubectl('patch', 'cm', 'cm1', '-p', '{"data":{"b":"2"}}');
    await kubectl('patch', 'cm', 'cm1', '--type', 'merge', '-p', '{"data":{"c":"3"}}');
    await kubectl('patch', 'cm', 'cm1', '--type', 'json', '-p', '[{"op":"remove","path":"/data/a"}]');
    expect(await kubectl('get', 'cm', 'cm1', '-o', 'jsonpath={.data}')).toBe('{"b":"2","c":"3"}');
    const wrong = '[{"op":"test","path":"/data/b","value":"x"}]';
    expect(await fails('patch', 'cm', 'cm1', '--type', 'json', '-p', wrong)).toContain('The request is invalid');
    expect(await kubectl('get', 'cm', '--chunk-size=1', '-o', 'name')).toBe('configmap/cm1\nconfigmap/cm2\n');
  });

  it('waits for what happens', async () => {
    await lab.call('POST', '/api/v1/namespaces/default/pods', { body: { ...POD, metadata: { name: 'awaited' } } });
    const ready = background('wait', '--for=condition=Ready', 'pod/awaited');
    const gone = background('wait', '--for=delete', 'pod/awaited');
    await watching(2);
    await lab.call('PATCH', '/api/v1/namespaces/default/pods/awaited/status', {
      body: { status: { conditions: [{ type: 'Ready', status: 'True' }] } },
      headers: { 'Content-Type': 'application/merge-patch+json' },
    });
    expect(await ready.over).toBe(0);
    await lab.call('DELETE', '/api/v1/namespaces/default/pods/awaited');
    expect(await gone.over).toBe(0);
  });

  it('watches as a table, as events and raw, until the server ends the watch', async () => {
    const outputs = [
      background('get', 'pods', '-w'),
      background('get', '--raw', '/api/v1/pods?watch=1'),
      background('get', 'pods', '-w', '-o', 'json', '--output-watch-events'),
      background('get', 'events', '-w'),
    ] as const;
    const ends = Promise.all(outputs.map((one) => one.over));
    await watching(outputs.length);
    await lab.call('POST', '/api/v1/namespaces/default/pods', { body: { ...POD, metadata: { name: 'w1' } } });
    await lab.call('POST', '/api/v1/namespaces/default/events', {
      body: {
        metadata: { name: 'e1' },
        involvedObject: { kind: 'Pod', namespace: 'default', name: 'w1' },
        reason: 'Seen',
        type: 'Normal',
      },
    });
    await outputs[0].saw(/^NAME +READY +STATUS +RESTARTS +AGE\nw1 +0\/1 +Pending/);
    await outputs[1].saw(/^\{"type":"ADDED","object":\{"kind":"Pod".*"name":"w1"/);
    await outputs[3].saw(/^LAST SEEN +TYPE +REASON +OBJECT +MESSAGE\n<unknown> +Normal +Seen +pod\/w1/);
    await lab.call('DELETE', '/api/v1/namespaces/default/pods/w1');
    await outputs[2].saw(/"type":"ADDED"[\s\S]*"type":"DELETED"/);
    await lab.close();
    expect(await ends).toEqual([0, 0, 0, 0]);
    lab = await testServer();
  });
});
