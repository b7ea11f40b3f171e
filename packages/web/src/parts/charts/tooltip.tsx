import type { ReactElement, ReactNode } from 'react';

/** What is shown next to a mark of a chart. */
export interface TooltipProps {
  /** Pixels in the chart. */
  readonly x: number;
  readonly y: number;
  /** Pixels of the chart, so that the tooltip stays inside. */
  readonly width: number;
  readonly children: ReactNode;
}

/**
 * The values of a mark that has the pointer or the focus. Hidden from screen readers, because the label of the mark
 * says the same.
 */
export function Tooltip({ x, y, width, children }: TooltipProps): ReactElement {
  const isRight = x > width / 2;
  const place = isRight ? { right: `${width - x + 12}px` } : { left: `${x + 12}px` };
  return (
    <div className="chart-tooltip" aria-hidden="true" style={{ ...place, top: `${y}px` }}>
      {children}
    </div>
  );
}
