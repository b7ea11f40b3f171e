import { useLayoutEffect, useRef, useState } from 'react';
import type {
  RefObject,
  FocusEvent,
  KeyboardEvent,
  PointerEvent,
  ReactElement,
  ReactNode,
} from 'react';
import { Link } from 'wouter';
import { roundTicks, type Scale } from '../../books/reports/scale.ts';
import { useAxisText, Sum } from '../money.tsx';
import { colourLook, type LegendItem } from './legend.tsx';

/** The room of a chart in pixels, and the size of its text. */
export interface ChartSize {
  /** 0 until it was measured. */
  readonly width: number;
  /** 0 until it was measured; that of the drawing, unless a style gives the element another. */
  readonly height: number;
  /** Pixels of the text of the root, so that margins grow with the text. */
  readonly rem: number;
}

/** Measures the element of a chart, again each time that it changes. */
export function useSize(): readonly [RefObject<HTMLDivElement | null>, ChartSize] {
  const element = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState<ChartSize>({ width: 0, height: 0, rem: 16 });
  useLayoutEffect(() => {
    const measured = element.current;
    if (measured === null) return;
    const measure = (): void => {
      const rem = Number.parseInt(getComputedStyle(document.documentElement).fontSize, 10);
      const [width, height] = [measured.clientWidth, measured.clientHeight].map(Math.floor);
      setSize({ width: width!, height: height!, rem });
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(measured);
    return () => observer.disconnect();
  }, []);
  return [element, size];
}

/** The marks of a chart: which of them is shown in the tooltip, and the keys that move between them. */
export interface Marks {
  /** The index of the mark that has the pointer or the focus; null without one. */
  readonly active: number | null;
  /** For the element that contains the marks. */
  readonly handlers: {
    readonly onKeyDown: (event: KeyboardEvent) => void;
    readonly onFocus: (event: FocusEvent) => void;
    readonly onBlur: () => void;
    readonly onPointerOver: (event: PointerEvent) => void;
    readonly onPointerLeave: () => void;
  };
  /** For each mark: only one of them is in the order of Tab. */
  readonly propsOf: (mark: number) => { readonly 'data-mark': number; readonly tabIndex: 0 | -1 };
}

/**
 * Makes the marks of a chart one stop of Tab: arrows, Home and End move the focus between them, Esc closes the tooltip.
 * `rows` is the number of marks that Up and Down jump over; 1 by default.
 */
export function useMarks(count: number, rows = 1): Marks {
  const [active, setActive] = useState<number | null>(null);
  const [last, setLast] = useState(count - 1);
  const show = (target: EventTarget): void => {
    const mark = target instanceof Element ? target.closest('[data-mark]') : null;
    const index = Number(mark?.getAttribute('data-mark') ?? Number.NaN);
    setActive(Number.isNaN(index) ? null : index);
    if (!Number.isNaN(index)) setLast(index);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') setActive(null);
    const next = moved(event.key, last, count, rows);
    if (next === null) return;
    event.preventDefault();
    event.currentTarget.querySelector<SVGElement>(`[data-mark="${next}"]`)?.focus();
  };
  return {
    active: active !== null && active < count ? active : null,
    handlers: {
      onKeyDown,
      onFocus: ({ target }) => show(target),
      onBlur: () => setActive(null),
      onPointerOver: ({ target }) => show(target),
      onPointerLeave: () => setActive(null),
    },
    propsOf: (mark) => ({
      'data-mark': mark,
      tabIndex: mark === Math.min(Math.max(last, 0), count - 1) ? 0 : -1,
    }),
  };
}

function moved(key: string, from: number, count: number, rows: number): number | null {
  const steps: Readonly<Record<string, number>> = {
    ArrowLeft: -1,
    ArrowRight: 1,
    ArrowUp: -rows,
    ArrowDown: rows,
    Home: -count,
    End: count,
  };
  const step = steps[key];
  return step === undefined ? null : Math.min(Math.max(from + step, 0), count - 1);
}

/**
 * The values of a mark that has the pointer or the focus. Hidden from screen readers, because the label of the mark
 * says the same.
 */
export function Tooltip(props: {
  /** Pixels in the chart. */
  readonly x: number;
  readonly y: number;
  /** Pixels of the chart, so that the tooltip stays inside. */
  readonly width: number;
  readonly children: ReactNode;
}): ReactElement {
  const { x, y, width, children } = props;
  const isRight = x > width / 2;
  const place = isRight ? { right: `${width - x + 12}px` } : { left: `${x + 12}px` };
  return (
    <div className="chart-tooltip" aria-hidden="true" style={{ ...place, top: `${y}px` }}>
      {children}
    </div>
  );
}

/** About how many amounts an axis has. */
export const amountTicks = 4;

/** Horizontal lines at round amounts, with their amounts at the start. */
export function AmountAxis(props: {
  /** From whole units of the currency to pixels. */
  readonly scale: Scale;
  /** The lowest and the highest amount, in whole units. */
  readonly ends: readonly [number, number];
  readonly left: number;
  readonly right: number;
  readonly currency: string;
}): ReactElement {
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

/** How a currency unit becomes a number for pixels: exact amounts are shown as texts alone. */
export function pixelsOf(units: bigint): number {
  return Number(units) / 10_000;
}

/** A mark of a chart: a link to what is behind it, or an image where that is nothing. */
export function Mark(
  props: ReturnType<Marks['propsOf']> & {
    readonly href: string | null;
    readonly 'aria-label': string;
    readonly children: ReactNode;
  },
): ReactElement {
  const { href, ...rest } = props;
  if (href === null) return <g className="chart-mark" role="img" {...rest} />;
  return <Link href={href} className="chart-mark" {...rest} />;
}

/** The values of a place of a chart, for its tooltip. */
export function Values(props: {
  readonly title: string;
  readonly values: readonly (Omit<LegendItem, 'name'> & {
    readonly name: string;
    readonly units: bigint;
  })[];
  readonly currency: string;
}): ReactElement {
  const { title, values, currency } = props;
  return (
    <>
      <p className="chart-tooltip-title">{title}</p>
      <dl>
        {values.map(({ key, name, colour, units }) => (
          <div key={key}>
            <dt>
              <span className={`swatch ${colourLook(colour)}`} />
              {name}
            </dt>
            <dd>
              <Sum units={units} currency={currency} />
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}
