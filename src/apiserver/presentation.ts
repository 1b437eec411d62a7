import { ApiError } from '../protocol/api-error.ts';
import type { KubeObject } from '../protocol/object.ts';
import type { Query } from '../protocol/query.ts';
import { notAcceptableBecause } from '../protocol/status.ts';
import type { ListResult, StoredObject } from '../store/resource-storage.ts';
import { ListBody } from './list-body.ts';
import type { OutputMediaType } from './negotiation.ts';
import { goPackage, type Resource } from './resource.ts';
import { includeObjectOf, partialMetadata, type TableForm, tableOf } from './table.ts';

/** How objects of one request are shown: as they are, as PartialObjectMetadata, or as a Table. */
export class Presentation {
  readonly output: OutputMediaType;
  readonly #resource: Resource;
  readonly #table: Omit<TableForm, 'now' | 'withColumns'> | undefined;

  /** Throws 400 where the query's options for a Table are wrong. */
  constructor(resource: Resource, output: OutputMediaType, query: Query) {
    this.output = output;
    this.#resource = resource;
    if (output.transform !== 'Table') return;
    this.#table = { columns: resource.columns, includeObject: includeObjectOf(query), version: output.version };
  }

  /** True where the stored bytes are sent as they are. */
  get plain(): boolean {
    return this.output.transform === undefined;
  }

  /** One object as the body of an answer. Throws 406 where a list was asked for. `now`: ms, for ages. */
  object(stored: StoredObject, now: number): object | Uint8Array {
    if (this.plain) return stored.json;
    if (this.output.transform === 'PartialObjectMetadataList')
      throw new ApiError(notAcceptableBecause(this.#notAList()));
    return this.#transformed(stored.object, now, true);
  }

  /** One object inside a watch event. `first`: a Table names its columns once. */
  eventObject(object: KubeObject, now: number, first: boolean): object {
    return this.#transformed(object, now, first);
  }

  /** A list as the body of an answer. Throws 406 where one object's metadata was asked for. */
  list(list: ListResult, now: number): object | ListBody {
    const metadata = listMetadata(list);
    const objects = () => list.items.map((one) => one.object);
    switch (this.output.transform) {
      case undefined:
        return new ListBody(this.#resource, metadata, list.items);
      case 'Table':
        return tableOf(objects(), metadata, { ...this.#table!, now, withColumns: true });
      case 'PartialObjectMetadataList': {
        const { version } = this.output;
        const all = objects().map((one) => partialMetadata(one, version));
        // Nobody makes the empty slice here, so Go writes null.
        const items = all.length > 0 ? all : null;
        return { kind: 'PartialObjectMetadataList', apiVersion: `meta.k8s.io/${version}`, metadata, items };
      }
      case 'PartialObjectMetadata':
        throw new ApiError(notAcceptableBecause(this.#isAList()));
    }
  }

  #transformed(object: KubeObject, now: number, withColumns: boolean): object {
    if (this.#table === undefined) return partialMetadata(object, this.output.version);
    const { resourceVersion } = object.metadata;
    return tableOf([object], { resourceVersion }, { ...this.#table, now, withColumns });
  }

  #isAList(): string {
    return `you requested PartialObjectMetadata, but the requested object is a list (*${this.#goType()}List)`;
  }

  #notAList(): string {
    return `you requested PartialObjectMetadataList, but the requested object is not a list (*${this.#goType()})`;
  }

  #goType(): string {
    return `${goPackage(this.#resource)}.${this.#resource.kind}`;
  }
}

function listMetadata(list: ListResult): object {
  return {
    resourceVersion: list.resourceVersion,
    ...(list.continue ? { continue: list.continue } : {}),
    ...(list.remainingItemCount === undefined ? {} : { remainingItemCount: list.remainingItemCount }),
  };
}
