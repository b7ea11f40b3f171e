import Database from 'better-sqlite3';
import { ask } from '../run/ask.ts';
import type { Owner } from '../run/book.ts';

/** A record as it was written; null for no record. */
type State = { readonly id: number; readonly name: string; readonly description: string } | null;

/** The result of a comparison. */
type Comparison = 'acknowledged' | 'under way' | 'lost';

/** Every fifth write deletes the record; the next one creates another. */
const writesOfRecord = 5;

/**
 * A client that creates, changes and deletes one record repeatedly with POST, PUT and DELETE, and records what was
 * acknowledged and what was in flight.
 */
export class RecordWriter {
  readonly #owner: Owner;
  readonly #path: '/v2/tags' | '/v2/categories';
  readonly #prefix: string;
  #writes = 0;
  #stored: State = null;
  #underWay: State | undefined;
  acknowledged = 0;

  /** Each writer needs its own lane. */
  constructor(owner: Owner, lane: number) {
    this.#owner = owner;
    this.#path = lane % 2 === 0 ? '/v2/tags' : '/v2/categories';
    this.#prefix = `Lane ${lane}, `;
  }

  /** Sends the next write and returns the status. Rejects without a complete response. */
  async write(url: string): Promise<number> {
    this.#writes += 1;
    const before = this.#stored;
    const next = this.#nextState();
    this.#underWay = next;
    const method = before === null ? 'POST' : next === null ? 'DELETE' : 'PUT';
    const { status, text } = await ask(
      `${url}${this.#path}${before === null ? '' : `/${before.id}`}`,
      {
        method,
        token: this.#owner.token,
        ...(next !== null && {
          body: JSON.stringify({ name: next.name, description: next.description }),
          headers: { 'content-type': 'application/json' },
        }),
      },
    );
    this.#underWay = undefined;
    if (status === { POST: 201, PUT: 200, DELETE: 204 }[method]) {
      const id = before?.id ?? (JSON.parse(text) as { id: number }).id;
      this.#stored = next === null ? null : { ...next, id };
      this.acknowledged += 1;
    } else if (status !== 503)
      throw new Error(`${method} ${this.#path} returned ${status}: ${text}`);
    return status;
  }

  #nextState(): State {
    const description = `Write ${this.#writes}`;
    if (this.#stored === null)
      return { id: 0, name: `${this.#prefix}${this.#writes}`, description };
    return this.#writes % writesOfRecord === 0 ? null : { ...this.#stored, description };
  }

  /** Compares a database file with the acknowledged writes, and continues with its content. */
  compare(database: string): Comparison {
    const table = this.#path.slice('/v2/'.length);
    const found = this.#find(database, table);
    const underWay = this.#underWay;
    this.#underWay = undefined;
    const stored = this.#stored;
    this.#stored = found[0] ?? null;
    if (found.length > 1) return 'lost';
    if (isSame(this.#stored, stored)) return 'acknowledged';
    return underWay !== undefined && isSame(this.#stored, underWay) ? 'under way' : 'lost';
  }

  #find(path: string, table: string): NonNullable<State>[] {
    const database = new Database(path, { fileMustExist: true });
    try {
      return database
        .prepare<[string], NonNullable<State>>(
          `SELECT id, name, description FROM ${table} WHERE name LIKE ? || '%'`,
        )
        .all(this.#prefix);
    } finally {
      database.close();
    }
  }
}

function isSame(found: State, expected: State): boolean {
  return found?.name === expected?.name && found?.description === expected?.description;
}
