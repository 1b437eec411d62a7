import type { Confidence, FindingClass, RefusedBy } from '../diagnosis/finding.ts';
import type { ExplainedClass, Harm } from './explain.ts';

/** A sentence of a program, and what it means. Those of a 410 are diagnosis/known-texts.ts'. */
export interface Sentence {
  pattern: RegExp;
  /** What has to stand beside it: words that any program may say are no trouble of a watch by themselves. */
  beside?: { test(text: string): boolean };
  /** `unknown`: known words, but not of a watch; then it says what they are of. */
  class: ExplainedClass;
  confidence: Confidence;
  harm: Harm;
  others?: readonly FindingClass[];
  refusedBy?: RefusedBy;
  /** Finds a name in the text that is worth telling: of a webhook, of a server that signed its page. */
  named?: RegExp;
  /** Ordinary work: in no group of a log. */
  ordinary?: true;
  title: string;
  text: string;
  next: readonly string[];
}

/** What clients do about it. */
export const HEALS = 'Informers and reflectors try again by themselves, with growing pauses.';

/** Where a connection went that could not be made, as clients print it. */
export const ADDRESS =
  /\bdial tcp:? (?:lookup )?([\w.:[\]-]{3,100}?)(?=: |\s)|\bconnect E[A-Z]+ ([\w.:-]{3,100})|\bENOTFOUND ([\w.-]{3,100})|\bEAI_AGAIN ([\w.-]{3,100})|\bhost='([^'\s]{3,100})'|\bconnect to host ([^\s']{3,100})|\b[Ff]ailed to connect to ([\w./:-]{3,100})|\bconnection to the server ([\w.:-]{3,100}) was refused|\bUnknownHostException: ([\w.-]{3,100})|\((?![\w.$-]{1,100}\.(?:java|kt|scala|go|js|ts|py|rb|cs):)([\w.-]{3,100}:\d{2,5})\)/;
