import { useRef, useState, type KeyboardEvent, type ReactElement } from 'react';
import { useLocation, useParams, Link } from 'wouter';
import { addMonths, formatDate } from '../../books/formats/dates.ts';
import {
  dayAfterKey,
  inMonth,
  entriesOf,
  firstWeekdayOf,
  weeksOf,
} from '../../books/recurring/recurring.ts';
import type { DayEntry, EntryKind } from '../../books/recurring/recurring.ts';
import { Button } from '../../parts/button.tsx';
import { Icon, type IconName } from '../../parts/icon.tsx';
import { Money } from '../../parts/money.tsx';
import { usePreferences } from '../../parts/preferences.ts';
import { recurringTexts as t } from '../../texts/en/recurring.ts';
import { useMatches, type ItemsProps } from './data.ts';

const monthPattern = /^\d{4}-(0[1-9]|1[0-2])$/;

/** The calendar of a month: what was found, what is missing, and what is to come on each day. */
export function Calendar(props: ItemsProps): ReactElement {
  const { items, today } = props;
  const { month: named = '' } = useParams();
  const month = monthPattern.test(named) ? named : today.slice(0, 7);
  const [chosen, setChosen] = useState(today);
  const day = chosen.startsWith(month) ? chosen : `${month}-01`;
  const [, go] = useLocation();
  const table = useRef<HTMLTableElement>(null);
  const preferences = usePreferences();
  const firstWeekday = firstWeekdayOf(preferences.locale);
  const weeks = weeksOf(month, firstWeekday);
  const [start, end] = [weeks[0]?.[0] ?? '', weeks.at(-1)?.[6] ?? ''];
  const { data: matches, isPlaceholderData: isStale } = useMatches(start, end);
  const entries = entriesOf(items, matches ?? new Map(), { start, end, today });
  const choose = (next: string): void => {
    setChosen(next);
    if (!next.startsWith(month)) go(`/recurring/calendar/${next.slice(0, 7)}`, { replace: true });
  };
  const press = (event: KeyboardEvent): void => {
    const next = dayAfterKey(event.key, day, firstWeekday);
    if (next === null || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    choose(next);
    // The cell may be of a month that is shown only after this.
    requestAnimationFrame(() =>
      table.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus(),
    );
  };
  const label = formatDate(month, 'month', preferences);
  return (
    <div className={isStale ? 'calendar stale' : 'calendar'}>
      <MonthBar month={month} label={label} onChoose={(next) => choose(next)} {...{ day, today }} />
      <table ref={table} role="grid" aria-label={t.calendarOf(label)} onKeyDown={press}>
        <thead>
          <tr>
            {weeks[0]?.map((each) => (
              <th key={each} scope="col" abbr={weekday(each, 'long', preferences.locale)}>
                {weekday(each, 'short', preferences.locale)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weeks.map((days) => (
            <tr key={days[0]}>
              {days.map((date) => (
                <CalendarDay
                  key={date}
                  {...{ date, month, today }}
                  isChosen={date === day}
                  entries={entries.get(date) ?? []}
                  onChoose={() => choose(date)}
                />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <DayList {...props} date={day} entries={entries.get(day) ?? []} />
    </div>
  );
}

function MonthBar(props: {
  readonly month: string;
  readonly label: string;
  readonly day: string;
  readonly today: string;
  readonly onChoose: (date: string) => void;
}): ReactElement {
  const { month, label, day, today, onChoose } = props;
  return (
    <div className="month-bar">
      <h2 aria-live="polite">{label}</h2>
      <div className="period-bar">
        <Button
          icon="chevron-left"
          aria-label={`${t.previous}: ${addMonths(month, -1)}`}
          onClick={() => onChoose(inMonth(day, -1))}
        />
        <Button onClick={() => onChoose(today)}>{t.current}</Button>
        <Button
          icon="chevron-right"
          aria-label={`${t.following}: ${addMonths(month, 1)}`}
          onClick={() => onChoose(inMonth(day, 1))}
        />
      </div>
    </div>
  );
}

function weekday(date: string, style: 'long' | 'short', locale: string): string {
  const format = { weekday: style, timeZone: 'UTC' } as const;
  return new Intl.DateTimeFormat(locale === '' ? undefined : locale, format).format(
    Date.parse(date),
  );
}

/** What is on the chosen day, in full. */
function DayList(
  props: ItemsProps & { readonly date: string; readonly entries: readonly DayEntry[] },
): ReactElement {
  const { date, entries, onEdit } = props;
  const preferences = usePreferences();
  return (
    <section className="day-list card" aria-live="polite">
      <h2>{t.onDay(formatDate(date, 'medium', preferences))}</h2>
      {entries.length === 0 && <p className="hint">{t.nothing}</p>}
      <ul>
        {entries.map(({ item, kind }, place) => {
          const name = item.name === '' ? t.anyPayee : item.name;
          const { id, transaction_criteria: criteria } = item.details;
          return (
            <li key={place}>
              <span className={`due ${kind}`}>
                <Icon name={kindIcons[kind]} /> {t.kinds[kind]}
              </span>
              <button type="button" className="item-name" onClick={() => onEdit(item)}>
                {name}
              </button>
              <Money amount={criteria.amount} currency={criteria.currency} sign="debit" />
              {kind === 'found' && (
                <Link href={`/transactions?recurring=${id}`}>{t.transactions}</Link>
              )}
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** A symbol besides the colour, because colours alone carry no meaning. */
const kindIcons: Readonly<Record<EntryKind, IconName>> = {
  found: 'check',
  missing: 'warning',
  expected: 'recurring',
  suggested: 'info',
};
const most = 3;

/** A day with what is found, missing or expected on it. */
function CalendarDay(props: {
  readonly date: string;
  readonly month: string;
  readonly today: string;
  readonly isChosen: boolean;
  readonly entries: readonly DayEntry[];
  readonly onChoose: () => void;
}): ReactElement {
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
