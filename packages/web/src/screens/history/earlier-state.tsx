import type { ReactElement } from 'react';
import { Link, useSearchParams } from 'wouter';
import { useCategories } from '../../api/hooks.ts';
import { formatDate, formatTime } from '../../books/formats/dates.ts';
import { Button } from '../../parts/button.tsx';
import { EmptyState } from '../../parts/states/empty-state.tsx';
import { Money } from '../../parts/money.tsx';
import { PageHeader } from '../../parts/page/page-header.tsx';
import { usePreferences } from '../../parts/preferences.ts';
import { Loading } from '../../parts/states/progress.tsx';
import { Table } from '../../parts/lists/table.tsx';
import { historyTexts as t } from '../../texts/en/history.ts';
import { useChange, useEarlier } from './data.ts';
import { GoneChange } from './gone-change.tsx';

/** The transactions of the book as they were after a change. */
export function EarlierState({ version }: { readonly version: number }): ReactElement {
  const [search, setSearch] = useSearchParams();
  const page = Math.max(0, Math.trunc(Number(search.get('page') ?? 0)) || 0);
  const { data, error } = useEarlier(version, page);
  const change = useChange(version).data?.pages[0];
  const categories = useCategories().data ?? [];
  const preferences = usePreferences();
  if (error !== null) return <GoneChange error={error} />;
  const go = (to: number): void => setSearch({ view: 'book', page: String(to) });
  return (
    <div className="history">
      <PageHeader
        title={t.stateTitle(version)}
        {...(change !== undefined && { summary: t.stateHint(formatTime(change.at, preferences)) })}
      >
        <Link href={`/history/${version}`} className="button">
          {t.versionTitle(version)}
        </Link>
        <Link href="/history" className="button">
          {t.back}
        </Link>
      </PageHeader>
      {data === undefined && <Loading label={t.loading} />}
      {data?.transactions.length === 0 && <EmptyState icon="history" title={t.stateEmpty} />}
      {data !== undefined && data.transactions.length > 0 && (
        <Table
          label={t.stateTitle(version)}
          rows={data.transactions}
          rowKey={({ id }) => id}
          columns={[
            {
              key: 'date',
              title: t.columns.date,
              cell: ({ date }) => formatDate(date, 'medium', preferences),
            },
            { key: 'payee', title: t.columns.payee, isHeading: true, cell: ({ payee }) => payee },
            {
              key: 'category',
              title: t.columns.category,
              cell: ({ category_id }) =>
                categories.find(({ id }) => id === category_id)?.name ?? '',
            },
            {
              key: 'amount',
              title: t.columns.amount,
              align: 'end',
              cell: ({ amount, currency }) => (
                <Money amount={amount} currency={currency} sign="debit" />
              ),
            },
          ]}
        />
      )}
      <div className="actions">
        {page > 0 && <Button onClick={() => go(page - 1)}>{t.newer}</Button>}
        {data?.has_more === true && <Button onClick={() => go(page + 1)}>{t.olderPage}</Button>}
      </div>
    </div>
  );
}
