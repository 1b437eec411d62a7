import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { createGunzip } from 'node:zlib';
import { UsageError } from '../util/usage-error.ts';

/** Bytes that are read at once. */
const CHUNK = 256 * 1024;
/** Bytes that tell what a file is. */
const SNIFFED = 1024;

/** What is to be told about how the text was read, a sentence each. */
export interface ReadNotes {
  all: Set<string>;
  /** The text ended too early: the answer is about what was read. */
  incomplete: boolean;
}

/** A file or standard input, as bytes. */
export interface ByteSource {
  name: string;
  /** Undefined where it is not known (a pipe). */
  bytes: number | undefined;
  stream: Readable;
}

/** Opens a file. Throws a UsageError of one line where it cannot be read. */
export async function openFile(path: string): Promise<ByteSource> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(cannotRead(path, error));
  });
  if (found.isDirectory()) throw new UsageError(`${shown(path)} is a directory; name a file in it`);
  const stream = createReadStream(path, { highWaterMark: CHUNK });
  await new Promise<void>((resolve, reject) => {
    stream.once('open', () => resolve());
    stream.once('error', (error) => reject(new UsageError(cannotRead(path, error))));
  });
  return { name: path, bytes: found.isFile() ? found.size : undefined, stream };
}

/** Whether an argument names something that exists: then it is that, and not a text. */
export async function namesFile(argument: string): Promise<boolean> {
  if (argument.length > 4096 || /[\n\0]/.test(argument)) return false;
  return stat(argument).then(
    () => true,
    () => false,
  );
}

/** One word that can hardly be meant as a text: a path, or the name of a log. */
export function looksLikePath(argument: string): boolean {
  return /^(?:\.{0,2}\/|~\/)[\w./@+-]+$|^[\w.@+-]+\.(?:log|txt|gz|out|err|jsonl?|ndjson)(?:\.\d+)?$/.test(argument);
}

export function standardInput(): ByteSource {
  return { name: 'standard input', bytes: undefined, stream: process.stdin };
}

function cannotRead(path: string, error: NodeJS.ErrnoException): string {
  const why: Record<string, string> = {
    ENOENT: 'there is no such file',
    EACCES: 'it may not be read',
    EPERM: 'it may not be read',
    EISDIR: 'it is a directory',
  };
  return `${shown(path)}: ${why[error.code ?? ''] ?? error.message}`;
}

function shown(path: string): string {
  return path.replace(/[^\x20-\x7e]/g, '?').slice(0, 300);
}

/**
 * The text of `source`, cut anywhere: gzip is unpacked, UTF-16 is decoded, what is no UTF-8 becomes U+FFFD. `onBytes` hears how much was
 * read. Throws a UsageError for what is packed in a way that is not read here; a read error in the middle ends the text with a note.
 */
export async function* textOf(
  source: ByteSource,
  notes: ReadNotes,
  onBytes: (count: number) => void,
): AsyncGenerator<string> {
  const counted = countBytes(source.stream, onBytes);
  try {
    const first = await counted.next();
    if (first.done) return;
    yield* decoded(unpacked(first.value, counted, source.name), notes);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    // Stopped from outside: whoever did it knows.
    if (code === 'ERR_STREAM_PREMATURE_CLOSE' || code === 'ABORT_ERR') return;
    if (code === 'EISDIR') throw new UsageError(`${shown(source.name)} is a directory; name a file in it`);
    notes.incomplete = true;
    notes.all.add(
      code?.startsWith('Z_')
        ? `${shown(source.name)}: the gzip data is damaged or cut (${message}); told is what stood before`
        : `${shown(source.name)}: ${message}; told is what was read before`,
    );
  }
}

async function* countBytes(stream: Readable, onBytes: (count: number) => void): AsyncGenerator<Buffer> {
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    onBytes(chunk.length);
    yield chunk;
  }
}

/** Packers whose files are not read here, by their first bytes. */
const PACKED: readonly [Buffer, string][] = [
  [Buffer.from([0x28, 0xb5, 0x2f, 0xfd]), 'zstd'],
  [Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a]), 'xz'],
  [Buffer.from('BZh'), 'bzip2'],
  [Buffer.from([0x50, 0x4b, 0x03, 0x04]), 'zip'],
];

function unpacked(first: Buffer, rest: AsyncGenerator<Buffer>, name: string): AsyncIterable<Buffer> {
  const packer = PACKED.find(([magic]) => first.subarray(0, magic.length).equals(magic))?.[1];
  if (packer !== undefined) throw new UsageError(`${shown(name)} is packed with ${packer}: unpack it first`);
  if (first[0] !== 0x1f || first[1] !== 0x8b) return together(first, rest);
  const packed = Readable.from(together(first, rest));
  const gunzip = createGunzip({ chunkSize: CHUNK });
  packed.on('error', (error) => gunzip.destroy(error));
  return packed.pipe(gunzip) as AsyncIterable<Buffer>;
}

async function* together(first: Buffer, rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  yield first;
  yield* rest;
}

async function* decoded(chunks: AsyncIterable<Buffer>, notes: ReadNotes): AsyncGenerator<string> {
  let decoder: { write(chunk: Buffer): string; end(): string } | undefined;
  for await (const chunk of chunks) {
    decoder ??= decoderFor(chunk, notes);
    const text = decoder.write(chunk);
    noteText(text, notes);
    if (text !== '') yield text;
  }
  const text = decoder?.end() ?? '';
  if (text !== '') yield text;
}

function decoderFor(first: Buffer, notes: ReadNotes): { write(chunk: Buffer): string; end(): string } {
  const utf16 = utf16Of(first);
  if (utf16 === undefined) {
    const utf8 = new StringDecoder('utf8');
    let begun = false;
    return {
      write(chunk) {
        const text = utf8.write(chunk);
        if (begun || text === '') return text;
        begun = true;
        return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
      },
      end: () => utf8.end(),
    };
  }
  notes.all.add('the text is UTF-16 (PowerShell writes it so); it was decoded');
  const decoder = new TextDecoder(utf16);
  return { write: (chunk) => decoder.decode(chunk, { stream: true }), end: () => decoder.decode() };
}

/** By its mark, or by every other byte being 0, as in a text of Western letters. */
function utf16Of(first: Buffer): 'utf-16le' | 'utf-16be' | undefined {
  if (first[0] === 0xff && first[1] === 0xfe) return 'utf-16le';
  if (first[0] === 0xfe && first[1] === 0xff) return 'utf-16be';
  const head = first.subarray(0, SNIFFED);
  let [even, odd] = [0, 0];
  for (let at = 0; at < head.length; at++) if (head[at] === 0) at % 2 === 0 ? even++ : odd++;
  const most = head.length * 0.4;
  if (head.length < 16 || even + odd === head.length) return undefined;
  return odd >= most && even < most / 8 ? 'utf-16le' : even >= most && odd < most / 8 ? 'utf-16be' : undefined;
}

function noteText(text: string, notes: ReadNotes): void {
  if (text.includes('\ufffd')) notes.all.add('some bytes are no UTF-8; they are read as \ufffd');
  if (text.includes('\0')) notes.all.add('there are NUL bytes in it, as in a binary file; they are left out');
}
