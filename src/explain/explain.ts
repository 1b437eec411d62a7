import type { Confidence, FindingClass, RefusedBy } from '../diagnosis/finding.ts';
import { type GoneText, goneText, tooLargeText } from '../diagnosis/known-texts.ts';
import { isBareGone } from './bare-gone.ts';
import { type Client, clientOf, heals, refusedAtStart } from './client.ts';
import { consequence } from './consequence.ts';
import { explanationWords } from './explain-words.ts';
import { findSentence, relistSentence, sureness } from './find-sentence.ts';
import { namedInIt } from './named-in-it.ts';
import { HEALS, type Sentence } from './sentence.ts';
import { WATCHER_SENTENCES } from './sentences-watchers.ts';
import { apart, statedFacts } from './stated-facts.ts';
import { unwrapped } from './unwrapped.ts';
import { withoutWrapping } from './wrapped-lines.ts';

/** `unknown`: no watch trouble was recognised, or another system's. */
export type ExplainedClass = FindingClass | 'unknown';

/**
 * `harmless-once`: normal when it comes once, the client heals by itself. `act`: it stays until somebody acts, or the text shows
 * a loop. `depends`: the line does not decide.
 */
export type Harm = 'harmless-once' | 'act' | 'depends';

/** One question answered (contract §6). Facts are only what the text states, as strings. */
export interface Explanation {
  class: ExplainedClass;
  candidates: { class: ExplainedClass; confidence: Confidence }[];
  confidence: Confidence;
  /** null: not a question of who refused. */
  refusedBy: RefusedBy | null;
  harm: Harm;
  title: string;
  text: string;
  next: string[];
  facts: Record<string, string>;
}

/** What the text shows, before it is put into words. */
export interface Recognised {
  class: ExplainedClass;
  confidence: Confidence;
  others: FindingClass[];
  refusedBy: RefusedBy | null;
  harm: Harm;
  gone?: GoneText;
  /** Who wrote the text, as far as that decides what happens next. */
  client: Client;
  /** The same RV is refused again and again. */
  loop: boolean;
  /** A line of ordinary work: in no group of a log, whatever words stand in it. */
  ordinary: boolean;
  /** What is said of it, where a sentence brings its own words. */
  words?: Pick<Sentence, 'title' | 'text' | 'next'>;
  facts: Record<string, string>;
}

/** RVs are uint64. */
const MAX_DIGITS = 20;
/** The same refusal so often in one question is a loop. */
const LOOP = 3;

/** Explains one question: a log line, a Status, or the lines around a failure. Pure; nothing is sent anywhere. */
export function explainText(input: string): Explanation {
  const found = recogniseQuestion(input);
  const words = explanationWords(found);
  return {
    class: found.class,
    candidates: [found.class, ...found.others].map((name, index) => ({
      class: name,
      confidence: index === 0 ? found.confidence : 'low',
    })),
    confidence: found.confidence,
    refusedBy: found.refusedBy,
    harm: found.harm,
    ...words,
    facts: found.facts,
  };
}

/** A question may come out of a window that has broken its lines; it is read as it stands where that tells as much. */
function recogniseQuestion(input: string): Recognised {
  let best = recognise(input);
  for (const joined of withoutWrapping(input)) {
    const found = recognise(joined);
    if (tells(found) > tells(best)) best = found;
  }
  return best;
}

/** How much a text told: nothing, that something failed, or what. */
function tells({ class: name, confidence }: Recognised): number {
  if (name === 'unknown') return 0;
  return confidence === 'low' ? 1 : 2;
}

/** What a question or one record of a log shows. Pure; colours in it are no part of it. */
export function recognise(input: string): Recognised {
  const text = unwrapped(input);
  const client = clientOf(text);
  const large = tooLargeText(text);
  if (large && large.requested.length <= MAX_DIGITS) return tooLarge(text, client, large);
  const gone = goneText(text);
  switch (gone.letter) {
    case 'A':
      // A cache refuses what is below its floor: other numbers are not what was said.
      if (BigInt(gone.requested ?? 0) >= BigInt(gone.floor ?? 0)) return garbled(text, client, gone);
      return refusedByCache(text, client, gone);
    case 'B':
    case 'D':
    case 'raw': {
      const loop = refusedAtStart(text);
      const compacted = known(text, client, gone, 'upstream-compaction', 'high', 'etcd');
      return { ...compacted, loop, harm: loop ? 'act' : heals(client) ? 'harmless-once' : 'depends' };
    }
    case 'E':
    case 'F':
      return known(text, client, gone, 'continue-token-expired', 'high', 'etcd');
    case 'G':
      // Cut off, or of a cache snapshot: the words are the cache's, but the number is not to be trusted.
      return garbled(text, client, gone);
    default:
      return withoutWordsOf410(text, client, gone);
  }
}

/** The words of the cache, but not its numbers. */
function garbled(text: string, client: Client, gone: GoneText): Recognised {
  return { ...known(text, client, gone, 'ambiguous-410', 'low', 'watch-cache'), harm: 'depends', facts: {} };
}

/** Text A. Never a compaction first, unless one stands beside it. */
function refusedByCache(text: string, client: Client, gone: GoneText): Recognised {
  const besides = /required revision has been compacted/i.test(text);
  const rebuilt = /Terminating all watchers from cacher/i.test(text);
  const loop = repeats(text, gone.requested ?? '') >= LOOP || refusedAtStart(text);
  const base = known(text, client, gone, 'ring-buffer-expiry', 'medium', 'watch-cache');
  const harm: Harm = loop ? 'act' : heals(client) ? 'harmless-once' : 'depends';
  if (besides)
    return { ...base, class: 'upstream-compaction', others: ['cache-rebuilt', 'ring-buffer-expiry'], harm, loop };
  if (rebuilt)
    return { ...base, class: 'cache-rebuilt', others: ['upstream-compaction', 'ring-buffer-expiry'], harm, loop };
  return { ...base, others: ['cache-rebuilt'], harm, loop };
}

function known(
  text: string,
  client: Client,
  gone: GoneText,
  name: FindingClass,
  confidence: Confidence,
  refusedBy: RefusedBy,
): Recognised {
  const facts = statedFacts(text, gone);
  return {
    class: name,
    confidence,
    others: [],
    refusedBy,
    harm: 'harmless-once',
    gone,
    client,
    loop: false,
    ordinary: false,
    facts,
  };
}

function tooLarge(text: string, client: Client, large: { requested: string; current?: string }): Recognised {
  const facts = statedFacts(text, { letter: 'none', refusedBy: 'unknown' });
  facts.requested_rv = large.requested;
  if (large.current !== undefined && large.current.length <= MAX_DIGITS) {
    facts.current_rv = large.current;
    facts.revisions_apart = apart(large.requested, large.current);
  }
  const name = 'rv-too-large';
  return {
    class: name,
    confidence: 'high',
    others: [],
    refusedBy: null,
    harm: 'depends',
    client,
    loop: false,
    ordinary: false,
    facts,
  };
}

/** A 410 Status of Kubernetes whose message says nothing. */
function bare(text: string, client: Client, gone: GoneText): Recognised {
  return {
    ...known(text, client, gone, 'ambiguous-410', 'low', 'unknown'),
    others: ['ring-buffer-expiry', 'upstream-compaction', 'cache-rebuilt'],
    harm: 'depends',
  };
}

function withoutWordsOf410(text: string, client: Client, gone: GoneText): Recognised {
  const relists = relistSentence(text);
  if (!relists && isBareGone(text)) return bare(text, client, gone);
  const sentence = relists ?? findSentence(text);
  return sentence ? bySentence(sentence, text, client) : nothing(text, client);
}

function bySentence(sentence: Sentence, text: string, client: Client): Recognised {
  const { class: found, others = [], refusedBy = null, harm, ordinary = false } = sentence;
  const confidence = sureness(sentence, text);
  const { title, text: told, next } = sentence;
  const name = sentence.named?.exec(text)?.slice(1).find(Boolean);
  const after = consequence(text, client, found, harm === 'act' || WATCHER_SENTENCES.includes(sentence));
  // Reflectors are not who met it.
  const cause = after === undefined ? told : told.replace(`${HEALS} `, '');
  const facts = statedFacts(text, { letter: 'none', refusedBy: 'unknown' });
  const said = [cause, after?.says, namedInIt(cause, name, facts)];
  const words = { title, text: said.filter((part) => part !== undefined).join(' '), next: [...next] };
  return {
    class: found,
    confidence,
    others: [...others],
    refusedBy,
    harm: after?.harm ?? harm,
    client,
    loop: false,
    ordinary,
    words,
    facts,
  };
}

function nothing(text: string, client: Client): Recognised {
  return {
    class: 'unknown',
    confidence: 'low',
    others: [],
    refusedBy: null,
    harm: 'depends',
    client,
    loop: false,
    ordinary: false,
    facts: statedFacts(text, { letter: 'none', refusedBy: 'unknown' }),
  };
}

/** How often the refusal of this very RV stands in the text. */
function repeats(text: string, requested: string): number {
  return requested === '' ? 0 : text.split(`too old resource version: ${requested} (`).length - 1;
}
