import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { formatDate } from '../../books/formats/dates.ts';
import { transactionsHref } from '../../books/filter/links.ts';
import { Money } from '../../parts/money.tsx';
import { usePreferences } from '../../parts/preferences.ts';
import { overviewTexts as t } from '../../texts/en/overview.ts';
import { Card } from './card.tsx';
import { useUpcoming } from './data.ts';
import type { Scene } from './data.ts';

const most = 7;

/** What is expected in the next weeks. */
export function UpcomingCard({ today }: Scene): ReactElement {
  const preferences = usePreferences();
  const upcoming = useUpcoming(today);
  const { data } = upcoming;
  return (
    <Card
      name="upcoming"
      title={t.upcoming}
      query={upcoming}
      more={{ href: '/recurring', label: t.toRecurring }}
    >
      {data === undefined ? null : data.length === 0 ? (
        <p className="hint">{t.noUpcoming}</p>
      ) : (
        <ul className="overview-list">
          {data.slice(0, most).map(({ itemId, date, name, amount, currency }) => (
            <li key={`${itemId} ${date}`}>
              <Link href={transactionsHref({ recurringId: itemId })} className="overview-row">
                <span className="name">
                  <bdi>{name}</bdi>
                  <small>{formatDate(date, 'weekday', preferences)}</small>
                </span>
                <Money amount={amount} currency={currency} sign="debit" />
              </Link>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
