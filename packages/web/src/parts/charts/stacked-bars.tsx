import type { ReactElement } from 'react';
import { linearScale, roundEnd } from '../../books/reports/scale.ts';
import { useSumText } from '../money.tsx';
import {
  AmountAxis,
  amountTicks,
  Mark,
  PlaceAxis,
  Tooltip,
  useMarks,
  useSize,
  pixelsOf,
  Values,
} from './chart.tsx';
import { colourLook, type Colour } from './legend.tsx';

/** A part of every bar, in the order of the stack from the bottom. */
export interface BarPart {
  readonly key: string;
  readonly name: string;
  readonly colour: Colour;
  /** Ten-thousandths by the index of the bar. Parts below zero are not drawn; the tooltip has them. */
  readonly units: readonly bigint[];
}

/** A bar. */
export interface Bar {
  readonly key: string;
  readonly label: string;
  readonly more?: string;
  /** Its whole name, for the tooltip and screen readers. */
  readonly title: string;
  readonly total: bigint;
  readonly href: string;
}

const atLeast = (units: bigint): bigint => (units > 0n ? units : 0n);

/** The part of the room of a bar that stays empty. */
const gapPart = 0.28;

/** Bars by month, each a link to what is behind it. */
export function StackedBars(props: {
  readonly label: string;
  readonly bars: readonly Bar[];
  readonly parts: readonly BarPart[];
  readonly currency: string;
}): ReactElement {
  const { label, bars, parts, currency } = props;
  const [element, { width, rem }] = useSize();
  const marks = useMarks(bars.length);
  const text = useSumText(currency);
  const height = Math.max(240, 15 * rem);
  const [left, bottom] = [3.75 * rem, height - 2.75 * rem];
  const tops = bars.map((_, at) => parts.reduce((sum, { units }) => sum + atLeast(units[at]!), 0n));
  const highest = tops.reduce((most, each) => (each > most ? each : most), 1n);
  const right = Math.max(width, left + 1);
  const step = (right - left) / Math.max(1, bars.length);
  const [room, gap] = [step * (1 - gapPart), step * gapPart];
  const x = (at: number): number => left + step * at + gap / 2;
  const ends = [0, roundEnd(pixelsOf(highest), amountTicks)] as const;
  const y = linearScale(ends, [bottom, 0.75 * rem]);
  const { active } = marks;
  return (
    <div className="chart" ref={element}>
      <svg width={width} height={height} role="group" aria-label={label} {...marks.handlers}>
        <AmountAxis scale={y} ends={ends} left={left} right={width} currency={currency} />
        <g>
          {bars.map((bar, at) => (
            <Mark
              key={bar.key}
              href={bar.href}
              aria-label={`${bar.title}: ${text(bar.total)}`}
              {...marks.propsOf(at)}
            >
              <rect className="chart-hit" x={x(at) - gap / 2} y={0} width={step} height={bottom} />
              {stackOf(parts, at).map(({ key, colour, from, to }) => (
                <rect
                  key={key}
                  className={`chart-part ${colourLook(colour)}`}
                  x={x(at)}
                  width={room}
                  y={y(to)}
                  height={Math.max(0, y(from) - y(to))}
                />
              ))}
            </Mark>
          ))}
        </g>
        <PlaceAxis
          y={bottom}
          room={3 * rem}
          labels={bars.map(({ key, label: text, more }, at) => ({
            key,
            text,
            x: x(at) + room / 2,
            ...(more !== undefined && { more }),
          }))}
        />
      </svg>
      {active !== null && (
        <Tooltip x={x(active) + room / 2} y={0.5 * rem} width={width}>
          <Values
            title={bars[active]!.title}
            values={valuesAt(parts, active)}
            currency={currency}
          />
        </Tooltip>
      )}
    </div>
  );
}

function stackOf(parts: readonly BarPart[], at: number) {
  let from = 0n;
  return parts.map(({ key, colour, units }) => {
    const start = from;
    from += atLeast(units[at]!);
    return { key, colour, from: pixelsOf(start), to: pixelsOf(from) };
  });
}

/** The parts of a bar that are not empty, from above. */
function valuesAt(parts: readonly BarPart[], at: number) {
  return parts
    .map(({ units, ...part }) => ({ ...part, units: units[at]! }))
    .filter(({ units }) => units !== 0n)
    .toReversed();
}
