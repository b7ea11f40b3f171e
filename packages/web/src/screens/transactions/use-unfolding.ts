import { useState } from 'react';
import { useTransaction } from '../../api/hooks.ts';
import { folded, type Unfolded } from '../../books/rows/rows.ts';
import type { Transaction } from '../../books/types.ts';
import type { Rows } from './data.ts';

/** A member of a group, or another part of a split. */
export type Member = NonNullable<Transaction['children']>[number];

/** The row that shows its members, or the other parts of its split, in lines below it. At most one row does. */
export interface Unfolding {
  readonly unfolded: Unfolded;
  /** The lines; undefined while they are read. */
  readonly members: readonly (Member | undefined)[];
  readonly isOpen: (place: number) => boolean;
  /** Unfolds a row, or folds it; `isOpen` does only one of both. */
  readonly toggle: (place: number, row: Transaction, isOpen?: boolean) => void;
  /** Folds what is no longer at its place. */
  readonly keep: (rows: Rows) => void;
}

/** Whether a row has members or is a part. */
function isUnfoldable(row: Transaction): boolean {
  return row.is_group_parent || row.split_parent_id !== null;
}

/** Which row of a list is unfolded, and what it shows. */
export function useUnfolding(): Unfolding {
  const [open, setOpen] = useState<{ readonly place: number; readonly row: Transaction } | null>(
    null,
  );
  const row = open?.row ?? null;
  const { data, isPending } = useTransaction(row && (row.split_parent_id ?? row.id));
  const children = data?.children?.filter(({ id }) => id !== row?.id) ?? [];
  const members = row === null ? [] : isPending ? [undefined] : children;
  return {
    members,
    unfolded: open === null ? folded : { row: open.place, count: members.length },
    isOpen: (place) => place === open?.place,
    toggle: (place, next, isOpen = row?.id !== next.id) => {
      if (isOpen && isUnfoldable(next)) setOpen({ place, row: next });
      else if (row?.id === next.id) setOpen(null);
    },
    keep: (rows) => {
      const there = open === null ? undefined : rows(open.place);
      if (there !== undefined && there.id !== row?.id) setOpen(null);
    },
  };
}
