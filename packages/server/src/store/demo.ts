import sql from 'sql-template-tag';
import type {
  DemoBook,
  DemoCategory,
  DemoManualAccount,
  DemoPlaidAccount,
  DemoTag,
  DemoTransaction,
} from '../records/demo/demo-book.ts';
import { BulkRows, lockBook } from './bulk-rows.ts';
import type { TransactionRow } from './bulk-rows.ts';
import type { Dialect } from './dialect.ts';
import { insertMany, row } from './engine.ts';
import type { Operation } from './engine.ts';
import type { Sql } from 'sql-template-tag';

/** The moment at which every record of the demo book was made, so that the book is the same for everybody. */
const madeAt = '2026-11-01T12:00:00.000Z';
const linkedBy = 'Demo';

/** The ids that an engine gave to the records of a demo book, by their index there. */
interface DemoIds {
  readonly manualAccounts: readonly number[];
  readonly plaidAccounts: readonly number[];
  readonly categories: readonly number[];
  readonly tags: readonly number[];
}

/** Writes a whole demo book into an empty book. */
export function* fillDemo(bookId: number, demo: DemoBook, dialect: Dialect): Operation<void> {
  yield* lockBook(bookId);
  const ids: DemoIds = {
    manualAccounts: yield* insertEach(demo.manualAccounts, (each) => manualAccount(bookId, each)),
    plaidAccounts: yield* insertEach(demo.plaidAccounts, (each) => plaidAccount(bookId, each)),
    categories: yield* insertEach(demo.categories, (each, before) =>
      category(bookId, each, before),
    ),
    tags: yield* insertEach(demo.tags, (each) => tag(bookId, each)),
  };
  yield* insertTransactions(new BulkRows(bookId, dialect), bookId, demo.transactions, ids);
}

function* insertEach<T>(
  records: readonly T[],
  statement: (record: T, idsBefore: readonly number[]) => Sql,
): Operation<number[]> {
  const ids: number[] = [];
  for (const record of records) {
    const made = yield* row<{ id: number }>(sql`${statement(record, ids)} RETURNING id`);
    ids.push(made?.id ?? 0);
  }
  return ids;
}

function manualAccount(bookId: number, account: DemoManualAccount): Sql {
  return sql`
    INSERT INTO manual_accounts (book_id, name, institution_name, type, subtype, currency, balance,
      balance_as_of, created_by_name, created_at, updated_at)
    VALUES (${bookId}, ${account.name}, ${account.institutionName}, ${account.type}, ${account.subtype},
      ${account.currency}, ${account.balance}, ${madeAt}, ${linkedBy}, ${madeAt}, ${madeAt})`;
}

function plaidAccount(bookId: number, account: DemoPlaidAccount): Sql {
  return sql`
    INSERT INTO plaid_accounts (book_id, name, institution_name, type, subtype, mask, currency, balance,
      linked_by_name, date_linked, balance_last_update)
    VALUES (${bookId}, ${account.name}, ${account.institutionName}, ${account.type}, ${account.subtype},
      ${account.mask}, ${account.currency}, ${account.balance}, ${linkedBy}, ${madeAt.slice(0, 10)}, ${madeAt})`;
}

function category(bookId: number, each: DemoCategory, before: readonly number[]): Sql {
  return sql`
    INSERT INTO categories (book_id, name, description, is_income, exclude_from_budget,
      exclude_from_totals, is_group, group_id, sort_order, created_at, updated_at)
    VALUES (${bookId}, ${each.name}, ${each.description}, ${Number(each.isIncome)},
      ${Number(each.excludeFromBudget)}, ${Number(each.excludeFromTotals)}, ${Number(each.isGroup)},
      ${idAt(before, each.group)}, ${each.order}, ${madeAt}, ${madeAt})`;
}

function tag(bookId: number, each: DemoTag): Sql {
  return sql`
    INSERT INTO tags (book_id, name, description, text_color, background_color, created_at, updated_at)
    VALUES (${bookId}, ${each.name}, ${each.description}, ${each.textColor}, ${each.backgroundColor},
      ${madeAt}, ${madeAt})`;
}

function* insertTransactions(
  bulk: BulkRows,
  bookId: number,
  transactions: readonly DemoTransaction[],
  ids: DemoIds,
): Operation<void> {
  const transactionIds: number[] = [];
  const tagRows: (readonly unknown[])[] = [];
  for (const each of transactions) {
    const id = yield* bulk.nextId();
    transactionIds.push(id);
    bulk.add(transactionRow(bookId, id, each, ids, transactionIds));
    for (const tagIndex of each.tags) {
      tagRows.push([bookId, idAt(ids.tags, tagIndex), each.date, id]);
    }
  }
  yield* bulk.finish();
  yield* insertMany('transaction_tags', ['book_id', 'tag_id', 'date', 'transaction_id'], tagRows);
}

function transactionRow(
  bookId: number,
  id: number,
  each: DemoTransaction,
  ids: DemoIds,
  transactionIds: readonly number[],
): TransactionRow {
  return {
    id,
    book_id: bookId,
    date: each.date,
    amount: each.amount,
    currency: each.currency,
    to_base: each.toBase,
    payee: each.payee,
    original_name: each.originalName,
    notes: each.notes,
    category_id: idAt(ids.categories, each.category),
    manual_account_id: idAt(ids.manualAccounts, each.manualAccount),
    plaid_account_id: idAt(ids.plaidAccounts, each.plaidAccount),
    external_id: each.externalId,
    tag_ids: JSON.stringify(each.tags.map((index) => idAt(ids.tags, index))),
    status: each.status,
    is_pending: Number(each.isPending),
    is_split_parent: Number(each.isSplitParent),
    split_parent_id: idAt(transactionIds, each.splitParent),
    is_group_parent: Number(each.isGroupParent),
    group_parent_id: idAt(transactionIds, each.groupParent),
    source: each.source,
    plaid_metadata: each.plaidMetadata,
    custom_metadata: each.customMetadata,
    created_at: `${each.date}T12:00:00.000Z`,
    updated_at: `${each.date}T12:00:00.000Z`,
  };
}

function idAt(ids: readonly number[], index: number | null): number | null {
  return index === null ? null : (ids[index] ?? null);
}
