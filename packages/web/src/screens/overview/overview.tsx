import { Suspense, useMemo, useId, type ReactElement, type ReactNode } from 'react';
import { Link } from 'wouter';
import { useAccounts, useCategories, useLooks, useMonths } from '../../api/hooks.ts';
import { useBalances, usePastWorth, useSums } from '../../api/reports.ts';
import { balanceRows, type BalanceRow } from '../../books/accounts/balances.ts';
import { seriesOf } from '../../books/accounts/balance-series.ts';
import { netWorth } from '../../books/accounts/net-worth.ts';
import { transactionsHref, periodHref } from '../../books/filter/filter.ts';
import { formatDate, formatTime, addMonths, lastDayOf } from '../../books/formats/dates.ts';
import { categoryReport } from '../../books/reports/category-report.ts';
import {
  columnsOf,
  monthPeriod,
  monthsIn,
  periodOf,
  cumulative,
} from '../../books/reports/periods.ts';
import { LinkButton } from '../../parts/button.tsx';
import { CategoryMark } from '../../parts/category-mark.tsx';
import { Legend } from '../../parts/charts/legend.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Money, Sum } from '../../parts/money.tsx';
import { PageHeader } from '../../parts/page.tsx';
import { usePreferences } from '../../parts/preferences.ts';
import { EmptyState, late } from '../../parts/states.tsx';
import { overviewTexts as t } from '../../texts/en/overview.ts';
import { wholeNumber } from '../../texts/plural.ts';
import { Loaded, LoadFailure, type Reading } from '../flow/loaded.tsx';
import { useScene, useUpcoming, useLastImport, useDailySpending, type Scene } from './data.ts';

const Sparkline = late(() => import('../../parts/charts/line-chart.tsx'), 'Sparkline');
const BookFacts = late(() => import('../flow/book-facts.tsx'), 'BookFacts');
const sparklineHeight = 4.5;

/** What the book is worth now, how it has changed in this month, and the last year. */
function NetWorthCard({ today, currency }: Scene): ReactElement {
  const preferences = usePreferences();
  const history = useBalances();
  const accounts = useAccounts();
  const past = usePastWorth(addMonths(today.slice(0, 7), -11));
  const worth = useMemo(() => {
    if (!history.data || !accounts.data || !past.data) return null;
    const months = monthsIn(periodOf({ months: 12 }, today.slice(0, 7)));
    const series = seriesOf({ ...accounts.data, history: history.data, past: past.data });
    return netWorth(series, months);
  }, [history.data, accounts.data, past.data, today]);
  const now = worth?.at(-1)?.net ?? 0n;
  return (
    <Card name="net-worth" title={t.netWorth} query={past.isError ? past : history} data={worth}>
      {(months) => (
        <>
          <p className="figure">
            <Link href="/reports/net-worth" data-figure="net-worth">
              <Sum units={now} currency={currency} />
            </Link>
          </p>
          {[months.at(-2)!, months[0]!].map(({ month, net }) => (
            <Change
              key={month}
              units={now - net}
              currency={currency}
              since={t.sinceMonth(formatDate(month, 'month', preferences))}
            />
          ))}
          <Suspense fallback={<ChartOutline height={sparklineHeight} />}>
            <Sparkline label={t.netWorthTrend} units={months.map(({ net }) => net)} />
          </Suspense>
        </>
      )}
    </Card>
  );
}

type ChangeProps = Readonly<{ units: bigint; currency: string; since: string }>;

function Change({ units, currency, since }: ChangeProps): ReactElement {
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
      <LinkButton href="/import" look="main" label={t.toImport} />
      <LinkButton href="/accounts" label={t.toAccounts} />
      <Suspense>
        <BookFacts />
      </Suspense>
    </EmptyState>
  );
}

/** Most lines of a card. */
const most = 7;

/** What is expected in the next weeks. */
function UpcomingCard({ today }: Scene): ReactElement {
  const preferences = usePreferences();
  const upcoming = useUpcoming(today);
  return (
    <Card
      name="upcoming"
      title={t.upcoming}
      query={upcoming}
      data={upcoming.data}
      more={{ href: '/recurring', label: t.toRecurring }}
    >
      {(all) => (
        <Lines
          rows={all.slice(0, most)}
          none={t.noUpcoming}
          line={({ itemId, date, name, amount, currency }) => (
            <li key={`${itemId} ${date}`}>
              <Link href={transactionsHref({ recurringId: itemId })} className="overview-row">
                <span className="name">
                  <bdi>{name}</bdi>
                  <small>{formatDate(date, 'weekday', preferences)}</small>
                </span>
                <Money amount={amount} currency={currency} sign="debit" />
              </Link>
            </li>
          )}
        />
      )}
    </Card>
  );
}

/** The accounts in use with their balances; what is owed is negative. */
function AccountsCard({ currency }: Scene): ReactElement {
  const accounts = useAccounts();
  const history = useBalances();
  return (
    <Card
      name="accounts"
      title={t.accounts}
      query={accounts}
      data={accounts.data}
      more={{ href: '/accounts', label: t.allAccounts }}
    >
      {({ manual, plaid }) => (
        <Lines
          rows={balanceRows(manual, plaid, history.data ?? [], currency)}
          none={t.noAccounts}
          line={(row) => (
            <li key={row.key}>
              <AccountRow row={row} />
            </li>
          )}
        />
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
  return (
    <Card name="inbox" title={t.review} query={waiting} data={waiting.data}>
      {({ count }) => (
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
                <LinkButton href="/review" look="main" label={t.toReview} />
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

const LineChart = late(() => import('../../parts/charts/line-chart.tsx'), 'LineChart');
const chartHeight = 18;

/** Spending of the month up to today, against the month before. */
function SpendingCard({ today, month, currency }: Scene): ReactElement {
  const preferences = usePreferences();
  const query = useDailySpending(month);
  const days = query.data;
  const before = addMonths(month, -1);
  const [name, nameBefore] = [month, before].map((each) => formatDate(each, 'month', preferences));
  const spent = cumulative(month, days ?? [], today);
  const { start, end } = monthPeriod(month);
  const period = { start, end: today < end ? today : end };
  const spentBefore = cumulative(before, days ?? [], lastDayOf(before));
  const lines = [
    { key: 'now', name: name!, colour: 1, units: spent, look: 'area' as const },
    { key: 'before', name: nameBefore!, colour: 6, units: spentBefore, look: 'dashed' as const },
  ];
  const last = Math.max(Number(lastDayOf(month).slice(8)), spentBefore.length);
  const points = Array.from({ length: last }, (_, at) => ({
    key: String(at),
    label: at === 0 || (at + 1) % 5 === 0 ? String(at + 1) : '',
    title: t.day(at + 1),
  }));
  return (
    <Card name="spending" title={t.spending(name!)} query={query} data={days}>
      {() => (
        <>
          <p className="figure">
            <Link href={periodHref(period, { counts: 'spending' })} data-figure="spending">
              <Sum units={spent.at(-1) ?? 0n} currency={currency} />
            </Link>
          </p>
          <Comparison {...{ spent, spentBefore, before: nameBefore!, month, today, currency }} />
          {month < today.slice(0, 7) && (
            <p className="hint">
              {t.nothingYet(formatDate(today.slice(0, 7), 'month', preferences))}
            </p>
          )}
          <Suspense fallback={<ChartOutline height={chartHeight} />}>
            <LineChart
              label={t.spendingChart(name!, nameBefore!)}
              points={points}
              lines={lines}
              currency={currency}
              height="fill"
              isStepped
            />
          </Suspense>
          <Legend items={lines} />
        </>
      )}
    </Card>
  );
}

/** Compares up to the same day, and whole months once the month is over. */
function Comparison(props: {
  readonly spent: readonly bigint[];
  readonly spentBefore: readonly bigint[];
  readonly before: string;
  readonly month: string;
  readonly today: string;
  readonly currency: string;
}): ReactElement {
  const { spent, spentBefore, before, month, today, currency } = props;
  const isOver = today > lastDayOf(month);
  const day = spent.length;
  const then = isOver ? spentBefore.at(-1) : spentBefore[Math.min(day, spentBefore.length) - 1];
  const difference = (spent.at(-1) ?? 0n) - (then ?? 0n);
  if (difference === 0n) return <p className="summary">{t.same(before)}</p>;
  const isLess = difference < 0n;
  const [whole, byDay] = isLess ? [t.less, t.lessByDay] : [t.more, t.moreByDay];
  return (
    <p className="summary">
      <Sum units={isLess ? -difference : difference} currency={currency} />{' '}
      {isOver ? whole(before) : byDay(before, day)}
    </p>
  );
}

/** The categories and groups in which most was spent in the month. */
function CategoriesCard({ month, currency }: Scene): ReactElement {
  const period = useMemo(() => monthPeriod(month), [month]);
  const sums = useSums({ period, side: 'spending', by: 'category' });
  const categories = useCategories();
  const looks = useLooks();
  const report = useMemo(
    () =>
      sums.data && categories.data
        ? categoryReport({ columns: columnsOf(period), sums: sums.data }, categories.data)
        : null,
    [sums.data, categories.data, period],
  );
  const rows = report?.rows.filter(({ total }) => total > 0n).slice(0, most) ?? [];
  const share = (total: bigint): number => Number((total * 100n) / (rows[0]?.total ?? 1n));
  return (
    <Card
      name="categories"
      title={t.categories}
      query={sums}
      data={report}
      more={{ href: '/reports/spending', label: t.allCategories }}
    >
      {() => (
        <Lines
          rows={rows}
          none={t.noSpending}
          line={({ key, name, total, filter }) => (
            <li key={key}>
              <Link
                href={periodHref(period, { ...filter, counts: 'spending' })}
                className="overview-row"
              >
                <span className="name">
                  <span>
                    <CategoryMark
                      name={name ?? ''}
                      look={looks.get(filter?.categoryIds?.[0] ?? 0)}
                    />
                    {name ?? t.noCategory}
                  </span>
                </span>
                <Sum units={total} currency={currency} />
                <meter aria-hidden="true" min={0} max={100} value={share(total)} />
              </Link>
            </li>
          )}
        />
      )}
    </Card>
  );
}

/** A card with its title; its outline while it is read, and what happened when it could not be. */
function Card<T>(props: {
  readonly title: ReactNode;
  /** Its place in the grid. */
  readonly name: string;
  /** A link at the end of the head. */
  readonly more?: { readonly href: string; readonly label: string };
  /** What is read for it. */
  readonly query: Reading<unknown>;
  /** What of it is shown; null while it is read. */
  readonly data: T | null | undefined;
  readonly children: (data: T) => ReactNode;
}): ReactElement {
  const { title, name, more, query, data, children } = props;
  const id = useId();
  return (
    <section className={`card overview-card ${name}`} aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        {more !== undefined && <Link href={more.href}>{more.label}</Link>}
      </header>
      <Loaded
        query={{ ...query, data: data ?? undefined }}
        outline={<div className="card-outline" aria-busy="true" />}
      >
        {children}
      </Loaded>
    </section>
  );
}

/** A list of some lines; a hint when there are none. */
function Lines<T>(props: {
  readonly rows: readonly T[];
  readonly none: string;
  /** A line, an `li` with a key. */
  readonly line: (row: T) => ReactElement;
}): ReactElement {
  const { rows, none, line } = props;
  if (rows.length === 0) return <p className="hint">{none}</p>;
  return <ul className="overview-list">{rows.map(line)}</ul>;
}

/** The place of a chart while its code is loaded. Its height is in `rem`. */
function ChartOutline({ height }: { readonly height: number }): ReactElement {
  return <div className="card-outline" aria-busy="true" style={{ minHeight: `${height}rem` }} />;
}
