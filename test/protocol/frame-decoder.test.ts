import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scanEventFields } from '../../src/protocol/field-scan.ts';
import { FrameDecoder } from '../../src/protocol/frame-decoder.ts';
import type { Frame } from '../../src/protocol/watch-event.ts';
import { blanks, goEvent, members, nested, oddEvent, sortedEvent, write } from './event-documents.ts';

/** A frame as one line: what it is and its bytes, or its size. */
function told(frame: Frame): string {
  return frame.kind === 'too-large' ? `too-large ${frame.size}` : `${frame.kind} ${Buffer.from(frame.bytes)}`;
}

/** Frames of a stream that comes in pieces cut at `cuts`; each piece lies in memory that is used again for the next. */
function decode(stream: string | Buffer, cuts: readonly number[] = [], maxFrameBytes = 1 << 20): string[] {
  const bytes = Buffer.from(stream);
  const decoder = new FrameDecoder({ maxFrameBytes });
  const memory = Buffer.alloc(bytes.length);
  const found: string[] = [];
  const ends = [...new Set([...cuts.filter((cut) => cut < bytes.length), bytes.length])].sort((a, b) => a - b);
  let from = 0;
  for (const end of ends) {
    const piece = memory.subarray(0, bytes.copy(memory, 0, from, end));
    found.push(...decoder.push(piece).map(told));
    memory.fill('~');
    from = end;
  }
  return found;
}

const event = (name: string, rest = '') =>
  `{"type":"ADDED","object":{"kind":"A","apiVersion":"v1","metadata":{"name":"${name}","resourceVersion":"5"}${rest}}}`;
const [a, b, c] = [event('a'), event('b', ',"spec":{"x":"é😀"}'), event('c')];
const indented = JSON.stringify(JSON.parse(b), null, 2);

describe('FrameDecoder', () => {
  it.each<[string, string, string[]]>([
    ['nothing', '', []],
    ['one event', `${a}\n`, [`event ${a}`]],
    ['events', `${a}\n${b}\n`, [`event ${a}`, `event ${b}`]],
    ['no line end behind the last', `${a}\n${b}`, [`event ${a}`, `event ${b}`]],
    ['two on a line', `${a}${b}\n${c}\n`, [`event ${a}`, `event ${b}`, `event ${c}`]],
    [
      'two on a line with blanks between',
      `${a} ${b}\t${c}\r${a} \t ${b}\n`,
      [a, b, c, a, b].map((one) => `event ${one}`),
    ],
    ['no line end at all', `${a}${b}${c}`, [`event ${a}`, `event ${b}`, `event ${c}`]],
    ['CRLF', `${a}\r\n${b}\r\n`, [`event ${a}`, `event ${b}`]],
    ['blank lines', `\n\n ${a}\n\r\n \t\n${b}  \n\n`, [`event ${a}`, `event ${b}`]],
    ['indented', `${indented}\n${a}\n`, [`event ${indented}`, `event ${a}`]],
    [
      'a brace at the end of a line',
      `${a.slice(0, -2)},"spec":{"y":{\n}}}}\n`,
      [`event ${a.slice(0, -2)},"spec":{"y":{\n}}}}`],
    ],
    [
      'a line that looks like two',
      `${event('}} {a')}\n${event('}{')}\n`,
      [`event ${event('}} {a')}`, `event ${event('}{')}`],
    ],
    ['JSON that is no event', '{}\n{"type":"ADDED"}\n', ['malformed {}', 'malformed {"type":"ADDED"}']],
    [
      'other JSON',
      `[1]\n"${'x'}"\n5\nnull\n${a}\n`,
      ['malformed [1]', 'malformed "x"', 'malformed 5', 'malformed null', `event ${a}`],
    ],
    ['garbage between', `${a}\nxx\r\n${b}\n`, [`event ${a}`, 'malformed xx', `event ${b}`]],
    ['garbage behind an event', `${a}xx ${b}\n${c}\n`, [`event ${a}`, `malformed xx ${b}`, `event ${c}`]],
    ['an array of events', `[${a},\n${b}]\n${c}\n`, [`malformed [${a},`, `event ${b}`, 'malformed ]', `event ${c}`]],
    ['a page', '<html>\n<body>\n</html>\n', ['malformed <html>', 'malformed <body>', 'malformed </html>']],
    ['broken at once', `{x}\n${a}\n`, ['malformed {x}', `event ${a}`]],
    ['cut off in a string', `${a.slice(0, 40)}\n${b}\n`, [`malformed ${a.slice(0, 40)}`, `event ${b}`]],
    ['cut off in a key', `{"type":"ADDED","obj\n${b}\n`, ['malformed {"type":"ADDED","obj', `event ${b}`]],
    [
      'cut off behind a value',
      `{"type":"ADDED"\n${b}\n${c}\n`,
      ['malformed {"type":"ADDED"', `event ${b}`, `event ${c}`],
    ],
    // The line after it fits where the cut is, so only the one after that shows the break.
    [
      'cut off before a value',
      `{"type":"ADDED","object":\n${b}\n${c}\n`,
      ['malformed {"type":"ADDED","object":', `event ${b}`, `event ${c}`],
    ],
    [
      'cut off in a list',
      `{"a":[\r\n${a}\r\n${b}\n${c}\n`,
      ['malformed {"a":[', `event ${a}`, `event ${b}`, `event ${c}`],
    ],
    ['cut off twice', `{"a":\n{"b":\n${a}\n${b}\n`, ['malformed {"a":\n{"b":', `event ${a}`, `event ${b}`]],
    [
      'indented and broken',
      `{\n  "type": "ADDED",\n  "object": oops\n}\n${a}\n`,
      ['malformed {\n  "type": "ADDED",', 'malformed "object": oops', 'malformed }', `event ${a}`],
    ],
    ['too many closing braces', `${a}}\n${b}\n`, [`event ${a}`, 'malformed }', `event ${b}`]],
    ['bytes that are no text', `${a}\n\u0000\u0001\n${b}\n`, [`event ${a}`, 'malformed \u0000\u0001', `event ${b}`]],
    ['a byte order mark', `\ufeff${a}\n${b}\n`, [`malformed \ufeff${a}`, `event ${b}`]],
  ])('%s, in one piece, byte by byte and in halves', (_name, stream, frames) => {
    const every = Array.from({ length: Buffer.byteLength(stream) }, (_, i) => i);
    expect(decode(stream)).toEqual(frames);
    expect(decode(stream, every)).toEqual(frames);
    for (const cut of every) expect(decode(stream, [cut])).toEqual(frames);
  });

  it('takes a line in a known order at its word behind the metadata, if it comes in one piece', () => {
    const line = `${b}xx${b}`;
    expect(decode(`${line}\n`)).toEqual([`event ${line}`]);
    expect(decode(`${line}\n`, [10])).toEqual([`event ${b}`, `malformed xx${b}`]);
  });

  const written = fc.oneof(
    goEvent,
    sortedEvent,
    fc.tuple(oddEvent, blanks).map(([doc, blank]) => write(members(doc), blank())),
    fc.tuple(oddEvent, fc.nat(4)).map(([doc, indent]) => JSON.stringify(doc, null, indent)),
    fc.dictionary(fc.constantFrom('type', 'object', 'a'), nested).map((doc) => JSON.stringify(doc)),
  );
  const separator = fc.constantFrom('\n', '\n', '\n', '', ' ', '\r\n', '\n\n', '\t', ' \r ');
  const pieces = fc.array(fc.nat(3000), { maxLength: 20 });

  it('finds each object of a row of objects, however it is written, parted and cut', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(written, separator), { maxLength: 6 }), pieces, (row, cuts) => {
        // Bytes as they arrive: a lone half of a surrogate pair is no text.
        const objects = row.map(([object]) => Buffer.from(object).toString());
        const expected = objects.map((object) => {
          const fields = scanEventFields(Buffer.from(object));
          return `${'malformed' in fields ? 'malformed' : 'event'} ${object}`;
        });
        const stream = row.map(([object, behind]) => object + behind).join('');
        expect(decode(stream, cuts)).toEqual(expected);
        expect(decode(stream)).toEqual(expected);
      }),
      { numRuns: 1000 },
    );
  });

  it('gives the same frames however the bytes are cut, where broken text has its own lines', () => {
    const cutOff = fc.tuple(written, fc.nat(500)).map(([object, at]) => `{${object.slice(1, at % object.length)}`);
    const brace = fc.constantFrom('{', '[', '"', 'x}', '{"a":', '{}}', '{"a":[', '{"a":{}} {');
    const objects = fc.array(fc.tuple(written, separator), { maxLength: 3 }).map((row) => row.flat().join(''));
    // No text begins with what could end a line that is taken at its word.
    const text = fc.string({ unit: 'grapheme', maxLength: 10 }).map((some) => `x${some}`);
    const line = fc.oneof(objects, cutOff, text, brace);
    fc.assert(
      fc.property(fc.array(line, { maxLength: 6 }), pieces, (lines, cuts) => {
        const stream = Buffer.from(lines.join('\n'));
        expect(decode(stream, cuts)).toEqual(decode(stream));
      }),
      { numRuns: 2000 },
    );
  });

  it('loses no byte but blanks', () => {
    const soup = fc.array(
      fc.oneof(fc.constantFrom('{', '}', '[', ']', '"', ':', ',', '\n', '\\', ' ', '{}', a, '1'), fc.string()),
      { maxLength: 20 },
    );
    fc.assert(
      fc.property(soup, pieces, (parts, cuts) => {
        const stream = Buffer.from(parts.join(''));
        const decoder = new FrameDecoder();
        const frames: Buffer[] = [];
        let from = 0;
        for (const end of [...cuts.filter((cut) => cut < stream.length).sort((x, y) => x - y), stream.length]) {
          for (const frame of decoder.push(stream.subarray(from, end))) {
            if (frame.kind !== 'too-large') frames.push(Buffer.from(frame.bytes));
          }
          from = end;
        }
        const squeezed = (text: string) => text.replace(/[ \t\r\n]/g, '');
        const tail = stream.subarray(stream.length - decoder.end().tailBytes);
        expect(squeezed(Buffer.concat([...frames, tail]).toString())).toBe(squeezed(stream.toString()));
      }),
      { numRuns: 2000 },
    );
  });

  it('gives windows on the piece where a line is whole in it', () => {
    const piece = Buffer.from(`${a}\n${b}\n`);
    const frames = new FrameDecoder().push(piece);
    for (const frame of frames) expect(frame).toMatchObject({ kind: 'event' });
    const windows = frames.map((frame) => ('bytes' in frame ? frame.bytes : new Uint8Array()));
    expect(windows.map((bytes) => bytes.buffer)).toEqual([piece.buffer, piece.buffer]);
    expect(windows.map((bytes) => bytes.byteOffset - piece.byteOffset)).toEqual([0, a.length + 1]);
  });

  it('carries the fields', () => {
    expect(new FrameDecoder().push(Buffer.from(`${a}\n`))).toMatchObject([
      { kind: 'event', fields: { type: 'ADDED', kind: 'A', apiVersion: 'v1', name: 'a', rv: '5' } },
    ]);
    expect(new FrameDecoder().push(Buffer.from('{}\nx\n{"a":[\n}\n'))).toMatchObject([
      { kind: 'malformed', reason: 'no "type"' },
      { kind: 'malformed', reason: 'not valid JSON' },
      { kind: 'malformed', reason: 'not valid JSON' },
      { kind: 'malformed', reason: 'not valid JSON' },
    ]);
  });

  it('takes plain Uint8Arrays, empty ones too', () => {
    const decoder = new FrameDecoder();
    expect(decoder.push(new Uint8Array())).toEqual([]);
    expect(decoder.push(new Uint8Array(Buffer.from(`${a}\n`))).map(told)).toEqual([`event ${a}`]);
  });
});

describe('the bound', () => {
  const size = (text: string) => Buffer.byteLength(text);
  const every = (text: string) => Array.from({ length: size(text) }, (_, i) => i);

  it.each([
    ['in a known order', a],
    ['in another order', '{"object":{"a":1},"type":"ADDED"}'],
    ['that is no JSON', 'x'.repeat(50)],
  ])('lets a value of exactly that size pass, one %s', (_name, value) => {
    const frame = `${value.startsWith('{') ? 'event' : 'malformed'} ${value}`;
    for (const cuts of [[], [7], [size(value)], every(value)]) {
      expect(decode(`${value}\n${a}\n`, cuts, Math.max(size(value), size(a)))).toEqual([frame, `event ${a}`]);
      expect(decode(`${value}\n`, cuts, size(value))).toEqual([frame]);
    }
  });

  it.each([
    ['in a known order', a],
    ['in another order', '{"object":{"a":1},"type":"ADDED"}'],
    ['that is no JSON', 'x'.repeat(50)],
  ])('ends the stream at a larger one, once: one %s', (_name, value) => {
    const max = size(value) - 1;
    for (const cuts of [[], [7], every(value)]) {
      expect(decode(`{}\n${value}\n{}\n`, cuts, max)).toEqual(['malformed {}', `too-large ${size(value)}`]);
    }
  });

  it('is final, and nothing is held then', () => {
    const decoder = new FrameDecoder({ maxFrameBytes: 10 });
    expect(decoder.push(Buffer.from('{"a":"'))).toEqual([]);
    expect(decoder.push(Buffer.from('12345678'))).toEqual([{ kind: 'too-large', size: 14 }]);
    expect(decoder.push(Buffer.from(`"}\n${a}\n`))).toEqual([]);
    expect(decoder.end()).toEqual({ tailBytes: 0, tailText: '' });
  });

  it.each(['x', '{"a":"'])('stands by default at 32 MiB: 100 MB of "%s…" without a line end end there', (start) => {
    const decoder = new FrameDecoder();
    const piece = Buffer.alloc(65_536, 'x');
    const frames: Frame[] = decoder.push(Buffer.from(start));
    let pushed = start.length;
    for (; pushed < 100_000_000; pushed += piece.length) {
      frames.push(...decoder.push(piece));
      expect(decoder.end().tailBytes).toBeLessThanOrEqual(32 * 1024 * 1024);
    }
    expect(frames).toEqual([{ kind: 'too-large', size: start.length + 32 * 1024 * 1024 }]);
  });

  it('is not met by a large event', () => {
    const large = event('a', `,"data":"${'x'.repeat(5_000_000)}"`);
    const cuts = Array.from({ length: 400 }, (_, i) => i * 16_000);
    expect(decode(`${large}\n${b}\n`, cuts, 6_000_000)).toEqual([`event ${large}`, `event ${b}`]);
  });
});

describe('the tail', () => {
  it.each<[string, string, number, string]>([
    ['nothing', `${a}\n`, 0, ''],
    ['blanks', `${a}\n \r\n`, 0, ''],
    ['half an event', `${a}\n${b.slice(0, 30)}`, 30, b.slice(0, 30)],
    ['garbage without a line end', `${a}\nxyz`, 3, 'xyz'],
    ['the last line of a broken object', '{"a":[\n1 2\n{"b"', 4, '{"b"'],
    ['characters of many bytes', `{"a":"${'😀'.repeat(300)}`, 1206, `{"a":"${'😀'.repeat(194)}`],
    ['a long one', `{"a":"${'x'.repeat(300)}`, 306, `{"a":"${'x'.repeat(194)}`],
  ])('%s', (_name, stream, tailBytes, tailText) => {
    const decoder = new FrameDecoder();
    decoder.push(Buffer.from(stream));
    expect(decoder.end()).toEqual({ tailBytes, tailText });
  });

  it('shows half a character as what it is', () => {
    const decoder = new FrameDecoder();
    decoder.push(Buffer.from('{"a":"é').subarray(0, 7));
    expect(decoder.end()).toEqual({ tailBytes: 7, tailText: '{"a":"\ufffd' });
  });
});
