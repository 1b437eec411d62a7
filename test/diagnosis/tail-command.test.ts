import { describe, expect, it } from 'vitest';
import { diagnose } from '../../src/diagnosis/diagnose.ts';
import { probeViaCommand, rawCommand, tailCommand } from '../../src/diagnosis/tail-command.ts';
import { FactsBuilder, seconds } from './facts-builder.ts';

const b = new FactsBuilder();

describe('commands in next steps', () => {
  it.each([
    [b.target('pods'), '101', 'kwatch tail pods -n shop --rv 101'],
    [b.target('pods', { name: 'web-0' }), undefined, 'kwatch tail pods/web-0 -n shop'],
    [b.target('deployments.apps'), 'list', 'kwatch tail deployments.apps -n shop --rv list'],
    [{ index: 0, path: '/api/v1/pods', group: '', resource: 'pods' }, 'list', 'kwatch tail pods -A --rv list'],
    [{ index: 0, path: '/api/v1/nodes', group: '', resource: 'nodes' }, 'list', 'kwatch tail nodes --rv list'],
    [{ index: 0, path: '/healthz' }, 'list', "kwatch tail --raw '/healthz' --rv list"],
    [b.target('pods', { namespace: '$(x)', path: "/a'b" }), 'e=="', "kwatch tail --raw '/a%27b' --rv list"],
  ])('%#: can be typed as they stand', (target, rv, command) => {
    expect(tailCommand(target, rv)).toBe(command);
  });

  it('asks a second path of what probe can name', () => {
    const url = 'https://192.0.2.1:6443';
    expect(probeViaCommand(b.target('pods'), url)).toBe(`kwatch probe pods -n shop --via ${url}`);
    expect(probeViaCommand({ index: 0, path: '/api/v1/nodes', group: '', resource: 'nodes' }, url)).toBe(
      `kwatch probe nodes --via ${url}`,
    );
    expect(probeViaCommand({ index: 0, path: '/healthz' }, url)).toBeUndefined();
    expect(probeViaCommand(b.target('pods', { namespace: '$(x)' }), url)).toBeUndefined();
  });

  it('asks for a path as it is', () => {
    expect(rawCommand(b.target('pods'), 'limit=1')).toBe("kubectl get --raw '/api/v1/namespaces/shop/pods?limit=1'");
  });
});

describe('words that were wrong once', () => {
  const first = (build: (made: FactsBuilder) => unknown, now = 100) => {
    const made = new FactsBuilder();
    build(made);
    return diagnose(made.run(now))[0];
  };

  it('a stall does not count bookmarks as missing that were not due yet', () => {
    const stall = first(
      (made) => made.stream(made.target('pods'), { at: 0, rv: '1', timeout: 60, last: ['9', 40], bookmarks: [40] }),
      105,
    );
    expect(stall?.class).toBe('silent-stall');
    expect(stall?.text).not.toMatch(/three of them/);
  });

  it('a CRD that was removed has no managedFields to look at', () => {
    const removed = first((made) => {
      const target = made.target('widgets.stable.example.io');
      made.stream(target, { at: 0, rv: '1', timeout: 500, end: 'eof', until: 26, last: ['101', 5], events: 1 });
      made.stream(target, { at: 26.1, rv: '101', rvAt: 5, end: 'rejected', status: 404 });
    });
    expect(removed?.next[0]).toMatch(/NotFound means removed/);
  });

  it('a value that cannot be decrypted is not mended by a relist', () => {
    const encrypted = first((made) =>
      made.stream(made.target('secrets'), {
        at: 0,
        rv: '1',
        error: { code: 500, message: 'Internal error occurred: unable to transform key "/registry/secrets/a/b": x' },
      }),
    );
    expect(encrypted?.class).toBe('storage-error');
    expect(encrypted?.text).toMatch(/cannot be decrypted/);
    expect(encrypted?.text).toMatch(/until the key is back or the object is gone; then list again/);
  });

  it('a bare 410 in a stream had a Status', () => {
    const bare = first((made) => made.stream(made.target('pods'), { at: 0, rv: '1', error: { code: 410 } }));
    expect(bare?.text).toMatch(/a Status without a message/);
    expect(bare?.text).not.toMatch(/no Status/);
  });

  it('cuts after one silence are no timer where a longer one was survived, and that is said', () => {
    const lost = first((made) => {
      const target = made.target('pods');
      for (const at of [0, 200, 400]) {
        const stream = made.stream(target, {
          at,
          rv: '1',
          timeout: 3000,
          end: 'reset',
          until: at + 150,
          byteAt: at + 90,
        });
        stream.longestSilenceMs = 85_000 - at;
        stream.openedAt = seconds(at);
        stream.endedAt = seconds(at + 150 + at / 10);
        stream.lastByteAt = seconds(at + 90 + at / 10);
      }
    }, 700);
    expect(lost?.class).toBe('connection-lost');
    expect(lost?.text).toMatch(/A timer is ruled out.*85 s/);
  });
});
