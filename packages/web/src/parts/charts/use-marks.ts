import { useState } from 'react';
import type { FocusEvent, KeyboardEvent, PointerEvent } from 'react';

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
