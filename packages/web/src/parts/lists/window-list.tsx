import { useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import type { CSSProperties, KeyboardEvent, ReactElement, ReactNode, RefObject } from 'react';
import { rowsInWindow, scaleOf, scrollToRow, type RowRange } from '../../books/rows/rows.ts';

const overscan = 8;

/** The size of the part that scrolls, without the head that covers its top, as it changes. */
function useView(
  frame: RefObject<HTMLDivElement | null>,
  head: RefObject<HTMLDivElement | null>,
): { readonly width: number; readonly height: number; readonly headHeight: number } {
  const [view, setView] = useState({ width: 0, height: 0, headHeight: 0 });
  useLayoutEffect(() => {
    const element = frame.current;
    if (element === null) return undefined;
    const measure = (): void => {
      const headHeight = head.current?.offsetHeight ?? 0;
      const { clientWidth: width, clientHeight } = element;
      setView({ width, height: clientHeight - headHeight, headHeight });
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [frame, head]);
  return view;
}

const steps: Readonly<Record<string, number>> = {
  ArrowDown: 1,
  j: 1,
  ArrowUp: -1,
  k: -1,
  PageDown: 10,
  PageUp: -10,
  Home: -Infinity,
  g: -Infinity,
  End: Infinity,
  G: Infinity,
};

/** A grid with a window of rows. One row is current; arrows, `j` and `k` move it, and the screen follows. */
export function WindowList(props: {
  /** What it shows, for screen readers. */
  readonly label: string;
  readonly rowCount: number;
  /** Pixels of a row, by the width of the list. */
  readonly rowHeight: (width: number) => number;
  /** The heads of the columns; they are cells of a row, `role="columnheader"`. */
  readonly head?: ReactNode;
  /** The cells of a row, `role="gridcell"`. */
  readonly row: (place: number) => ReactNode;
  /** Called when the rows to show have changed. */
  readonly onRange?: (range: RowRange) => void;
  /** Called by Space or `x`, and by a click on a row. */
  readonly onTurn?: (place: number) => void;
  readonly className?: string;
}): ReactElement {
  const { label, rowCount, head, row, onRange, onTurn, className = '' } = props;
  const id = useId();
  const frame = useRef<HTMLDivElement>(null);
  const top = useRef<HTMLDivElement>(null);
  const { width, height, headHeight } = useView(frame, top);
  const [scrollTop, setScrollTop] = useState(0);
  const [current, setCurrent] = useState(0);
  const rowHeight = props.rowHeight(width);
  const { height: total, factor } = scaleOf(rowCount, rowHeight, height);
  const window = { rowCount, rowHeight, scrollTop: scrollTop * factor, height, overscan };
  const range = rowsInWindow(window);
  const { first, end } = range;
  useEffect(() => onRange?.({ first, end }), [onRange, first, end]);
  const place = Math.max(0, Math.min(current, rowCount - 1));
  const press = (event: KeyboardEvent): void => {
    const step = steps[event.key];
    const isTurn = event.key === ' ' || event.key === 'x';
    if (event.ctrlKey || event.metaKey || event.altKey || (step === undefined && !isTurn)) return;
    event.preventDefault();
    if (isTurn) onTurn?.(place);
    if (step === undefined) return;
    const next = Math.max(0, Math.min(place + step, rowCount - 1));
    setCurrent(next);
    frame.current?.scrollTo({ top: scrollToRow(next, window) / factor });
  };
  const firstTop = range.first * rowHeight - scrollTop * factor + scrollTop;
  return (
    <div
      ref={frame}
      role="grid"
      aria-label={label}
      aria-rowcount={rowCount}
      aria-activedescendant={rowCount === 0 ? undefined : `${id}-${place}`}
      className={`window-list ${className}`}
      // No taller than its rows; the style sheet says how tall it may be.
      style={{ maxHeight: total + headHeight + 2 }}
      tabIndex={0}
      onKeyDown={press}
      onScroll={({ currentTarget }) => setScrollTop(currentTarget.scrollTop)}
    >
      <div ref={top} role="rowgroup" className="window-head">
        {head !== undefined && (
          <div role="row" className="window-row">
            {head}
          </div>
        )}
      </div>
      <div role="rowgroup" className="window-space" style={{ height: total }}>
        {Array.from({ length: range.end - range.first }, (_, nth) => (
          <Row
            key={range.first + nth}
            id={id}
            place={range.first + nth}
            isCurrent={range.first + nth === place}
            style={{ height: rowHeight, top: firstTop + nth * rowHeight }}
            onPick={(picked) => {
              setCurrent(picked);
              onTurn?.(picked);
            }}
          >
            {row(range.first + nth)}
          </Row>
        ))}
      </div>
    </div>
  );
}

interface RowProps {
  readonly id: string;
  readonly place: number;
  readonly isCurrent: boolean;
  readonly style: CSSProperties;
  readonly children: ReactNode;
  readonly onPick: (place: number) => void;
}

function Row({ id, place, isCurrent, style, children, onPick }: RowProps): ReactElement {
  return (
    <div
      id={`${id}-${place}`}
      role="row"
      aria-rowindex={place + 1}
      aria-selected={isCurrent}
      className="window-row"
      style={style}
      onClick={() => onPick(place)}
    >
      {children}
    </div>
  );
}
