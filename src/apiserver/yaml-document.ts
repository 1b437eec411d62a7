import { isObject } from './strategy.ts';

/** Column after which Go's emitter breaks a quoted or plain text at the next blank (yaml.v2 best_width). */
const WIDTH = 80;

/** Plain texts that YAML would read as something else: its words, and what go-yaml takes for a number or a time. */
const WORDS = /^(?:~|null|true|false|yes|no|on|off|y|n|[-+]?\.?(?:inf|nan))$/i;
const NUMERIC = [
  /^[-+]?(?:0x[\da-f_]+|0b[01_]+|0o?[0-7_]*|[\d_]+)$/i,
  /^[-+]?(?:\.\d+|\d[\d_]*(?:\.[\d_]*)?)(?:e[-+]?\d+)?$/i,
  /^[-+]?\d[\d_]*(?::[0-5]?\d)+(?:\.[\d_]*)?$/,
  /^\d{4}-\d{1,2}-\d{1,2}(?:[Tt ].*)?$/,
];

/**
 * A JSON value as the apiserver writes YAML (sigs.k8s.io/yaml): block style, keys sorted, texts plain where they can be and
 * folded at 80 columns. Only for answers: nothing here reads YAML.
 */
export function toYaml(value: unknown): string {
  return `${block(value, 0).replace(/^\n/, '')}\n`;
}

/** `value` behind a `key:` at this indent: either ` scalar` or a block that starts on a new line. */
function block(value: unknown, indent: number): string {
  const pad = ' '.repeat(indent);
  if (Array.isArray(value)) {
    if (value.length === 0) return ' []';
    return value.map((one) => `\n${pad}- ${item(one, indent + 2)}`).join('');
  }
  if (isObject(value)) {
    const keys = Object.keys(value).sort();
    if (keys.length === 0) return ' {}';
    return keys.map((key) => `\n${pad}${entry(key, value[key], indent)}`).join('');
  }
  return ` ${scalar(value, indent, 0)}`;
}

function item(value: unknown, indent: number): string {
  return block(value, indent).trimStart();
}

function entry(key: string, value: unknown, indent: number): string {
  const name = scalar(key, 0, 0);
  if (isObject(value)) return `${name}:${block(value, indent + 2)}`;
  if (Array.isArray(value)) return `${name}:${block(value, indent)}`;
  return `${name}: ${scalar(value, indent + 2, indent + name.length + 2)}`;
}

/** A scalar that starts at `column`; what follows a break is indented by `indent`. */
function scalar(value: unknown, indent: number, column: number): string {
  if (typeof value !== 'string') return value === undefined ? 'null' : JSON.stringify(value);
  if (value === '' || WORDS.test(value) || NUMERIC.some((form) => form.test(value))) return JSON.stringify(value);
  // Control characters and line breaks have no plain form; JSON's quotes are YAML's.
  if (/[\p{Cc}\u0085\u2028\u2029\ufeff]/u.test(value)) return JSON.stringify(value);
  if (isPlain(value)) return fold(value, indent, column);
  return fold(`'${value.replaceAll("'", "''")}'`, indent, column);
}

function isPlain(text: string): boolean {
  return !/^(?:[\s!&*?|>%@`'"#,[\]{}]|-(?:[\s-]|$))|:(?:\s|$)|\s#|\s$/.test(text);
}

/** Breaks at the first single blank after the width is passed, as Go's emitter does. */
function fold(text: string, indent: number, column: number): string {
  let out = '';
  let at = column;
  for (let i = 0; i < text.length; i++) {
    const isSingleBlank = text[i] === ' ' && text[i - 1] !== ' ' && text[i + 1] !== ' ' && i > 0 && i < text.length - 1;
    if (isSingleBlank && at > WIDTH) {
      out += `\n${' '.repeat(indent)}`;
      at = indent;
    } else {
      out += text[i];
      at++;
    }
  }
  return out;
}
