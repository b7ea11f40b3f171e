import type { KeyboardEvent, PointerEvent, ReactElement } from 'react';
import { addMonths, formatDate } from '../../books/formats/dates.ts';
import { firstRowOf, monthOfRow } from '../../books/rows/row-values.ts';
import type { MonthCount } from '../../books/rows/row-values.ts';
import { usePreferences } from '../../parts/preferences.ts';
import { transactionTexts as t } from '../../texts/en/transactions.ts';
import type { ListWindow } from './list/use-window.ts';

/** The months of the list, as long as their transactions are many. */
export interface ScrubberProps {
  readonly months: readonly MonthCount[];
  readonly list: ListWindow;
}

/** Room for a label, in rows. */
const labelRows = 0.7;

/** Jumps to a month: by a click, by dragging, or by the arrow keys (Page Up and Down move by years). */
export function Scrubber({ months, list }: ScrubberProps): ReactElement {
  const { locale, dates } = usePreferences();
  const count = months.reduce((sum, month) => sum + month.count, 0);
  const current = monthOfRow(months, Math.min(list.firstVisible, count - 1)) ?? '';
  const jump = (month: string): void => list.show(firstRowOf(months, month), true);
  const drag = (event: PointerEvent): void => {
    if (event.type === 'pointermove' && event.buttons === 0) return;
    const { top, height } = event.currentTarget.getBoundingClientRect();
    const part = Math.max(0, Math.min((event.clientY - top) / height, 1));
    list.show(Math.min(Math.floor(part * count), count - 1), true);
  };
  const press = (event: KeyboardEvent): void => {
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: -1,
      ArrowUp: 1,
      PageDown: -12,
      PageUp: 12,
    };
    const step = steps[event.key];
    if (step === undefined || current === '') return;
    event.preventDefault();
    jump(addMonths(current, step));
  };
  return (
    <div
      className="scrubber"
      role="slider"
      aria-label={t.months}
      aria-orientation="vertical"
      aria-valuemin={0}
      aria-valuemax={Math.max(count - 1, 0)}
      aria-valuenow={Math.max(0, Math.min(list.firstVisible, count - 1))}
      aria-valuetext={current === '' ? '' : formatDate(current, 'month', { locale, dates })}
      tabIndex={0}
      onPointerDown={drag}
      onPointerMove={drag}
      onKeyDown={press}
    >
      {yearsOf(months, count, labelRows * list.rowHeight, list.height).map(({ year, part }) => (
        <span
          key={year}
          className={current.startsWith(year) ? 'year here' : 'year'}
          style={{ top: `${part * 100}%` }}
        >
          {year}
        </span>
      ))}
      <span
        className="thumb"
        style={{ top: `${count === 0 ? 0 : (firstRowOf(months, current) / count) * 100}%` }}
      />
    </div>
  );
}

/** The years that have room for a label, and where they begin. */
function yearsOf(months: readonly MonthCount[], count: number, labelPx: number, height: number) {
  const years: { readonly year: string; readonly part: number }[] = [];
  let rows = 0;
  for (const { month, count: ofMonth } of months) {
    const year = month.slice(0, 4);
    const part = count === 0 ? 0 : rows / count;
    const last = years.at(-1);
    const hasRoom = last === undefined || (part - last.part) * height >= labelPx;
    const isInside = years.length === 0 || (1 - part) * height >= labelPx;
    if (last?.year !== year && hasRoom && isInside) years.push({ year, part });
    rows += ofMonth;
  }
  return years;
}
