import type { DerivedFrom } from './derived.ts';

/** Whether a plain list shows the transaction. Same rule as the generated column `listed`. */
export function isListed(row: DerivedFrom): row is NonNullable<DerivedFrom> {
  if (row === null) return false;
  const { is_pending, is_split_parent, group_parent_id } = row;
  return is_pending !== true && is_split_parent !== true && (group_parent_id ?? null) === null;
}
