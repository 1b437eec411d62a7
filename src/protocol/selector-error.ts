/** A label or field selector that does not parse. `message` is what an apiserver answers with (HTTP 400). */
export class SelectorError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'SelectorError';
  }
}
