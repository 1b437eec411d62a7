import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { TextOut } from '../../src/cli/text-out.ts';
import { FakeClock } from '../support/fake-clock.ts';

/** A stream whose reader takes nothing until it is told to. */
function stuck() {
  let text = '';
  let go = () => {};
  let reading = false;
  const stream = new Writable({
    write(chunk, _encoding, done) {
      text += String(chunk);
      if (reading) done();
      else go = done;
    },
  });
  return {
    stream,
    text: () => text,
    read() {
      reading = true;
      go();
    },
  };
}

describe('TextOut before a reader who has stopped', () => {
  it('keeps a bounded amount, counts what it leaves out, and the last word comes through', async () => {
    const reader = stuck();
    const pressure: boolean[] = [];
    const out = new TextOut(reader.stream, new FakeClock(), (full) => pressure.push(full));
    const line = 'x'.repeat(1024 * 1024 - 1);
    for (let nth = 0; nth < 50; nth++) out.line(line);
    expect(out.leftOut).toBeGreaterThanOrEqual(16);
    expect(out.leftOut).toBeLessThanOrEqual(18);
    expect(pressure).toEqual([true]);
    out.line('the end', true);
    const flushed = out.flush();
    reader.read();
    await flushed;
    expect(reader.text().endsWith('\nthe end\n')).toBe(true);
    expect(reader.text().length).toBeLessThan(35 * 1024 * 1024);
  });
});
