import type { ReactElement, ReactNode } from 'react';
import { areaPath, linearScale, linePath, roundEnd } from '../../books/reports/scale.ts';
import type { Scale } from '../../books/reports/scale.ts';
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
import type { Marks } from './chart.tsx';

/** A line of a chart. */
export interface Line {
  readonly key: string;
  readonly name: string;
  /** 1 to 9, or that of all others. */
  readonly colour: number;
  /** Ten-thousandths by the index of the point; a line may end before the last point. */
  readonly units: readonly bigint[];
  /** `area` fills below a strong line; `dashed` is for what is compared. */
  readonly look?: 'usual' | 'area' | 'dashed';
}

/** A place on the axis. */
export interface LinePoint {
  readonly key: string;
  /** Below the axis; empty for none. */
  readonly label: string;
  readonly more?: string;
  /** Its whole name, for the tooltip and screen readers. */
  readonly title: string;
}

interface Scales {
  readonly x: Scale;
  readonly y: Scale;
}

/** Lines over time, one value of each at every point. */
export function LineChart(props: {
  readonly label: string;
  readonly points: readonly LinePoint[];
  readonly lines: readonly Line[];
  readonly currency: string;
  /** In `rem`; `fill` takes the height that a style gives the element. */
  readonly height: number | 'fill';
  /** Steps are for sums that grow on days. */
  readonly isStepped?: boolean;
}): ReactElement {
  const { label, points, lines, currency, isStepped = false } = props;
  const [element, { width, rem, ...size }] = useSize();
  const marks = useMarks(points.length);
  const height = props.height === 'fill' ? Math.max(size.height, 8 * rem) : props.height * rem;
  const hasMore = points.some(({ more }) => more !== undefined);
  const bottom = height - (hasMore ? 2.75 : 1.5) * rem;
  const left = 3.75 * rem;
  const right = Math.max(width - 0.75 * rem, left + 1);
  const values = lines.flatMap(({ units }) => units.map(pixelsOf));
  const ends = [Math.min(0, ...values), roundEnd(Math.max(1, ...values), amountTicks)] as const;
  const y = linearScale(ends, [bottom, 0.75 * rem]);
  const x = linearScale([0, Math.max(1, points.length - 1)], [left, right]);
  const { active } = marks;
  return (
    <div className="chart" ref={element}>
      <svg width={width} height={height} role="group" aria-label={label} {...marks.handlers}>
        <AmountAxis scale={y} ends={ends} left={left} right={right} currency={currency} />
        {lines.map((each) => (
          <LineShape key={each.key} line={each} scales={{ x, y }} isStepped={isStepped} />
        ))}
        {active !== null && (
          <line className="chart-rule" x1={x(active)} x2={x(active)} y2={bottom} />
        )}
        {active !== null && <Dots lines={lines} at={active} scales={{ x, y }} />}
        <g>
          {points.map((point, at) => (
            <Point key={point.key} {...{ point, at, lines, currency }} {...marks.propsOf(at)}>
              <rect
                className="chart-hit"
                x={x(at - 0.5)}
                y={0}
                width={Math.max(1, x(1) - x(0))}
                height={bottom}
              />
            </Point>
          ))}
        </g>
        <PlaceAxis
          y={bottom}
          room={3.25 * rem}
          labels={points.flatMap(({ key, label: text, more }, at) =>
            text === '' ? [] : [{ key, text, x: x(at), ...(more !== undefined && { more }) }],
          )}
        />
      </svg>
      {active !== null && (
        <Tooltip x={x(active)} y={0.5 * rem} width={width}>
          <Values
            title={points[active]!.title}
            values={valuesAt(lines, active)}
            currency={currency}
          />
        </Tooltip>
      )}
    </div>
  );
}

function LineShape(props: {
  readonly line: Line;
  readonly scales: Scales;
  readonly isStepped: boolean;
}): ReactElement {
  const { colour, units, look = 'usual' } = props.line;
  const { x, y } = props.scales;
  const places = units.map((each, at) => [x(at), y(pixelsOf(each))] as const);
  const path = linePath(places, props.isStepped);
  const below = look === 'area' ? areaPath(places, y(0), props.isStepped) : null;
  return (
    <>
      {below !== null && <path className={`chart-area colour-${colour}`} d={below} />}
      <path className={`chart-line ${look} colour-${colour}`} d={path} />
    </>
  );
}

type DotsProps = Readonly<{ lines: readonly Line[]; at: number; scales: Scales }>;

function Dots({ lines, at, scales }: DotsProps): ReactElement {
  return (
    <>
      {valuesAt(lines, at).map(({ key, colour, units }) => (
        <circle
          key={key}
          className={`chart-dot colour-${colour}`}
          cx={scales.x(at)}
          cy={scales.y(pixelsOf(units))}
          r={4}
        />
      ))}
    </>
  );
}

/** The lines that have a value at a point, with it. */
function valuesAt(lines: readonly Line[], at: number) {
  return lines.flatMap(({ units, ...line }) => {
    const value = units[at];
    return value === undefined ? [] : [{ ...line, units: value }];
  });
}

function Point(
  props: ReturnType<Marks['propsOf']> & {
    readonly point: LinePoint;
    readonly at: number;
    readonly lines: readonly Line[];
    readonly currency: string;
    readonly children: ReactNode;
  },
): ReactElement {
  const { point, at, lines, currency, ...rest } = props;
  const text = useSumText(currency);
  const values = valuesAt(lines, at).map(({ name, units }) => `${name} ${text(units)}`);
  return <Mark href={null} aria-label={`${point.title}: ${values.join(', ')}`} {...rest} />;
}

type SparklineProps = Readonly<{ label: string; units: readonly bigint[] }>;

/** A line without axes, for a trend next to a figure that says the amount. */
export function Sparkline({ label, units }: SparklineProps): ReactElement {
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
