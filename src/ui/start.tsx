import { makeTheme } from '../render/theme.ts';
import { SystemClock } from '../util/clock.ts';
import { composeFrame } from './frame.ts';
import { FramePump } from './frame-pump.ts';
import { actionOf, type KeyPress } from './keys.ts';
import { loadApp } from './load-app.ts';
import { ScreenModel } from './model.ts';
import { paintFrame, samePaint } from './painted-frame.ts';
import type { Screen, ScreenOptions } from './screen.ts';
import { ScreenWriter } from './screen-writer.ts';

/** `local`: the server's own state is looked at this often although nothing was pushed. */
const LOCAL_IDLE_MS = 250;

/**
 * Takes the terminal and shows what is pushed until the person leaves. To be imported dynamically, and only where stdin
 * and stdout are terminals: it loads Ink and React. (No JSX in this file: it would load React before load-app.ts could
 * settle which build.)
 */
export async function startScreen(options: ScreenOptions): Promise<Screen> {
  const mountApp = await loadApp();
  const { stdin, stdout } = process;
  const model = new ScreenModel(options.mode, options.targets);
  const left = deferred<'quit' | 'interrupt'>();
  const writer = new ScreenWriter(stdout);
  const pump = new FramePump({
    clock: new SystemClock(),
    compute: painter(model, options, writer),
    same: samePaint,
    ...(options.mode === 'local' ? { idleMs: LOCAL_IDLE_MS } : {}),
  });
  const onKey = (input: string, key: KeyPress) => {
    const action = actionOf(input, key, model.leading);
    if (action === 'quit' || action === 'interrupt') {
      restore();
      left.resolve(action);
      return;
    }
    const lab = model.labKeyOf(action);
    model.act(action);
    if (lab !== undefined) options.lab?.press(lab, model.lanes.selected);
    pump.drawNow();
  };
  const onResize = () => {
    writer.invalidate();
    pump.drawNow();
  };
  let unmount = () => {};
  let restored = false;
  const restore = () => {
    if (restored) return;
    restored = true;
    pump.stop();
    stdout.off('resize', onResize);
    process.off('exit', restore);
    process.off('uncaughtExceptionMonitor', restore);
    writer.leave();
    unmount();
    if (stdin.isTTY) stdin.setRawMode(false);
    stdin.pause();
  };
  process.on('exit', restore);
  // Before a crash is printed: on the alternate screen its text would be lost.
  process.on('uncaughtExceptionMonitor', restore);
  stdout.on('resize', onResize);
  const ink = mountApp(
    { subscribe: pump.subscribe, snapshot: pump.snapshot, onKey, onUnmount: restore },
    { stdin, stdout: writer as unknown as NodeJS.WriteStream },
  );
  unmount = () => ink.unmount();
  ink.waitUntilExit().catch((error: unknown) => {
    restore();
    left.reject(error);
  });
  return {
    push(item) {
      if (restored) return;
      model.push(item);
      pump.touch();
    },
    done: left.promise,
    restore,
  };
}

/** Composes and colours what is to be seen now, at the terminal's present size. */
function painter(model: ScreenModel, options: ScreenOptions, writer: ScreenWriter) {
  const theme = makeTheme(options.color ?? 'auto', process.env, true);
  return () => {
    const { columns, rows } = writer;
    const view = options.getView?.();
    model.see(view);
    const frame = composeFrame(model, {
      columns,
      rows,
      title: options.title,
      now: options.clock.now(),
      since: options.since,
      probing: options.probing ?? true,
      view,
      lab: (view && options.lab?.keys(view, model.lanes.selected)) ?? [],
    });
    return paintFrame(frame, theme);
  };
}

/** A promise and its two ends (Node 20 has no Promise.withResolvers). */
function deferred<T>() {
  let resolve: (value: T) => void = () => {};
  let reject: (error: unknown) => void = () => {};
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}
