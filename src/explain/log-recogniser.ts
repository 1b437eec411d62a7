import { explainText, type Recognised } from './explain.ts';
import type { Recogniser } from './log-survey.ts';

/** Explains the records of a log as questions are explained. */
export const logRecogniser: Recogniser = {
  mayTell: (text) => /too old|compacted|Too large resource version/.test(text),
  recognise(text): Recognised {
    const { candidates: _, ...rest } = explainText(text);
    return { ...rest, others: [], client: 'other', loop: false };
  },
};
