import type { LocalView } from '../render/local-view.ts';

/** The keys behind the leader `,`: burst, compact, drop or resume, upstream, a larger and a smaller ring. */
const LAB_KEYS = ['b', 'c', 'd', 'u', '+', '-'] as const;
export type LabKeyName = (typeof LAB_KEYS)[number];

export function isLabKey(text: string): text is LabKeyName {
  return LAB_KEYS.some((key) => key === text);
}

/** A lab key that does something now, and what. */
export interface LabKey {
  key: LabKeyName;
  /** With its numbers: `compact at 1561`. */
  says: string;
  /** In a word, for small screens; "" where the key says enough. */
  short: string;
}

/** What a person may do to the embedded server; the command supplies it (`local` only). */
export interface LabDoor {
  /** The keys that do something now. Cheap: asked with each frame. `selected`: label of the watcher on the screen. */
  keys(view: LocalView, selected: string | undefined): readonly LabKey[];
  /** Does it. What comes of it is told like everything else that happens. */
  press(key: LabKeyName, selected: string | undefined): void;
}
