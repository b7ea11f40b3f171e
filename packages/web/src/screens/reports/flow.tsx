import type { Period } from '@coffer/core/budget-periods';
import { useMemo, type ReactElement } from 'react';
import { Link } from 'wouter';
import { periodHref } from '../../books/filter/filter.ts';
import { decimalOf } from '../../books/reports/csv.ts';
import type { Report, ReportRow } from '../../books/reports/category-report.ts';
import { flowOf, type FlowNode, type Side } from '../../books/reports/flow.ts';
import { useSize } from '../../parts/charts/chart.tsx';
import { Sankey } from '../../parts/charts/sankey.tsx';
import { Table } from '../../parts/lists/table.tsx';
import { Sum } from '../../parts/money.tsx';
import { EmptyState } from '../../parts/states.tsx';
import { reportTexts as t } from '../../texts/en/reports.ts';
import { ReportHead } from './report-head.tsx';
import { NoTransactions, Read, useReport, useScope, type Scope } from './report.tsx';

/** The `rem` that the chart needs to show the categories of groups, too. */
const roomOfMembers = 48;

/** From income to spending. Which transactions count is decided by the service. */
export function FlowReport(): ReactElement {
  return (
    <Read query={useScope()}>
      {(scope) => (scope.years.length === 0 ? <NoTransactions /> : <FlowOfScope scope={scope} />)}
    </Read>
  );
}

function FlowOfScope({ scope }: { readonly scope: Scope }): ReactElement {
  const shown = { ...scope, by: 'category', before: null } as const;
  const [received, spent] = [useReport(shown, 'income'), useReport(shown, 'spending')];
  const failed = received.error === null ? spent : received;
  const { data: income } = received;
  const { data: spending } = spent;
  const data = useMemo(
    () => (income && spending ? { income, spending } : undefined),
    [income, spending],
  );
  return (
    <Read query={{ ...failed, data }}>{(both) => <FlowOfPeriod scope={shown} {...both} />}</Read>
  );
}

type FlowOfPeriodProps = Readonly<{ scope: Scope; income: Report; spending: Report }>;

function FlowOfPeriod({ scope, income, spending }: FlowOfPeriodProps): ReactElement {
  const { period, currency } = scope;
  const [element, { width, rem }] = useSize();
  const hasMembers = width > roomOfMembers * rem;
  const flow = useMemo(
    () => flowOf(income, spending, { hasMembers, restName: t.other }),
    [income, spending, hasMembers],
  );
  const rest = income.total - spending.total;
  const groups = [...new Set(flow.nodes.map(({ groupKey }) => groupKey))];
  const places = flow.nodes.map((node) => ({
    key: node.key,
    name: nameOf(node),
    units: node.units,
    colour: colourOf(node, groups.indexOf(node.groupKey)),
    href: node.filter && periodHref(period, { ...node.filter, counts: node.side }),
  }));
  return (
    <div className="stack" ref={element}>
      <ReportHead
        figures={[
          {
            key: 'received',
            name: t.received,
            units: income.total,
            href: periodHref(period, { counts: 'income' }),
          },
          {
            key: 'spent',
            name: t.spent,
            units: spending.total,
            href: periodHref(period, { counts: 'spending' }),
          },
          {
            key: 'rest',
            name: rest < 0n ? t.reserves : t.saved,
            units: rest < 0n ? -rest : rest,
            isMain: true,
          },
        ]}
        {...scope}
        file={{
          name: `flow-${period.start}-${period.end}`,
          table: () => tableOfFlow(income, spending, currency),
        }}
      />
      {flow.nodes.length === 0 ? (
        <EmptyState icon="reports" title={t.emptyPeriod} hint={t.emptyPeriodHint} />
      ) : (
        <>
          <figure className="card">
            <Sankey
              label={`${t.flowChart}. ${t.keys}`}
              places={places}
              streams={flow.links}
              currency={currency}
            />
          </figure>
          <div className="flow-tables">
            <SideTable
              title={t.income}
              label={t.incomeTable}
              report={income}
              counts="income"
              {...{ period, currency }}
            />
            <SideTable
              title={t.titles.spending}
              label={t.spendingTable}
              report={spending}
              counts="spending"
              {...{ period, currency }}
            />
          </div>
        </>
      )}
      <p className="hint">{t.excluded}</p>
    </div>
  );
}

function nameOf({ role, name }: FlowNode): string {
  return role === 'category' ? (name ?? t.none.category) : t[role];
}

/** Income is green as elsewhere, reserves stand out, groups of spending take turns. */
function colourOf({ role, side }: FlowNode, place: number): number {
  if (side === 'income' || role === 'saved') return 1;
  return role === 'reserves' ? 6 : 2 + (place % 4);
}

function SideTable(props: {
  readonly title: string;
  readonly label: string;
  readonly report: Report;
  readonly counts: Side;
  readonly period: Period;
  readonly currency: string;
}): ReactElement {
  const { title, label, report, counts, period, currency } = props;
  const rows = linesOf(report);
  return (
    <section className="card report-table">
      <Table
        label={label}
        rows={rows}
        rowKey={({ key }) => key}
        columns={[
          { title, isHeading: true, cell: ({ name }: ReportRow) => name ?? t.none.category },
          {
            title: t.amount,
            align: 'end',
            cell: ({ total, filter }) => (
              <Link href={periodHref(period, { ...filter, counts })}>
                <Sum units={total} currency={currency} />
              </Link>
            ),
          },
          { title: t.share, align: 'end', cell: ({ total }) => shareOf(total, report) },
        ]}
      />
    </section>
  );
}

/** The categories of a report, also those of groups, the largest first. */
function linesOf(report: Report): ReportRow[] {
  const rows = report.rows.flatMap((row) => (row.members.length > 0 ? row.members : [row]));
  return rows.toSorted((one, other) => (one.total < other.total ? 1 : -1));
}

function shareOf(total: bigint, report: Report): string {
  return report.total > 0n ? `${(total * 100n) / report.total} %` : '';
}

function tableOfFlow(income: Report, spending: Report, currency: string): string[][] {
  const sides = [
    [t.income, income],
    [t.titles.spending, spending],
  ] as const;
  return [
    ['', t.columns.category, t.amount, t.share],
    ...sides.flatMap(([side, report]) =>
      linesOf(report).map((row) => [
        side,
        row.name ?? t.none.category,
        decimalOf(row.total, currency),
        shareOf(row.total, report),
      ]),
    ),
  ];
}
