import type { Status } from './status.ts';

/** An error that is already the answer: its Status is sent as it is, as HTTP body or as an ERROR event. */
export class ApiError extends Error {
  readonly status: Status;

  constructor(status: Status) {
    super(status.message ?? status.reason ?? 'unknown error');
    this.name = 'ApiError';
    this.status = status;
  }
}
