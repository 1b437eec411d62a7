const MASK = '[masked]';

/** `Authorization: Bearer …`, also inside curl's command line and JSON; what follows `token=` and its like. */
const SECRETS: readonly [RegExp, string][] = [
  [/\b(Bearer|Basic|Negotiate)(\s+)[\w.~+/=-]{6,}/gi, `$1$2${MASK}`],
  [/\beyJ[\w-]{5,}(?:\.[\w-]*){1,2}/g, MASK],
  [
    /(?<![\w.*])((?:(?:\w{1,20}[-_])?token|passwd|password|(?:client[-_])?secret|(?:api|access|private)[-_]?key)\\?["']?\s*[:=]\s*\\?["']?)[^\s"'\\,;&}]{4,}/gi,
    `$1${MASK}`,
  ],
  [/(\w:\/\/[^\s/:@"']{1,100}:)[^\s/@"']{1,200}@/g, `$1${MASK}@`],
  [/-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]*/g, MASK],
  // What is that long and has no word in it is a key, a certificate or an encrypted body.
  [/[A-Za-z0-9+/_-]{120,}={0,2}/g, MASK],
];

/** A line of a log as it may be shown: tokens, passwords and keys are taken out. */
export function maskTokens(text: string): string {
  return SECRETS.reduce((masked, [pattern, instead]) => masked.replace(pattern, instead), text);
}
