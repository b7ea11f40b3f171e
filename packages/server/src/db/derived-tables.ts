import { foldText, headOf, searchedLength } from '@coffer/core/fold';
import sql, { join, raw, type Sql } from 'sql-template-tag';
import { blocksOf, padded, piecesOf } from './blocks.ts';
import { dialectOf, insertMany, run, type Steps } from './engine.ts';
import { rowsAs } from './rows.ts';
import { hidingColumns, isListed } from './derived-counts.ts';
import { integer, text } from './table.ts';
import type { DerivedChanges, DerivedFrom, DerivedTable } from './table.ts';

const tagColumns = ['book_id', 'tag_id', 'date', 'transaction_id'];

/** `transaction_tags`: an index of the `tag_ids` of transactions. */
export const transactionTags: DerivedTable = {
  reads: ['date', 'tag_ids'],
  begin: (bookId) => new TagChanges(bookId),
};

class TagChanges implements DerivedChanges {
  readonly #bookId: number;
  readonly #stale = new Set<number>();
  readonly #tagged = new Map<number, { date: string; tagIds: string }>();

  constructor(bookId: number) {
    this.#bookId = bookId;
  }

  note(before: DerivedFrom, after: DerivedFrom): void {
    if (isUntagged(before) && isUntagged(after)) return;
    if (before?.['tag_ids'] === after?.['tag_ids'] && before?.['date'] === after?.['date']) return;
    const id = (after ?? before)!['id'] as number;
    if (!isUntagged(before)) this.#stale.add(id);
    if (isUntagged(after)) this.#tagged.delete(id);
    else
      this.#tagged.set(id, { date: after!['date'] as string, tagIds: after!['tag_ids'] as string });
  }

  *noteSet(rows: Sql, sign: 1 | -1): Steps<void> {
    const tagged = sql`(${rows}) t WHERE t.tag_ids <> '[]'`;
    const { elementsOf } = yield* dialectOf();
    yield* run(
      sign < 0
        ? sql`DELETE FROM transaction_tags
            WHERE book_id = ${this.#bookId} AND transaction_id IN (SELECT t.id FROM ${tagged})`
        : sql`INSERT INTO transaction_tags (${raw(tagColumns.join(', '))})
            SELECT DISTINCT CAST(${this.#bookId} AS BIGINT), CAST(elements.value AS BIGINT), t.date, t.id
            FROM (SELECT * FROM ${tagged}) t, ${elementsOf(sql`t.tag_ids`)}`,
    );
  }

  *apply(): Steps<void> {
    const stale = [...this.#stale];
    this.#stale.clear();
    for (const ids of blocksOf(stale))
      yield* run(sql`
        DELETE FROM transaction_tags WHERE book_id = ${this.#bookId} AND transaction_id IN (${join(ids)})`);
    const rows = [...this.#tagged].flatMap(([id, { date, tagIds }]) =>
      [...new Set(JSON.parse(tagIds) as number[])].map((tagId) => [this.#bookId, tagId, date, id]),
    );
    this.#tagged.clear();
    yield* insertMany('transaction_tags', tagColumns, rows);
  }
}

function isUntagged(row: DerivedFrom): boolean {
  return row === null || (row['tag_ids'] ?? '[]') === '[]';
}

/** Divides amounts in two parts, so that no sum of less than 60 million of them leaves the range of integers. */
const divisor = 2 ** 27;

/** A sum of amounts in two parts, each a safe integer. */
export interface SumParts {
  readonly high: number;
  readonly low: number;
}

/** The columns `high` and `low` of {@link exactSum}, for `rowsAs`. */
export const sumParts = { high: integer, low: integer };

/** Returns the columns `high` and `low`: the exact sum of an integer column, for {@link sumOf}. */
export function exactSum(column: string): Sql {
  // The divisor as text, because SQLite gets numbers as floating-point values, by which it does not divide integers.
  return raw(
    `CAST(sum(${column} / ${divisor}) AS BIGINT) AS high, CAST(sum(${column} % ${divisor}) AS BIGINT) AS low`,
  );
}

/** Returns the parts of one amount, as {@link exactSum} computes them. Parts can be added. */
export function partsOf(amount: number): SumParts {
  return { high: Math.trunc(amount / divisor), low: amount % divisor };
}

/** Returns the sum that two parts make. */
export function sumOf({ high, low }: SumParts): bigint {
  return BigInt(high) * BigInt(divisor) + BigInt(low);
}

/**
 * `transaction_sums`: the number and the sum of the listed rows of a book in each month, category and account; 0 is no
 * category or account.
 */
export const transactionSums: DerivedTable = {
  reads: [
    ...(['date', 'category_id', 'manual_account_id', 'plaid_account_id', 'to_base'] as const),
    ...hidingColumns,
  ],
  begin: (bookId) => new SumChanges(bookId, accountSums),
};

/** The columns that make the key of a sum, besides the book. */
export const sumKey = ['month', 'category_id', 'manual_account_id', 'plaid_account_id'] as const;

/**
 * `activity_sums`: the number and the sum of the listed rows of a book in each month and category, as a summary divides
 * them: by the kinds of {@link activityKind}.
 */
export const activitySums: DerivedTable = {
  reads: ['date', 'category_id', 'recurring_id', 'to_base', ...hidingColumns],
  begin: (bookId) => new SumChanges(bookId, sumsOfActivity),
};

/** The columns that make the key of a sum of activity, besides the book. */
export const activityKey = ['month', 'category_id', 'kind'] as const;

/** The kinds of activity, as bits: of a recurring item; without a category and money in. */
export const activityKind = { isRecurring: 1, isInflow: 2 } as const;

type SumKey = readonly (string | number)[];

/** Returns a SELECT of sums of listed rows of a relation `t` that match a condition, as they must be. */
type SelectSums = (where: Sql, from?: Sql) => Sql;

/** A table of sums: the columns of its key after the book, the key of a row, and how to compute it again. */
export interface Summing {
  readonly table: string;
  /** The column of `books` with the version up to which it is kept. */
  readonly version: 'derived_version' | 'activity_version' | 'account_days_version';
  readonly names: readonly string[];
  /** How many of the names find the sums of no row. */
  readonly leading: number;
  readonly amount: 'to_base' | 'amount';
  readonly isSummed: (row: DerivedFrom) => row is NonNullable<DerivedFrom>;
  readonly keyOf: (row: NonNullable<DerivedFrom>) => SumKey;
  readonly select: SelectSums;
}

/** Returns a SELECT of `transaction_sums`. */
const selectSums: SelectSums = (where, from = sql`transactions t`) =>
  sql`SELECT t.book_id, substr(t.date, 1, 7) AS month, coalesce(t.category_id, 0) AS category_id,
      coalesce(t.manual_account_id, 0) AS manual_account_id, coalesce(t.plaid_account_id, 0) AS plaid_account_id,
      count(*) AS listed, ${exactSum('t.to_base')}
    FROM ${from}
    WHERE ${where} AND t.is_pending = 0 AND t.is_split_parent = 0 AND t.group_parent_id IS NULL
    GROUP BY 1, 2, 3, 4, 5`;

/** The expression for the kind of activity of row `t`. */
const activityOf = raw(`CASE WHEN t.recurring_id IS NULL THEN 0 ELSE ${activityKind.isRecurring} END
  + CASE WHEN t.category_id IS NULL AND t.to_base < 0 THEN ${activityKind.isInflow} ELSE 0 END`);

/** Returns a SELECT of `activity_sums`. */
export const selectActivity: SelectSums = (where, from = sql`transactions t`) =>
  sql`SELECT t.book_id, substr(t.date, 1, 7) AS month, coalesce(t.category_id, 0) AS category_id,
      ${activityOf} AS kind, count(*) AS listed, ${exactSum('t.to_base')}
    FROM ${from}
    WHERE ${where} AND t.is_pending = 0 AND t.is_split_parent = 0 AND t.group_parent_id IS NULL
    GROUP BY 1, 2, 3, 4`;

const ofListed = { leading: 1, amount: 'to_base', isSummed: isListed } as const;

export const accountSums: Summing = {
  table: 'transaction_sums',
  version: 'derived_version',
  names: sumKey,
  ...ofListed,
  keyOf: (row) => [
    monthOf(row),
    idIn(row, 'category_id'),
    idIn(row, 'manual_account_id'),
    idIn(row, 'plaid_account_id'),
  ],
  select: selectSums,
};

export const sumsOfActivity: Summing = {
  table: 'activity_sums',
  version: 'activity_version',
  names: activityKey,
  ...ofListed,
  keyOf(row) {
    const categoryId = idIn(row, 'category_id');
    const isInflow = categoryId === 0 && (row['to_base'] as number) < 0;
    const kind =
      (idIn(row, 'recurring_id') === 0 ? 0 : activityKind.isRecurring) +
      (isInflow ? activityKind.isInflow : 0);
    return [monthOf(row), categoryId, kind];
  },
  select: selectActivity,
};

/** The columns that make the key of the sum of an account on a day, besides the book. */
export const accountDayKey = [
  ...(['manual_account_id', 'plaid_account_id', 'date', 'currency'] as const),
];

/**
 * `account_days`: the number and the sum of the amounts by which transactions move the balance of an account, on each
 * day and in each currency; 0 is no account of the kind. Pending transactions, groups and parts move none.
 */
export const accountDays: DerivedTable = {
  reads: [
    ...(['date', 'manual_account_id', 'plaid_account_id', 'amount', 'currency'] as const),
    ...(['is_pending', 'is_group_parent', 'split_parent_id'] as const),
  ],
  begin: (bookId) => new SumChanges(bookId, daysOfAccounts),
};

/** The condition that row `t` moves the balance of an account. */
const isMovingRow = raw(`t.is_pending = 0 AND t.is_group_parent = 0 AND t.split_parent_id IS NULL
  AND (t.manual_account_id IS NOT NULL OR t.plaid_account_id IS NOT NULL)`);

/** Returns a SELECT of `account_days`. */
export const selectAccountDays: SelectSums = (where, from = sql`transactions t`) =>
  sql`SELECT t.book_id, coalesce(t.manual_account_id, 0) AS manual_account_id,
      coalesce(t.plaid_account_id, 0) AS plaid_account_id, t.date, t.currency, count(*) AS listed,
      ${exactSum('t.amount')}
    FROM ${from} WHERE ${where} AND ${isMovingRow} GROUP BY 1, 2, 3, 4, 5`;

function isMoving(row: DerivedFrom): row is NonNullable<DerivedFrom> {
  return (
    row !== null &&
    row['is_pending'] !== true &&
    row['is_group_parent'] !== true &&
    (row['split_parent_id'] ?? null) === null &&
    ((row['manual_account_id'] ?? null) !== null || (row['plaid_account_id'] ?? null) !== null)
  );
}

export const daysOfAccounts: Summing = {
  table: 'account_days',
  version: 'account_days_version',
  names: accountDayKey,
  leading: 3,
  amount: 'amount',
  isSummed: isMoving,
  keyOf: (row) => [
    idIn(row, 'manual_account_id'),
    idIn(row, 'plaid_account_id'),
    row['date'] as string,
    row['currency'] as string,
  ],
  select: selectAccountDays,
};

interface Sum extends SumParts {
  readonly listed: number;
}

interface SumChange {
  readonly key: SumKey;
  listed: number;
  high: number;
  low: number;
}

class SumChanges implements DerivedChanges {
  readonly #bookId: number;
  readonly #summing: Summing;
  readonly #byKey = new Map<string, SumChange>();

  constructor(bookId: number, summing: Summing) {
    this.#bookId = bookId;
    this.#summing = summing;
  }

  note(before: DerivedFrom, after: DerivedFrom): void {
    const { isSummed } = this.#summing;
    if (isSummed(before) && isSummed(after) && isSameSum(before, after)) return;
    if (isSummed(before)) this.#addRow(before, -1);
    if (isSummed(after)) this.#addRow(after, 1);
  }

  *noteSet(rows: Sql, sign: 1 | -1): Steps<void> {
    const { names, select } = this.#summing;
    const shape = Object.fromEntries(names.map((name) => [name, typeOfKey(name)]));
    const sums = select(sql`t.book_id = ${this.#bookId}`, sql`(${rows}) t`);
    for (const sum of yield* rowsAs({ ...shape, ...sumParts, listed: integer }, sums))
      this.#add(
        names.map((name) => (sum as Readonly<Record<string, string | number>>)[name]!),
        sum,
        sign,
      );
  }

  *apply(): Steps<void> {
    const changes = [...this.#byKey.values()].filter(
      ({ listed, high, low }) => listed !== 0 || high !== 0 || low !== 0,
    );
    this.#byKey.clear();
    yield* this.#put(changes);
    yield* this.#removeEmpty(changes.filter(({ listed }) => listed < 0));
  }

  #addRow(row: NonNullable<DerivedFrom>, sign: 1 | -1): void {
    const sum = { listed: 1, ...partsOf(row[this.#summing.amount] as number) };
    this.#add(this.#summing.keyOf(row), sum, sign);
  }

  #add(key: SumKey, { listed, high, low }: Sum, sign: 1 | -1): void {
    const name = key.join();
    const change = this.#byKey.get(name) ?? { key, listed: 0, high: 0, low: 0 };
    change.listed += sign * listed;
    change.high += sign * high;
    change.low += sign * low;
    this.#byKey.set(name, change);
  }

  *#put(changes: readonly SumChange[]): Steps<void> {
    const [table, names] = [raw(this.#summing.table), raw(this.#summing.names.join(', '))];
    for (const piece of piecesOf(changes)) {
      const values = piece.map(
        ({ key, listed, high, low }) =>
          sql`(${this.#bookId}, ${join(key)}, ${listed}, ${high}, ${low})`,
      );
      yield* run(sql`
        INSERT INTO ${table} (book_id, ${names}, listed, high, low) VALUES ${join(values)}
        ON CONFLICT (book_id, ${names}) DO UPDATE SET
          listed = ${table}.listed + excluded.listed,
          high = ${table}.high + excluded.high, low = ${table}.low + excluded.low`);
    }
  }

  /** Removes the sums of no row near those that had more before. */
  *#removeEmpty(shrunk: readonly SumChange[]): Steps<void> {
    const { table, names, leading } = this.#summing;
    for (const block of blocksOf(shrunk)) {
      const conditions = names.slice(0, leading).map((name, at) => {
        const values = [...new Set(block.map(({ key }) => key[at]!))];
        return sql`${raw(name)} IN (${join(padded(values, values[0]!))})`;
      });
      yield* run(sql`
        DELETE FROM ${raw(table)}
        WHERE book_id = ${this.#bookId} AND ${join(conditions, ' AND ')} AND listed <= 0`);
    }
  }
}

/** The type of a column of a key: an id, or text. */
export function typeOfKey(name: string): typeof integer | typeof text {
  return name.endsWith('_id') || name === 'kind' ? integer : text;
}

/** The columns that any sum depends on, besides those that decide whether a row counts. */
const summed = [
  ...(['date', 'category_id', 'manual_account_id', 'plaid_account_id'] as const),
  ...(['recurring_id', 'to_base', 'amount', 'currency'] as const),
];

function isSameSum(a: NonNullable<DerivedFrom>, b: NonNullable<DerivedFrom>): boolean {
  return summed.every((name) => (a[name] ?? null) === (b[name] ?? null));
}

function monthOf(row: NonNullable<DerivedFrom>): string {
  return (row['date'] as string).slice(0, 7);
}

/** The id in a column; 0 for none. */
function idIn(row: NonNullable<DerivedFrom>, name: string): number {
  return (row[name] as number | null | undefined) ?? 0;
}

/**
 * Returns the expression for the searched text of a column, as it is in the indexes. An entry of an index of PostgreSQL
 * has at most 2704 bytes, a character has up to 4, and one index has two texts.
 */
export function searchedText(column: string): string {
  return `substr(${column}, 1, ${searchedLength})`;
}

/**
 * `transaction_texts`: the different payees of a book, each with the form in which search compares it. Those with
 * `is_payee` 0 are notes that the first release has written.
 *
 * A payee stays when its last row is gone: every result comes from rows, so it is only read in vain.
 */
export const transactionPayees: DerivedTable = {
  reads: ['payee'],
  begin: (bookId) => new PayeeChanges(bookId),
};

class PayeeChanges implements DerivedChanges {
  readonly #bookId: number;
  readonly #payees = new Set<string>();

  constructor(bookId: number) {
    this.#bookId = bookId;
  }

  note(before: DerivedFrom, after: DerivedFrom): void {
    if (after !== null && after['payee'] !== before?.['payee'])
      this.#payees.add(after['payee'] as string);
  }

  *noteSet(rows: Sql, sign: 1 | -1): Steps<void> {
    if (sign < 0) return;
    const found = yield* rowsAs(
      { text },
      sql`SELECT DISTINCT ${raw(searchedText('t.payee'))} AS text FROM (${rows}) t`,
    );
    for (const each of found) this.#payees.add(each.text);
  }

  *apply(): Steps<void> {
    const heads = new Set([...this.#payees].map(headOf));
    this.#payees.clear();
    yield* addPayees(this.#bookId, heads);
  }
}

/**
 * Adds payees that a book may already have. None is longer than {@link searchedLength}.
 *
 * In the order of the table they take a quarter less time: neighbours are in the same pages.
 */
export function* addPayees(bookId: number, payees: ReadonlySet<string>): Steps<void> {
  const sorted = [...payees].toSorted((a, b) => (a < b ? -1 : 1));
  for (const piece of piecesOf(sorted)) {
    const values = piece.map((text) => sql`(${bookId}, ${text}, ${foldedText(text)}, 1)`);
    yield* run(sql`
      INSERT INTO transaction_texts (book_id, text, folded, is_payee) VALUES ${join(values)}
      ON CONFLICT (book_id, text) DO UPDATE SET is_payee = 1
      WHERE transaction_texts.is_payee < excluded.is_payee`);
  }
}

/** Returns the column `folded` of a text. It begins with a space, so that a space precedes each of its words. */
export function foldedText(text: string): string {
  return ` ${foldText(text)}`;
}
