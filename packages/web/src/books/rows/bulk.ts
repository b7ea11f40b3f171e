import type { BulkUpdate, Transaction, TransactionUpdate } from '../types.ts';

/**
 * Returns what an edit of one row means for all that are selected. `isPayee`: a payee alone was chosen, so a category
 * that came with it is not meant.
 */
export function bulkUpdateOf(
  row: Pick<Transaction, 'tag_ids'>,
  values: TransactionUpdate,
  isPayee = false,
): BulkUpdate {
  const { category_id: category, tag_ids: tags, ...others } = values;
  const added = tags?.filter((id) => !row.tag_ids.includes(id)) ?? [];
  const removed = tags === undefined ? [] : row.tag_ids.filter((id) => !tags.includes(id));
  return {
    ...(others as BulkUpdate),
    ...(category !== undefined && !isPayee && { category_id: category }),
    ...(added.length > 0 && { add_tag_ids: added }),
    ...(removed.length > 0 && { remove_tag_ids: removed }),
  };
}
