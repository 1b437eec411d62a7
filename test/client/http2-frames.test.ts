import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Http2Frames } from '../../src/client/http2-frames.ts';

function frame(type: number, flags: number, stream: number, payload: number[] = []): number[] {
  const { length } = payload;
  return [length >> 16, (length >> 8) & 255, length & 255, type, flags, 0, 0, stream >> 8, stream & 255, ...payload];
}

const DATA = 0;
const HEADERS = 1;
const RST_STREAM = 3;
const GOAWAY = 7;

function read(...frames: number[][]): Http2Frames {
  const found = new Http2Frames();
  found.push(Uint8Array.from(frames.flat()));
  return found;
}

describe('Http2Frames', () => {
  it('knows an announced end, of DATA or HEADERS, from none', () => {
    expect(read(frame(DATA, 1, 1, [1, 2, 3])).of(1)).toEqual({ ended: true });
    expect(read(frame(HEADERS, 5, 3, [0])).of(3)).toEqual({ ended: true });
    expect(read(frame(DATA, 0, 1, [1, 2, 3])).of(1)).toEqual({ ended: false });
    expect(read(frame(4, 1, 0)).of(0)).toEqual({ ended: false });
  });

  it('reads the codes of RST_STREAM and GOAWAY, also those that nobody knows', () => {
    expect(read(frame(RST_STREAM, 0, 1, [0, 0, 0, 0])).of(1)).toEqual({ ended: false, reset: 'NO_ERROR' });
    expect(read(frame(RST_STREAM, 0, 1, [0, 0, 0, 8])).of(1).reset).toBe('CANCEL');
    expect(read(frame(RST_STREAM, 0, 1, [255, 0, 0, 1])).of(1).reset).toBe('0xff000001');
    const text = Array.from({ length: 300 }, () => 65);
    const leaving = read(frame(GOAWAY, 0, 0, [0, 0, 0, 5, 0, 0, 0, 11, ...text]), frame(DATA, 1, 5, [9]));
    expect(leaving.goaway).toEqual({ code: 'ENHANCE_YOUR_CALM', lastStream: 5 });
    expect(leaving.of(5).ended).toBe(true);
  });

  it('reads the same however the bytes are sliced', () => {
    const bytes = Uint8Array.from(
      [
        frame(4, 0, 0, [0, 3, 0, 0, 0, 100]),
        frame(HEADERS, 4, 1, [1, 2, 3]),
        frame(
          DATA,
          0,
          1,
          Array.from({ length: 70 }, (_, i) => i),
        ),
        frame(6, 0, 0, [1, 2, 3, 4, 5, 6, 7, 8]),
        frame(DATA, 1, 1),
        frame(RST_STREAM, 0, 3, [0, 0, 0, 2]),
        frame(GOAWAY, 0, 0, [0, 0, 0, 3, 0, 0, 0, 0]),
      ].flat(),
    );
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }), (sizes) => {
        const found = new Http2Frames();
        for (let at = 0, turn = 0; at < bytes.length; turn++) {
          const size = sizes[turn % sizes.length] as number;
          found.push(bytes.subarray(at, at + size));
          at += size;
        }
        expect([found.of(1), found.of(3), found.goaway]).toEqual([
          { ended: true },
          { ended: false, reset: 'INTERNAL_ERROR' },
          { code: 'NO_ERROR', lastStream: 3 },
        ]);
      }),
    );
  });

  it('survives anything, and keeps the marks of a bounded number of streams', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 500 }), (bytes) => {
        const found = new Http2Frames();
        found.push(bytes);
        found.push(bytes);
        expect(found.of(1)).toHaveProperty('ended');
      }),
    );
    const many = read(...Array.from({ length: 100 }, (_, i) => frame(DATA, 1, i * 2 + 1)));
    expect([many.of(1).ended, many.of(199).ended]).toEqual([false, true]);
  });
});
