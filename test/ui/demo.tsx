import { writeFileSync } from 'node:fs';
import { LabKeys } from '../../src/cli/lab-keys.ts';
import type { FeedItem } from '../../src/render/feed.ts';
import { startScreen } from '../../src/ui/start.tsx';
import { LOCAL_TROUBLE, localStory, localView, TAIL_NOW, tailStory } from '../support/canned-story.ts';
import { eventItem, START } from '../support/feed-items.ts';

/**
 * A screen with a canned story, for tests in a real terminal (test/ui/screen-pty.test.ts) and for looking at it:
 * `npx tsx test/ui/demo.tsx tail|local [crash|reject|flood|naked|cold|terminated|replicas]`. `naked`: without any signal
 * handler of its own.
 */
const [mode = 'tail', trouble = ''] = process.argv.slice(2);
if (process.env.DEMO_PID_FILE) writeFileSync(process.env.DEMO_PID_FILE, String(process.pid));
const now = mode === 'tail' ? TAIL_NOW : START + 3_600;
const view = () => (LOCAL_TROUBLE[trouble] ?? localView)();
const lab = new LabKeys({
  view,
  burst: { count: 500 },
  perform: async ({ verb }) => {
    if (verb === 'cut') throw new Error('it is cut already');
  },
  say: (text) => screen.push({ kind: 'note', at: now, text }),
});
const screen = await startScreen({
  mode: mode === 'local' ? 'local' : 'tail',
  title: mode === 'local' ? 'kwatch local' : 'prod-eu',
  clock: { now: () => now },
  ...(mode === 'local' ? { getView: view, lab, since: START } : {}),
});
for (const item of mode === 'local' ? localStory() : tailStory()) screen.push(item);

let flooded = 0;
if (trouble !== 'naked') {
  process.on('SIGTERM', () => {
    screen.restore();
    process.stdout.write('terminated\n');
    process.exit(143);
  });
}
if (trouble === 'crash') setTimeout(() => crash(), 300);
if (trouble === 'reject') setTimeout(() => void Promise.reject(new Error('boom: rejected')), 300);
if (trouble === 'flood') setInterval(() => flood(), 5);

const how = await screen.done;
process.stdout.write(`left by ${how}\n`);
process.exit(how === 'quit' ? 0 : 130);

function crash(): never {
  throw new Error('boom: thrown');
}

function flood(): void {
  for (let i = 0; i < 50; i++) {
    flooded += 1;
    const item: FeedItem = eventItem(now, { name: `web-${flooded % 40}`, rv: String(30_000 + flooded) }, { rvStep: 1 });
    screen.push(mode === 'local' ? { watcher: 'A', ...item } : item);
  }
}
