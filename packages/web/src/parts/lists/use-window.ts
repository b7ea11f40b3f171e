import { useLayoutEffect, useState, type RefObject } from 'react';
import {
  folded,
  lineOf,
  rowsAmong,
  rowsInWindow,
  scaleOf,
  scrollToRow,
} from '../../books/rows/rows.ts';
import type { RowRange, Unfolded } from '../../books/rows/rows.ts';

/** Heights of rows in rem, as a table and as cards of two lines, and the width below which rows are cards. */
export interface RowSizes {
  readonly table: number;
  readonly cards: number;
  readonly cardsBelow: number;
}

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
export function useWindow(
  rowCount: number,
  frame: Frame,
  sizes: RowSizes,
  unfolded: Unfolded = folded,
): ListWindow {
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
    const measure = new ResizeObserver(() => setSize(sizeOf(element, sizes)));
    measure.observe(element);
    return () => measure.disconnect();
  }, [frame, sizes]);
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

function sizeOf(element: HTMLElement, { table, cards, cardsBelow }: RowSizes): Size {
  const rem = Number(getComputedStyle(document.documentElement).fontSize.replace('px', ''));
  const isCards = element.clientWidth < cardsBelow * rem;
  const rowHeight = Math.round((isCards ? cards : table) * rem);
  // A head covers the top of the frame.
  const head = element.querySelector<HTMLElement>('.window-head')?.offsetHeight ?? 0;
  return { height: element.clientHeight - head, rowHeight, isCards };
}
