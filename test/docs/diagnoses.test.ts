import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { diagnosesDocument } from '../../scripts/diagnoses-document.ts';
import { CLASS_NOTES } from '../../src/diagnosis/class-notes.ts';
import { CLASSES } from '../../src/diagnosis/finding.ts';

const at = (path: string) => new URL(`../../${path}`, import.meta.url);

describe('docs/diagnoses.md', () => {
  it('is what npm run docs writes', () => {
    expect(readFileSync(at('docs/diagnoses.md'), 'utf8')).toBe(diagnosesDocument());
  });

  it('has a section for each class, once', () => {
    const sections = [...diagnosesDocument().matchAll(/^### (.+)$/gm)].map(([, name]) => name);
    expect([...sections].sort()).toEqual([...CLASSES].sort());
  });
});

describe('class notes', () => {
  it.each(CLASSES)('%s: all that a reader needs, in short sentences', (name) => {
    const { meaning, signs, confusedWith, remedy } = CLASS_NOTES[name];
    expect(meaning.length).toBeLessThanOrEqual(260);
    for (const lines of [signs, confusedWith, remedy]) expect(lines.length).toBeGreaterThan(0);
    for (const line of [...signs, ...remedy, ...confusedWith.map(({ apart }) => apart)]) {
      expect(line.length).toBeLessThanOrEqual(240);
    }
    expect(confusedWith.map((other) => other.class)).not.toContain(name);
  });

  it('scripts that are named come along', () => {
    const scripts = Object.values(CLASS_NOTES).flatMap(({ reproduce }) =>
      'script' in reproduce ? [reproduce.script] : [],
    );
    expect(scripts.length).toBeGreaterThan(0);
    for (const script of scripts) expect(existsSync(at(`fixtures/scenarios/${script}.yaml`)), script).toBe(true);
  });
});
