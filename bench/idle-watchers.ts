import { fork } from 'node:child_process';
import { once } from 'node:events';
import { compiled } from './compiled.ts';
import { rssKibOf } from './process-usage.ts';
import { Reader } from './reader.ts';

const PATH = '/api/v1/namespaces/default/pods?watch=1&resourceVersion=1000000500&timeoutSeconds=3600';
/** Opened first, so that what is made once (compiled code, pools) is there. */
const WARM = 2000;
const WATCHERS = 8000;

/** S6: resident memory of the server per watcher that waits and hears nothing; base: what node:http takes for an open response. */
export async function run(): Promise<void> {
  const naive = await kibPerWatcher('naive');
  const bare = await kibPerWatcher('floor');
  const kwatch = await kibPerWatcher('kwatch');
  console.log(
    `S6: ${kwatch.toFixed(1)} KiB per idle watcher (must ≤ 8), bare socket ${bare.toFixed(1)}, node:http response ${naive.toFixed(1)}, ratio ${(kwatch / naive).toFixed(2)}`,
  );
}

async function kibPerWatcher(kind: 'naive' | 'kwatch' | 'floor'): Promise<number> {
  const server = fork(await compiled('fan-out-server'), [kind], { execArgv: ['--expose-gc'] });
  const reader = new Reader();
  try {
    const [{ port }] = (await once(server, 'message')) as [{ port: number }];
    await reader.open({ port, path: PATH, watchers: WARM });
    const before = await settledRss(server);
    await reader.open({ port, path: PATH, watchers: WATCHERS });
    return ((await settledRss(server)) - before) / WATCHERS;
  } finally {
    reader.close();
    server.disconnect();
  }
}

async function settledRss(server: ReturnType<typeof fork>): Promise<number> {
  server.send({ collect: true });
  await once(server, 'message');
  return rssKibOf(server.pid as number);
}
