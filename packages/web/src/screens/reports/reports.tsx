import { Suspense, useMemo, useState, type ReactElement } from 'react';
import { Link, Redirect, useParams } from 'wouter';
import { otherPayees } from '../../api/reports.ts';
import { useLooks } from '../../api/hooks.ts';
import { periodHref, type Filter } from '../../books/filter/filter.ts';
import { isMonth } from '../../books/budget/budget-periods.ts';
import { formatDate } from '../../books/formats/dates.ts';
import { largest, type Report, type ReportRow } from '../../books/reports/category-report.ts';
import { tableOfReport } from '../../books/reports/csv.ts';
import { Button } from '../../parts/button.tsx';
import { CategoryMark, LetterMark } from '../../parts/category-mark.tsx';
import { Legend } from '../../parts/charts/legend.tsx';
import { RankedBars } from '../../parts/charts/ranked-bars.tsx';
import { StackedBars } from '../../parts/charts/stacked-bars.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Sum, useSumText } from '../../parts/money.tsx';
import { PageHeader } from '../../parts/page.tsx';
import { usePreferences } from '../../parts/preferences.ts';
import { EmptyState, late } from '../../parts/states.tsx';
import { reportTexts as t } from '../../texts/en/reports.ts';
import { NetWorthReport } from './net-worth.tsx';
import { CompareChoice, LineChooser, ReportHead, useReportHref } from './report-head.tsx';
import { nameOfRow, NoTransactions, Read, usePlaces, useReport, useScope } from './report.tsx';
import type { Scope } from './report.tsx';

/** How many lines are shown at first. */
const mostLines = 100;
const counts = 'spending';

/** Spending by line and month. Which transactions count is decided by the service. */
function SpendingReport(): ReactElement {
  return (
    <Read query={useScope()}>
      {(scope) => (scope.years.length === 0 ? <NoTransactions /> : <SpendingOf scope={scope} />)}
    </Read>
  );
}

function SpendingOf({ scope }: { readonly scope: Scope }): ReactElement {
  const reading = useReport(scope, 'spending');
  return <Read query={reading}>{(report) => <Spending scope={scope} report={report} />}</Read>;
}

interface SpendingProps {
  readonly scope: Scope;
  readonly report: Report;
}

function Spending({ scope, report }: SpendingProps): ReactElement {
  const { period, before, by, currency } = scope;
  const folding = useFolding(report);
  const [showsAll, setShowsAll] = useState(false);
  const rows = showsAll ? report.rows : report.rows.slice(0, mostLines);
  const titles = {
    group: by === 'category' ? t.group : '',
    name: t.columns[by],
    total: t.total,
    before: t.before,
    nameOf: (row: ReportRow) => nameOfRow(row, by),
  };
  const table = () => tableOfReport(report, rows, folding.isOpen, titles, currency);
  return (
    <div className="stack">
      <ReportHead
        {...scope}
        figures={spendingFigures(scope, report)}
        file={{ name: `spending-${period.start}-${period.end}`, table }}
        after={<CompareChoice isOn={before !== null} />}
      >
        <LineChooser by={by} />
      </ReportHead>
      {report.rows.length === 0 ? (
        <EmptyState icon="reports" title={t.emptyPeriod} hint={t.emptyPeriodHint} />
      ) : (
        <>
          <SpendingChart scope={scope} report={report} />
          <LineTable {...{ scope, report, rows, folding }} />
          {rows.length < report.rows.length && (
            <Button onClick={() => setShowsAll(true)}>{t.showAll(report.rows.length)}</Button>
          )}
        </>
      )}
      <p className="hint">{by === 'tag' ? `${t.tagsOverlap} ${t.excluded}` : t.excluded}</p>
    </div>
  );
}

function spendingFigures({ period, before, columns }: Scope, report: Report) {
  const spent = {
    key: 'spent',
    name: t.spent,
    units: report.total,
    isMain: true,
    href: periodHref(period, { counts }),
  };
  if (before === null) {
    if (!columns.every(isMonth)) return [spent];
    const units = report.total / BigInt(columns.length);
    return [spent, { key: 'average', name: t.average, units }];
  }
  const earlier = report.before ?? 0n;
  return [
    spent,
    { key: 'before', name: t.before, units: earlier, href: periodHref(before, { counts }) },
    {
      key: 'difference',
      name: t.difference,
      units: report.total - earlier,
      sign: 'change' as const,
    },
  ];
}

function SpendingChart({ scope, report }: SpendingProps): ReactElement {
  const rows = largest(report.rows, t.other, otherPayees);
  return (
    <figure className="card stack">
      {rows === null ? (
        <RankedLines {...{ scope, report }} />
      ) : (
        <LinesByColumn {...{ scope, report, rows }} />
      )}
    </figure>
  );
}

/** How many lines are drawn where there are too many for one bar. */
const rankedLines = 12;

function RankedLines({ scope, report }: SpendingProps): ReactElement {
  const { by, period, currency } = scope;
  const text = useSumText(currency);
  const rows = report.rows.filter(({ key }) => key !== otherPayees);
  const shown = rows.slice(0, rankedLines);
  const others = report.rows.filter((row) => !shown.includes(row));
  const rest = text(others.reduce((sum, { total }) => sum + total, 0n));
  const bars = shown.map((row) => ({
    key: row.key,
    name: nameOfRow(row, by),
    units: row.total,
    href: row.filter && periodHref(period, { ...row.filter, counts }),
  }));
  const more = rows.length < report.rows.length ? t.others(rest) : t.more(others.length, rest);
  return <RankedBars label={`${t.spentTable}. ${t.keys}`} {...{ bars, more, currency }} />;
}

function LinesByColumn(
  props: SpendingProps & { readonly rows: readonly ReportRow[] },
): ReactElement {
  const { scope, report, rows } = props;
  const { by, currency } = scope;
  const parts = rows.map((row, place) => ({
    key: row.key,
    name: nameOfRow(row, by),
    colour: row.key === 'rest' ? ('rest' as const) : place + 1,
    units: row.units,
  }));
  const places = usePlaces(report.columns.map(({ key }) => key));
  const bars = places.map((place, at) => ({
    ...place,
    total: report.totals[at]!,
    href: periodHref(report.columns[at]!, { counts }),
  }));
  return (
    <>
      <Legend items={parts} />
      <StackedBars
        label={`${t.spentBy}. ${t.keys}`}
        bars={bars}
        parts={parts}
        currency={currency}
      />
    </>
  );
}

/** With its kind of chart, which the others can do without. */
const FlowReport = late(() => import('./flow.tsx'), 'FlowReport');

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
  const hrefOf = useReportHref();
  const shown = kinds.find((each) => each === kind);
  if (shown === undefined) return <Redirect to="/reports/spending" replace />;
  const Shown = reports[shown];
  return (
    <>
      <PageHeader title={t.titles[shown]}>
        <nav className="report-tabs" aria-label={t.choose}>
          {kinds.map((each) => (
            <Link key={each} href={hrefOf(each)} aria-current={each === shown ? 'page' : undefined}>
              {t.tabs[each]}
            </Link>
          ))}
        </nav>
      </PageHeader>
      <Suspense>
        <Shown />
      </Suspense>
    </>
  );
}

/** Which groups of a report are open. */
interface Folding {
  readonly isOpen: (row: ReportRow) => boolean;
  readonly toggle: (row: ReportRow) => void;
  /** Opens all groups, or closes them if all are open; null without groups. */
  readonly toggleAll: (() => void) | null;
  readonly isAllOpen: boolean;
}

function useFolding(report: Report): Folding {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  return useMemo(() => {
    const groups = report.rows.filter(({ members }) => members.length > 0).map(({ key }) => key);
    const isAllOpen = groups.length > 0 && groups.every((key) => open.has(key));
    return {
      isOpen: ({ key }) => open.has(key),
      toggle: ({ key }) => {
        const next = new Set(open);
        if (!next.delete(key)) next.add(key);
        setOpen(next);
      },
      toggleAll: groups.length === 0 ? null : () => setOpen(new Set(isAllOpen ? [] : groups)),
      isAllOpen,
    };
  }, [report, open]);
}

interface LineTableProps extends SpendingProps {
  readonly rows: readonly ReportRow[];
  readonly folding: Folding;
}

/** The same as the chart as a table: groups that open, every amount a link to its transactions. */
function LineTable(props: LineTableProps): ReactElement {
  const { scope, report, rows, folding } = props;
  const preferences = usePreferences();
  const { isAllOpen, toggleAll } = folding;
  return (
    <section className={toggleAll === null ? 'card report-table flat' : 'card report-table'}>
      <div className="table-frame" role="region" aria-label={t.spentTable} tabIndex={0}>
        <table className="table">
          <caption className="hidden">{t.spentTable}</caption>
          <thead>
            <tr>
              <th scope="col">
                {t.columns[scope.by]}
                {toggleAll !== null && (
                  <Button
                    look="quiet"
                    icon={isAllOpen ? 'chevron-down' : 'chevron-right'}
                    aria-label={isAllOpen ? t.collapseAll : t.expandAll}
                    onClick={toggleAll}
                  />
                )}
              </th>
              {[t.total, ...(scope.before === null ? [] : [t.before, t.difference])].map(
                (title) => (
                  <th key={title} scope="col" className="end">
                    {title}
                  </th>
                ),
              )}
              {report.columns.toReversed().map(({ key }) => (
                <th key={key} scope="col" className="end">
                  {key.length === 4
                    ? key
                    : `${formatDate(key, 'monthShort', preferences)} ${key.slice(2, 4)}`}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.flatMap((row) => [
              <Line
                key={row.key}
                {...{ row, scope }}
                isOpen={folding.isOpen(row)}
                onToggle={row.members.length > 0 ? () => folding.toggle(row) : null}
              />,
              ...(folding.isOpen(row) ? row.members : []).map((member) => (
                <Line key={`${row.key} ${member.key}`} {...{ row: member, scope }} isMember />
              )),
            ])}
          </tbody>
          <tfoot>
            <tr>
              <th scope="row">{t.total}</th>
              <Sums {...report} units={report.totals} filter={{}} scope={scope} />
            </tr>
          </tfoot>
        </table>
      </div>
    </section>
  );
}

interface LineProps {
  readonly row: ReportRow;
  readonly scope: Scope;
  readonly isOpen?: boolean;
  readonly onToggle?: (() => void) | null;
  readonly isMember?: boolean;
}

function Line(props: LineProps): ReactElement {
  const { row, scope, isOpen = false, onToggle = null, isMember } = props;
  const name = nameOfRow(row, scope.by);
  const look = useLooks().get(row.filter?.categoryIds?.[0] ?? 0);
  const mark =
    scope.by === 'category' ? (
      <CategoryMark name={row.name ?? ''} look={look} />
    ) : (
      scope.by !== 'tag' && <LetterMark name={row.name ?? ''} />
    );
  return (
    <tr className={isMember === true ? 'member' : undefined}>
      <th scope="row">
        {onToggle === null ? (
          <span className="report-name">
            {mark}
            <bdi>{name}</bdi>
          </span>
        ) : (
          <button type="button" className="report-name" aria-expanded={isOpen} onClick={onToggle}>
            <Icon name={isOpen ? 'chevron-down' : 'chevron-right'} />
            {mark}
            {name}
          </button>
        )}
      </th>
      <Sums {...row} scope={scope} />
    </tr>
  );
}

/** The cells of a line: its total, that of the year before, and those of its columns, the newest first. */
function Sums(
  props: Pick<ReportRow, 'filter' | 'total' | 'before' | 'units'> & { readonly scope: Scope },
): ReactElement {
  const { filter, total, before, units, scope } = props;
  const { period, columns, currency, before: earlier } = scope;
  const shared = { filter, currency };
  return (
    <>
      <Cell {...shared} units={total} period={period} hasCurrency />
      {earlier !== null && (
        <>
          <Cell {...shared} units={before ?? 0n} period={earlier} />
          <td className="end">
            <Sum
              units={total - (before ?? 0n)}
              currency={currency}
              hasCurrency={false}
              sign="change"
            />
          </td>
        </>
      )}
      {columns
        .map((column, place) => (
          <Cell key={column.key} {...shared} units={units[place]!} period={column} />
        ))
        .toReversed()}
    </>
  );
}

/** A sum that leads to its transactions. */
function Cell(props: {
  readonly units: bigint;
  readonly period: Scope['period'];
  readonly filter: Partial<Filter> | null;
  readonly currency: string;
  readonly hasCurrency?: boolean;
}): ReactElement {
  const { units, period, filter, currency, hasCurrency = false } = props;
  const sum = <Sum units={units} currency={currency} hasCurrency={hasCurrency} />;
  if (units === 0n && !hasCurrency)
    return (
      <td className="end">
        <span className="nothing">–</span>
      </td>
    );
  return (
    <td className="end">
      {filter === null ? sum : <Link href={periodHref(period, { ...filter, counts })}>{sum}</Link>}
    </td>
  );
}
