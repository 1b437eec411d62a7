import type { Confidence } from '../diagnosis/finding.ts';
import { KUBERNETES, KUBERNETES_BY_NAME, KUBERNETES_SURELY } from './about-kubernetes.ts';
import { accessSentence } from './access-sentence.ts';
import { codeSentence } from './code-sentence.ts';
import { gatewaySentence } from './gateway-sentence.ts';
import type { Sentence } from './sentence.ts';
import { SENTENCES } from './sentences.ts';
import { APISERVER_LOG_SENTENCES } from './sentences-apiserver-log.ts';
import { ELSEWHERE_SENTENCES } from './sentences-elsewhere.ts';
import { GENERAL_SENTENCES } from './sentences-general.ts';
import { RELIST_SENTENCES } from './sentences-relists.ts';
import { STORAGE_SENTENCES } from './sentences-storage.ts';
import { watchAccessLog } from './watch-access-log.ts';

/** A 410 that the program itself answers with a new list. */
export function relistSentence(text: string): Sentence | undefined {
  return spoken(text, RELIST_SENTENCES);
}

/** The sentence that a text without words of a 410 is explained by; the innermost cause first. Undefined: none is known. */
export function findSentence(text: string): Sentence | undefined {
  return (
    watchAccessLog(text) ??
    spoken(text, STORAGE_SENTENCES) ??
    accessSentence(text) ??
    gatewaySentence(text) ??
    spoken(text, SENTENCES) ??
    codeSentence(text) ??
    spoken(text, [...APISERVER_LOG_SENTENCES, ...GENERAL_SENTENCES, ...ELSEWHERE_SENTENCES])
  );
}

function spoken(text: string, sentences: readonly Sentence[]): Sentence | undefined {
  return sentences.find(({ pattern, beside }) => pattern.test(text) && (beside?.test(text) ?? true));
}

/** Words that any program may say are not sure beside the word watch alone. */
export function sureness({ confidence, beside }: Sentence, text: string): Confidence {
  if (beside !== KUBERNETES || confidence === 'low') return confidence;
  return KUBERNETES_SURELY.test(text) || KUBERNETES_BY_NAME.test(text) ? confidence : 'low';
}
