import { ListedEntries } from './log-array.ts';
import { LineSplitter } from './log-lines.ts';
import { type LogReport, LogSurvey, type Recogniser } from './log-survey.ts';

/** A text of at most so many lines that is no file is one question (contract §6). */
export const QUESTION_LINES = 50;
/** Characters of a question that are looked at: an HTTP answer with its body, with room to spare. What lies in the middle goes. */
const QUESTION_CHARACTERS = 256 * 1024;

export type Intake =
  | { kind: 'question'; text: string; lines: number; longLines: number }
  | { kind: 'log'; report: LogReport; lines: number; longLines: number };

/** Takes decoded text as it comes, and finds out whether it is a question or a log. A file is a log, however short. */
export class LogIntake {
  readonly #recogniser: Recogniser;
  readonly #splitter: LineSplitter;
  readonly #listed = new ListedEntries();
  #survey: LogSurvey | undefined;
  #question: string[] = [];

  constructor(recogniser: Recogniser, file: boolean) {
    this.#recogniser = recogniser;
    this.#survey = file ? new LogSurvey(recogniser) : undefined;
    this.#splitter = new LineSplitter((line) => this.#take(line));
  }

  /** Decoded text, cut anywhere. */
  push(text: string): void {
    this.#splitter.push(this.#listed.take(text));
  }

  /** Kinds of trouble so far. */
  get kinds(): number {
    return this.#survey?.kinds ?? 0;
  }

  /** A file is at its end: what comes next begins a line. */
  endFile(): void {
    this.#splitter.push(this.#listed.end());
    this.#splitter.end();
  }

  end(): Intake {
    this.endFile();
    const { lines, longLines } = this.#splitter;
    if (this.#survey) return { kind: 'log', report: this.#survey.end(), lines, longLines };
    return { kind: 'question', text: bounded(this.#question.join('\n')), lines, longLines };
  }

  #take(line: string): void {
    if (this.#survey) {
      this.#survey.line(line);
      return;
    }
    this.#question.push(line);
    if (this.#question.length <= QUESTION_LINES) return;
    this.#survey = new LogSurvey(this.#recogniser);
    for (const each of this.#question) this.#survey.line(each);
    this.#question = [];
  }
}

function bounded(text: string): string {
  if (text.length <= QUESTION_CHARACTERS) return text;
  return `${text.slice(0, QUESTION_CHARACTERS / 2)}\n${text.slice(-QUESTION_CHARACTERS / 2)}`;
}
