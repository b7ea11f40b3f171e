import type { ReactElement } from 'react';
import { areaPath, linearScale, linePath } from '../../books/reports/scale.ts';
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
  const x = linearScale([0, Math.max(1, units.length - 1)], [2, Math.max(width - 2, 3)]);
  const y = linearScale([Math.min(...values), Math.max(...values)], [height - 4, 4]);
  const points = values.map((value, at) => [x(at), y(value)] as const);
  return (
    <div className="chart" ref={element}>
      <svg width={width} height={height} role="img" aria-label={label}>
        <path className="chart-area colour-1" d={areaPath(points, height)} />
        <path className="chart-line area colour-1" d={linePath(points)} />
      </svg>
    </div>
  );
}
