import type { Change } from '../book/change.ts';
import { changing } from '../book/change.ts';
import type { Engine, Steps } from '../db/engine.ts';
import { categories, tags, transactions } from '../db/tables/tables.ts';
import type { FileStore, FileStoreError } from '../files/store.ts';
import { matchRecurring } from '../ledger/recurring/links.ts';
import { BulkRows } from '../ledger/transactions/writes.ts';
import type { NewTransaction } from '../ledger/transactions/writes.ts';
import type { DemoBook, DemoTransaction } from './book/demo-book.ts';
import { fillAccounts, fillHistory } from './fill/accounts.ts';
import { attachFiles, storeFiles } from './fill/files.ts';
import type { StoredFile } from './fill/files.ts';
import { fillPlans, fillRecurring } from './fill/plans.ts';
import { rerate, storeRates } from './fill/rates.ts';
import { idAt, insertEach, made } from './fill/rows.ts';
import type { DemoIds } from './fill/rows.ts';

/**
 * Writes a whole demo book into an empty book, all or nothing. Its files go into `files`; without a place for files it
 * has none. Returns what the file store reported if it failed, and then the book has no files either.
 */
export async function fillDemo(
  engine: Engine,
  bookId: number,
  demo: DemoBook,
  files?: FileStore,
): Promise<FileStoreError | null> {
  const { stored, problem } = await storeFiles(files, bookId, demo.files ?? []);
  const cause = { bookId, actor: 'command', operation: 'demo' };
  await engine.write(function* () {
    const isOwnRates = yield* storeRates(demo.rates ?? []);
    yield* changing(cause, (change) => fill(change, demo, stored));
    if (!isOwnRates) yield* changing(cause, (change) => rerate(change, demo));
  });
  return problem;
}

function* fill(change: Change, demo: DemoBook, stored: readonly StoredFile[]): Steps<void> {
  const ids = {
    ...(yield* fillAccounts(change, demo)),
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
  yield* fillRecurring(change, demo, ids);
  // Rows that fit a recurring item are linked to it.
  const bulk = new BulkRows(change, function* (rows) {
    yield* change.insertAll(transactions, yield* matchRecurring(change, rows));
  });
  const transactionIds = yield* insertTransactions(bulk, demo.transactions, ids);
  yield* fillPlans(change, demo, ids);
  yield* fillHistory(change, demo, ids);
  yield* attachFiles(change, stored, transactionIds);
}

function* insertTransactions(
  bulk: BulkRows,
  all: readonly DemoTransaction[],
  ids: DemoIds,
): Steps<readonly number[]> {
  const transactionIds: number[] = [];
  for (const each of all) {
    const id = yield* bulk.nextId();
    transactionIds.push(id);
    bulk.add(newTransaction(id, each, ids, transactionIds));
  }
  yield* bulk.flush();
  return transactionIds;
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
