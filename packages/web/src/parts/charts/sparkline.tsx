import { scaleLinear } from 'd3-scale';
import { area, line } from 'd3-shape';
import type { ReactElement } from 'react';
import { useSize } from './use-size.ts';

/** A line without axes, for a trend next to a figure that says the amount. */
export function Sparkline(props: {
  readonly label: string;
  readonly units: readonly bigint[];
}): ReactElement {
  const { label, units } = props;
  const [element, { width, rem }] = useSize();
  const height = 4.5 * rem;
  const values = units.map(Number);
  const x = scaleLinear()
    .domain([0, Math.max(1, units.length - 1)])
    .range([2, Math.max(width - 2, 3)]);
  const y = scaleLinear()
    .domain([Math.min(...values), Math.max(...values)])
    .range([height - 4, 4]);
  const at = (_: number, index: number): number => x(index);
  return (
    <div className="chart" ref={element}>
      <svg width={width} height={height} role="img" aria-label={label}>
        <path
          className="chart-area colour-1"
          d={area<number>().x(at).y0(height).y1(y)(values) ?? ''}
        />
        <path className="chart-line area colour-1" d={line<number>().x(at).y(y)(values) ?? ''} />
      </svg>
    </div>
  );
}
