import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { formatDate } from '../../books/formats/dates.ts';
import type { DayEntry } from '../../books/recurring/recurring.ts';
import { Icon } from '../../parts/icon.tsx';
import { Money } from '../../parts/money.tsx';
import { usePreferences } from '../../parts/preferences.ts';
import { recurringTexts as t } from '../../texts/en/recurring.ts';
import { kindIcons } from './calendar-day.tsx';
import type { ItemsProps } from './props.ts';

/** What is on the chosen day, in full. */
export function DayList(
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
