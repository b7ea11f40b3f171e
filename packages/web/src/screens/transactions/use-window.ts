import { useState } from 'react';
import { useTransaction } from '../../api/hooks.ts';
import { folded, type Unfolded } from '../../books/rows/rows.ts';
import type { Transaction } from '../../books/types.ts';
import type { ListSize, ListWindow } from '../../parts/lists/use-window.ts';
import type { Rows } from './data.ts';

/** Heights of rows in lines of text (rem), as a table and as cards of two lines. */
const rowRem = { table: 2.25, cards: 4 } as const;
/** Below this width (rem) rows are cards. */
const cardsBelowRem = 38;

/** The size of a list of transactions. */
export interface GridSize extends ListSize {
  readonly isCards: boolean;
}

/** The visible part of a list of transactions. */
export type GridWindow = ListWindow & GridSize;

/** Measures the frame of a list of transactions. */
export function gridSizeOf(frame: HTMLElement | null): GridSize {
  if (frame === null) return { height: 800, rowHeight: 36, isCards: false };
  const rem = Number(getComputedStyle(document.documentElement).fontSize.replace('px', ''));
  const isCards = frame.clientWidth < cardsBelowRem * rem;
  const rowHeight = Math.round((isCards ? rowRem.cards : rowRem.table) * rem);
  return { height: frame.clientHeight, rowHeight, isCards };
}

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
