import type { ClassNote } from '../diagnosis/class-note.ts';
import type { FindingClass } from '../diagnosis/finding.ts';
import { type JsonRecord, SCHEMA } from './json.ts';
import { type Line, span } from './spans.ts';
import { rfc3339 } from './time-format.ts';
import { wrap } from './width.ts';

/** What is known of a class, for people: what it means, its signs, what looks alike, what to do, how to see it happen. */
export function classLines(name: FindingClass, note: ClassNote, width: number): Line[] {
  return [
    [span(name, 'strong')],
    ...rows(note.meaning, width, ''),
    ...section('signs', note.signs, width),
    ...section(
      'confused with',
      note.confusedWith.map((other) => `${other.class}: ${other.apart}`),
      width,
    ),
    ...section('what to do', note.remedy, width),
    ...section('reproduce it', [reproduction(note)], width),
  ];
}

/** The `class` record of `explain CLASS -o json`. */
export function classRecord(name: FindingClass, note: ClassNote, at: number): JsonRecord {
  const { meaning, signs, confusedWith, remedy } = note;
  return {
    record: 'class',
    schema: SCHEMA,
    at: rfc3339(at),
    class: name,
    meaning,
    signs,
    confused_with: confusedWith,
    remedy,
    reproduce: reproduction(note),
  };
}

function reproduction({ reproduce }: ClassNote): string {
  if ('script' in reproduce) return `kwatch local --script ${reproduce.script}`;
  return 'command' in reproduce ? reproduce.command : reproduce.none;
}

function section(title: string, entries: readonly string[], width: number): Line[] {
  if (entries.length === 0) return [];
  return [[], [span(title, 'dim')], ...entries.flatMap((entry) => rows(entry, width, '  → '))];
}

function rows(text: string, width: number, lead: string): Line[] {
  return wrap(text, Math.max(20, width - lead.length)).map(
    (row, index): Line => [span(index === 0 ? lead : ' '.repeat(lead.length), 'dim'), span(row)],
  );
}
