import type { Filled } from '../../pages/testing/filled-book.ts';
import type { Part, Requests } from './own-requests.ts';

/** Returns filters of transactions: every one, by each way in which rows are found. */
function filtersOf({ ids, demo }: Filled): readonly object[] {
  const [first, second] = ids.categories;
  const category_ids = `${first},${second},0`;
  const tag_ids = ids.tags.slice(0, 2).join();
  const payee = demo.transactions[0]?.payee ?? '';
  return [
    ...[{ q: 'a' }, { q: 'the store' }, { q: 'e', category_ids, tag_ids }],
    ...[{ payee }, { payee, q: 'a zz' }, { tag_ids }, { tag_ids: '0' }, { category_ids }],
    { category_ids: ids.categories.slice(0, 30).join(), min_amount: '1', max_amount: '900.5' },
    { manual_account_ids: `0,${ids.manual[0]}`, plaid_account_ids: `0,${ids.plaid[0]}` },
    ...[{ import_id: 1 }, { q: 'a', include_pending: true }, { tag_id: ids.tags[0], q: 'a' }],
  ];
}

/** Returns requests for lists of transactions with filters that lists of an earlier state do not have. */
export function selectionParts(filled: Filled): readonly Part[] {
  const sorts = ['date', '-amount', 'amount'];
  return filtersOf(filled).flatMap((filter, at) => {
    const query = { ...filter, limit: 1, offset: 0 };
    const sorted = { ...query, sort: sorts[at % sorts.length] };
    // The second page starts at a remembered key.
    return [{ query }, { query: sorted }, { query: { ...sorted, offset: 1 } }];
  });
}

/** Returns requests for months, sums and payees of transactions. */
export function selectionRequests(filled: Filled): Requests {
  return {
    getTransactionMonths: () =>
      [...filtersOf(filled), {}, { start_date: '2024-01-07' }].map((query) => ({ query })),
    getTransactionSums: () =>
      ['month', 'category', 'account,month'].map((by) => ({
        query: { by, start_month: '2020-01' },
      })),
    getPayees: () => [
      ...[{ query: { limit: 20 } }, { query: { q: 'a', limit: 20 } }],
      { query: { q: 'the s', limit: 3 } },
    ],
  };
}
