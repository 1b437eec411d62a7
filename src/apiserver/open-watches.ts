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

/**
 * Who watches one apiserver now, oldest first: cached resources and others alike. As many as there are requests open; two
 * of them may have the same Audit-Id, since a client may choose it.
 */
export class OpenWatches {
  readonly #open = new Set<OpenWatch>();

  get size(): number {
    return this.#open.size;
  }

  values(): IterableIterator<OpenWatch> {
    return this.#open.values();
  }

  /** A request came; what is returned is to be called when it has ended. */
  began(watch: OpenWatch): () => void {
    const kept = { ...watch, userAgent: watch.userAgent.slice(0, MAX_USER_AGENT) };
    this.#open.add(kept);
    return () => this.#open.delete(kept);
  }
}
