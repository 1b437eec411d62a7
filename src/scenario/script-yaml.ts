import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml';

/** A script of a thousand steps is some 60 KB. */
export const MAX_SCRIPT_BYTES = 128 * 1024;
/**
 * Levels of maps and lists; a script needs four. Beyond some thousand the YAML reader itself runs out of stack and memory,
 * hence a look before it reads.
 */
const MAX_DEPTH = 16;

/** Where something stands in the file: 1, 2, 3, … */
export interface FilePosition {
  line: number;
  column: number;
}

export type Path = readonly (string | number)[];

/** A text that is no YAML, or more of it than a script may use. */
export class YamlFault extends Error {
  readonly position: FilePosition | undefined;

  constructor(message: string, position?: FilePosition) {
    super(message);
    this.name = 'YamlFault';
    this.position = position;
  }
}

/** Plain values, and where each of them stands. */
export interface PlacedYaml {
  value: unknown;
  /** Of the value at `path`; with `key` of its key. What is not there stands where its parent does. */
  at(path: Path, key?: 'key'): FilePosition;
}

interface Places {
  key: FilePosition;
  value: FilePosition;
}

/** Reads the YAML of a script: maps, lists and scalars, no anchors, no tags, one document. Throws a YamlFault. */
export function readYaml(bytes: Uint8Array): PlacedYaml {
  const text = decode(bytes);
  refuseDepth(text);
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const position = (offset: number): FilePosition => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const [fault] = [...document.errors, ...document.warnings];
  if (fault) throw new YamlFault(faultText(fault.code, fault.message), position(fault.pos[0]));
  const places = new Map<string, Places>();
  const start = { line: 1, column: 1 };
  const value = plain(document.contents as Node | null, [], start);

  function plain(node: Node | null, path: Path, key: FilePosition): unknown {
    const here = node?.range ? position(node.range[0]) : key;
    places.set(JSON.stringify(path), { key, value: here });
    if (path.length > MAX_DEPTH) throw new YamlFault(`found more than ${MAX_DEPTH} levels of nesting`, here);
    if (node === null) return null;
    if (isAlias(node) || (node as { anchor?: string }).anchor) {
      throw new YamlFault('found an anchor or an alias (& or *), expected every value where it is used', here);
    }
    if (node.tag) throw new YamlFault(`found the tag ${node.tag.slice(0, 40)}, expected plain values`, here);
    if (isScalar(node)) return node.value;
    if (isSeq(node)) return node.items.map((item, index) => plain(item as Node | null, [...path, index], here));
    if (isMap(node)) return plainMap(node.items, path, here);
    throw new YamlFault('found something that is no map, list or scalar', here);
  }

  function plainMap(items: readonly { key: unknown; value: unknown }[], path: Path, here: FilePosition): unknown {
    const entries = items.map((pair): [string, unknown] => {
      const keyNode = pair.key as Node | null;
      const at = keyNode?.range ? position(keyNode.range[0]) : here;
      if (!isScalar(keyNode) || keyNode.anchor || keyNode.tag)
        throw new YamlFault('found a key that is no plain word', at);
      const name = String(keyNode.value);
      return [name, plain(pair.value as Node | null, [...path, name], at)];
    });
    // Without a prototype: a key may be called __proto__.
    return Object.assign(Object.create(null), Object.fromEntries(entries)) as unknown;
  }

  return {
    value,
    at(path, key) {
      for (let length = path.length; length > 0; length--) {
        const found = places.get(JSON.stringify(path.slice(0, length)));
        if (found) return key === 'key' && length === path.length ? found.key : found.value;
      }
      return places.get('[]')?.value ?? start;
    },
  };
}

function decode(bytes: Uint8Array): string {
  if (bytes.length > MAX_SCRIPT_BYTES) {
    throw new YamlFault(`it is larger than ${MAX_SCRIPT_BYTES / 1024} KiB, the most that is read`);
  }
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new YamlFault('it is no UTF-8 text');
  }
  if (/[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/.test(text)) throw new YamlFault('it holds control characters: no text file');
  return text;
}

/** `- - - …` and `[[[…` nest without a new line; everything else needs a deeper indentation each. */
function refuseDepth(text: string): void {
  let line = 1;
  let depth = 0;
  for (const one of text.split('\n')) {
    for (const letter of one) {
      if (letter === '[' || letter === '{') depth += 1;
      else if (letter === ']' || letter === '}') depth = Math.max(0, depth - 1);
      if (depth > 4 * MAX_DEPTH)
        throw new YamlFault(`found more than ${MAX_DEPTH} levels of nesting`, { line, column: 1 });
    }
    const indicators = /^[ \t]*(?:[-?:][ \t]+)*/.exec(one)?.[0].replace(/[ \t]/g, '').length ?? 0;
    if (indicators > MAX_DEPTH)
      throw new YamlFault(`found more than ${MAX_DEPTH} levels of nesting`, { line, column: 1 });
    line += 1;
  }
}

/** The reader's own words, where they would send somebody the wrong way. */
function faultText(code: string, message: string): string {
  if (code === 'DUPLICATE_KEY') return 'found a key that is there already, expected each key once';
  if (code === 'MULTIPLE_DOCS') return 'found a second document (---), expected one';
  if (code === 'TAB_AS_INDENT') return 'found a tab, expected spaces for indentation';
  return `not YAML: ${message.replace(/\s+/g, ' ').slice(0, 200)}`;
}
