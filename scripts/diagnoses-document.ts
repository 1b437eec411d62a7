import type { ClassNote } from '../src/diagnosis/class-note.ts';
import { CLASS_NOTES } from '../src/diagnosis/class-notes.ts';
import { END_NOTES } from '../src/diagnosis/class-notes-ends.ts';
import { GONE_NOTES } from '../src/diagnosis/class-notes-gone.ts';
import { REFUSED_NOTES } from '../src/diagnosis/class-notes-refused.ts';
import { RV_NOTES } from '../src/diagnosis/class-notes-rv.ts';
import { STREAM_NOTES } from '../src/diagnosis/class-notes-stream.ts';
import { CLASSES, type FindingClass } from '../src/diagnosis/finding.ts';
import { SEVERITY } from '../src/diagnosis/severity.ts';

const GROUPS: readonly { title: string; lead: string; notes: object }[] = [
  {
    title: 'History gone (410)',
    lead: 'Two questions, two answers: the text tells who refused; why the history is gone is the class.',
    notes: GONE_NOTES,
  },
  { title: 'resourceVersions', lead: 'Trouble with RVs that is no 410.', notes: RV_NOTES },
  {
    title: 'How a stream ended',
    lead: 'A planned end, a shutdown, a forced close of a slow reader and a rebuilt cache all end a stream properly and without a word.',
    notes: END_NOTES,
  },
  {
    title: 'Refused before the stream',
    lead: 'The request was answered with something else, or not at all.',
    notes: REFUSED_NOTES,
  },
  {
    title: 'Inside the stream',
    lead: 'Faults that are told or shown there, and what was delivered.',
    notes: STREAM_NOTES,
  },
];

/** docs/diagnoses.md: a section for each class, from the notes that `kwatch explain CLASS` shows. */
export function diagnosesDocument(): string {
  const sections = GROUPS.flatMap(({ title, lead, notes }) => [
    `## ${title}`,
    lead,
    ...CLASSES.filter((name) => name in notes).map(section),
  ]);
  return `${[HEAD, index(), ...sections].join('\n\n')}\n`;
}

const HEAD = `# Diagnoses

<!-- Written by npm run docs from src/diagnosis/class-notes*.ts: change it there. -->

What kwatch can find, a section for each class. \`kwatch explain CLASS\` shows the same on a terminal. A finding of \`tail\` has one class,
a confidence (how sure it is: \`high\`, \`medium\`, \`low\`) and further candidates, and names what would decide between them. Numbers are
those of kube-apiserver 1.30 with default flags.`;

function index(): string {
  const rows = CLASSES.map((name) => `| [${name}](#${name}) | ${SEVERITY[name]} | ${CLASS_NOTES[name].meaning} |`);
  return ['| class | severity | meaning |', '| --- | --- | --- |', ...rows].join('\n');
}

function section(name: FindingClass): string {
  const { meaning, signs, confusedWith, remedy, reproduce } = CLASS_NOTES[name];
  return [
    `### ${name}`,
    meaning,
    `**Signs**\n\n${bullets(signs)}`,
    `**Confused with**\n\n${bullets(confusedWith.map(({ class: other, apart }) => `[${other}](#${other}): ${apart}`))}`,
    `**What to do**\n\n${bullets(remedy)}`,
    `**Reproduce it**\n\n${reproduction(reproduce)}`,
  ].join('\n\n');
}

function bullets(lines: readonly string[]): string {
  return lines.map((line) => `- ${line}`).join('\n');
}

function reproduction(reproduce: ClassNote['reproduce']): string {
  if ('script' in reproduce) return code(`kwatch local --script ${reproduce.script}`);
  return 'command' in reproduce ? code(reproduce.command) : `${reproduce.none}.`;
}

function code(command: string): string {
  return `\`\`\`\n${command}\n\`\`\``;
}
