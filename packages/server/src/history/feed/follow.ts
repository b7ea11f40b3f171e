import { logBounds, positionAfter, readChanges } from './changes.ts';
import type { FeedChange, FeedPage, FeedPosition } from './changes.ts';
import { booksOfCallers } from '../../book/watch.ts';
import type { ChangeWatch } from '../../book/watch.ts';
import type { Engine, Steps } from '../../db/engine.ts';
import { endedSession, invalidToken } from '../../operations/problem.ts';
import type { Identity } from '../../operations/caller.ts';
import { positionText, readPosition, refuseGone } from './position.ts';
import type { SentPosition } from './position.ts';
import { presentValues } from '../records.ts';
import type { ChangeQuery } from './schema.ts';

/** A stream without changes sends something after this time, so that proxies keep it open. */
const heartbeatMs = 15_000;
/** How long clients wait before they connect again. */
const reconnectMs = 2000;

/** A part of the feed, with each change as JSON. */
interface Part extends FeedPage {
  readonly texts: readonly string[];
}

/** Reads the feed of a book for one request. */
export class Follower {
  readonly #engine: Engine;
  readonly #watch: ChangeWatch;
  readonly #identity: Identity;
  readonly #query: ChangeQuery;
  readonly #signal: AbortSignal;

  constructor(
    engine: Engine,
    watch: ChangeWatch,
    request: {
      readonly identity: Identity;
      readonly query: ChangeQuery;
      readonly signal: AbortSignal;
    },
  ) {
    this.#engine = engine;
    this.#watch = watch;
    this.#identity = request.identity;
    this.#query = request.query;
    this.#signal = request.signal;
  }

  /** Returns the JSON of a page. Waits if there is no change, as long as the request allows. */
  async page(): Promise<Uint8Array[]> {
    const { after, limit, wait } = this.#query;
    const untilMs = this.#watch.nowMs() + wait * 1000;
    const sent = readPosition(after, 'Query parameter after');
    let part = await this.#filled(await this.#first(sent));
    let isOver = sent === null || wait === 0;
    while (part.changes.length === 0 && !isOver) {
      const outcome = await this.#change(part.position, untilMs);
      if (outcome === 'refused') this.#refuse();
      isOver = outcome !== 'changed';
      if (outcome !== 'ended')
        part = await this.#filled((await this.#next(part.position)) ?? this.#refuse());
    }
    const position = positionText(this.#identity, part.position);
    const rest = `],"position":"${position}","has_more":${!part.isEnd}}`;
    return [Buffer.from(`{"changes":[${part.texts.slice(0, limit).join()}${rest}`)];
  }

  /** Returns the events of a stream, after its first part was read. It ends when the server or the caller ends it. */
  async events(lastEventId: string | null): Promise<AsyncIterable<string>> {
    const sent =
      lastEventId === null
        ? readPosition(this.#query.after, 'Query parameter after')
        : readPosition(lastEventId, 'Header Last-Event-ID');
    return this.#events(await this.#first(sent));
  }

  async *#events(first: Part): AsyncIterable<string> {
    yield `retry: ${reconnectMs}\n\n`;
    for (let part: Part | null = first; part !== null; part = await this.#next(part.position)) {
      yield this.#eventsOf(part);
      if (this.#signal.aborted || this.#watch.isStopped) return;
      if (part.isEnd && !(yield* this.#quiet(part.position))) return;
    }
  }

  /** At the end of the feed, an event without data only sets the position from which the client resumes. */
  #eventsOf({ changes, texts, position, isEnd }: Part): string {
    const id = (each: FeedPosition) => `id: ${positionText(this.#identity, each)}\n`;
    const events = changes.map(
      ({ next }, at) =>
        `${id(next)}event: change\ndata: ${texts[at]!.replaceAll(/[\r\n]/g, ' ')}\n\n`,
    );
    return events.join('') + (isEnd ? `${id(position)}\n` : '');
  }

  /** Yields signs of life until the book changes. Returns false if the stream is over. */
  async *#quiet(position: FeedPosition): AsyncGenerator<string, boolean, undefined> {
    for (;;) {
      const outcome = await this.#change(position, this.#watch.nowMs() + heartbeatMs);
      if (outcome !== 'late') return outcome === 'changed';
      yield ':\n\n';
    }
  }

  #change(position: FeedPosition, untilMs: number) {
    const wait = { callerId: this.#identity.callerId, version: position.version - 1, untilMs };
    return this.#watch.wait({ ...wait, signal: this.#signal });
  }

  #refuse(): never {
    throw this.#identity.session === null ? invalidToken() : endedSession();
  }

  #first(sent: SentPosition | null): Promise<Part> {
    return this.#engine.read(() => this.#begin(sent));
  }

  /** Reads the next part, or null if the token or the session is no longer valid. */
  #next(position: FeedPosition): Promise<Part | null> {
    return this.#engine.read(() => this.#ifValid(position));
  }

  *#ifValid(position: FeedPosition): Steps<Part | null> {
    const { callerId } = this.#identity;
    const valid = yield* booksOfCallers([callerId]);
    return valid.has(callerId) ? yield* this.#read(position) : null;
  }

  *#begin(sent: SentPosition | null): Steps<Part> {
    const bounds = yield* logBounds(this.#identity.book.id);
    const { version } = bounds;
    if (sent === null)
      return { changes: [], texts: [], position: positionAfter(version), isEnd: true };
    refuseGone(sent, this.#identity, bounds);
    return yield* this.#read(sent.position);
  }

  /**
   * Continues a page that ended in search of one kind of record, in further transactions, so that others need not wait.
   * It ends with one change more than the page may have, or with the feed.
   */
  async #filled(part: Part): Promise<Part> {
    const { limit, record } = this.#query;
    let { changes, texts, position, isEnd } = part;
    if (record === undefined || isEnd) return part;
    while (!isEnd && changes.length <= limit && !this.#signal.aborted) {
      const [from, most] = [position, limit + 1 - changes.length];
      const more = await this.#engine.read(() => this.#read(from, most));
      changes = [...changes, ...more.changes];
      texts = [...texts, ...more.texts];
      ({ position, isEnd } = more);
    }
    if (changes.length <= limit) return { changes, texts, position, isEnd };
    const next = changes[limit - 1]!.next;
    return { changes: changes.slice(0, limit), texts, position: next, isEnd: false };
  }

  *#read(position: FeedPosition, most = this.#query.limit): Steps<Part> {
    const { id } = this.#identity.book;
    const page = yield* readChanges(id, position, most, this.#query.record);
    const values = yield* presentValues(id, page.changes);
    return { ...page, texts: page.changes.map((change, at) => changeText(change, values[at]!)) };
  }
}

/** Returns a change as JSON; `value` is JSON or null. */
export function changeText(
  { version, at, record, id, key, kind }: FeedChange,
  value: string | null,
): string {
  const named = Object.keys(key).length === 0 ? {} : { key };
  const text = JSON.stringify({ version, at, record, id, ...named, kind });
  return `${text.slice(0, -1)},"value":${value}}`;
}
