import { useMemo, type ReactElement } from 'react';
import { Link } from 'wouter';
import { periodHref } from '../../books/filter/filter.ts';
import { categoryReport } from '../../books/reports/category-report.ts';
import type { CategoryReport, ReportRow } from '../../books/reports/category-report.ts';
import { flowOf, type FlowNode } from '../../books/reports/flow.ts';
import type { Period } from '../../books/reports/periods.ts';
import { useSize } from '../../parts/charts/chart.tsx';
import { Sankey } from '../../parts/charts/sankey.tsx';
import { Table } from '../../parts/lists/table.tsx';
import { Sum } from '../../parts/money.tsx';
import { EmptyState } from '../../parts/states.tsx';
import { reportTexts as t } from '../../texts/en/reports.ts';
import { useSumsOfPeriod, NoTransactions, Read, ReportHead, type SumsOfPeriod } from './report.tsx';

/** The `rem` that the chart needs to show the categories of groups, too. */
const roomOfMembers = 48;

/** From income to spending. Which transactions count is said in `books/sides.ts`. */
export function FlowReport(): ReactElement {
  const reading = useSumsOfPeriod();
  return (
    <Read query={reading}>
      {(data) => (data.years.length === 0 ? <NoTransactions /> : <FlowOfPeriod {...data} />)}
    </Read>
  );
}

function FlowOfPeriod(data: SumsOfPeriod): ReactElement {
  const { choice, years, period, months, sums, categories, currency } = data;
  const [element, { width, rem }] = useSize();
  const hasMembers = width > roomOfMembers * rem;
  const { income, spending, flow } = useMemo(() => {
    const [received, spent] = (['income', 'spending'] as const).map((side) =>
      categoryReport(months, side, sums, categories),
    ) as [CategoryReport, CategoryReport];
    const options = { hasMembers, restName: t.other };
    return { income: received, spending: spent, flow: flowOf(received, spent, options) };
  }, [months, sums, categories, hasMembers]);
  const rest = income.total - spending.total;
  const groups = [...new Set(flow.nodes.map(({ groupKey }) => groupKey))];
  const places = flow.nodes.map((node) => ({
    key: node.key,
    name: nameOf(node),
    units: node.units,
    colour: colourOf(node, groups.indexOf(node.groupKey)),
    href: node.role === 'category' ? periodHref(period, node.categoryIds) : null,
  }));
  return (
    <div className="stack" ref={element}>
      <ReportHead
        figures={[
          { key: 'received', name: t.received, units: income.total },
          { key: 'spent', name: t.spent, units: spending.total },
          {
            key: 'rest',
            name: rest < 0n ? t.reserves : t.saved,
            units: rest < 0n ? -rest : rest,
            isMain: true,
          },
        ]}
        {...{ currency, choice, years }}
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
              {...{ period, currency }}
            />
            <SideTable
              title={t.titles.spending}
              label={t.spendingTable}
              report={spending}
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
  return role === 'category' ? (name ?? t.noCategory) : t[role];
}

/** Income is green as elsewhere, reserves stand out, groups of spending take turns. */
function colourOf({ role, side }: FlowNode, place: number): number {
  if (side === 'income' || role === 'saved') return 1;
  return role === 'reserves' ? 6 : 2 + (place % 4);
}

function SideTable(props: {
  readonly title: string;
  readonly label: string;
  readonly report: CategoryReport;
  readonly period: Period;
  readonly currency: string;
}): ReactElement {
  const { title, label, report, period, currency } = props;
  const rows = report.rows.flatMap((row) => (row.members.length > 0 ? row.members : [row]));
  return (
    <section className="card report-table">
      <Table
        label={label}
        rows={rows.toSorted((one, other) => (one.total < other.total ? 1 : -1))}
        rowKey={({ key }) => key}
        columns={[
          {
            key: 'name',
            title,
            isHeading: true,
            cell: ({ name }: ReportRow) => name ?? t.noCategory,
          },
          {
            key: 'amount',
            title: t.amount,
            align: 'end',
            cell: ({ total, categoryIds }) => (
              <Link href={periodHref(period, categoryIds)}>
                <Sum units={total} currency={currency} />
              </Link>
            ),
          },
          {
            key: 'share',
            title: t.share,
            align: 'end',
            cell: ({ total }) => (report.total > 0n ? `${(total * 100n) / report.total} %` : ''),
          },
        ]}
      />
    </section>
  );
}
