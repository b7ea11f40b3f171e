import sql, { join, raw, type Sql } from 'sql-template-tag';
import { formatAmount } from '@coffer/core/money';
import { padded } from '../db/blocks.ts';
import type { Steps } from '../db/engine.ts';
import { select, type Where } from '../db/rows.ts';
import type { BookTable, Column, Row, Values } from '../db/table.ts';
import type { Change } from './change.ts';

/**
 * A kind of record of a book. History, feed, webhooks, merging and the doctor go through the list of these, and learn
 * the rest from the description of the table.
 */
export interface RecordKind {
  readonly table: BookTable;
  /** Returns columns of a row as a history shows them, in the order of the table. */
  readonly shownColumns: (row: Values) => Record<string, unknown>;
  /**
   * Returns records by the first column of their keys, at most a block of ids, as in the responses to requests for
   * them. Missing ones are left out. It depends on the record alone, so that a reader of the feed misses nothing.
   */
  readonly read: (bookId: number, ids: readonly number[]) => Steps<PresentRecord[]>;
  /** What happens to its records when a record that they refer to is merged or removed. */
  readonly refersTo: References;
  /** What the doctor examines, besides what the description of the table says. */
  readonly rules: readonly RecordRule[];
  /** Whether `to_base` of a row `t` is its own amount at one rate, and no sum: an SQL condition. Default: of all. */
  readonly isConverted: Sql;
  /**
   * Returns the day whose rate gives the `to_base` of a row; null: the latest rate. Null for a kind without a value,
   * and for transactions, whose values depend on each other.
   */
  readonly valueDay: ((row: Values) => string | null) | null;
  /** Whether its amounts are debits: a payment is positive. */
  readonly isDebit: boolean;
}

/** A record with the values of its key, joined by blanks, and its JSON. */
export interface PresentRecord {
  readonly key: string;
  readonly json: string;
}

/** A statement that returns `book_id`, `id` and the sentence `detail` for every row that breaks a rule. */
export interface RecordRule {
  readonly check: string;
  readonly broken: Sql;
}

/** The records that the records of one kind refer to, by their tables. */
export interface References {
  readonly manual_accounts?: AccountReference;
  readonly categories?: CategoryReference;
  readonly tags?: TagReference;
}

/** The account of a record after a merge: exactly one of the ids is not null. */
export interface AccountColumns {
  readonly manual_account_id: number | null;
  readonly plaid_account_id: number | null;
}

/** References to manual accounts, other than those of transactions and of the history of balances. */
interface AccountReference {
  /** Makes the records of a manual account refer to another account, which exists. */
  readonly move: (change: Change, from: number, into: AccountColumns) => Steps<void>;
  /** Removes the records of an account that is going to be removed with its items. */
  readonly remove: (change: Change, id: number) => Steps<void>;
}

/** References to categories or groups. */
interface CategoryReference extends TagReference {
  /** Makes records refer to another category of the same kind, which exists. */
  readonly move: (change: Change, from: number, into: number) => Steps<void>;
}

/** References to tags. */
interface TagReference {
  /** The name of their number in the dependents of the API. */
  readonly dependents: string;
  /** Returns how many records refer to it. */
  readonly count: (bookId: number, id: number) => Steps<number>;
  /** Removes the references, because the record is going to be removed. */
  readonly detach: (change: Change, id: number) => Steps<void>;
}

interface RecordOptions<T extends BookTable> {
  /** The columns that a history shows, separated by blanks. It shows no others, and no secrets. */
  readonly shows: string;
  /** How it shows columns with JSON, if not as they are. */
  readonly forms?: Readonly<Record<string, (value: unknown) => unknown>>;
  /** Returns a record as in the responses to requests for it. */
  readonly toWire?: (row: Row<T>) => object;
  /** Default: reads rows, and uses `toWire`. */
  readonly read?: RecordKind['read'];
  readonly refersTo?: References;
  readonly rules?: readonly RecordRule[];
  readonly isConverted?: Sql;
  readonly valueDay?: (row: Row<T>) => string | null;
  readonly isDebit?: true;
}

/** Describes a kind of record. */
export function recordKind<T extends BookTable>(
  table: T,
  { shows, forms = {}, toWire, valueDay, ...options }: RecordOptions<T>,
): RecordKind {
  const shown = new Set(shows.split(/\s+/));
  const usual = { refersTo: {}, rules: [], isConverted: sql`1 = 1`, isDebit: false };
  return {
    table,
    shownColumns(row) {
      const present = Object.keys(table.columns).filter(
        (name) => shown.has(name) && row[name] !== undefined,
      );
      return Object.fromEntries(
        present.map((name) => [name, shownValue(table.columns[name]!, row[name], forms[name])]),
      );
    },
    *read(bookId, ids) {
      const rows = yield* rowsWith(table, table.key[0]!, bookId, ids);
      return rows.map((row) => ({
        key: table.key.map((name) => row[name]).join(' '),
        json: JSON.stringify(toWire?.(row) ?? null),
      }));
    },
    valueDay: valueDay === undefined ? null : (row) => valueDay(row as Row<T>),
    ...usual,
    ...options,
  };
}

function shownValue(
  { type, holds }: Column,
  value: unknown,
  form: ((value: unknown) => unknown) | undefined,
): unknown {
  if (value === null) return null;
  if (type === 'flag') return Boolean(value);
  if (holds === 'amount') return formatAmount(value as number);
  if (holds !== 'json') return value;
  const parsed: unknown = JSON.parse(value as string);
  return form === undefined ? parsed : form(parsed);
}

/** Returns the rows of a book whose column has one of some values, at most a block of them. */
export function* rowsWith<T extends BookTable>(
  table: T,
  column: string,
  bookId: number,
  values: readonly number[],
): Steps<Row<T>[]> {
  const and = sql`${raw(column)} IN (${join(padded(values, 0))})`;
  return yield* select(table, { book_id: bookId } as Where<T>, { and });
}
