import type { DerivedFrom } from './derived.ts';

/** What hides a transaction from plain lists, as bits. A row for which several hold has the sum of their bits. */
export const hiddenBy = { isPending: 1, isSplitParent: 2, isGroupMember: 4 } as const;

/** The sum of the bits of {@link hiddenBy}. */
export const everyBit = 7;

/** The kind of the rows that plain lists show. */
export const listedKind = 0;

/** Returns the kind of a transaction: what hides it, or {@link listedKind}. */
export function kindOf(row: NonNullable<DerivedFrom>): number {
  const { is_pending, is_split_parent, group_parent_id } = row;
  return (
    (is_pending === true ? hiddenBy.isPending : 0) +
    (is_split_parent === true ? hiddenBy.isSplitParent : 0) +
    ((group_parent_id ?? null) === null ? 0 : hiddenBy.isGroupMember)
  );
}

/** Whether a plain list shows the transaction. Same rule as the generated column `listed`. */
export function isListed(row: DerivedFrom): row is NonNullable<DerivedFrom> {
  return row !== null && kindOf(row) === listedKind;
}
