/** One clause of an Accept header. */
interface Clause {
  type: string;
  subtype: string;
  params: Map<string, string>;
  quality: number;
}

/** Clauses considered; a header with more is not from a client that means well. */
const MAX_CLAUSES = 100;

/** An Accept header, best clause first: by quality, then the specific ones before the wildcards. */
export function parseAccept(header: string): Clause[] {
  return header
    .split(',', MAX_CLAUSES)
    .map(parseClause)
    .filter((clause) => clause !== undefined)
    .sort((a, b) => b.quality - a.quality || wildcards(a) - wildcards(b));
}

const wildcards = (clause: Clause) => Number(clause.type === '*') + Number(clause.subtype === '*');

function parseClause(text: string): Clause | undefined {
  const [mediaType = '', ...rest] = text.split(';').map((part) => part.trim());
  const [type, subtype] = mediaType === '*' ? ['*', '*'] : mediaType.split('/');
  if (!type || !subtype) return undefined;
  const params = new Map<string, string>();
  let quality = 1;
  for (const param of rest) {
    const [key = '', value = ''] = param.split('=');
    if (key === 'q') quality = Number.isNaN(Number.parseFloat(value)) ? 1 : Number.parseFloat(value);
    else params.set(key, value.replace(/^"|"$/g, ''));
  }
  return { type, subtype, params, quality };
}
