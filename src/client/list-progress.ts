import type { ResourceVersion } from '../protocol/resource-version.ts';
import type { AnswerHead } from './answer-head.ts';
import type { TransportEnd } from './end-kind.ts';
import type { AnswerBody, ListFacts, PendingList, WatchTarget } from './facts.ts';
import { continueTokenRv, type ListPage } from './list-page.ts';
import { type ListedObject, MAX_OBJECTS, type ObjectMap } from './object-map.ts';

/** Why a LIST is read, and how. */
export interface Relist {
  why: ListFacts['why'];
  /** As the plan says, or without any RV. */
  as: 'start' | 'fresh';
  /** Attempts before this one that failed in a row. */
  failed: number;
}

/** A LIST under way: pages are gathered until the last one, or until the bound on objects. */
export class ListProgress {
  readonly request: Relist;
  readonly objects: ListedObject[] = [];
  /** The same as long as no headers have come: what the run's facts show of it. */
  readonly pending: PendingList;
  #head: AnswerHead | undefined;
  #pages = 0;
  #truncated = false;
  /** Token of the page that is being asked for. */
  #token: string | undefined;
  /** RV of the list, and when its first page was answered: the list shows that moment, however long the pages take. */
  rv: string | undefined;
  rvAt: number | undefined;
  /** Of the page that is being asked for. */
  path: string;

  constructor(request: Relist, asked: { target: WatchTarget; methodPath: string; at: number }) {
    this.request = request;
    const { target, methodPath, at } = asked;
    this.pending = { target, methodPath, why: request.why, askedAt: at };
    this.path = methodPath;
  }

  get noAnswerAt(): number | undefined {
    return this.pending.noAnswerAt;
  }

  /** No headers for so long, at `at`. */
  waits(at: number, writtenAt: number | undefined): void {
    if (this.#pages === 0 && writtenAt !== undefined) this.pending.askedAt = writtenAt;
    this.pending.noAnswerAt ??= at;
  }

  answered(head: AnswerHead, writtenAt: number, at: number): void {
    if (this.#pages === 0) this.pending.askedAt = writtenAt;
    this.#head = head;
    this.rvAt ??= at;
  }

  /** Takes a page; returns the token of the next one, where it is to be read. `onlyOne`: the first page is enough. */
  take(page: ListPage, onlyOne = false): string | undefined {
    this.#pages += 1;
    this.rv ??= page.rv;
    const room = MAX_OBJECTS - this.objects.length;
    for (const object of page.objects.slice(0, room)) this.objects.push(object);
    const enough = onlyOne || this.objects.length >= MAX_OBJECTS;
    this.#truncated = page.objects.length > room || (page.continue !== undefined && enough);
    this.#token = this.#truncated ? undefined : page.continue;
    return this.#token;
  }

  get whole(): boolean {
    return !this.#truncated;
  }

  done(at: number, known: ObjectMap): ListFacts {
    const gap = this.request.why === 'start' ? undefined : known.gap(this.objects, this.whole);
    const missed = known.missed(this.objects, this.rv);
    return {
      ...this.#facts(at),
      ...(this.rv === undefined ? {} : { rv: this.rv as ResourceVersion }),
      ...(gap === undefined ? {} : { gap }),
      ...(missed === undefined ? {} : { missed }),
    };
  }

  failed(at: number, refusal: { end?: TransportEnd; body?: AnswerBody }): ListFacts {
    const token = this.#token ?? tokenIn(this.path);
    const tokenRv = token === undefined ? undefined : continueTokenRv(token);
    const { end, body } = refusal;
    return {
      ...this.#facts(at),
      refusal: {
        hadContinue: token !== undefined,
        ...(tokenRv === undefined ? {} : { tokenRv }),
        ...(body === undefined ? {} : { body }),
        ...(body?.status === undefined ? {} : { status: body.status }),
        ...(end === undefined ? {} : { end: end.end, detail: end.detail }),
      },
    };
  }

  #facts(at: number): ListFacts {
    return {
      ...this.pending,
      endedAt: at,
      headers: this.#head?.headers ?? {},
      ...(this.#head === undefined ? {} : { httpStatus: this.#head.status, connection: this.#head.connection }),
      items: this.objects.length,
      pages: this.#pages,
      truncated: this.#truncated,
    };
  }
}

/** A path that was given may ask for a later page of a list that somebody else began. */
function tokenIn(path: string): string | undefined {
  return new URLSearchParams(path.split('?')[1]).get('continue') || undefined;
}
