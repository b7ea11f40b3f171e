import { useState } from 'react';
import type { ReactElement } from 'react';
import { Link } from 'wouter';
import type { CategoryReport, ReportRow } from '../../books/reports/category-report.ts';
import { formatDate } from '../../books/formats/dates.ts';
import { periodHref } from '../../books/filter/links.ts';
import type { Period } from '../../books/reports/periods.ts';
import { Button } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Sum } from '../../parts/money.tsx';
import { usePreferences } from '../../parts/preferences.ts';
import { reportTexts as t } from '../../texts/en/reports.ts';

interface CategoryTableProps {
  readonly report: CategoryReport;
  readonly period: Period;
  readonly currency: string;
}

/** The same as the chart as a table: groups that open, every amount a link to its transactions. */
export function CategoryTable({ report, period, currency }: CategoryTableProps): ReactElement {
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
