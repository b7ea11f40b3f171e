import type { ReactElement } from 'react';
import { linearScale } from '../../books/reports/scale.ts';
import { useSumText } from '../money.tsx';
import { Mark, pixelsOf, useMarks, useSize } from './chart.tsx';

/** A line of the ranking. */
export interface RankedBar {
  readonly key: string;
  readonly name: string;
  /** Ten-thousandths. */
  readonly units: bigint;
  /** What is behind it; null for nothing. */
  readonly href: string | null;
}

/** Of a line and of a usual letter, in `rem`. */
const [lineHeight, letterWidth] = [2.5, 0.44];

/** The largest lines below each other, each a bar as long as its amount; what all others are is a text. */
export function RankedBars(props: {
  readonly label: string;
  /** The largest first. */
  readonly bars: readonly RankedBar[];
  readonly more: string;
  readonly currency: string;
}): ReactElement {
  const { label, bars, more, currency } = props;
  const [element, { width, rem }] = useSize();
  const marks = useMarks(bars.length);
  const text = useSumText(currency);
  const length = linearScale([0, pixelsOf(bars[0]?.units ?? 1n)], [0, width]);
  const height = lineHeight * rem;
  return (
    <div className="chart" ref={element}>
      <svg
        width={width}
        height={(bars.length + 0.75) * height}
        role="group"
        aria-label={label}
        {...marks.handlers}
      >
        {bars.map(({ key, name, units, href }, at) => {
          const sum = text(units);
          const room = width - (sum.length + 2) * letterWidth * rem;
          const isLong = name.length * letterWidth * rem > room;
          return (
            <Mark key={key} href={href} aria-label={`${name}: ${sum}`} {...marks.propsOf(at)}>
              <rect className="chart-hit" y={at * height} width={width} height={height} />
              <text
                className="chart-name"
                y={(at + 0.45) * height}
                // A whole name in narrower letters is better than a part of it.
                {...(isLong && { textLength: Math.max(1, room), lengthAdjust: 'spacingAndGlyphs' })}
              >
                {name}
              </text>
              <text className="chart-name" x={width} y={(at + 0.45) * height} textAnchor="end">
                {sum}
              </text>
              <rect
                className="chart-part colour-1"
                y={(at + 0.55) * height}
                width={Math.max(1, length(pixelsOf(units)))}
                height={0.3 * height}
              />
            </Mark>
          );
        })}
        <text className="chart-name" y={(bars.length + 0.5) * height}>
          {more}
        </text>
      </svg>
    </div>
  );
}
