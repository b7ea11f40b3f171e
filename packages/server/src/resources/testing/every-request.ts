import fc from 'fast-check';
import { withIds } from '../../pages/testing/filled-book.ts';
import type { Filled } from '../../pages/testing/filled-book.ts';
import { queryArbitrary } from '../../pages/testing/page-model.ts';
import { historyRequests, importRequests, ruleRequests } from './own-requests.ts';
import { period } from './own-requests.ts';
import type { MadeBy, Part, Requests } from './own-requests.ts';
import { requestsV1 } from './requests-v1.ts';
import { selectionParts, selectionRequests } from './selection-requests.ts';
import { sessionRequests } from './session-requests.ts';
import { webhookRequests } from './webhook-requests.ts';
import { runs } from '../../../../core/src/testing/length.ts';

const seed = 9;

/** Records that no operation creates: a synced crypto account, an import, and a link for the user with an address. */
export interface OutsideRecords {
  readonly synced: number;
  readonly imported: number;
  readonly link: string;
  readonly email: string;
}

const pdf = { name: 'a.pdf', type: 'application/pdf', bytes: Buffer.from('%PDF-1.7\n%%EOF\n') };
const months = { start_month: '2025-10', end_month: '2025-12' };
const balances = [
  { month: '2025-11', balance: '1' },
  { month: '2025-12', balance: '2' },
];
const force = { force: true };

/**
 * Returns requests for every operation, in an order in which all have an effect. Those of an operation are determined
 * when those of the operations before it have been performed.
 */
export function everyRequest(
  filled: Filled,
  { synced, imported, ...signIn }: OutsideRecords,
  made: MadeBy,
): Readonly<Record<string, () => readonly Part[]>> {
  return {
    getAllTransactions: () => listRequests(filled),
    ...earlier(filled),
    ...selectionRequests(filled),
    ...categoriesAndTags(filled),
    ...accounts(filled, made),
    ...transactionWrites(filled, made),
    ...ruleRequests(filled, made),
    ...importRequests(imported, made),
    ...webhookRequests(made),
    ...recurringItems(filled, made),
    ...crypto(synced, made),
    // Before the periods of budgets are weeks.
    ...requestsV1(filled, made),
    ...budgets(filled, made),
    ...balanceHistory(filled, synced, made),
    ...removals(filled, made),
    ...historyRequests(filled, made),
    exportBook: () =>
      [{ format: 'csv' }, { format: 'ndjson', as_of: '2' }].map((query) => ({ query })),
    getMe: () => [{}],
    ...sessionRequests(signIn, made),
  };
}

function listRequests(filled: Filled): readonly Part[] {
  return fc.sample(queryArbitrary, { numRuns: runs(300), seed }).flatMap((query) => {
    const first = { ...withIds(filled, query), limit: 1 };
    // The second page starts at a remembered key.
    return [{ query: first }, { query: { ...first, offset: 1 } }];
  });
}

/** The same lists as they were before other requests changed transactions and files. */
function earlier(filled: Filled): Requests {
  const [id] = filled.ids.transactions;
  return {
    getTransactionsAsOf: () => [
      ...listRequests(filled).map(({ query }, at) => ({
        query: { ...(query as object), ...(at > 0 && { as_of: '2' }) },
      })),
      ...selectionParts(filled),
    ],
    getTransactionAsOf: () =>
      [{ as_of: '2' }, { as_of: '3' }, {}].map((query) => ({ params: { id }, query })),
  };
}

function categoriesAndTags({ ids }: Filled): Requests {
  const [group, member, , single] = ids.categories;
  const tag = { params: { id: ids.tags[0] } };
  const children = [single, { id: member }, 'Made with it'];
  return {
    getAllCategories: () => [{ query: { format: 'nested' } }],
    createCategory: () => [
      { body: { name: 'In a group', group_id: group } },
      { body: { name: 'A second group', is_group: true, children } },
      { body: { name: 'To be merged' } },
    ],
    getCategoryById: () => [{ params: { id: group } }, { params: { id: member } }],
    updateCategory: () => [
      { params: { id: member }, body: { name: 'Renamed', group_id: group } },
      { params: { id: group }, body: { is_income: true, children: [single, 'Another'] } },
    ],
    getAllTags: () => [{}],
    createTag: () => [{ body: { name: 'new' }, idempotencyKey: 'a' }],
    getTagById: () => [tag],
    updateTag: () => [{ ...tag, body: { name: 'renamed' } }],
  };
}

function accounts({ ids }: Filled, made: MadeBy): Requests {
  const account = { name: 'Wallet', type: 'cash', balance: '80.5' };
  return {
    getAllManualAccounts: () => [{}],
    createManualAccount: () => [
      { body: account },
      { body: { ...account, name: 'Car', status: 'closed', external_id: 'c' } },
    ],
    getManualAccountById: () => [{ params: { id: ids.manual[0] } }],
    updateManualAccount: () => [
      { params: { id: made('createManualAccount') }, body: { display_name: 'W', balance: 1 } },
      { params: { id: ids.manual[0] }, body: { name: 'Renamed', external_id: 'x' } },
    ],
    getAllPlaidAccounts: () => [{}],
    getPlaidAccountById: () => [{ params: { id: ids.plaid[0] } }],
    triggerPlaidAccountFetch: () => [{ query: { ...period, id: ids.plaid[0] } }],
  };
}

function transactionWrites({ ids }: Filled, made: MadeBy): Requests {
  const inserted = (index: number): number => made('createNewTransactions', index);
  const [category, tag, manual] = [ids.categories[3], ids.tags[0], ids.manual[0]];
  const one = { date: '2025-12-14', amount: '7.4', payee: 'Corner Bakery', currency: 'eur' };
  const linked = { category_id: category, tag_ids: [tag], manual_account_id: manual };
  const transactions = Array.from({ length: 12 }, (_, at) => ({
    ...{ ...one, ...linked, payee: `Corner Bakery ${at}`, external_id: `e${at}` },
  }));
  const parts = [
    { amount: '4.4', payee: 'Bread' },
    { amount: 3, category_id: category },
  ];
  const inPath = (id: number | undefined): Part => ({ params: { id } });
  return {
    createNewTransactions: () => [
      { body: { transactions, apply_rules: true, skip_duplicates: true } },
      { body: { transactions, skip_duplicates: true } },
    ],
    getTransactionById: () => [inPath(ids.transactions[0]), inPath(inserted(0))],
    updateTransactions: () => [
      { body: { transactions: [{ id: inserted(0), ...linked, tag_ids: [ids.tags[1]] }] } },
    ],
    updateTransaction: () => [
      { ...inPath(inserted(1)), query: {}, body: { amount: 9, additional_tag_ids: [ids.tags[1]] } },
    ],
    splitTransaction: () =>
      [2, 3].map((at) => ({
        ...inPath(inserted(at)),
        body: { child_transactions: parts },
      })),
    unsplitTransaction: () => [inPath(inserted(2))],
    groupTransactions: () => [
      {
        body: {
          ids: [inserted(4), inserted(5)],
          date: '2025-12-14',
          payee: 'Trip',
          tag_ids: [tag],
        },
      },
    ],
    attachFileToTransaction: () =>
      [6, 6].map((at) => ({
        params: { transaction_id: inserted(at) },
        body: [
          ['file', pdf],
          ['notes', 'For the office'],
        ],
      })),
    getTransactionAttachmentUrl: () => [{ params: { file_id: made('attachFileToTransaction') } }],
  };
}

function recurringItems({ ids }: Filled, made: MadeBy): Requests {
  const transaction_criteria = {
    ...{ granularity: 'month', quantity: 1, anchor_date: '2025-12-14', payee: 'Corner Bakery' },
    ...{ amount: '7.4', currency: 'eur', manual_account_id: ids.manual[0] },
  };
  const overrides = { payee: 'Rent', category_id: ids.categories[1] };
  const one = (at = 0): Part => ({ params: { id: made('createRecurringItem', at) } });
  return {
    createRecurringItem: () => [
      { body: { transaction_criteria, overrides } },
      { body: { transaction_criteria: { ...transaction_criteria, payee: 'Another' } } },
    ],
    getAllRecurring: () => [{ query: { ...period, include_suggested: true } }, { query: {} }],
    getRecurringById: () => [{ ...one(), query: period }],
    listRecurringItems: () => [{}],
    updateRecurringItem: () => [{ ...one(), body: { overrides: { payee: 'Bread' } } }],
    deleteRecurringItem: () => [{ ...one(1), query: force }],
  };
}

function budgets({ ids }: Filled, made: MadeBy): Requests {
  const [, member] = ids.categories;
  const budget = { start_date: '2025-12-01', category_id: member, amount: 120, currency: 'eur' };
  const flags = [
    'exclude_from_budgets',
    'occurrences',
    'past_budget_dates',
    'totals',
    'rollover_pool',
  ];
  const included = Object.fromEntries(flags.map((name) => [`include_${name}`, true]));
  return {
    getBudgetSettings: () => [{}],
    upsertBudget: () => [{ body: budget }, { body: { ...budget, notes: 'N' } }],
    getBudgetSummary: () => [{ query: { ...period, ...included } }],
    deleteBudget: () => [{ query: { category_id: member, start_date: '2025-12-01' } }],
    getBookBudgetSettings: () => [{}],
    updateBudgetSettings: () => [
      { body: { budget_period_granularity: 'month', budget_hide_no_activity: true } },
      { body: { budget_period_granularity: 'week', budget_period_anchor_date: '2025-12-01' } },
    ],
    mergeCategory: () => [{ params: { id: made('createCategory', 2) }, body: { into_id: member } }],
  };
}

function crypto(synced: number, made: MadeBy): Requests {
  const wallet = { name: 'Paper wallet', balance: '0.85', symbol: 'btc' };
  const one = (at = 0): Part => ({ params: { id: made('createCryptoManual', at) } });
  return {
    getAllCryptocurrencies: () => [{}],
    createCryptocurrency: () => [
      { body: { coingecko_url: 'https://www.coingecko.com/en/coins/a-new-one' } },
    ],
    getAllCryptoManual: () => [{}],
    createCryptoManual: () => [
      { body: wallet, idempotencyKey: 'b' },
      { body: { ...wallet, name: 'Second' } },
    ],
    getCryptoManualById: () => [one()],
    updateCryptoManual: () => [{ ...one(), body: { balance: '0.9', name: 'Renamed' } }],
    refreshCryptoSynced: () => [{ params: { id: synced } }],
    getAllCryptoSynced: () => [{}],
    getCryptoSyncedById: () => [{ params: { id: synced } }],
    getCryptoSyncedBalanceBySymbol: () => [{ params: { id: synced, symbol: 'A' } }],
  };
}

function balanceHistory({ ids }: Filled, synced: number, made: MadeBy): Requests {
  const account = { params: { account_type: 'manual', account_id: ids.manual[0] } };
  const plaid = { params: { account_type: 'plaid', account_id: ids.plaid[0] } };
  const coin = { params: { account_id: synced, symbol: 'a' } };
  const body = { balances };
  return {
    upsertBalanceHistoryForAccount: () => [
      { ...account, body },
      { ...plaid, body },
    ],
    upsertBalanceHistoryForCryptoSynced: () => [
      { ...coin, body: { balances: balances.map((each) => ({ ...each, crypto_balance: '1' })) } },
    ],
    getBalanceHistoryForAccount: () => [{ ...account, query: months }],
    getBalanceHistoryForCryptoSynced: () => [{ ...coin, query: months }],
    deleteBalanceHistoryEntry: () => [{ params: { id: made('upsertBalanceHistoryForAccount') } }],
    deleteBalanceHistoryForCryptoSynced: () => [coin],
    deleteBalanceHistoryForAccount: () => [plaid],
  };
}

function removals({ ids }: Filled, made: MadeBy): Requests {
  const inserted = (index: number): number => made('createNewTransactions', index);
  return {
    deleteTransactionAttachment: () => [{ params: { file_id: made('attachFileToTransaction') } }],
    ungroupTransactions: () => [{ params: { id: made('groupTransactions') } }],
    deleteTransactionById: () => [{ params: { id: inserted(7) } }],
    deleteTransactions: () => [{ body: { ids: [inserted(8), inserted(9)] } }],
    mergeManualAccount: () => [
      {
        params: { id: made('createManualAccount', 1) },
        body: { into_id: made('createManualAccount'), add_balance: true },
      },
    ],
    deleteManualAccount: () => [
      { params: { id: made('createManualAccount') }, query: { delete_items: false } },
      {
        params: { id: ids.manual[0] },
        query: { delete_items: true, delete_balance_history: false },
      },
    ],
    getBalanceHistory: () => [{ query: {} }, { query: months }],
    updateBalanceHistoryDetails: () => [
      { params: { account_id: made('getBalanceHistory') }, body: { name: 'Old Savings' } },
    ],
    deleteCryptoManual: () => [
      { params: { id: made('createCryptoManual') }, query: { keep_history: true } },
      { params: { id: made('createCryptoManual', 1) }, query: {} },
    ],
    deleteCategory: () => [
      { params: { id: ids.categories[3] }, query: force },
      { params: { id: ids.categories[1] }, query: force },
    ],
    deleteTag: () => [{ params: { id: ids.tags[0] }, query: force }],
  };
}
