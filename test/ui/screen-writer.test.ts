import { describe, expect, it } from 'vitest';
import { ScreenWriter } from '../../src/ui/screen-writer.ts';

function writerOf(size: { columns?: number; rows?: number } = { columns: 80, rows: 4 }) {
  const written: string[] = [];
  const writer = new ScreenWriter({ ...size, write: (text) => written.push(text) });
  written.length = 0;
  return { writer, written };
}

describe('ScreenWriter', () => {
  it('writes the rows that changed at their place, and nothing when none did', () => {
    const { writer, written } = writerOf();
    writer.write('one\ntwo');
    expect(written).toEqual(['\x1b[?2026h\x1b[1;1H\x1b[2Kone\x1b[0m\x1b[2;1H\x1b[2Ktwo\x1b[0m\x1b[?2026l']);
    writer.write('one\ntwo');
    expect(written.length).toBe(1);
    writer.write('one\n2');
    expect(written[1]).toBe('\x1b[?2026h\x1b[2;1H\x1b[2K2\x1b[0m\x1b[?2026l');
    expect(writer.frames).toBe(2);
  });

  it('clears rows that are no longer there, and never writes below the screen', () => {
    const { writer, written } = writerOf();
    writer.write('1\n2\n3\n4\n5\n6');
    expect(written[0]).not.toContain('\x1b[5;1H');
    writer.write('1');
    expect(written[1]).toBe(
      '\x1b[?2026h\x1b[2;1H\x1b[2K\x1b[0m\x1b[3;1H\x1b[2K\x1b[0m\x1b[4;1H\x1b[2K\x1b[0m\x1b[?2026l',
    );
  });

  it('writes everything again after a resize', () => {
    const { writer, written } = writerOf();
    writer.write('one\ntwo');
    writer.invalidate();
    writer.write('one\ntwo');
    expect(written[1]).toBe('\x1b[2J');
    expect(written[2]).toContain('two');
  });

  it('gives the terminal back once, and is silent afterwards', () => {
    const { writer, written } = writerOf();
    writer.leave();
    writer.leave();
    writer.write('late');
    writer.invalidate();
    expect(written).toEqual(['\x1b[?2026l\x1b[0m\x1b[?7h\x1b[?25h\x1b[?1049l']);
  });

  it('has a size where the terminal tells none', () => {
    const { writer } = writerOf({});
    expect([writer.columns, writer.rows]).toEqual([80, 24]);
  });
});
