import type { Engine, Steps } from '../db/engine.ts';
import type { Identity } from '../operations/caller.ts';
import { bookOfSession, identityOfSession } from './sessions/actions.ts';
import { bookOfToken, identityOfToken } from './users/actions.ts';

/** All are forgotten at once when full; then their books are looked up again. */
const maxRemembered = 10_000;

/**
 * Finds callers by statements that name their book, so that a database spread by book asks one shard only.
 *
 * The first request of a token or a session looks up its book, in a table that belongs to no book; the book is
 * remembered, because it never changes. Whether the caller is valid is read each time.
 */
export class CallerBooks {
  readonly #engine: Pick<Engine, 'readStatement'>;
  /** By the text of the hash. */
  readonly #books = new Map<string, number>();

  constructor(engine: Pick<Engine, 'readStatement'>) {
    this.#engine = engine;
  }

  /** Returns the identity of the hash of a token, or null when it is unknown, revoked or expired. */
  ofToken(hash: Uint8Array): Promise<Identity | null> {
    return this.#identity(hash, bookOfToken, identityOfToken);
  }

  /** Returns the identity of the hash of a session's secret, or null when it is unknown or has ended. */
  ofSession(hash: Uint8Array): Promise<Identity | null> {
    return this.#identity(hash, bookOfSession, identityOfSession);
  }

  async #identity(
    hash: Uint8Array,
    bookOf: (hash: Uint8Array) => Steps<number | null>,
    identityOf: (hash: Uint8Array, bookId: number) => Steps<Identity | null>,
  ): Promise<Identity | null> {
    const key = Buffer.from(hash).toString('latin1');
    const known = this.#books.get(key);
    const bookId = known ?? (await this.#engine.readStatement(() => bookOf(hash)));
    if (bookId === null) return null;
    const identity = await this.#engine.readStatement(() => identityOf(hash, bookId));
    if (identity === null) this.#books.delete(key);
    else if (known === undefined) this.#remember(key, bookId);
    return identity;
  }

  #remember(key: string, bookId: number): void {
    if (this.#books.size >= maxRemembered) this.#books.clear();
    this.#books.set(key, bookId);
  }
}
