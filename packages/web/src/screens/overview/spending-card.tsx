import { lazy, Suspense } from 'react';
import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { addMonths, formatDate, lastDayOf } from '../../books/formats/dates.ts';
import { cumulative } from '../../books/reports/days.ts';
import { periodHref } from '../../books/filter/links.ts';
import { Legend } from '../../parts/charts/legend.tsx';
import { Sum } from '../../parts/money.tsx';
import { usePreferences } from '../../parts/preferences.ts';
import { overviewTexts as t } from '../../texts/en/overview.ts';
import { Card, ChartOutline } from './card.tsx';
import { useDailySpending } from './data.ts';
import type { Scene } from './data.ts';

const LineChart = lazy(async () => ({
  default: (await import('../../parts/charts/line-chart.tsx')).LineChart,
}));
const chartHeight = 18;

/** Spending of the month up to today, against the month before. */
export function SpendingCard({ today, month, currency }: Scene): ReactElement {
  const preferences = usePreferences();
  const { query, days } = useDailySpending(month);
  const before = addMonths(month, -1);
  const [name, nameBefore] = [month, before].map((each) => formatDate(each, 'month', preferences));
  const spent = cumulative(month, days ?? [], today);
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
    <Card name="spending" title={t.spending(name!)} query={query}>
      {days === null ? null : (
        <>
          <p className="figure">
            <Link href={periodHref({ first: month, last: month })} data-figure="spending">
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
