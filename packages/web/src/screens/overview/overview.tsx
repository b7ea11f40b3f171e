import { type ReactElement, lazy, Suspense, useMemo } from 'react';
import { Link } from 'wouter';
import { useAccounts } from '../../api/hooks.ts';
import { EmptyState } from '../../parts/states/empty-state.tsx';
import { PageHeader } from '../../parts/page/page-header.tsx';
import { overviewTexts as t } from '../../texts/en/overview.ts';
import { LoadFailure } from '../flow/loaded.tsx';
import { CategoriesCard } from './categories-card.tsx';
import { useScene, useUpcoming, type Scene, useLastImport } from './data.ts';
import { SpendingCard } from './spending-card.tsx';
import { formatDate, formatTime } from '../../books/formats/dates.ts';
import { transactionsHref } from '../../books/filter/links.ts';
import { Money, Sum } from '../../parts/money.tsx';
import { usePreferences } from '../../parts/preferences.ts';
import { Card, ChartOutline } from './card.tsx';
import { useBalances, useMonths, seriesOf } from '../../api/reports.ts';
import { balanceRows, type BalanceRow } from '../../books/accounts/balance-rows.ts';
import { Icon } from '../../parts/icon.tsx';
import { wholeNumber } from '../../texts/plural.ts';
import { netWorth } from '../../books/accounts/net-worth.ts';
import { monthsIn, periodOf } from '../../books/reports/periods.ts';

const Sparkline = lazy(async () => ({
  default: (await import('../../parts/charts/sparkline.tsx')).Sparkline,
}));
const sparklineHeight = 4.5;

/** What the book is worth now, how it has changed in this month, and the last year. */
function NetWorthCard({ today, currency }: Scene): ReactElement {
  const preferences = usePreferences();
  const history = useBalances();
  const accounts = useAccounts();
  const worth = useMemo(() => {
    if (history.data === undefined || accounts.data === undefined) return null;
    const months = monthsIn(periodOf({ months: 12 }, today.slice(0, 7)));
    return netWorth(seriesOf(history.data, accounts.data), months);
  }, [history.data, accounts.data, today]);
  const [before, now] = worth?.slice(-2) ?? [];
  return (
    <Card name="net-worth" title={t.netWorth} query={history}>
      {worth === null || before === undefined ? null : (
        <>
          <p className="figure">
            <Link href="/reports/net-worth" data-figure="net-worth">
              <Sum units={now?.net ?? 0n} currency={currency} />
            </Link>
          </p>
          <Change
            units={(now?.net ?? 0n) - before.net}
            currency={currency}
            since={t.sinceMonth(formatDate(before.month, 'month', preferences))}
          />
          <Change
            units={(now?.net ?? 0n) - (worth[0]?.net ?? 0n)}
            currency={currency}
            since={t.sinceMonth(formatDate(worth[0]?.month ?? '', 'month', preferences))}
          />
          <Suspense fallback={<ChartOutline height={sparklineHeight} />}>
            <Sparkline label={t.netWorthTrend} units={worth.map(({ net }) => net)} />
          </Suspense>
        </>
      )}
    </Card>
  );
}

function Change(props: {
  readonly units: bigint;
  readonly currency: string;
  readonly since: string;
}): ReactElement {
  const { units, currency, since } = props;
  if (units === 0n) return <p className="summary">{t.unchanged(since)}</p>;
  return (
    <p className="summary">
      <Sum units={units} currency={currency} sign="change" /> {since}
    </p>
  );
}

/** The first screen: how things are, what is next, and what waits. */
export function Overview(): ReactElement {
  return (
    <>
      <PageHeader title={t.title} />
      <Cards />
    </>
  );
}

function Cards(): ReactElement {
  const { scene, months } = useScene();
  const accounts = useAccounts();
  if (months.isError && scene === null) return <LoadFailure {...months} />;
  if (scene === null || accounts.isPending) return <Outline />;
  const count = (accounts.data?.manual.length ?? 0) + (accounts.data?.plaid.length ?? 0);
  if (!scene.hasTransactions && count === 0) return <Empty />;
  return (
    <div className="overview">
      <NetWorthCard {...scene} />
      <SpendingCard {...scene} />
      <InboxCard />
      <CategoriesCard {...scene} />
      <UpcomingCard {...scene} />
      <AccountsCard {...scene} />
    </div>
  );
}

function Outline(): ReactElement {
  return (
    <div className="overview" aria-busy="true">
      {['net-worth', 'spending', 'inbox', 'categories', 'upcoming', 'accounts'].map((name) => (
        <div key={name} className={`card overview-card ${name}`}>
          <div className="card-outline" />
        </div>
      ))}
    </div>
  );
}

function Empty(): ReactElement {
  return (
    <EmptyState icon="import" title={t.emptyTitle} hint={t.emptyHint}>
      <Link href="/import" className="button main">
        {t.toImport}
      </Link>
      <Link href="/accounts" className="button">
        {t.toAccounts}
      </Link>
    </EmptyState>
  );
}

const most = 7;

/** What is expected in the next weeks. */
function UpcomingCard({ today }: Scene): ReactElement {
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

/** The accounts in use with their balances; what is owed is negative. */
function AccountsCard({ currency }: Scene): ReactElement {
  const accounts = useAccounts();
  const history = useBalances();
  const rows =
    accounts.data === undefined
      ? null
      : balanceRows(accounts.data.manual, accounts.data.plaid, history.data ?? [], currency);
  return (
    <Card
      name="accounts"
      title={t.accounts}
      query={accounts}
      more={{ href: '/accounts', label: t.allAccounts }}
    >
      {rows === null ? null : rows.length === 0 ? (
        <p className="hint">{t.noAccounts}</p>
      ) : (
        <ul className="overview-list">
          {rows.map((row) => (
            <li key={row.key}>
              <AccountRow row={row} />
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

function AccountRow({ row }: { readonly row: BalanceRow }): ReactElement {
  const { name, institution, units, currency, filter } = row;
  const content = (
    <>
      <span className="name">
        <bdi>{name}</bdi>
        {institution !== null && <small>{institution}</small>}
      </span>
      <Sum units={units} currency={currency} />
    </>
  );
  if (filter === null) return <span className="overview-row">{content}</span>;
  return (
    <Link href={transactionsHref(filter)} className="overview-row">
      {content}
    </Link>
  );
}

/** What waits for review, and when the last file was imported. */
function InboxCard(): ReactElement {
  const waiting = useMonths({ status: 'unreviewed' });
  const count = waiting.data?.count;
  return (
    <Card name="inbox" title={t.review} query={waiting}>
      {count === undefined ? null : (
        <>
          {count === 0 ? (
            <p className="all-reviewed">
              <Icon name="check" />
              {t.allReviewed}
            </p>
          ) : (
            <>
              <p className="figure">
                <Link href={transactionsHref({ status: 'unreviewed' })} data-figure="waiting">
                  {wholeNumber(count)}
                </Link>
              </p>
              <p>
                <Link href="/review" className="button main">
                  {t.toReview}
                </Link>
              </p>
            </>
          )}
          <LastImport />
        </>
      )}
    </Card>
  );
}

function LastImport(): ReactElement | null {
  const preferences = usePreferences();
  const { data } = useLastImport();
  if (data === undefined) return null;
  return (
    <div className="last-import">
      <h3>{t.lastImport}</h3>
      {data === null ? (
        <p className="hint">
          {t.noImport} <Link href="/import">{t.toImport}</Link>
        </p>
      ) : (
        <p className="hint">
          <Link href={transactionsHref({ importId: data.id })}>
            <bdi>{data.file_name ?? t.importOf(data.imported)}</bdi>
          </Link>{' '}
          {formatTime(data.created_at, preferences)} · {t.importOf(data.imported)}
        </p>
      )}
    </div>
  );
}
