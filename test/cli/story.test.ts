import { describe, expect, it } from 'vitest';
import { kwatch, recordsOf, startKwatch } from '../support/kwatch.ts';

type Told = { class: string; sub?: string; confidence: string; watcher: string; id: string; explained_by?: string };

async function play(...flags: string[]) {
  const outcome = await kwatch(['local', '--port', '0', '-o', 'json', ...flags]);
  const records = recordsOf(outcome);
  const last = new Map<string, Told>();
  for (const record of records)
    if (record.record === 'finding') last.set(record.id as string, record as unknown as Told);
  const verdicts = records.filter(({ record, what }) => record === 'trace' && what === 'verdict');
  return { ...outcome, records, findings: [...last.values()], verdicts };
}

describe('the story of kwatch local, over real sockets', () => {
  it.each(['1', '20', '100', '1000'])('names each loss rightly, and the server agrees, at ×%s', async (speed) => {
    const story = ['--cache-size', '100', '--burst', '500', '--speed', speed];
    const { code, stderr, records, findings, verdicts } = await play(...story);
    expect(stderr).toBe('');
    expect(records[0]).toMatchObject({ record: 'trace', what: 'listening', schema: 'kwatch/v1' });
    const of = (watcher: string) =>
      findings.filter((finding) => finding.watcher === watcher && finding.explained_by === undefined);
    const throughCache = { class: 'upstream-compaction', sub: 'through-cache', confidence: 'high' };
    const direct = { class: 'upstream-compaction', sub: 'direct', confidence: 'high' };
    const { confidence: _surely, ...afterA } = throughCache;
    expect(of('B')).toMatchObject([{ class: 'ring-buffer-expiry', sub: 'overrun', confidence: 'high' }, afterA]);
    expect(of('C')).toMatchObject([
      { class: 'slow-watcher-terminated' },
      { class: 'ring-buffer-expiry', sub: 'overrun' },
      afterA,
    ]);
    expect(of('E')).toMatchObject([direct, direct]);
    expect(of('A')).toMatchObject([throughCache, { class: 'server-timeout' }]);
    expect(verdicts).toHaveLength(9);
    for (const verdict of verdicts) expect(verdict).toMatchObject({ agrees: true, ok: true });
    expect(code).toBe(0);
    const bookmarks = records.filter(
      ({ record, type, watcher }) => record === 'event' && type === 'BOOKMARK' && watcher === 'A',
    );
    expect(bookmarks.length).toBeGreaterThan(0);
    const summary = records.at(-1) as { exit_code: number; verdict: Told & { rev: number; text: string } };
    expect(summary).toMatchObject({ record: 'summary', exit_code: 0 });
    const { id, rev, text } = summary.verdict;
    expect(findings.find((finding) => finding.id === id)).toMatchObject({ rev, text });
  });

  it('tells that nothing was lost where the ring grows', async () => {
    const { code, findings, verdicts } = await play('--cache-size', 'auto', '--burst', '500', '--speed', '20');
    expect(findings.filter(({ watcher, class: name }) => watcher === 'B' && name === 'ring-buffer-expiry')).toEqual([]);
    expect(verdicts.find(({ watcher }) => watcher === 'B')).toMatchObject({
      class: 'resumed',
      agrees: true,
      found: 'resumed, nothing lost: the ring grew to 800',
    });
    expect(code).toBe(0);
  });

  it('serves alone with --no-story, says where, and ends in order on SIGTERM', async () => {
    const child = startKwatch(['local', '--no-story', '--port', '0', '--compact-every', 'off', '-o', 'json']);
    const exited = new Promise<number | null>((resolve) => child.on('close', resolve));
    const out = await new Promise<string>((resolve) => {
      let text = '';
      child.stdout.setEncoding('utf8').on('data', (more) => {
        text += more;
        if (text.includes('\n')) resolve(text);
      });
    });
    const first = JSON.parse(out.split('\n')[0] as string) as { servers: string[]; control: string };
    const pods = await fetch(`${first.servers[0]}/api/v1/pods`);
    expect(((await pods.json()) as { kind: string }).kind).toBe('PodList');
    const refused = await fetch(`${first.control}/state`);
    expect(refused.status).toBe(403);
    const state = await fetch(`${first.control}/state`, { headers: { 'X-Kwatch-Control': '1' } });
    const { revision, compactedRevision } = (await state.json()) as { revision: number; compactedRevision: number };
    expect(revision).toBeGreaterThan(1000);
    expect(compactedRevision).toBe(0);
    child.kill('SIGTERM');
    expect(await exited).toBe(143);
  });
});
