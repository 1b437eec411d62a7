import type { Sentence } from './sentence.ts';
import { ANSWER_SENTENCES } from './sentences-answers.ts';
import { STORAGE_SENTENCES } from './sentences-storage.ts';
import { TRANSPORT_SENTENCES } from './sentences-transport.ts';

/**
 * Ordered: the innermost cause that a text names comes before its wrappers. Storage is passed on by answers, and answers are told by
 * clients in words of broken streams (`decode`, `on the server`, `Timeout`).
 */
export const SENTENCES: readonly Sentence[] = [...STORAGE_SENTENCES, ...ANSWER_SENTENCES, ...TRANSPORT_SENTENCES];
