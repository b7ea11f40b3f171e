import sql from 'sql-template-tag';
import type { Sql } from 'sql-template-tag';
import type { EarlierRows } from '../../book/as-of.ts';
import { placeOf } from '../../book/changed-ids.ts';
import type { Steps } from '../../db/engine.ts';
import { rowsAs } from '../../db/rows.ts';
import { integer, nullable, text } from '../../db/table.ts';
import type { transactions } from '../../db/tables/tables.ts';
import type { Category } from '../../ledger/categories/schema.ts';
import { withEarlier } from '../../ledger/transactions/earlier/render.ts';

const batchSize = 1000;

/** One transaction of an export, with the names of its category, account and tags. */
export interface ExportedTransaction {
  readonly date: string;
  /** Ten-thousandths, debit positive. */
  readonly amount: number;
  readonly currency: string;
  readonly payee: string;
  readonly notes: string | null;
  readonly categoryName: string | null;
  readonly accountName: string | null;
  readonly externalId: string | null;
  readonly tagNames: readonly string[];
  readonly status: string;
  readonly id: number;
  /** The row with metadata as the API returns it (JSON). */
  readonly json: string;
}

/** Transactions by id. `last` is the id up to which all were read; null at the end. */
export interface ExportBatch {
  readonly batch: readonly ExportedTransaction[];
  readonly last: number | null;
}

/** The names of records by id. */
export interface ExportNames {
  readonly categories: ReadonlyMap<number, string>;
  readonly manual: ReadonlyMap<number, string>;
  readonly plaid: ReadonlyMap<number, string>;
  readonly tags: ReadonlyMap<number, string>;
}

interface Account {
  readonly id: number;
  readonly name: string;
  readonly display_name: string | null;
}

/** Returns the names of an export's records. An account has its display name, if there is one. */
export function exportNames(records: {
  readonly categories: readonly Category[];
  readonly manualAccounts: readonly Account[];
  readonly plaidAccounts: readonly Account[];
  readonly tags: readonly { readonly id: number; readonly name: string }[];
}): ExportNames {
  const shown = ({ id, name, display_name }: Account) => [id, display_name ?? name] as const;
  return {
    categories: new Map(records.categories.map(({ id, name }) => [id, name])),
    manual: new Map(records.manualAccounts.map(shown)),
    plaid: new Map(records.plaidAccounts.map(shown)),
    tags: new Map(records.tags.map(({ id, name }) => [id, name])),
  };
}

/** Reads the next transactions after an id: those that were changed since as they were, the others as they are. */
export function* readBatch(
  bookId: number,
  rows: EarlierRows<typeof transactions>,
  after: number,
  names: ExportNames,
): Steps<ExportBatch> {
  const present = yield* selectRows(
    sql`SELECT ${columns} FROM transactions t
      WHERE t.book_id = ${bookId} AND t.id > ${after} ORDER BY t.id LIMIT ${batchSize}`,
  );
  const { existing } = rows.changed;
  const start = placeOf(existing.length, (at) => existing[at]! <= after);
  const changed = [...existing.subarray(start, start + batchSize)];
  // Both lists are complete up to this id.
  const last = Math.min(
    present.length < batchSize ? Infinity : present.at(-1)!.id,
    changed.length < batchSize ? Infinity : changed.at(-1)!,
  );
  const same = present.filter(({ id }) => id <= last && !rows.changed.has(id));
  const earlier = yield* rows.withIds(changed.filter((id) => id <= last));
  const rebuilt =
    earlier.length === 0
      ? []
      : yield* selectRows(
          sql`${yield* withEarlier(earlier)} SELECT ${columns} FROM earlier_transactions t`,
        );
  const batch = [...same, ...rebuilt].toSorted((a, b) => a.id - b.id);
  return {
    batch: batch.map((each) => named(each, names)),
    last: last === Infinity ? null : last,
  };
}

const shape = {
  id: integer,
  date: text,
  amount: integer,
  currency: text,
  payee: text,
  notes: nullable(text),
  status: text,
  external_id: nullable(text),
  category_id: nullable(integer),
  manual_account_id: nullable(integer),
  plaid_account_id: nullable(integer),
  tag_ids: text,
  json: text,
};

type BatchRow = ReturnType<typeof rowsAs<typeof shape>> extends Steps<(infer R)[]> ? R : never;

const columns = sql`t.id, t.date, t.amount, t.currency, t.payee, t.notes, t.status, t.external_id,
  t.category_id, t.manual_account_id, t.plaid_account_id, t.tag_ids,
  substr(t.json, 1, length(t.json) - 1) || ',"plaid_metadata":' || coalesce(t.plaid_metadata, 'null')
    || ',"custom_metadata":' || coalesce(t.custom_metadata, 'null') || '}' AS json`;

function* selectRows(statement: Sql): Steps<BatchRow[]> {
  return yield* rowsAs(shape, statement);
}

function named(row: BatchRow, names: ExportNames): ExportedTransaction {
  const { category_id, manual_account_id, plaid_account_id, tag_ids, external_id, ...same } = row;
  const nameOf = (all: ReadonlyMap<number, string>, id: number | null): string | null =>
    (id === null ? null : all.get(id)) ?? null;
  const tagIds = (JSON.parse(tag_ids) as number[]).toSorted((a, b) => a - b);
  return {
    ...same,
    externalId: external_id,
    categoryName: nameOf(names.categories, category_id),
    accountName: nameOf(names.manual, manual_account_id) ?? nameOf(names.plaid, plaid_account_id),
    tagNames: [...new Set(tagIds)].flatMap((id) => names.tags.get(id) ?? []),
  };
}
