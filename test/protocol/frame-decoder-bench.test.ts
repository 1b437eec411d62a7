import { describe, expect, it } from 'vitest';
import { decodeAndScan, parseEachLine, podLines, slices } from '../../bench/frame-decoder.ts';

describe('the input of the frame decoder bench', () => {
  const go = podLines(50, 'go');
  const sorted = podLines(50, 'sorted');

  it('is the same in each run', () => {
    expect(podLines(50, 'go')).toEqual(go);
  });

  it('has events of 3 to 4 KB, one a line, in the two orders', () => {
    const mean = go.join('').length / 50;
    expect(mean).toBeGreaterThan(3000);
    expect(mean).toBeLessThan(4000);
    expect(go[0]).toMatch(/^\{"type":"[A-Z]+","object":\{"kind":"Pod","apiVersion":"v1","metadata":\{"name":/);
    expect(sorted[0]).toMatch(/^\{"type":"[A-Z]+","object":\{"apiVersion":"v1","kind":"Pod","metadata":\{"/);
    expect(sorted.map((line) => JSON.parse(line))).toEqual(go.map((line) => JSON.parse(line)));
  });

  it.each([4, 1000, 65_536, Number.MAX_SAFE_INTEGER])('is found whole by both in pieces of %i bytes', (size) => {
    for (const lines of [go, sorted]) {
      const pieces = slices(lines, size);
      expect(Buffer.concat(pieces).toString()).toBe(lines.join(''));
      expect(decodeAndScan(pieces)).toBe(50);
      expect(parseEachLine(pieces)).toBe(50);
    }
  });
});
