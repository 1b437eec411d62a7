/** One watch request, from before it is answered until it has ended. */
export interface OpenWatch {
  readonly auditId: string;
  /** As the client sent it, at most `MAX_USER_AGENT` characters: anybody's text. */
  readonly userAgent: string;
  /** `pods`, `deployments.apps`. */
  readonly groupResource: string;
  /** The RV that it was asked for, as the client wrote it. */
  readonly requestedRv: string;
}

/** Characters of a User-Agent that are kept. */
const MAX_USER_AGENT = 200;

/** Who watches one apiserver now, oldest first: cached resources and others alike. As many as there are requests open. */
export class OpenWatches {
  readonly #open = new Map<string, OpenWatch>();

  get size(): number {
    return this.#open.size;
  }

  values(): IterableIterator<OpenWatch> {
    return this.#open.values();
  }

  get(auditId: string): OpenWatch | undefined {
    return this.#open.get(auditId);
  }

  /** To be called once, until `ended` is called with the same Audit-Id. */
  began(watch: OpenWatch): void {
    this.#open.set(watch.auditId, { ...watch, userAgent: watch.userAgent.slice(0, MAX_USER_AGENT) });
  }

  ended(auditId: string): void {
    this.#open.delete(auditId);
  }
}
