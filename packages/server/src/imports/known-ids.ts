import sql from 'sql-template-tag';
import type { Sql } from 'sql-template-tag';
import { bankIdOf, isOfBankId, plainId, sharedId, sharedIdBounds } from './bank-ids.ts';
import type { BankId, ImportEntry } from './entry.ts';
import type { Identified } from './matches.ts';
import { KnownRows } from './known-rows.ts';
import type { BulkRows } from '../resources/transactions/actions.ts';
import { isOrNull, rowsAs } from '../db/rows.ts';
import { integer, text } from '../db/table.ts';
import type { Steps } from '../db/engine.ts';
import type { ImportAccount } from './names.ts';

/** Reads the rows of a book with the ids of a bank, once for each id, and chooses free ids for new transactions. */
export class KnownIds {
  readonly #bookId: number;
  readonly #written: BulkRows;
  /** The rows of ids that are in the file more than once; they are read once. */
  readonly #repeated = new Map<string, KnownRows>();
  readonly #claimed = new Set<number>();
  readonly #none = new KnownRows([], this.#claimed);
  /** Ids that entries got because their own were in use. */
  readonly #given = new Set<string>();

  constructor(bookId: number, written: BulkRows) {
    this.#bookId = bookId;
    this.#written = written;
  }

  /** Returns the rows that the account had before this import under the bank's id of an entry. */
  *rowsOf(externalId: string, entry: ImportEntry, account: ImportAccount | null): Steps<KnownRows> {
    if (account !== null && !account.isEarlier) return this.#none;
    const bankId = bankIdOf(externalId, entry);
    // Shared ids that are too long to be parsed are looked up one by one.
    const isReadOnce = bankId.isRepeated && sharedIdBounds(bankId) !== null;
    if (!isReadOnce) return yield* this.#read(bankId, entry, account);
    const key = keyOf(`${bankId.nth} ${bankId.id}`, account);
    const known = this.#repeated.get(key) ?? (yield* this.#read(bankId, entry, account));
    this.#repeated.set(key, known);
    return known;
  }

  /** Returns the id for a new entry: its own, if it is free. `isUsed` knows the ids of the file. */
  newId(each: Identified, account: ImportAccount | null, isUsed: (id: string) => boolean): string {
    const { entry, externalId, known } = each;
    const isGiven = (id: string): boolean => this.#given.has(keyOf(id, account));
    if (!known.has(externalId) && !isGiven(externalId)) return externalId;
    const bankId = bankIdOf(externalId, entry);
    for (let { nth } = bankId; ; nth += 1) {
      const id = sharedId({ ...bankId, nth }, entry);
      if (known.has(id) || isGiven(id) || isUsed(id)) continue;
      this.#given.add(keyOf(id, account));
      return id;
    }
  }

  *#read(bankId: BankId, entry: ImportEntry, account: ImportAccount | null): Steps<KnownRows> {
    const found = yield* rowsAs(
      { id: integer, externalId: text, date: text, amount: integer, payee: text },
      sql`SELECT id, external_id AS "externalId", date, -amount AS amount,
        coalesce(original_name, payee) AS payee
      FROM transactions
      WHERE book_id = ${this.#bookId} AND ${isOrNull(sql`manual_account_id`, account?.id ?? null)}
        AND ${mayBeOf(bankId, entry)} AND id < ${this.#written.firstId}`,
    );
    if (found.length === 0) return this.#none;
    const own = found.filter(({ externalId }) => isOfBankId(externalId, bankId, entry));
    return new KnownRows(own, this.#claimed);
  }
}

/** Ids that may belong to the bank's id. If shared ids are too long to be parsed, the entry's own is computed. */
function mayBeOf(bankId: BankId, entry: ImportEntry): Sql {
  const plain = plainId(bankId);
  const bounds = sharedIdBounds(bankId);
  if (bounds === null) return sql`external_id IN (${plain}, ${sharedId(bankId, entry)})`;
  const [above, below] = bounds;
  return sql`(external_id = ${plain} OR (external_id > ${above} AND external_id < ${below}))`;
}

function keyOf(id: string, account: ImportAccount | null): string {
  return `${account?.id ?? ''} ${id}`;
}
