import type { Filled } from '../../pages/testing/filled-book.ts';
import type { MadeBy, Part, Requests } from './own-requests.ts';

const month = { start_date: '2025-12-01', end_date: '2025-12-31' };
const signs = { debit_as_negative: false };

/** Returns requests for the operations of v1, which do not change the records of other requests. */
export function requestsV1(filled: Filled, made: MadeBy): Requests {
  return {
    ...transactions(filled, made),
    ...categories(made),
    ...budgets(made),
    ...accounts(filled, made),
    getAllTagsV1: () => [{}],
    getMeV1: () => [{}],
    ...removals(made),
  };
}

function transactions({ ids }: Filled, made: MadeBy): Requests {
  const page = { ...signs, ...month, pending: true, limit: 1, offset: 0 };
  const [manual, tag] = [ids.manual[1], ids.tags[1]];
  const row = { date: '2025-12-14', amount: 7.4, payee: 'V1', asset_id: manual, tags: [tag, 'V1'] };
  const inserted = (index: number): number => made('createNewTransactionsV1', index);
  const inPath = (id: number | undefined): Part => ({ params: { id } });
  const parts = [{ amount: 4.4 }, { amount: 3, payee: 'Part' }];
  const wanted = {
    asset_id: manual,
    category_id: ids.categories[1],
    status: 'cleared',
    tag_id: tag,
  };
  return {
    createNewTransactionsV1: () => [
      {
        body: {
          transactions: Array.from({ length: 8 }, (_, at) => ({ ...row, external_id: `v${at}` })),
          skip_duplicates: false,
        },
      },
    ],
    getAllTransactionsV1: () =>
      [{}, wanted, { is_group: true }, { group_id: inserted(0) }, { recurring_id: 1 }].map(
        (filter) => ({ query: { ...page, ...filter } }),
      ),
    updateTransactionV1: () => [
      { ...inPath(inserted(0)), body: { transaction: { notes: 'N', tags: ['Another'] } } },
      { ...inPath(inserted(1)), body: { split: parts } },
    ],
    groupTransactionsV1: () => [
      { body: { transactions: [inserted(2), inserted(3)], date: '2025-12-14', payee: 'Group' } },
    ],
    getTransactionGroupV1: () => [{ query: { transaction_id: inserted(2) } }],
    getTransactionGroupByIdV1: () => [inPath(made('groupTransactionsV1'))],
    getTransactionByIdV1: () => [{ ...inPath(inserted(0)), query: signs }],
    ungroupTransactionsV1: () => [inPath(made('groupTransactionsV1'))],
    unsplitTransactionV1: () => [{ body: { parent_ids: [inserted(1)], remove_parents: true } }],
  };
}

function categories(made: MadeBy): Requests {
  const group = (): Part => ({ params: { group_id: made('createCategoryGroupV1') } });
  const one = (at = 0): Part => ({ params: { id: made('createCategoryV1', at) } });
  return {
    createCategoryV1: () => ['V1', 'V1 too'].map((name) => ({ body: { name } })),
    createCategoryGroupV1: () => [
      {
        body: {
          name: 'V1 group',
          category_ids: [made('createCategoryV1')],
          new_categories: ['New'],
        },
      },
    ],
    getAllCategoriesV1: () => ['nested', 'flattened'].map((format) => ({ query: { format } })),
    getCategoryByIdV1: () => [one()],
    updateCategoryV1: () => [{ ...one(), body: { description: 'D' } }],
    addToCategoryGroupV1: () => [
      { ...group(), body: { category_ids: [made('createCategoryV1', 1)] } },
    ],
  };
}

function removals(made: MadeBy): Requests {
  const one = (at = 0): Part => ({ params: { id: made('createCategoryV1', at) } });
  return {
    deleteCategoryV1: () => [one(1)],
    forceDeleteCategoryV1: () => [one()],
  };
}

function budgets(made: MadeBy): Requests {
  const key = () => ({ category_id: made('createCategoryV1'), start_date: month.start_date });
  return {
    upsertBudgetV1: () => [{ body: { ...key(), amount: 10 } }],
    getBudgetsV1: () => [{ query: month }],
    deleteBudgetV1: () => [{ query: key() }],
    getRecurringExpensesV1: () => [{ query: { ...signs, start_date: month.start_date } }],
    getRecurringItemsV1: () => [{ query: { ...signs, ...month } }],
  };
}

function accounts({ ids }: Filled, made: MadeBy): Requests {
  const asset = { name: 'V1', type_name: 'cash', balance: 1 };
  return {
    createManualAccountV1: () => [{ body: asset }],
    getAllManualAccountsV1: () => [{}],
    updateManualAccountV1: () => [
      { params: { id: made('createManualAccountV1') }, body: { name: 'V1 renamed', balance: 2 } },
    ],
    getAllPlaidAccountsV1: () => [{}],
    triggerPlaidAccountFetchV1: () => [{ body: { plaid_account_id: ids.plaid[0] } }],
    getAllCryptoV1: () => [{}],
    updateCryptoManualV1: () => [
      { params: { id: made('createCryptoManual') }, body: { balance: '0.8' } },
    ],
  };
}
