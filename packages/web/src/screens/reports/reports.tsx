import { useMemo, useState, type ReactElement } from 'react';
import { Link, Redirect, useParams } from 'wouter';
import { periodHref } from '../../books/filter/filter.ts';
import { formatDate } from '../../books/formats/dates.ts';
import { categoryReport, largest } from '../../books/reports/category-report.ts';
import type { CategoryReport, ReportRow } from '../../books/reports/category-report.ts';
import type { Period } from '../../books/reports/periods.ts';
import { Button } from '../../parts/button.tsx';
import { Legend } from '../../parts/charts/legend.tsx';
import { StackedBars } from '../../parts/charts/stacked-bars.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Sum } from '../../parts/money.tsx';
import { PageHeader } from '../../parts/page.tsx';
import { usePreferences } from '../../parts/preferences.ts';
import { EmptyState } from '../../parts/states.tsx';
import { reportTexts as t } from '../../texts/en/reports.ts';
import { FlowReport } from './flow.tsx';
import { NetWorthReport } from './net-worth.tsx';
import { useSumsOfPeriod, NoTransactions, Read, ReportHead, usePlaces } from './report.tsx';
import type { SumsOfPeriod } from './report.tsx';

/** How many colours a chart has. */
const mostColours = 6;

/** Spending by category and month. Which transactions count is said in `books/sides.ts`. */
function SpendingReport(): ReactElement {
  const reading = useSumsOfPeriod();
  return (
    <Read query={reading}>
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
  return (
    <div className="stack">
      <ReportHead
        figures={[
          { key: 'spent', name: t.spent, units: report.total, isMain: true },
          { key: 'average', name: t.average, units: report.total / BigInt(months.length) },
        ]}
        {...{ currency, choice, years }}
      />
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
  const parts = largest(report.rows, mostColours, t.other).map((row, place) => ({
    key: row.key,
    name: row.name ?? t.noCategory,
    colour: place + 1,
    units: row.months,
  }));
  const ids = report.rows.flatMap(({ categoryIds }) => categoryIds).toSorted((a, b) => a - b);
  const bars = usePlaces(report.months).map((place, at) => ({
    ...place,
    total: report.totals[at]!,
    href: periodHref({ first: place.key, last: place.key }, ids),
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

const reports = {
  spending: SpendingReport,
  'net-worth': NetWorthReport,
  flow: FlowReport,
} as const;
type Kind = keyof typeof reports;
const kinds = Object.keys(reports) as Kind[];

/** The reports: one at a time, chosen by the address. */
export function Reports(): ReactElement {
  const { kind } = useParams<{ readonly kind?: string }>();
  const shown = kinds.find((each) => each === kind);
  if (shown === undefined) return <Redirect to="/reports/spending" replace />;
  const Report = reports[shown];
  return (
    <>
      <PageHeader title={t.titles[shown]}>
        <nav className="report-tabs" aria-label={t.choose}>
          {kinds.map((each) => (
            <Link
              key={each}
              href={`/reports/${each}`}
              aria-current={each === shown ? 'page' : undefined}
            >
              {t.tabs[each]}
            </Link>
          ))}
        </nav>
      </PageHeader>
      <Report />
    </>
  );
}

interface CategoryTableProps {
  readonly report: CategoryReport;
  readonly period: Period;
  readonly currency: string;
}

/** The same as the chart as a table: groups that open, every amount a link to its transactions. */
function CategoryTable({ report, period, currency }: CategoryTableProps): ReactElement {
  const preferences = usePreferences();
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const groups = report.rows.filter(({ members }) => members.length > 0).map(({ key }) => key);
  const isAllOpen = groups.length > 0 && groups.every((key) => open.has(key));
  const toggle = (key: string): void => {
    const next = new Set(open);
    if (!next.delete(key)) next.add(key);
    setOpen(next);
  };
  return (
    <section className="card report-table">
      <div className="table-frame" role="region" aria-label={t.spentTable} tabIndex={0}>
        <table className="table">
          <caption className="hidden">{t.spentTable}</caption>
          <thead>
            <tr>
              <th scope="col">
                {t.category}
                {groups.length > 0 && (
                  <Button
                    look="quiet"
                    icon={isAllOpen ? 'chevron-down' : 'chevron-right'}
                    aria-label={isAllOpen ? t.collapseAll : t.expandAll}
                    onClick={() => setOpen(new Set(isAllOpen ? [] : groups))}
                  />
                )}
              </th>
              <th scope="col" className="end">
                {t.total}
              </th>
              {report.months.toReversed().map((month) => (
                <th key={month} scope="col" className="end">
                  {`${formatDate(month, 'monthShort', preferences)} ${month.slice(2, 4)}`}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {report.rows.flatMap((row) => [
              <Line
                key={row.key}
                {...{ row, period, currency, months: report.months }}
                isOpen={open.has(row.key)}
                onToggle={row.members.length > 0 ? () => toggle(row.key) : null}
              />,
              ...(open.has(row.key) ? row.members : []).map((member) => (
                <Line
                  key={`${row.key} ${member.key}`}
                  {...{ row: member, period, currency, months: report.months }}
                  isMember
                />
              )),
            ])}
          </tbody>
          <Foot report={report} currency={currency} />
        </table>
      </div>
    </section>
  );
}

function Foot({ report, currency }: Omit<CategoryTableProps, 'period'>): ReactElement {
  return (
    <tfoot>
      <tr>
        <th scope="row">{t.total}</th>
        <td className="end">
          <Sum units={report.total} currency={currency} />
        </td>
        {report.totals.toReversed().map((units, place) => (
          <td key={place} className="end">
            <Sum units={units} currency={currency} hasCurrency={false} />
          </td>
        ))}
      </tr>
    </tfoot>
  );
}

interface LineProps {
  readonly row: ReportRow;
  readonly months: readonly string[];
  readonly period: Period;
  readonly currency: string;
  readonly isOpen?: boolean;
  readonly onToggle?: (() => void) | null;
  readonly isMember?: boolean;
}

function Line(props: LineProps): ReactElement {
  const { row, months, period, currency, isOpen = false, onToggle = null, isMember } = props;
  const name = row.name ?? t.noCategory;
  return (
    <tr className={isMember === true ? 'member' : undefined}>
      <th scope="row">
        {onToggle === null ? (
          <span className="report-name">{name}</span>
        ) : (
          <button type="button" className="report-name" aria-expanded={isOpen} onClick={onToggle}>
            <Icon name={isOpen ? 'chevron-down' : 'chevron-right'} />
            {name}
          </button>
        )}
      </th>
      <td className="end">
        <Link href={periodHref(period, row.categoryIds)}>
          <Sum units={row.total} currency={currency} />
        </Link>
      </td>
      {months.toReversed().map((month, place) => {
        const units = row.months[months.length - 1 - place]!;
        return (
          <td key={month} className="end">
            {units === 0n ? (
              <span className="nothing">–</span>
            ) : (
              <Link href={periodHref({ first: month, last: month }, row.categoryIds)}>
                <Sum units={units} currency={currency} hasCurrency={false} />
              </Link>
            )}
          </td>
        );
      })}
    </tr>
  );
}
