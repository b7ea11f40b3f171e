import sql, { join } from 'sql-template-tag';
import { blocksOf, padded } from '../db/blocks.ts';
import { now, withOwn, type Engine, type Steps } from '../db/engine.ts';
import { liveSessions } from '../db/live-sessions.ts';
import { rowsAs } from '../db/rows.ts';
import { integer } from '../db/table.ts';

/** Changes of other nodes and commands are noticed after this time at the latest. */
const pollMs = 250;
/** The shortest time between two looks, however often this node writes. */
const restMs = 10;

/** A clock with timers. */
export interface WatchClock {
  /** Milliseconds since any time. */
  nowMs(): number;
  /** Resolves after a time, or when the signal is aborted. */
  sleep(ms: number, signal: AbortSignal): Promise<unknown>;
}

/** What ended a wait: a new version, an invalid token or a deleted book, the time, or the caller or the server. */
export type Outcome = 'changed' | 'refused' | 'late' | 'ended';

/** Whose book to wait for. */
export interface Wait {
  /** The caller, who determines the book: the id of an access token, or the negative id of a session. */
  readonly callerId: number;
  /** The version of the book that the caller has seen. */
  readonly version: number;
  readonly untilMs: number;
  /** Aborted when the caller has left. */
  readonly signal: AbortSignal;
}

/** Waits for changes of books. */
export interface ChangeWatch {
  nowMs(): number;
  /** Whether the server is stopping; then nobody waits any more. */
  readonly isStopped: boolean;
  /** Resolves when the book has another version, or for another reason. It holds no connection while it waits. */
  wait(wait: Wait): Promise<Outcome>;
  /** Looks at the books soon, because something was written. */
  poke(): void;
  /** Ends all waits. */
  stop(): void;
}

interface Waiter extends Wait {
  readonly end: (outcome: Outcome) => void;
}

/**
 * Waits for changes of books by reading their versions, every 250 ms and after each write of this node.
 *
 * All waiting callers share two statements for up to 500 of them, of which one names their books, and nothing is read
 * while nobody waits. A database of which a part does not respond ends no wait before its time. It works
 * through connection pools that lose notifications, and needs no connection of its own. A database that cannot be
 * reached does not end a wait: the request that follows reports it.
 */
export class BookWatch implements ChangeWatch {
  readonly #engine: Engine;
  readonly #clock: WatchClock;
  readonly #waiters = new Set<Waiter>();
  #isRunning = false;
  #isPoked = false;
  #wake = new AbortController();
  isStopped = false;

  constructor(engine: Engine, clock: WatchClock) {
    this.#engine = engine;
    this.#clock = clock;
  }

  nowMs(): number {
    return this.#clock.nowMs();
  }

  wait(wait: Wait): Promise<Outcome> {
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    if (this.isStopped || wait.signal.aborted) return Promise.resolve('ended');
    const leave = (): void => waiter.end('ended');
    const end = (outcome: Outcome): void => {
      wait.signal.removeEventListener('abort', leave);
      this.#waiters.delete(waiter);
      resolve(outcome);
    };
    const waiter = { ...wait, end };
    wait.signal.addEventListener('abort', leave);
    this.#waiters.add(waiter);
    if (!this.#isRunning) void this.#run();
    return promise;
  }

  poke(): void {
    this.#isPoked = true;
    this.#wake.abort();
  }

  stop(): void {
    this.isStopped = true;
    for (const waiter of this.#waiters) waiter.end('ended');
    this.#wake.abort();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#waiters.size > 0) {
      this.#isPoked = false;
      await this.#look();
      if (this.#waiters.size > 0) await this.#rest();
    }
    this.#isRunning = false;
  }

  /** Waits for the next look. A write of this node shortens it, but not below the shortest time. */
  async #rest(): Promise<void> {
    this.#wake = new AbortController();
    await this.#clock.sleep(restMs, new AbortController().signal);
    if (!this.#isPoked) await this.#clock.sleep(pollMs - restMs, this.#wake.signal);
  }

  async #look(): Promise<void> {
    const waiters = [...this.#waiters];
    const versions = await this.#versions(waiters).catch(() => null);
    const nowMs = this.#clock.nowMs();
    for (const waiter of waiters) {
      const version = versions?.get(waiter.callerId);
      if (versions !== null && version === undefined) waiter.end('refused');
      else if (version !== undefined && version !== waiter.version) waiter.end('changed');
      else if (waiter.untilMs <= nowMs) waiter.end('late');
    }
  }

  async #versions(waiters: readonly Waiter[]): Promise<Map<number, number>> {
    const callers = await this.#read(
      waiters.map(({ callerId }) => callerId),
      booksOfCallers,
    );
    const versions = await this.#read([...callers.values()], bookVersions);
    return new Map(
      [...callers].flatMap(([id, bookId]) => {
        const version = versions.get(bookId);
        return version === undefined ? [] : [[id, version]];
      }),
    );
  }

  /** Reads numbers of ids, a block of different ids in each statement. */
  async #read(
    ids: readonly number[],
    steps: (ids: readonly number[]) => Steps<Map<number, number>>,
  ): Promise<Map<number, number>> {
    const found = new Map<number, number>();
    for (const block of blocksOf([...new Set(ids)]))
      for (const [id, value] of await this.#engine.readStatement(() => steps(block)))
        found.set(id, value);
    return found;
  }
}

/** Returns the books of valid callers by the id of the caller; at most a block of callers. */
export function* booksOfCallers(callerIds: readonly number[]): Steps<Map<number, number>> {
  const at = yield* now();
  const ids = join(padded(callerIds, 0));
  const sessionIds = callerIds.map((id) => -id);
  const found = yield* rowsAs(
    { id: integer, book_id: integer },
    sql`SELECT k.id AS id, k.book_id FROM access_tokens k
      WHERE k.id IN (${ids}) AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > ${at})
      UNION ALL
      SELECT -s.id, s.book_id FROM sessions s
      WHERE s.id IN (${join(padded(sessionIds, 0))}) AND ${yield* liveSessions()}`,
  );
  return new Map(found.map(({ id, book_id }) => [id, book_id]));
}

/** Returns the versions of at most a block of books, by their ids. */
function* bookVersions(bookIds: readonly number[]): Steps<Map<number, number>> {
  const found = yield* rowsAs(
    { id: integer, version: integer },
    sql`SELECT id, version FROM books WHERE id IN (${join(padded(bookIds, 0))})`,
  );
  return new Map(found.map(({ id, version }) => [id, version]));
}

/** Returns the same engine; the watch looks at the books after each write. */
export function watched(engine: Engine, watch: ChangeWatch): Engine {
  return withOwn(engine, {
    write: (steps, options) => engine.write(steps, options).finally(() => watch.poke()),
  });
}
