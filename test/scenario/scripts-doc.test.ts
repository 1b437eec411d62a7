import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CLASSES } from '../../src/diagnosis/finding.ts';
import { readScript } from '../../src/scenario/read-script.ts';
import { STEP_SCHEMAS, VERBS } from '../../src/scenario/script-schema.ts';

const text = readFileSync(new URL('../../docs/scripts.md', import.meta.url), 'utf8');

/** Each verb's section, and the examples in it. */
const sections = [...text.matchAll(/^### (\w+)\n([\s\S]*?)(?=^##|$(?![\s\S]))/gm)].map(([, verb, body]) => ({
  verb: verb as string,
  body: body as string,
  examples: [...(body as string).matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, yaml]) => yaml as string),
}));

const read = (yaml: string) =>
  readScript(new TextEncoder().encode(yaml), 'scripts.md', { replicas: 1, classes: CLASSES });

describe('docs/scripts.md', () => {
  it('has every verb, and no other', () => {
    expect(sections.map(({ verb }) => verb).toSorted()).toEqual(VERBS.toSorted());
  });

  it.each(sections.map(({ verb, examples }) => [verb, examples] as const))(
    'shows %s by steps that are read',
    (verb, examples) => {
      expect(examples.length).toBeGreaterThan(0);
      for (const example of examples) {
        const { steps } = read(`steps:\n${example}`);
        expect(steps.map((step) => step.verb)).toContain(verb);
      }
    },
  );

  it('names every option of every verb', () => {
    for (const { verb, body } of sections) {
      const options = Object.keys(STEP_SCHEMAS[verb as keyof typeof STEP_SCHEMAS].entries).filter(
        (key) => key !== 'at',
      );
      for (const option of options) expect(body, `${verb}: ${option}`).toContain(option);
    }
  });

  it('shows a whole script that is read', () => {
    const whole = /```yaml\n(title:[\s\S]*?)```/.exec(text)?.[1];
    expect(read(whole ?? '').steps.length).toBeGreaterThan(3);
  });
});
