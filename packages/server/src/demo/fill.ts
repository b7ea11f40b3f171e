import type { Change } from '../changes/change.ts';
import { changing } from '../changes/changing.ts';
import type { Engine, Steps } from '../db/engine.ts';
import type { NewRow, Table } from '../db/table.ts';
import { categories, manualAccounts, plaidAccounts, tags } from '../db/tables.ts';
import { BulkRows } from '../resources/transactions/actions.ts';
import type { NewTransaction } from '../resources/transactions/actions.ts';
import type { DemoBook, DemoTransaction } from './demo-book.ts';

/** The creation time of all records, so that the demo book is always the same. */
const madeAt = '2026-11-01T12:00:00.000Z';
const linkedBy = 'Demo';

/** The ids of the records of a demo book in the database, by their index in the demo book. */
interface DemoIds {
  readonly manualAccounts: readonly number[];
  readonly plaidAccounts: readonly number[];
  readonly categories: readonly number[];
  readonly tags: readonly number[];
}

/** Writes a whole demo book into an empty book, all or nothing. */
export function fillDemo(engine: Engine, bookId: number, demo: DemoBook): Promise<void> {
  const cause = { bookId, actor: 'command', operation: 'demo' };
  return engine.write(() => changing(cause, (change) => fill(change, demo)));
}

function* fill(change: Change, demo: DemoBook): Steps<void> {
  const made = { created_at: madeAt, updated_at: madeAt };
  const ids: DemoIds = {
    manualAccounts: yield* insertEach(change, manualAccounts, demo.manualAccounts, (each) => ({
      name: each.name,
      institution_name: each.institutionName,
      type: each.type,
      subtype: each.subtype,
      ...money(each, demo),
      balance_as_of: madeAt,
      created_by_name: linkedBy,
      ...made,
    })),
    plaidAccounts: yield* insertEach(change, plaidAccounts, demo.plaidAccounts, (each) => ({
      name: each.name,
      institution_name: each.institutionName,
      type: each.type,
      subtype: each.subtype,
      mask: each.mask,
      ...money(each, demo),
      linked_by_name: linkedBy,
      date_linked: madeAt.slice(0, 10),
      balance_last_update: madeAt,
    })),
    categories: yield* insertEach(change, categories, demo.categories, (each, before) => ({
      name: each.name,
      description: each.description,
      is_income: each.isIncome,
      exclude_from_budget: each.excludeFromBudget,
      exclude_from_totals: each.excludeFromTotals,
      is_group: each.isGroup,
      group_id: idAt(before, each.group),
      sort_order: each.order,
      ...made,
    })),
    tags: yield* insertEach(change, tags, demo.tags, (each) => ({
      name: each.name,
      description: each.description,
      text_color: each.textColor,
      background_color: each.backgroundColor,
      ...made,
    })),
  };
  yield* insertTransactions(new BulkRows(change), demo.transactions, ids);
}

/** Without rates, only balances in the primary currency of the book have a value in it. */
function money(
  { balance, currency }: { readonly balance: number; readonly currency: string },
  { primaryCurrency }: DemoBook,
) {
  return { balance, currency, to_base: currency === primaryCurrency ? balance : 0 };
}

function* insertEach<R, T extends Table<'book'>>(
  change: Change,
  table: T,
  records: readonly R[],
  toRow: (record: R, idsBefore: readonly number[]) => NewRow<T>,
): Steps<number[]> {
  const ids: number[] = [];
  for (const record of records) {
    const made = yield* change.insert(table, toRow(record, ids));
    ids.push(made['id'] as number);
  }
  return ids;
}

function* insertTransactions(
  bulk: BulkRows,
  transactions: readonly DemoTransaction[],
  ids: DemoIds,
): Steps<void> {
  const transactionIds: number[] = [];
  for (const each of transactions) {
    const id = yield* bulk.nextId();
    transactionIds.push(id);
    bulk.add(newTransaction(id, each, ids, transactionIds));
  }
  yield* bulk.flush();
}

function newTransaction(
  id: number,
  each: DemoTransaction,
  ids: DemoIds,
  transactionIds: readonly number[],
): NewTransaction {
  return {
    id,
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
    is_pending: each.isPending,
    is_split_parent: each.isSplitParent,
    split_parent_id: idAt(transactionIds, each.splitParent),
    is_group_parent: each.isGroupParent,
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
