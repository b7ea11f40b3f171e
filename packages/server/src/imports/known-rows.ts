import sql, { join } from 'sql-template-tag';
import type { Sql } from 'sql-template-tag';
import { blocksOf, padded } from '../db/blocks.ts';
import type { Steps } from '../db/engine.ts';
import { isOrNull, rowAs, rowsAs } from '../db/rows.ts';
import { integer } from '../db/table.ts';
import type { BulkRows } from '../ledger/transactions/writes.ts';
import { AccountRows } from './account-rows.ts';
import type { Candidate } from './candidate.ts';
import { IdSet } from './id-set.ts';
import type { KnownRow } from './forms.ts';
import { RowReader } from './row-reader.ts';

/** Ids of banks to look up: whole ids, and ranges of ids, both ends exclusive. */
export interface WantedIds {
  readonly ids: readonly string[];
  readonly ranges: readonly (readonly [above: string, below: string])[];
}

/** Days around a date in which its transaction may be in the book. Its month and at most one other are loaded. */
const reach = 7;

/** Loads the transactions that a book had before an import: by ids, and by months for entries that no id settles. */
export class KnownRows {
  readonly #bookId: number;
  readonly #reader: RowReader;
  readonly #written: BulkRows;
  readonly #accounts = new Map<number | null, AccountRows>();
  readonly #claimed = new IdSet();
  readonly #sharesIds = new Map<number | null, boolean>();
  readonly #changedShared = new Map<number | null, readonly KnownRow[]>();

  /** `written` are the rows of the import itself. */
  constructor(bookId: number, format: string | null, written: BulkRows) {
    this.#bookId = bookId;
    this.#reader = new RowReader(bookId, format);
    this.#written = written;
  }

  /** Returns the loaded rows of an account. */
  of(account: number | null): AccountRows {
    let rows = this.#accounts.get(account);
    if (rows === undefined) {
      rows = new AccountRows(this.#claimed);
      this.#accounts.set(account, rows);
    }
    return rows;
  }

  /** Makes a row belong to an entry of the file. */
  claim(account: number | null, row: KnownRow): void {
    this.#claimed.add(row.id);
    this.of(account).forget(row);
  }

  /**
   * Loads the rows that entries may be, except by their ids: the months around their dates. Of the months of a small
   * file only rows with the amounts of the file are read; `isWholeFile` says that it has no other entries.
   */
  *loadAround(candidates: readonly Candidate[], isWholeFile: boolean): Steps<void> {
    for (const [account, all] of Map.groupBy(candidates, (each) => each.account?.id ?? null)) {
      yield* this.#loadPending(account);
      const { loadedMonths } = this.of(account);
      const around = all.flatMap(({ date }) => monthsAround(date));
      const months = new Set(around.filter((month) => !loadedMonths.has(month)));
      if (months.size === 0) continue;
      // A pending entry may be posted with a tip, so with any amount.
      const isFiltered = isWholeFile && all.every(({ isPending }) => !isPending);
      const and = isFiltered ? yield* this.#ofAmounts(all) : sql`1 = 1`;
      for (const [first, last] of stretchesOf(months)) {
        const days = sql`BETWEEN ${`${first}-01`} AND ${`${last}-31`}`;
        yield* this.#load(account, sql`t.date ${days} AND ${and}`);
        this.#add(account, yield* this.#reader.changed(account, sql`o.date ${days}`));
      }
      for (const month of months) loadedMonths.add(month);
    }
  }

  /** Returns all rows of an account with some ids of a bank, claimed or not. */
  *withIds(account: number | null, { ids, ranges }: WantedIds): Steps<KnownRow[]> {
    const found: KnownRow[] = [];
    for (const block of blocksOf(ids)) {
      const before = sql`${this.#before(account)} AND ${isWhole}`;
      found.push(...this.#add(account, yield* this.#reader.ofIds(account, block, before)));
      const list = join(padded(block, block[0]!));
      const changed = yield* this.#reader.changed(account, sql`o.external_id IN (${list})`);
      found.push(...this.#add(account, changed));
      if (yield* this.#reader.hasForms()) found.push(...(yield* this.#withFormIds(account, list)));
    }
    if (ranges.length > 0 && (yield* this.#hasSharedIds(account)))
      for (const block of blocksOf(ranges)) {
        const inRanges = yield* this.#reader.inRanges(account, block, this.#before(account));
        found.push(...this.#add(account, inRanges));
      }
    if (ranges.length > 0) found.push(...(yield* this.#changedWithSharedIds(account)));
    return [...new Set(found)];
  }

  *#loadPending(account: number | null): Steps<void> {
    const rows = this.of(account);
    if (rows.hasLoadedPending) return;
    rows.hasLoadedPending = true;
    const pending = yield* this.#reader.where(
      account,
      sql`t.is_pending = 1 AND ${this.#before(account, sql`+t.manual_account_id`)} AND ${isWhole}`,
    );
    this.#add(account, pending);
  }

  /** A row that files had in other forms may have had another amount in them. */
  *#ofAmounts(candidates: readonly Candidate[]): Steps<Sql> {
    const amounts = [...new Set(candidates.map(({ amount }) => (amount === 0 ? 0 : -amount)))];
    const isOf = sql`t.amount IN (${join(padded(amounts, amounts[0]!))})`;
    if (!(yield* this.#reader.hasForms())) return isOf;
    return sql`(${isOf} OR EXISTS (SELECT 1 FROM import_forms f
      WHERE f.book_id = ${this.#bookId} AND f.transaction_id = t.id))`;
  }

  *#withFormIds(account: number | null, list: Sql): Steps<KnownRow[]> {
    const found = yield* rowsAs(
      { transaction_id: integer },
      sql`SELECT DISTINCT transaction_id FROM import_forms
        WHERE book_id = ${this.#bookId} AND external_id IN (${list})`,
    );
    const rows: KnownRow[] = [];
    for (const block of blocksOf(found.map((each) => each.transaction_id))) {
      const ids = sql`IN (${join(padded(block, block[0]!))})`;
      rows.push(...(yield* this.#load(account, sql`t.id ${ids}`)));
      const changed = yield* this.#reader.changed(account, sql`o.transaction_id ${ids}`);
      rows.push(...this.#add(account, changed));
    }
    return rows;
  }

  /** They are few, so they are read once. */
  *#changedWithSharedIds(account: number | null): Steps<readonly KnownRow[]> {
    let rows = this.#changedShared.get(account);
    if (rows === undefined) {
      const changed = yield* this.#reader.changed(account, sql`o.external_id LIKE '%~%'`);
      rows = this.#add(account, changed);
      this.#changedShared.set(account, rows);
    }
    return rows;
  }

  /** Few accounts have ids that a bank used more than once. */
  *#hasSharedIds(account: number | null): Steps<boolean> {
    const known = this.#sharesIds.get(account);
    if (known !== undefined) return known;
    const found = yield* rowAs(
      { id: integer },
      sql`SELECT t.id FROM transactions t WHERE ${this.#before(account)}
        AND t.external_id IS NOT NULL AND t.external_id LIKE '%~%' LIMIT 1`,
    );
    this.#sharesIds.set(account, found !== undefined);
    return found !== undefined;
  }

  *#load(account: number | null, and: Sql): Steps<KnownRow[]> {
    const rows = yield* this.#reader.where(
      account,
      sql`${this.#before(account)} AND ${and} AND ${isWhole}`,
    );
    return this.#add(account, rows);
  }

  #add(account: number | null, found: readonly KnownRow[]): KnownRow[] {
    const rows = this.of(account);
    return found.map((each) => rows.add(each));
  }

  /** The condition for rows that an account had before the import. `+` in front of the column prevents its index. */
  #before(account: number | null, column = sql`t.manual_account_id`): Sql {
    return sql`t.book_id = ${this.#bookId} AND ${isOrNull(column, account)}
      AND t.plaid_account_id IS NULL AND t.id < ${this.#written.firstId}`;
  }
}

/** Parts of splits and groups are no transactions of an account. */
const isWhole = sql`t.split_parent_id IS NULL AND t.is_group_parent = 0`;

/** Returns the months in which the transaction of an entry may be. */
function monthsAround(date: string): string[] {
  const [month, day] = [date.slice(0, 7), Number(date.slice(8))];
  const months = [month];
  if (day <= reach) months.push(monthAfter(month, -1));
  // Every month has 28 days.
  if (day + reach > 28) months.push(monthAfter(month, 1));
  return months;
}

/** Returns the first and the last of each row of months without a gap. */
function stretchesOf(months: ReadonlySet<string>): [first: string, last: string][] {
  const stretches: [first: string, last: string][] = [];
  for (const month of [...months].toSorted()) {
    const last = stretches.at(-1);
    if (last !== undefined && monthAfter(last[1], 1) === month) last[1] = month;
    else stretches.push([month, month]);
  }
  return stretches;
}

/** Returns the month, `YYYY-MM`, some months after another one. */
function monthAfter(month: string, months: number): string {
  const at = Number(month.slice(0, 4)) * 12 + Number(month.slice(5)) - 1 + months;
  const year = String(Math.floor(at / 12)).padStart(4, '0');
  return `${year}-${String((at % 12) + 1).padStart(2, '0')}`;
}
