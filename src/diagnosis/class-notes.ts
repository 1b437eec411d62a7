import type { ClassNote } from './class-note.ts';
import { END_NOTES } from './class-notes-ends.ts';
import { GONE_NOTES } from './class-notes-gone.ts';
import { REFUSED_NOTES } from './class-notes-refused.ts';
import { RV_NOTES } from './class-notes-rv.ts';
import { STREAM_NOTES } from './class-notes-stream.ts';
import type { FindingClass } from './finding.ts';

/** What is known of each class (cases/README §3), in the order of CLASSES. */
export const CLASS_NOTES: Record<FindingClass, ClassNote> = {
  ...GONE_NOTES,
  ...RV_NOTES,
  ...END_NOTES,
  ...REFUSED_NOTES,
  ...STREAM_NOTES,
};
