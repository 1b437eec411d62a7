import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { kwatch, recordsOf, startKwatch } from '../support/kwatch.ts';
import { type RawServer, rawServer } from '../support/raw-server.ts';

/** A lab with a ring of ten events, and its control door. */
let lab: ChildProcessWithoutNullStreams;
let server = '';
let control = '';

async function post(verb: string): Promise<void> {
  const answer = await fetch(`${control}/${verb}`, { method: 'POST', headers: { 'X-Kwatch-Control': '1' } });
  expect(answer.status).toBe(200);
}

async function revision(): Promise<number> {
  const answer = await fetch(`${control}/state`, { headers: { 'X-Kwatch-Control': '1' } });
  return ((await answer.json()) as { revision: number }).revision;
}

async function ask(
  ...args: string[]
): Promise<{ live: Record<string, unknown>; code: number | null; records: string[] }> {
  const outcome = await kwatch(['explain', '--live', 'pods', '-A', '-o', 'json', ...args]);
  const records = recordsOf(outcome);
  const live = records.find(({ record }) => record === 'live');
  if (!live) throw new Error(`no live record: ${outcome.stderr}${outcome.stdout}`);
  return { live, code: outcome.code, records: records.map(({ record }) => String(record)) };
}

beforeAll(async () => {
  lab = startKwatch([
    ...['local', '--no-story', '--objects', '5', '--cache-size', '10', '--compact-every', 'off', '--port', '0'],
    ...['-o', 'json', '--for', '120s'],
  ]);
  const [line] = (await once(createInterface({ input: lab.stdout }), 'line')) as [string];
  const listening = JSON.parse(line) as { servers: string[]; control: string };
  server = listening.servers[0] as string;
  control = listening.control;
});

afterAll(async () => {
  lab.kill('SIGINT');
  await once(lab, 'close');
});

describe('explain --live', () => {
  it('says that an RV is still served, and how far the window reaches', async () => {
    const rv = await revision();
    const { live, code, records } = await ask('-s', server, '--rv', String(rv));
    expect(live).toMatchObject({
      requested_rv: String(rv),
      watch: 'served',
      class: 'healthy',
      refused_by: null,
      unseen: [],
    });
    expect(live.title).toMatch(/still served: the window still reaches it/);
    expect(code).toBe(0);
    expect(records).toEqual(['live', 'summary']);
  });

  it('says how far below the floor an RV is, and that etcd alone has it, or nobody', async () => {
    const rv = await revision();
    await post('burst?resource=pods&count=50&rate=500');
    const text = `watch of *v1.Pod closed with: too old resource version: ${rv} (${rv + 40})`;
    const held = await ask('-s', server, text);
    expect(held.records).toEqual(['explanation', 'live', 'summary']);
    expect(held.live).toMatchObject({
      watch: 'gone',
      refused_by: 'watch-cache',
      etcd: 'holds',
      class: 'ring-buffer-expiry',
    });
    expect(held.live.revisions_apart).toMatch(/^\d+$/);
    expect(held.code).toBe(0);
    await post('compact?rev=head');
    const { live } = await ask('-s', server, text);
    expect(live).toMatchObject({ watch: 'gone', etcd: 'compacted' });
    expect(live.title).toMatch(/revisions below the floor, etcd has compacted it too; relisting is the only way$/);
  });

  it('says that the cache has not come so far', async () => {
    const rv = (await revision()) + 1000;
    const { live, code } = await ask('-s', server, '--rv', String(rv));
    expect(live).toMatchObject({ watch: 'ahead', class: 'rv-too-large' });
    expect(live.title).toContain('by 1,000 revisions');
    expect(code).toBe(0);
  });

  it('tells people both: what the text means, and what the cluster says', async () => {
    const { stdout, code } = await kwatch([
      'explain',
      '--live',
      'pods',
      '-s',
      server,
      'too old resource version: 2 (3)',
    ]);
    expect(stdout).toMatch(
      /^410: the watch cache no longer reaches back to RV 2\n.*^GONE ·.*^2 is [\d,]+ revisions below/ms,
    );
    expect(code).toBe(0);
  });
});

describe('explain --live where the cluster does not say', () => {
  let raw: RawServer | undefined;
  afterEach(async () => {
    await raw?.close();
    raw = undefined;
  });

  const refusing = (line: string, body: string) =>
    rawServer((socket) =>
      socket.write(
        `HTTP/1.1 ${line}\r\nContent-Type: application/json\r\nAudit-Id: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      ),
    );

  it.each([
    [
      '403 Forbidden',
      '{"kind":"Status","status":"Failure","message":"pods is forbidden","reason":"Forbidden","code":403}',
      'forbidden',
    ],
    ['429 Too Many Requests', 'Too many requests, please try again later.', 'apf-rejected'],
  ])('%s: says what it could not see', async (line, body, name) => {
    raw = await refusing(line, body);
    const { live, code } = await ask('-s', `http://127.0.0.1:${raw.port}`, '--rv', '7');
    expect(live).toMatchObject({ watch: 'rejected', class: name, etcd: 'unseen' });
    const unseen = live.unseen as { what: string; why: string }[];
    expect(unseen.map(({ why }) => why)).toEqual(Array(5).fill(`HTTP ${line.slice(0, 3)}`));
    expect(live.text).toMatch(/Not seen: .*whether etcd still has it/);
    expect(code).toBe(2);
  });

  it('nobody there: one answer, exit 2', async () => {
    raw = await rawServer(() => undefined);
    const { port } = raw;
    await raw.close();
    raw = undefined;
    const { live, code } = await ask('-s', `http://127.0.0.1:${port}`, '--rv', '7');
    expect(live).toMatchObject({ watch: 'no-answer', class: 'unreachable' });
    expect(code).toBe(2);
  });

  it.each([
    [['--rv', '7'], /needs --live/],
    [['--live', 'pods', '--rv', 'seven'], /whole number/],
    [['--live', 'pods', 'the disk is full'], /--rv N/],
    [['--live', 'no/such/thing', '--rv', '7', '-s', 'http://127.0.0.1:1'], /no resource/],
  ])('%j: one line, exit 2', async (args, message) => {
    const { code, stderr } = await kwatch(['explain', ...args]);
    expect(stderr).toMatch(message);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(code).toBe(2);
  });
});
