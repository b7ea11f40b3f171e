import { EventStream, okEvents, refusedWithErrors } from '../../operations/responses.ts';
import { Problem, endedSession, invalidToken } from '../../operations/problem.ts';
import { OpenStreams } from '../../operations/open-streams.ts';
import { read, type Operation } from '../../operations/operation.ts';
import { Tag } from '../../ledger/tags/schema.ts';
import { Type, type Static } from 'typebox';
import { shownTables } from '../../db/tables/tables.ts';
import {
  anyObject,
  closed,
  dateTime,
  exampleOf,
  flag,
  id,
  limit,
  listOf,
  nullable,
  object,
  optional,
  text,
  word,
} from '../../operations/schema.ts';
import {
  changeText,
  logBounds,
  positionAfter,
  readChanges,
  positionText,
  readPosition,
  refuseGone,
} from './changes.ts';
import type { FeedPage, FeedPosition, SentPosition } from './changes.ts';
import { booksOfCallers, type ChangeWatch } from '../../book/watch.ts';
import type { Engine, Steps } from '../../db/engine.ts';
import type { Identity } from '../../operations/caller.ts';
import { presentValues } from '../records.ts';

/** A stream without changes sends something after this time, so that proxies keep it open. */
const heartbeatMs = 15_000;
/** How long clients wait before they connect again. */
const reconnectMs = 2000;

/** A part of the feed, with each change as JSON. */
interface Part extends FeedPage {
  readonly texts: readonly string[];
}

/** Reads the feed of a book for one request. */
class Follower {
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

/** The largest `limit`, inclusive. */
const maxChanges = 1000;
/** The longest `wait`, inclusive. */
const maxWaitSeconds = 60;

const records = shownTables.map(({ name }) => name);

/** The query of GET /coffer/changes. */
const ChangeQuery = closed({
  after: Type.String({
    default: '0',
    maxLength: 200,
    description:
      'Where to begin: the `position` of an earlier response, a version of the book, or `latest` for the present.',
  }),
  limit: limit(maxChanges, 100, 'Most changes in the response, and in a piece of a stream.'),
  wait: Type.Integer({
    default: 0,
    minimum: 0,
    maximum: maxWaitSeconds,
    description: 'Seconds to wait for a change if there is none. Without effect on a stream.',
  }),
  record: optional(word(records, { description: 'Only changes of this kind of record.' })),
});
type ChangeQuery = Static<typeof ChangeQuery>;

const examplePosition = '3f9d6c0e8b7a41529e0d8c7b6a594837.7.43.0.0';

/** A change of a record in the feed. */
const RecordChange = object(
  'RecordChange',
  'A record that was made, changed or removed.',
  {
    version: Type.Integer({ minimum: 1, description: 'The version of the book with the change.' }),
    at: dateTime('When it was committed.'),
    record: word(records, { description: 'The kind of record.' }),
    id: id(
      'Id of the record. Of a budget the id of its category, of a crypto balance that of its account.',
    ),
    key: optional(
      anyObject('What else identifies it: `start_date` of a budget, `symbol` of a crypto balance.'),
    ),
    kind: word(['made', 'changed', 'removed'], { description: 'What happened.' }),
    value: nullable(
      anyObject('The record as it is now, whatever it was then; null if it no longer exists.'),
    ),
  },
  {
    example: {
      version: 42,
      at: '2026-03-15T06:30:00.250Z',
      record: 'tags',
      id: 4,
      kind: 'made',
      value: exampleOf(Tag),
    },
  },
);

/** The response of GET /coffer/changes. */
const ChangeList = object(
  'ChangeList',
  'Changes of a book in the order of the commits.',
  {
    changes: listOf(RecordChange, 'At most `limit` changes.'),
    position: text('Where to continue: the next `after`. Do not interpret it.'),
    has_more: flag('Whether there are more changes now.'),
  },
  {
    example: {
      changes: [exampleOf(RecordChange)],
      position: examplePosition,
      has_more: false,
    },
  },
);

/** Examples of a refusal, and of a stream. */
const changeExamples = {
  gone: {
    moved: {
      summary: 'A position of a database that was restored or moved since',
      value: {
        message: 'Gone',
        errors: [
          {
            errMsg:
              'The position belongs to another book or to another copy of the database. Copy the records again, and ' +
              'continue from after=latest',
            oldest_version: 0,
          },
        ],
      },
    },
  },
  events: {
    some: {
      summary: 'Where the stream begins, a change, and a sign of life',
      value:
        `id: ${examplePosition}\n\nid: ${examplePosition}\nevent: change\n` +
        `data: ${JSON.stringify(exampleOf(RecordChange))}\n\n:\n\n`,
    },
  },
};

/** A quarter of the connections of a node. */
const mostOfNode = 2000;

/** Returns the operation of the change feed. */
export function changeRoutes({ watch }: { readonly watch: ChangeWatch }): readonly Operation[] {
  const streams = new OpenStreams({ noun: 'streams', ofCaller: 10, ofNode: mostOfNode });
  return [
    read(
      {
        path: '/coffer/changes',
        tag: 'changes',
        id: 'getChanges',
        summary: 'Follow changes',
        description:
          'Returns each record that was made, changed or removed, in the order of the commits, without gap. ' +
          'Each has its present form, so a record that changed twice is the same twice. ' +
          'With `Accept: text/event-stream` the response is a stream that does not end; `Last-Event-ID` replaces ' +
          '`after`. An access token or a session has at most 10 streams.',
        query: ChangeQuery,
        response: okEvents(ChangeList, 'The changes.', changeExamples.events),
        refusals: {
          410: refusedWithErrors(
            410,
            'The changes after the position do not exist: they were pruned, or the position is of another book or ' +
              'database. `oldest_version` of the error is the oldest version to begin after.',
            changeExamples.gone,
          ),
        },
      },
      async (request, engine) => {
        const follower = new Follower(engine, watch, request);
        if (request.events === null) return follower.page();
        if (watch.isStopped) throw new Problem('unavailable', { headers: { 'retry-after': '1' } });
        streams.add(request.identity.callerId, request.signal);
        return new EventStream(await follower.events(request.events.lastEventId));
      },
      { inParts: true, isVolatile: true },
    ),
  ];
}
