import { useEffect, useId, useRef, useState } from 'react';
import type { CSSProperties, KeyboardEvent, ReactElement, ReactNode } from 'react';
import type { RowRange } from '../../books/rows/rows.ts';
import { useWindow, type RowSizes } from './use-window.ts';

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
  readonly sizes: RowSizes;
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
  const { label, rowCount, sizes, head, row, onRange, onTurn, className = '' } = props;
  const id = useId();
  const frame = useRef<HTMLDivElement>(null);
  const list = useWindow(rowCount, frame, sizes);
  const [current, setCurrent] = useState(0);
  const { first, end } = list.range;
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
    list.show(next);
  };
  return (
    <div
      ref={frame}
      role="grid"
      aria-label={label}
      aria-rowcount={rowCount}
      aria-activedescendant={rowCount === 0 ? undefined : `${id}-${place}`}
      className={`window-list ${className}`}
      tabIndex={0}
      onKeyDown={press}
    >
      <div role="rowgroup" className="window-head">
        {head !== undefined && (
          <div role="row" className="window-row">
            {head}
          </div>
        )}
      </div>
      <div role="rowgroup" className="window-space" style={{ height: list.scrollHeight }}>
        {Array.from({ length: end - first }, (_, nth) => first + nth).map((at) => (
          <Row
            key={at}
            id={id}
            place={at}
            isCurrent={at === place}
            style={{ height: list.rowHeight, top: list.topOf(at) }}
            onPick={(picked) => {
              setCurrent(picked);
              onTurn?.(picked);
            }}
          >
            {row(at)}
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
