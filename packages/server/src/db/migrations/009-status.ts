import type { MigrationWords } from './words.ts';

/** Rows of the index, and for each value of its first column, of its first two columns, and so on. */
const statistics = {
  transactions_to_sum: '1000000 1000000 100 1 1 1 1 1 1 1 1 1 1 1 1',
};

/**
 * The ninth schema: `transactions_to_sum` gets the status, because filters by it, such as what waits for review, would
 * read every row. The name and the condition of the index stay, so an older node uses it.
 */
export function status({ plannerStatistics }: MigrationWords): string {
  return `
DROP INDEX transactions_to_sum;
CREATE INDEX transactions_to_sum
  ON transactions (book_id, date, id, category_id, recurring_id, to_base, amount, manual_account_id, plaid_account_id,
    import_id, status, is_pending, is_split_parent, group_parent_id)
  WHERE is_pending = 0 AND is_split_parent = 0 AND group_parent_id IS NULL;
${plannerStatistics(statistics)}
`;
}
