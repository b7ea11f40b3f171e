import { useMemo } from 'react';
import type { ReactElement } from 'react';
import { categoryReport, largest } from '../../books/reports/category-report.ts';
import type { CategoryReport } from '../../books/reports/category-report.ts';
import { formatDate } from '../../books/formats/dates.ts';
import { periodHref } from '../../books/filter/links.ts';
import { Legend } from '../../parts/charts/legend.tsx';
import { StackedBars } from '../../parts/charts/stacked-bars.tsx';
import { EmptyState } from '../../parts/states/empty-state.tsx';
import { Sum } from '../../parts/money.tsx';
import { usePreferences } from '../../parts/preferences.ts';
import { reportTexts as t } from '../../texts/en/reports.ts';
import { CategoryTable } from './category-table.tsx';
import { useSumsOfPeriod } from './data.ts';
import type { SumsOfPeriod } from './data.ts';
import { PeriodChooser } from './period-chooser.tsx';
import { NoTransactions, Read } from './states.tsx';

/** How many colours a chart has. */
const mostColours = 6;

/** Spending by category and month. Which transactions count is said in `books/sides.ts`. */
export function SpendingReport(): ReactElement {
  const reading = useSumsOfPeriod();
  return (
    <Read reading={reading}>
      {(data) => (data.years.length === 0 ? <NoTransactions /> : <Spending {...data} />)}
    </Read>
  );
}

function Spending(data: SumsOfPeriod): ReactElement {
  const { choice, years, period, months, sums, categories, currency } = data;
  const report = useMemo(
    () => categoryReport(months, 'spending', sums, categories),
    [months, sums, categories],
  );
  const average = report.total / BigInt(months.length);
  return (
    <div className="stack">
      <div className="report-head">
        <dl className="figures">
          <div>
            <dt>{t.spent}</dt>
            <dd className="figure" data-figure="spent">
              <Sum units={report.total} currency={currency} />
            </dd>
          </div>
          <div>
            <dt>{t.average}</dt>
            <dd className="figure soft">
              <Sum units={average} currency={currency} />
            </dd>
          </div>
        </dl>
        <PeriodChooser choice={choice} years={years} />
      </div>
      {report.rows.length === 0 ? (
        <EmptyState icon="reports" title={t.emptyPeriod} hint={t.emptyPeriodHint} />
      ) : (
        <>
          <SpendingChart report={report} currency={currency} />
          <CategoryTable report={report} period={period} currency={currency} />
        </>
      )}
      <p className="hint">{t.excluded}</p>
    </div>
  );
}

function SpendingChart(props: {
  readonly report: CategoryReport;
  readonly currency: string;
}): ReactElement {
  const { report, currency } = props;
  const preferences = usePreferences();
  const parts = largest(report.rows, mostColours, t.other).map((row, place) => ({
    ...{ key: row.key, name: row.name ?? t.noCategory, colour: place + 1, units: row.months },
  }));
  const ids = report.rows.flatMap(({ categoryIds }) => categoryIds).toSorted((a, b) => a - b);
  const bars = report.months.map((month, place) => ({
    key: month,
    label: formatDate(month, 'monthShort', preferences),
    ...((place === 0 || month.endsWith('-01')) && { more: month.slice(0, 4) }),
    title: formatDate(month, 'month', preferences),
    total: report.totals[place]!,
    href: periodHref({ first: month, last: month }, ids),
  }));
  return (
    <figure className="card stack">
      <Legend items={parts} />
      <StackedBars
        label={`${t.spentBy}. ${t.keys}`}
        bars={bars}
        parts={parts}
        currency={currency}
      />
    </figure>
  );
}
