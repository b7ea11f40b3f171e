import { ask, askJson } from '../../test/service/ask.ts';
import type { Owner } from '../../test/service/owners.ts';
import { readFile } from '../run/ledger.ts';

type State = { readonly id: number; readonly name: string; readonly description: string } | null;

/** Every fifth write deletes the record; the next one creates another. */
const writesOfRecord = 5;

/**
 * A client that creates, changes and deletes one record repeatedly with POST, PUT and DELETE, and records what was
 * acknowledged and what was in flight.
 */
export class RecordWriter {
  readonly #token: string;
  readonly #table: 'tags' | 'categories';
  readonly #prefix: string;
  #writes = 0;
  #stored: State = null;
  #underWay: State | undefined;
  acknowledged = 0;

  constructor({ token }: Owner, lane: number) {
    this.#token = token;
    this.#table = lane % 2 === 0 ? 'tags' : 'categories';
    this.#prefix = `Lane ${lane}, `;
  }

  /** Sends the next write and returns the status. Rejects without a complete response. */
  async write(url: string): Promise<number> {
    this.#writes += 1;
    const before = this.#stored;
    const next = this.#nextState();
    this.#underWay = next;
    const method = before === null ? 'POST' : next === null ? 'DELETE' : 'PUT';
    const target = `${url}/v2/${this.#table}${before === null ? '' : `/${before.id}`}`;
    const { status, text } =
      next === null
        ? await ask(target, { method, token: this.#token })
        : await askJson(target, method, this.#token, { ...next, id: undefined });
    this.#underWay = undefined;
    if (status === { POST: 201, PUT: 200, DELETE: 204 }[method]) {
      const id = before?.id ?? (JSON.parse(text) as { id: number }).id;
      this.#stored = next === null ? null : { ...next, id };
      this.acknowledged += 1;
    } else if (status !== 503)
      throw new Error(`${method} ${this.#table} returned ${status}: ${text}`);
    return status;
  }

  #nextState(): State {
    const description = `Write ${this.#writes}`;
    if (this.#stored === null)
      return { id: 0, name: `${this.#prefix}${this.#writes}`, description };
    return this.#writes % writesOfRecord === 0 ? null : { ...this.#stored, description };
  }

  /** Compares a database file with the acknowledged writes, and continues with its content. */
  compare(path: string): 'acknowledged' | 'under way' | 'lost' {
    const statement = `SELECT id, name, description FROM ${this.#table} WHERE name LIKE ? || '%'`;
    const found = readFile(path, (database) =>
      database.prepare<[string], NonNullable<State>>(statement).all(this.#prefix),
    );
    const [stored, underWay] = [this.#stored, this.#underWay];
    this.#underWay = undefined;
    this.#stored = found[0] ?? null;
    if (found.length > 1) return 'lost';
    if (isSame(this.#stored, stored)) return 'acknowledged';
    return underWay !== undefined && isSame(this.#stored, underWay) ? 'under way' : 'lost';
  }
}

function isSame(found: State, expected: State): boolean {
  return found?.name === expected?.name && found?.description === expected?.description;
}
