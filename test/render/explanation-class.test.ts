import { describe, expect, it } from 'vitest';
import type { ClassNote } from '../../src/diagnosis/class-note.ts';
import { classLines, classRecord } from '../../src/render/explanation-class.ts';
import { lineText } from '../../src/render/spans.ts';

const note: ClassNote = {
  meaning: 'The history is gone.',
  signs: ['a 410', 'a floor that moved'],
  confusedWith: [{ class: 'cache-rebuilt', apart: 'all watchers ended before it' }],
  remedy: ['allowWatchBookmarks=true'],
  reproduce: { script: 'window-slid' },
};

describe('what is known of a class', () => {
  it('is told for people, within the width', () => {
    const lines = classLines('ring-buffer-expiry', note, 40).map(lineText);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(40);
    expect(lines.join('\n')).toContain('cache-rebuilt: all watchers ended');
    expect(lines.at(-1)).toContain('window-slid');
  });

  it('is a record', () => {
    expect(classRecord('ring-buffer-expiry', note, 0)).toMatchObject({
      record: 'class',
      class: 'ring-buffer-expiry',
      reproduce: 'kwatch local --script window-slid',
      confused_with: [{ class: 'cache-rebuilt' }],
    });
    const never = { ...note, reproduce: { none: 'it needs a real proxy' } };
    expect(classRecord('idle-cut-by-proxy', never, 0).reproduce).toBe('it needs a real proxy');
  });
});
