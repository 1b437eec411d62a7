import { Reader, type ReaderOptions } from './reader.ts';

/** Healthy watchers in a process of their own: `{port, path, watchers}` opens them, `{mark}` waits for it, `{close}` ends them. */
let reader = new Reader();
process.on('message', async (asked: ReaderOptions | { mark: string } | { close: true }) => {
  if ('port' in asked) {
    reader = new Reader();
    await reader.open(asked);
    process.send?.({ opened: true });
  } else if ('mark' in asked) {
    const outcome = await reader
      .burst(asked.mark, () => undefined)
      .then(
        () => 'read',
        (error: unknown) => String(error),
      );
    process.send?.({ outcome });
  } else {
    reader.close();
  }
});
process.on('disconnect', () => process.exit(0));
