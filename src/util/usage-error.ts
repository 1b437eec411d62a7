/**
 * Something the user must mend: a flag, a file, a name. `message` is one line that says what is wrong and what to do;
 * it holds no secret. The command line prints it without a stack trace and ends with exit code 2.
 */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}
