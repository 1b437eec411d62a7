// All benches, one after the other: `npm run bench`, or `npm run bench -- startup` for one. Each prints ratios against a base that ran in the
// same run; only those mean something on a shared machine.
const BENCHES = [
  'frame-decoder',
  'diagnose',
  'fan-out',
  'latency',
  'idle-watchers',
  'stalled-watchers',
  'slow-watcher-kills',
  'real-apiserver',
  'puts',
  'list-body',
  'explain-log',
  'startup',
  'tail-throughput',
  'simulation',
] as const;

const wanted = process.argv.slice(2);
for (const name of BENCHES) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  console.log(`== ${name}`);
  const bench = (await import(`./${name}.ts`)) as { run(): Promise<void> | void };
  await bench.run();
}
