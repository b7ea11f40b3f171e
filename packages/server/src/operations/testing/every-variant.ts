import fc from 'fast-check';
import { runs } from '../../../../core/src/testing/length.ts';
import { withIds, type Filled } from '../../pages/testing/filled-book.ts';
import { queryArbitrary } from '../../pages/testing/page-model.ts';
import { deafUrl } from '../../webhooks/testing/test-sender.ts';
import { month } from './catalogue.ts';
import type { GoodRequest } from './special-requests.ts';

/** Of the pseudo-random lists, so that every run sends the same. */
export const seed = 9;

type Variant = Partial<Pick<GoodRequest, 'query' | 'body' | 'params'>>;

function queries(all: readonly object[]): Variant[] {
  return all.map((query) => ({ query: texts(query) }));
}

function texts(query: object): Record<string, string> {
  return Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)]));
}

/** Lists with the filters of the page engine. The second page starts at a remembered key. */
function pages(filled: Filled, more: object = {}): Variant[] {
  const all = fc.sample(queryArbitrary, { numRuns: runs(400), seed });
  const accepted = all
    .map((query) => withIds(filled, query))
    .filter(({ recurring_id: id = 1, start_date: start = '', end_date: end = '9' }) => {
      return id > 0 && start <= end;
    });
  return accepted.flatMap((query) => {
    const first = { ...query, limit: 1, ...more };
    return queries([first, { ...first, offset: 1 }]);
  });
}

function filtersOf({ demo, ids }: Filled): object[] {
  const category_ids = `${ids.categories.slice(0, 2).join()},0`;
  const tag_ids = ids.tags.slice(0, 2).join();
  const payee = demo.transactions[0]?.payee ?? '';
  return [
    { q: 'a' },
    { q: 'the store' },
    { q: 'e', category_ids, tag_ids },
    { payee },
    { payee, q: 'a zz' },
    { tag_ids },
    { tag_ids: '0' },
    { category_ids },
    { category_ids: ids.categories.slice(0, 30).join(), min_amount: '1', max_amount: '900.5' },
    { manual_account_ids: `0,${ids.manual[0]}`, plaid_account_ids: `0,${ids.plaid[0]}` },
    { import_id: 1 },
    { is_split_part: true },
    { is_split_part: false, q: 'a' },
    { q: 'a', include_pending: true },
    { tag_id: ids.tags[0], q: 'a' },
  ];
}

function selections(filled: Filled): Variant[] {
  return filtersOf(filled).flatMap((filter, at) => {
    const sorted = { ...filter, limit: 1, sort: ['date', '-amount', 'amount', 'payee'][at % 4] };
    return queries([{ ...filter, limit: 1 }, sorted, { ...sorted, offset: 1 }]);
  });
}

const months = { start_month: '2025-10', end_month: '2025-12' };
const page = { limit: 2, before: 100 };
const byFill = { actor: 'command', operation: 'fill' };
const transactions = { record: 'transactions' };

/** Requests in addition to the examples, by operation: filters, options and other bodies. */
export function variantsOf(
  filled: Filled,
  synced: number,
): Readonly<Record<string, readonly Variant[]>> {
  const { ids } = filled;
  const [id] = ids.transactions;
  const [group] = ids.categories;
  const force = queries([{ force: true }]);
  const ofRecord = { ...transactions, id };
  const ofV1 = { ...month, pending: true, limit: 1 };
  return {
    getAllTransactions: pages(filled),
    getTransactionsAsOf: [...pages(filled, { as_of: 2 }), ...selections(filled)],
    getTransactionAsOf: [
      ...[2, 3].map((as_of) => ({ params: { id: id! }, query: texts({ as_of }) })),
      { query: {} },
    ],
    triggerPlaidAccountFetch: queries([{ ...month, id: ids.plaid[0] }]),
    refreshCryptoSynced: [{ params: { id: synced } }],
    updateBudgetSettings: [
      { body: { budget_period_granularity: 'month', budget_hide_no_activity: true } },
      { body: { budget_period_granularity: 'week', budget_period_anchor_date: '2026-03-02' } },
    ],
    getTransactionMonths: queries([...filtersOf(filled), { start_date: '2024-01-07' }]),
    getTransactionSums: queries([
      ...['month', 'category', 'account,month'].map((by) => ({ by, start_month: '2020-01' })),
      ...['day,tag', 'month,payee'].map((by) => ({ by, counts_as: 'spending' })),
    ]),
    getPayees: queries([{ q: 'a' }, { q: 'the s', limit: 3 }]),
    getAllTransactionsV1: queries(
      [
        {
          asset_id: ids.manual[1],
          category_id: ids.categories[1],
          tag_id: ids.tags[1],
          status: 'cleared',
        },
        { is_group: true },
        { group_id: 1 },
        { recurring_id: 1 },
      ].map((filter) => ({ ...ofV1, ...filter })),
    ),
    getCategoryById: [{ params: { id: group! } }],
    getAllCategories: queries([{ format: 'nested' }]),
    updateCategory: [
      { params: { id: group! }, body: { is_income: true, children: [ids.categories[3], 'New'] } },
    ],
    getAllCategoriesV1: queries([{ format: 'nested' }]),
    getAllRecurring: queries([{ ...month, include_suggested: true }]),
    getRecurringById: queries([month]),
    getBudgetSummary: queries([
      {
        ...month,
        include_exclude_from_budgets: true,
        include_occurrences: true,
        include_past_budget_dates: true,
        include_totals: true,
        include_rollover_pool: true,
      },
    ]),
    getBalanceHistory: queries([months]),
    getBalanceHistoryForAccount: queries([months]),
    getBalanceHistoryForCryptoSynced: queries([months]),
    getHistory: queries(
      [byFill, transactions, ofRecord, { from: '2020-01-01', ...ofRecord, ...byFill }].map(
        (filter) => ({ ...page, ...filter }),
      ),
    ),
    getHistoryVersion: [2, 3, 4, 5, 6].map((version) => ({ params: { version } })),
    getTransactionHistory: queries([page]),
    getAllImports: queries([{ is_preview: true }]),
    getImportRows: queries([{ verdict: 'new' }]),
    getWebhookAttempts: queries([{ before: 100 }]),
    exportBook: queries([{ format: 'csv' }, { format: 'ndjson', as_of: 2 }]),
    updateTransaction: [{ body: { amount: 9, additional_tag_ids: [ids.tags[1]!] } }],
    deleteTag: [{ params: { id: ids.tags[0]! }, ...force[0] }],
    deleteCategory: ids.categories.slice(0, 4).map((each) => ({
      params: { id: each },
      ...force[0],
    })),
    deleteRecurringItem: force,
    deleteManualAccount: [
      { params: { id: ids.manual[0]! }, query: texts({ delete_items: true }) },
      { query: texts({ delete_items: true, delete_balance_history: true }) },
    ],
    deleteCryptoManual: queries([{ keep_history: true }]),
    commitImport: [{ body: { rows: [{ number: 1, action: 'skip' }] } }],
    createWebhook: [{ body: { url: deafUrl, records: ['tags'], after: '2' } }],
    undoChange: queries([{ conflicts: 'skip' }]),
    undoLastChange: queries([{ conflicts: 'skip' }]),
    undoImport: queries([{ conflicts: 'skip' }]),
  };
}
