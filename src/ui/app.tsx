import { Box, type Instance, render, Text, useInput } from 'ink';
import { useLayoutEffect, useSyncExternalStore } from 'react';
import type { KeyPress } from './keys.ts';
import type { PaintedFrame } from './painted-frame.ts';

export interface AppProps {
  subscribe: (listener: () => void) => () => void;
  snapshot: () => PaintedFrame;
  onKey: (input: string, key: KeyPress) => void;
  /** Called when Ink takes the tree down for a reason of its own (a signal, an error in drawing). */
  onUnmount: () => void;
}

/** The whole screen: regions from top to bottom, each as high as it was composed. */
export function App({ subscribe, snapshot, onKey, onUnmount }: AppProps) {
  const frame = useSyncExternalStore(subscribe, snapshot);
  useInput(onKey);
  useLayoutEffect(() => onUnmount, [onUnmount]);
  return (
    <Box flexDirection="column">
      <Header lines={frame.header} />
      <MachineRoom lines={frame.room} />
      <Region lines={frame.rule} />
      <EventList lines={frame.body} />
      <DetailPane lines={frame.detail} />
      <Footer lines={frame.footer} />
    </Box>
  );
}

/**
 * Lines that were cut and coloured already: Ink stacks them, nothing more. Each is a Text of its own, since Ink
 * remembers every text that it ever measured (bounded by the build), and lines are small and come again.
 */
function Region({ lines }: { lines: readonly string[] }) {
  return lines.map((line, row) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a row is known by its place and nothing else
    <Text key={row} wrap="truncate">
      {line}
    </Text>
  ));
}

/** Who is watched, in which state, from which RV it would resume. */
const Header = Region;
/** `local`: the watchers beside the ring they live on. */
const MachineRoom = Region;
/** What happened, findings where they happened; or the help. */
const EventList = Region;
/** All that is known of one entry. */
const DetailPane = Region;
/** The keys that do something now. */
const Footer = Region;

/**
 * Draws the app on `stdout`. `debug`: each frame is handed over whole, which is what ScreenWriter wants; Ink's own
 * throttle and its writer rest, since frames come paced already, and it draws also where CI is set. Ctrl-C is a key
 * like any other.
 */
export function mountApp(props: AppProps, streams: { stdin: NodeJS.ReadStream; stdout: NodeJS.WriteStream }): Instance {
  return render(<App {...props} />, { ...streams, debug: true, exitOnCtrlC: false, patchConsole: false });
}
