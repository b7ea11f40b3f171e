import { useLayoutEffect, useState, type RefObject } from 'react';
import { useTransaction } from '../../api/hooks.ts';
import {
  folded,
  lineOf,
  rowsAmong,
  rowsInWindow,
  scaleOf,
  scrollToRow,
} from '../../books/rows/rows.ts';
import type { RowRange, Unfolded } from '../../books/rows/rows.ts';
import type { Transaction } from '../../books/types.ts';
import type { Rows } from './data.ts';

/** Heights of rows in lines of text (rem), as a table and as cards of two lines. */
const rowRem = { table: 2.25, cards: 4 } as const;
/** Below this width (rem) rows are cards. */
const cardsBelowRem = 38;
const overscan = 12;
/** The range changes by steps of some rows, so that most scrolling renders nothing. */
const stepRows = 4;

interface Size {
  readonly height: number;
  readonly rowHeight: number;
  readonly isCards: boolean;
}

/** The visible part of a long list. */
export interface ListWindow extends Size {
  readonly range: RowRange;
  /** About the first row that is visible. */
  readonly firstVisible: number;
  /** Pixels of the element that scrolls. */
  readonly scrollHeight: number;
  /** Pixels from the top of the scrolled element to a row. */
  readonly topOf: (row: number) => number;
  /** Makes a row visible; at the top if `isAtTop`. */
  readonly show: (row: number, isAtTop?: boolean) => void;
  /** Gives the list the focus, so that keys act on it. */
  readonly focus: () => void;
}

/** The element that scrolls. */
export type Frame = RefObject<HTMLDivElement | null>;

/** Follows the scrolling and the size of the frame of a list. */
export function useWindow(rowCount: number, frame: Frame, unfolded: Unfolded = folded): ListWindow {
  const lineCount = rowCount + unfolded.count;
  const [size, setSize] = useState<Size>({ height: 800, rowHeight: 36, isCards: false });
  const [scrolled, setScrolled] = useState(0);
  const { height, rowHeight } = size;
  const { height: scrollHeight, factor } = scaleOf(lineCount, rowHeight, height);
  // A scaled list moves its rows with every pixel; others only when rows come into view.
  const stepPx = factor === 1 ? rowHeight * stepRows : 1;

  useLayoutEffect(() => {
    const element = frame.current;
    if (element === null) return;
    const measure = new ResizeObserver(() => setSize(sizeOf(element)));
    measure.observe(element);
    return () => measure.disconnect();
  }, [frame]);
  useLayoutEffect(() => {
    const element = frame.current;
    if (element === null) return;
    const follow = (): void => setScrolled(Math.floor(element.scrollTop / stepPx) * stepPx);
    element.addEventListener('scroll', follow, { passive: true });
    return () => element.removeEventListener('scroll', follow);
  }, [frame, stepPx]);

  const part = { rowCount: lineCount, rowHeight, overscan };
  const shown = { ...part, height: height + stepPx, scrollTop: scrolled * factor };
  const show = (row: number, isAtTop = false): void => {
    const element = frame.current;
    if (element === null) return;
    const scrollTop = element.scrollTop * factor;
    const line = lineOf(row, unfolded);
    const target = isAtTop ? line * rowHeight : scrollToRow(line, { ...part, height, scrollTop });
    if (target !== scrollTop) element.scrollTo({ top: target / factor });
  };
  const line = Math.round((scrolled * factor) / rowHeight);
  return {
    ...size,
    range: rowsAmong(rowsInWindow(shown), unfolded),
    firstVisible: rowsAmong({ first: line, end: line }, unfolded).first,
    scrollHeight,
    topOf: (row) => lineOf(row, unfolded) * rowHeight - scrolled * (factor - 1),
    show,
    focus: () => frame.current?.focus({ preventScroll: true }),
  };
}

function sizeOf(element: HTMLElement): Size {
  const rem = Number(getComputedStyle(document.documentElement).fontSize.replace('px', ''));
  const isCards = element.clientWidth < cardsBelowRem * rem;
  const rowHeight = Math.round((isCards ? rowRem.cards : rowRem.table) * rem);
  return { height: element.clientHeight, rowHeight, isCards };
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
