import type { ReactElement } from 'react';
import { formatDate } from '../../books/formats/dates.ts';
import type { DayEntry, EntryKind } from '../../books/recurring/recurring.ts';
import { Icon } from '../../parts/icon.tsx';
import type { IconName } from '../../parts/icon.tsx';
import { usePreferences } from '../../parts/preferences.ts';
import { recurringTexts as t } from '../../texts/en/recurring.ts';

/** A symbol besides the colour, because colours alone carry no meaning. */
export const kindIcons: Readonly<Record<EntryKind, IconName>> = {
  found: 'check',
  missing: 'warning',
  expected: 'recurring',
  suggested: 'info',
};
const most = 3;

/** A day of the calendar. */
export interface CalendarDayProps {
  readonly date: string;
  readonly month: string;
  readonly today: string;
  readonly isChosen: boolean;
  readonly entries: readonly DayEntry[];
  readonly onChoose: () => void;
}

/** A day with what is found, missing or expected on it. */
export function CalendarDay(props: CalendarDayProps): ReactElement {
  const { date, month, today, isChosen, entries, onChoose } = props;
  const preferences = usePreferences();
  const look = date.startsWith(month) ? '' : 'outside';
  const rest = entries.length - most;
  return (
    <td className={look} aria-selected={isChosen}>
      <button
        type="button"
        className="calendar-day"
        tabIndex={isChosen ? 0 : -1}
        aria-current={date === today ? 'date' : undefined}
        onClick={onChoose}
      >
        <span className="calendar-number">
          <span className="hidden">{formatDate(date, 'medium', preferences)}: </span>
          <span aria-hidden="true">{Number(date.slice(8))}</span>
        </span>
        {entries.slice(0, most).map(({ item, kind }, place) => (
          <span key={place} className={`due ${kind}`}>
            <Icon name={kindIcons[kind]} />
            <span className="due-name">{item.name === '' ? t.anyPayee : item.name}</span>
            <span className="hidden"> {t.kinds[kind]}; </span>
          </span>
        ))}
        {rest > 0 && <span className="hint">{t.more(rest)}</span>}
      </button>
    </td>
  );
}
