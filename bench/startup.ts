import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { spawn as spawnPty } from '@lydell/node-pty';
import { median, ratio, sideBySide } from './side-by-side.ts';

const KWATCH = fileURLToPath(new URL('../bin/kwatch.js', import.meta.url));
const ROUNDS = 15;

/** T1 `kwatch --version` and T4 the screen's first frame, each against `node -e ''` in the same run. */
export async function run(): Promise<void> {
  const samples = await sideBySide(
    [
      { name: 'floor', command: process.execPath, args: ['-e', ''] },
      { name: 'version', command: process.execPath, args: [KWATCH, '--version'] },
      { name: 'help', command: process.execPath, args: [KWATCH, '--help'] },
    ],
    ROUNDS,
  );
  console.log(
    `T1 kwatch --version / node -e '': ${ratio(samples, 'version', 'floor', 'wallMs').toFixed(2)} (must ≤ 1.15)`,
  );
  console.log(`   kwatch --help / node -e '': ${ratio(samples, 'help', 'floor', 'wallMs').toFixed(2)}`);
  await firstFrame(median((samples.get('floor') ?? []).map(({ wallMs }) => wallMs)));
}

async function firstFrame(floorMs: number): Promise<void> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json' }).flushHeaders();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  try {
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round++) times.push(await timeToFrame(port));
    console.log(`T4 screen until the first frame / node -e '': ${(median(times) / floorMs).toFixed(2)} (must ≤ 3)`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** From the start of the process until its footer has been drawn, ms. */
function timeToFrame(port: number): Promise<number> {
  const start = performance.now();
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(CI|CONTINUOUS_INTEGRATION)$/.test(name)),
  );
  const args = [KWATCH, 'tail', '-s', `http://127.0.0.1:${port}`, '--raw', '/api/v1/pods?watch=1', '--no-probe'];
  const pty = spawnPty(process.execPath, args, {
    cols: 80,
    rows: 24,
    env: { ...env, TERM: 'xterm-256color' } as Record<string, string>,
  });
  return new Promise((resolve, reject) => {
    let seen = '';
    let took: number | undefined;
    pty.onData((data) => {
      seen += data;
      if (took !== undefined || !seen.includes('quit')) return;
      took = performance.now() - start;
      pty.write('q');
    });
    pty.onExit(() =>
      took === undefined ? reject(new Error(`no frame was drawn: ${seen.slice(0, 300)}`)) : resolve(took),
    );
  });
}
