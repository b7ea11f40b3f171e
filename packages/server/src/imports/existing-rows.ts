import { dayNumber, monthNumber, monthOfNumber } from '@coffer/core/dates';
import sql, { join, type Sql } from 'sql-template-tag';
import { blocksOf, padded } from '../db/blocks.ts';
import { dialectOf, type Steps } from '../db/engine.ts';
import { among, idsOf, isOrNull, rowAs, rowsAs } from '../db/rows.ts';
import { integer } from '../db/table.ts';
import {
  IdSet,
  accountIdOf,
  debitOf,
  isOfBankId,
  moneyKey,
  plainId,
  sharedId,
  sharedIdBounds,
  textKey,
  untouchedFirst,
} from './comparison.ts';
import type { ExistingRow, Form, ResolvedEntry } from './comparison.ts';
import type { ImportEntry } from './entry.ts';
import { RowReader } from './row-reader.ts';

/** Days around a date in which its transaction may be in the book. Its month and at most one other are loaded. */
const nearDays = 7;

/** Days of months without a gap, and the amounts that accounts want of them. */
interface Stretch {
  readonly first: string;
  readonly last: string;
  readonly amounts: Map<number | null, ReadonlySet<number>>;
}

/** In place of the amounts of a month, of which all rows are read. */
const anyAmount = Infinity;

/** Loads the transactions that a book had before an import: by ids, and by months for entries without a match by id. */
export class ExistingRows {
  readonly #bookId: number;
  readonly #reader: RowReader;
  readonly #written: { readonly firstId: number };
  readonly #accounts = new Map<number | null, AccountRows>();
  readonly #claimed = new IdSet();
  readonly #sharesIds = new Map<number | null, boolean>();
  readonly #changedShared = new Map<number | null, readonly ExistingRow[]>();

  /** `written` are the rows of the import itself, if there are any yet. */
  constructor(
    bookId: number,
    format: string | null,
    written: { readonly firstId: number } = { firstId: Number.MAX_SAFE_INTEGER },
  ) {
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
  claim(account: number | null, row: ExistingRow): void {
    this.#claimed.add(row.id);
    this.of(account).forget(row);
  }

  /** Notes an entry of the file: of the months around its date, rows with its amount will be read. */
  want(account: number | null, { date, amount, isPending = false }: ImportEntry): void {
    const { wanted } = this.of(account);
    for (const month of monthsAround(date)) {
      let amounts = wanted.get(month);
      if (amounts === undefined) {
        amounts = new Set();
        wanted.set(month, amounts);
      }
      // A pending entry may be posted with a tip, so with any amount.
      amounts.add(isPending ? anyAmount : debitOf(amount));
    }
  }

  /**
   * Loads the rows that entries may be, except by their ids: those in the months around their dates that have an amount
   * of the file. All entries of the file must be wanted before.
   */
  *loadAround(entries: readonly ResolvedEntry[]): Steps<void> {
    const stretches = new Map<string, Stretch>();
    for (const [account, all] of Map.groupBy(entries, accountIdOf)) {
      yield* this.#loadPending(account);
      const { wanted } = this.of(account);
      const months = new Set(all.flatMap(({ date }) => monthsAround(date)));
      for (const stretch of stretchesOf([...months].filter((month) => wanted.has(month)))) {
        const days = { first: `${stretch[0]}-01`, last: `${stretch.at(-1)}-31` };
        const { amounts } = stretches.get(days.first + days.last) ?? { amounts: new Map() };
        amounts.set(account, new Set(stretch.flatMap((month) => [...wanted.get(month)!])));
        stretches.set(days.first + days.last, { ...days, amounts });
        // Loaded once.
        for (const month of stretch) wanted.delete(month);
      }
    }
    for (const stretch of stretches.values()) yield* this.#loadStretch(stretch);
  }

  *#loadStretch({ first, last, amounts }: Stretch): Steps<void> {
    const days = sql`BETWEEN ${first} AND ${last}`;
    const known = (yield* this.#reader.hasForms()) ? [] : [...amounts].filter(isOfAmounts);
    const together = known.length > 1 ? known : [];
    for (const block of blocksOf(together)) yield* this.#loadTogether(days, new Map(block));
    const loaded = new Set<number | null>(together.map(([account]) => account));
    for (const [account, own] of amounts) {
      if (!loaded.has(account))
        yield* this.#load(account, sql`t.date ${days} AND ${yield* this.#isOf(own)}`);
      this.#add(account, yield* this.#reader.changed(account, sql`o.date ${days}`));
    }
  }

  /** An index has the dates and amounts of the rows in lists; that of accounts finds the others. */
  *#loadTogether(days: Sql, amounts: ReadonlyMap<number, ReadonlySet<number>>): Steps<void> {
    const accounts = [...amounts.keys()];
    const isOfAccounts = sql`manual_account_id IN (${join(padded(accounts, accounts[0]!))})`;
    const all = new Set([...amounts.values()].flatMap((own) => [...own]));
    const isWanted = sql`book_id = ${this.#bookId} AND date ${days} AND ${yield* isOneOf(sql`amount`, all)}`;
    // First the ids: PostgreSQL may compare each of them with all rows of the months if one statement has both.
    const ids = yield* idsOf(sql`
      SELECT id FROM transactions
      WHERE ${isWanted} AND is_pending = 0 AND is_split_parent = 0 AND group_parent_id IS NULL
      UNION ALL SELECT id FROM transactions WHERE ${isWanted} AND ${isOfAccounts} AND listed = 0`);
    for (const block of blocksOf(ids)) {
      const found = yield* this.#reader
        .ofAccounts(sql`t.book_id = ${this.#bookId} AND ${among(sql`t.id`, block)}
        AND +t.${isOfAccounts} AND t.plaid_account_id IS NULL AND t.id < ${this.#written.firstId} AND ${isWhole}
        ORDER BY t.date, t.id`);
      for (const [account, rows] of found) this.#add(account, rows);
    }
  }

  /** Sets the rows that the accounts had before this import under the bank's ids of entries. */
  *readIds(entries: readonly ResolvedEntry[]): Steps<void> {
    const withIds = entries.filter(
      ({ bankId, account }) => bankId !== null && account?.isEarlier !== false,
    );
    for (const [accountId, all] of Map.groupBy(withIds, accountIdOf)) {
      const rows = yield* this.#withIds(accountId, wantedIds(all));
      const byId = indexOf(rows);
      for (const each of all) each.ofId = rowsOf(each, byId);
    }
  }

  /** Returns all rows of an account with some ids of a bank, claimed or not. */
  *#withIds(
    account: number | null,
    { ids, ranges }: ReturnType<typeof wantedIds>,
  ): Steps<ExistingRow[]> {
    const found: ExistingRow[] = [];
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
  *#isOf(amounts: ReadonlySet<number>): Steps<Sql> {
    if (amounts.has(anyAmount)) return sql`1 = 1`;
    const isOf = yield* isOneOf(sql`t.amount`, amounts);
    if (!(yield* this.#reader.hasForms())) return isOf;
    return sql`(${isOf} OR EXISTS (SELECT 1 FROM import_forms f
      WHERE f.book_id = ${this.#bookId} AND f.transaction_id = t.id))`;
  }

  *#withFormIds(account: number | null, list: Sql): Steps<ExistingRow[]> {
    const found = yield* rowsAs(
      { transaction_id: integer },
      sql`SELECT DISTINCT transaction_id FROM import_forms
        WHERE book_id = ${this.#bookId} AND external_id IN (${list})`,
    );
    const rows: ExistingRow[] = [];
    for (const block of blocksOf(found.map((each) => each.transaction_id))) {
      const ids = sql`IN (${join(padded(block, block[0]!))})`;
      rows.push(...(yield* this.#load(account, sql`t.id ${ids}`)));
      const changed = yield* this.#reader.changed(account, sql`o.transaction_id ${ids}`);
      rows.push(...this.#add(account, changed));
    }
    return rows;
  }

  /** They are few, so they are read once. */
  *#changedWithSharedIds(account: number | null): Steps<readonly ExistingRow[]> {
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

  *#load(account: number | null, and: Sql): Steps<ExistingRow[]> {
    const rows = yield* this.#reader.where(
      account,
      sql`${this.#before(account)} AND ${and} AND ${isWhole}`,
    );
    return this.#add(account, rows);
  }

  #add(account: number | null, found: readonly ExistingRow[]): ExistingRow[] {
    const rows = this.of(account);
    return found.map((each) => rows.add(each));
  }

  /** The condition for rows that an account had before the import. `+` in front of the column prevents its index. */
  #before(account: number | null, column = sql`t.manual_account_id`): Sql {
    return sql`t.book_id = ${this.#bookId} AND ${isOrNull(column, account)}
      AND t.plaid_account_id IS NULL AND t.id < ${this.#written.firstId}`;
  }
}

/**
 * Returns the condition that a column has one of some amounts. Without IS TRUE, PostgreSQL joins the rows with the
 * amounts, and compares each row with each amount if it has no statistics of the rows yet, as after a large import.
 */
function* isOneOf(column: Sql, amounts: ReadonlySet<number>): Steps<Sql> {
  const { rowsOfJson } = yield* dialectOf();
  const json = JSON.stringify([...amounts].map((amount) => ({ amount })));
  const list = sql`SELECT amount FROM (${rowsOfJson(json, { amount: integer })}) wanted`;
  return sql`(${column} IN (${list})) IS TRUE`;
}

/** Whether a manual account wants rows with some amounts, and not with any. */
function isOfAmounts(
  each: [number | null, ReadonlySet<number>],
): each is [number, ReadonlySet<number>] {
  return each[0] !== null && !each[1].has(anyAmount);
}

/**
 * Whole ids, and ranges of ids, both ends exclusive, that may belong to the bank's ids. If shared ids are too long to
 * be parsed, the entry's own is computed.
 */
function wantedIds(all: readonly ResolvedEntry[]) {
  const ids = new Set<string>();
  const ranges: (readonly [above: string, below: string])[] = [];
  for (const { bankId, raw } of all) {
    ids.add(plainId(bankId!));
    const bounds = sharedIdBounds(bankId!);
    if (bounds === null) ids.add(sharedId(bankId!, raw));
    else ranges.push(bounds);
  }
  return { ids: [...ids], ranges };
}

/** The rows by their ids without what we append, which comes after `~` or `#`. */
function indexOf(rows: readonly ExistingRow[]): ReadonlyMap<string, ExistingRow[]> {
  const index = new Map<string, ExistingRow[]>();
  for (const row of rows)
    for (const { externalId } of [row, ...row.forms]) {
      if (externalId === null) continue;
      for (const key of new Set([externalId, externalId.replace(/~[^~]*$/, '')]))
        addTo(index, key, row);
    }
  return index;
}

function rowsOf(
  { bankId, raw }: ResolvedEntry,
  index: ReadonlyMap<string, ExistingRow[]>,
): readonly ExistingRow[] {
  const keys = [plainId(bankId!), bankId!.id];
  if (sharedIdBounds(bankId!) === null) keys.push(sharedId(bankId!, raw));
  const found = new Set(keys.flatMap((key) => index.get(key) ?? []));
  if (found.size === 0) return none;
  return [...found].filter((row) =>
    [row, ...row.forms].some(
      ({ externalId }) => externalId !== null && isOfBankId(externalId, bankId!, raw),
    ),
  );
}

const none: readonly ExistingRow[] = [];

/** Parts of splits and groups are no transactions of an account. */
const isWhole = sql`t.split_parent_id IS NULL AND t.is_group_parent = 0`;

/** Returns the months in which the transaction of an entry may be. */
function monthsAround(date: string): string[] {
  const [month, day] = [date.slice(0, 7), Number(date.slice(8))];
  const months = [month];
  if (day <= nearDays) months.push(monthAfter(month, -1));
  // Every month has 28 days.
  if (day + nearDays > 28) months.push(monthAfter(month, 1));
  return months;
}

/** Divides months into stretches without a gap, in order. */
function stretchesOf(months: readonly string[]): string[][] {
  const stretches: string[][] = [];
  for (const month of months.toSorted()) {
    const last = stretches.at(-1);
    if (last !== undefined && monthAfter(last.at(-1)!, 1) === month) last.push(month);
    else stretches.push([month]);
  }
  return stretches;
}

/** Returns the month, `YYYY-MM`, some months after another one. */
function monthAfter(month: string, months: number): string {
  return monthOfNumber(monthNumber(month) + months);
}

/**
 * The transactions of one account that the book had before the import, as far as they are loaded. Each matches one
 * entry of a file at most: a claimed row is not found again.
 */
export class AccountRows {
  readonly #claimed: IdSet;
  readonly #byId = new Map<number, ExistingRow>();
  readonly #byExternalId = new Map<string, ExistingRow>();
  readonly #byText = new Map<string, ExistingRow[]>();
  /** Rows that files of this format do not have as they are: see {@link ExistingRow.relation}. */
  readonly #foreign = new Map<string, ExistingRow[]>();
  /** Posted rows that files of this format have, pending or posted, by the day and the amount in those files. */
  readonly #sameMoney = new Map<string, ExistingRow[]>();
  readonly #pending = new Map<number, ExistingRow>();
  /** How many rows have an amount in any of their forms: most entries have none of these, and need no look-up. */
  readonly #amounts = new Map<number, number>();
  /** The amounts of the file around each month, as the book has them. A month that is loaded is missing. */
  readonly wanted = new Map<string, Set<number>>();
  hasLoadedPending = false;

  /** `claimed` has the ids of all claimed rows. */
  constructor(claimed: IdSet) {
    this.#claimed = claimed;
  }

  /** Adds a row. Returns the row that is known under its id. */
  add(row: ExistingRow): ExistingRow {
    const known = this.#byId.get(row.id);
    if (known !== undefined) return known;
    if (this.#claimed.has(row.id)) return row;
    this.#byId.set(row.id, row);
    for (const amount of amountsOf(row))
      this.#amounts.set(amount, (this.#amounts.get(amount) ?? 0) + 1);
    for (const id of externalIdsOf(row))
      if (row.edit === null || !this.#byExternalId.has(id)) this.#byExternalId.set(id, row);
    for (const form of comparedForms(row)) addTo(this.#byText, textKey(form), row);
    if (row.isPending) this.#pending.set(row.id, row);
    else {
      if (row.relation !== 'same') addTo(this.#foreign, moneyKey(row), row);
      for (const form of row.forms) addTo(this.#sameMoney, dayKey(form), row);
    }
    return row;
  }

  /** Forgets a claimed row, so that memory does not grow with the file. */
  forget(row: ExistingRow): void {
    if (this.#byId.delete(row.id)) this.#forgetAmounts(row);
    this.#pending.delete(row.id);
    for (const id of externalIdsOf(row))
      if (this.#byExternalId.get(id) === row) this.#byExternalId.delete(id);
    for (const form of comparedForms(row)) removeFrom(this.#byText, textKey(form), row);
    if (row.isPending) return;
    if (row.relation !== 'same') removeFrom(this.#foreign, moneyKey(row), row);
    for (const form of row.forms) removeFrom(this.#sameMoney, dayKey(form), row);
  }

  #forgetAmounts(row: ExistingRow): void {
    for (const amount of amountsOf(row)) {
      const left = this.#amounts.get(amount)! - 1;
      if (left === 0) this.#amounts.delete(amount);
      else this.#amounts.set(amount, left);
    }
  }

  isFree(row: ExistingRow): boolean {
    return !this.#claimed.has(row.id);
  }

  /** Returns the free row with an external id. */
  withId(externalId: string): ExistingRow | undefined {
    const row = this.#byExternalId.get(externalId);
    return row !== undefined && this.isFree(row) ? row : undefined;
  }

  /**
   * Returns the free rows of which a form, or what a user made of it, has the same date, amount, currency and payee;
   * rows that a user changed or deleted come last.
   */
  withText(form: Form): readonly ExistingRow[] {
    if (!this.#amounts.has(form.amount)) return none;
    return untouchedFirst(this.#byText.get(textKey(form)) ?? []);
  }

  /** Returns the free posted rows that no file of this format has, or that may be such rows. */
  foreign(money: Form): readonly ExistingRow[] {
    return this.#amounts.has(money.amount) ? (this.#foreign.get(moneyKey(money)) ?? none) : none;
  }

  /** Returns the free posted rows that a file of this format had with the same date, amount and currency. */
  sameMoney(form: Form): readonly ExistingRow[] {
    return this.#amounts.has(form.amount) ? (this.#sameMoney.get(dayKey(form)) ?? none) : none;
  }

  /** Returns the free pending rows, by id. */
  get pending(): readonly ExistingRow[] {
    return [...this.#pending.values()];
  }

  get hasPending(): boolean {
    return this.#pending.size > 0;
  }

  /** Returns the free rows with dates in a range of days, both ends inclusive. */
  *between(first: number, last: number): Generator<ExistingRow> {
    for (const row of this.#byId.values()) {
      const day = dayNumber(row.date);
      if (day >= first && day <= last) yield row;
    }
  }
}

/** The different amounts of a row in files and in the book. */
function amountsOf(row: ExistingRow): Set<number> {
  return new Set([row, ...comparedForms(row)].map(({ amount }) => amount));
}

/** The forms of a row in files, and the one that a user gave it. */
function comparedForms({ forms, edit }: ExistingRow): readonly Form[] {
  const now = edit?.now ?? null;
  return now === null ? forms : [...forms, now];
}

function dayKey(form: Form): string {
  return `${form.date} ${moneyKey(form)}`;
}

function externalIdsOf(row: ExistingRow): string[] {
  const ids = [row, ...row.forms].map(({ externalId }) => externalId);
  return ids.filter((id) => id !== null);
}

function addTo(index: Map<string, ExistingRow[]>, key: string, row: ExistingRow): void {
  const rows = index.get(key);
  if (rows === undefined) index.set(key, [row]);
  // A row is added to a list only once, one form after another.
  else if (rows.at(-1) !== row) rows.push(row);
}

function removeFrom(index: Map<string, ExistingRow[]>, key: string, row: ExistingRow): void {
  const rows = index.get(key);
  const at = rows?.indexOf(row) ?? -1;
  if (at < 0) return;
  rows!.splice(at, 1);
  if (rows!.length === 0) index.delete(key);
}
