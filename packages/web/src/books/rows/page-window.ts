/** A part of a long list of rows of one height. */
export interface WindowOptions {
  readonly rowCount: number;
  /** Pixels. */
  readonly rowHeight: number;
  /** Pixels between the top of the list and the top of the visible part. */
  readonly scrollTop: number;
  /** Pixels of the visible part. */
  readonly height: number;
  /** Rows that are rendered above and below the visible part. */
  readonly overscan: number;
}

/** Rows from `first` up to and without `end`. */
export interface RowRange {
  readonly first: number;
  readonly end: number;
}

/** Returns the rows to render: those that are visible, and some around them. */
export function rowsInWindow(options: WindowOptions): RowRange {
  const { rowCount, rowHeight, scrollTop, height, overscan } = options;
  const first = Math.floor(scrollTop / rowHeight) - overscan;
  const end = Math.ceil((scrollTop + height) / rowHeight) + overscan;
  return {
    first: Math.min(Math.max(first, 0), rowCount),
    end: Math.max(Math.min(end, rowCount), 0),
  };
}

/** Lines below a row that are no rows of the list, such as the members of a group. */
export interface Unfolded {
  readonly row: number;
  readonly count: number;
}

/** Nothing is unfolded. */
export const folded: Unfolded = { row: 0, count: 0 };

/** Returns the place of a row among all lines. */
export function lineOf(row: number, { row: above, count }: Unfolded): number {
  return row > above ? row + count : row;
}

/** Returns the rows among some lines. The unfolded row is one of them when one of its lines is. */
export function rowsAmong({ first, end }: RowRange, { row, count }: Unfolded): RowRange {
  return {
    first: first > row ? Math.max(row, first - count) : first,
    end: end > row ? Math.max(row + 1, end - count) : end,
  };
}

/** Returns the pages that hold the rows, by number from 0. */
export function pagesOf({ first, end }: RowRange, pageSize: number): number[] {
  const pages: number[] = [];
  if (end <= first) return pages;
  const last = Math.floor((end - 1) / pageSize);
  for (let page = Math.floor(first / pageSize); page <= last; page += 1) pages.push(page);
  return pages;
}

/** Most pixels that browsers lay out in one element without trouble. Taller lists are scaled. */
const mostPixels = 15_000_000;

/** How a list whose rows are higher than a browser can lay out is scaled. */
export interface Scale {
  /** Pixels of the element that scrolls. */
  readonly height: number;
  /** Pixels of rows for one pixel of the scroll bar. */
  readonly factor: number;
}

/** Returns the height of the scrolled element, and the pixels of rows for one of its own. */
export function scaleOf(rowCount: number, rowHeight: number, viewHeight: number): Scale {
  const height = rowCount * rowHeight;
  if (height <= mostPixels) return { height, factor: 1 };
  return { height: mostPixels, factor: (height - viewHeight) / (mostPixels - viewHeight) };
}

/** Returns where to scroll so that a row is visible; the same place when it is. */
export function scrollToRow(row: number, options: WindowOptions): number {
  const { rowHeight, scrollTop, height } = options;
  const top = row * rowHeight;
  if (top < scrollTop) return top;
  if (top + rowHeight > scrollTop + height) return top + rowHeight - height;
  return scrollTop;
}
