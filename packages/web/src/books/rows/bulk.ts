import type { BulkUpdate, Transaction, TransactionUpdate } from '../types.ts';

/**
 * Returns what an edit of one row means for all that are selected; null if it has values that only single rows get: a
 * date, an amount or an account. `isPayee`: a payee alone was chosen, so a category that came with it is not meant.
 */
export function bulkUpdateOf(
  row: Pick<Transaction, 'tag_ids'>,
  values: TransactionUpdate,
  isPayee = false,
): BulkUpdate | null {
  const { category_id: category, payee, notes, status, tag_ids: tags, ...others } = values;
  if (Object.keys(others).length > 0 || status === 'delete_pending') return null;
  const added = tags?.filter((id) => !row.tag_ids.includes(id)) ?? [];
  const removed = tags === undefined ? [] : row.tag_ids.filter((id) => !tags.includes(id));
  return {
    ...(payee !== undefined && { payee }),
    ...(category !== undefined && !isPayee && { category_id: category }),
    ...(notes !== undefined && { notes }),
    ...(status !== undefined && { status }),
    ...(added.length > 0 && { add_tag_ids: added }),
    ...(removed.length > 0 && { remove_tag_ids: removed }),
  };
}
