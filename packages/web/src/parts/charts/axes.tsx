import type { ReactElement } from 'react';
import { roundTicks } from '../../books/reports/scale.ts';
import type { Scale } from '../../books/reports/scale.ts';
import { useAxisText } from '../money.tsx';

/** The lines and labels of the amounts of a chart. */
export interface AmountAxisProps {
  /** From whole units of the currency to pixels. */
  readonly scale: Scale;
  /** The lowest and the highest amount, in whole units. */
  readonly ends: readonly [number, number];
  readonly left: number;
  readonly right: number;
  readonly currency: string;
}

/** About how many amounts an axis has. */
export const amountTicks = 4;

/** Horizontal lines at round amounts, with their amounts at the start. */
export function AmountAxis(props: AmountAxisProps): ReactElement {
  const { scale, ends, left, right, currency } = props;
  const text = useAxisText(currency);
  return (
    <g className="chart-axis" aria-hidden="true">
      {roundTicks(...ends, amountTicks).map((tick) => (
        <g key={tick} transform={`translate(0 ${scale(tick)})`}>
          <line x1={left} x2={right} className={tick === 0 ? 'zero' : undefined} />
          <text x={left} dx="-0.5em" dy="0.32em" textAnchor="end">
            {text(tick)}
          </text>
        </g>
      ))}
    </g>
  );
}

/** A label below a place of a chart. */
export interface PlaceLabel {
  readonly key: string;
  readonly x: number;
  readonly text: string;
  /** A second line, such as the year. */
  readonly more?: string;
}

/** Labels below a chart, as many as fit. */
export function PlaceAxis(props: {
  readonly labels: readonly PlaceLabel[];
  readonly y: number;
  /** Pixels that a label needs. */
  readonly room: number;
}): ReactElement {
  const { labels, y, room } = props;
  const [first, second] = labels;
  const step = first === undefined || second === undefined ? room : second.x - first.x;
  const every = Math.max(1, Math.ceil(room / step));
  return (
    <g className="chart-axis" aria-hidden="true">
      {labels.map(({ key, x, text, more }, index) =>
        (labels.length - 1 - index) % every === 0 ? (
          <text key={key} x={x} y={y} textAnchor="middle">
            <tspan dy="1.25em">{text}</tspan>
            {more !== undefined && (
              <tspan x={x} dy="1.2em" className="more">
                {more}
              </tspan>
            )}
          </text>
        ) : null,
      )}
    </g>
  );
}
