import type { ReactElement } from 'react';
import type { BudgetRow } from '../../../books/budget/budget.ts';
import { isSome } from '../../../books/budget/budget.ts';
import { Money } from '../../../parts/money.tsx';
import { budgetTexts as t } from '../../../texts/en/budget.ts';
import { ActivityLink } from './activity-link.tsx';
import { Line } from './line.tsx';
import type { SectionProps } from './props.ts';

/** A part of the sheet with its head, its lines, and their sum. */
export function Section(props: SectionProps): ReactElement {
  const { kind, rows, uncategorized, period } = props;
  const isIncome = kind === 'income';
  const columns = [
    ['budgeted', t.columns.budgeted],
    ['spent', isIncome ? t.columns.received : t.columns.spent],
    ['left', isIncome ? t.columns.missing : t.columns.left],
    ['recurring', t.columns.recurring],
  ] as const;
  return (
    <tbody role="rowgroup" className={kind}>
      <tr role="row" className="head">
        <th role="columnheader" scope="col">
          {t.sections[kind]}
        </th>
        {columns.map(([name, title]) => (
          <th key={name} role="columnheader" scope="col" className={`end ${name}`}>
            {title}
          </th>
        ))}
      </tr>
      {rows.map((row: BudgetRow) => (
        <Line key={row.id} row={row} {...props} />
      ))}
      {!isIncome && isSome(uncategorized) && (
        <tr role="row" className="budget-line">
          <th role="rowheader" scope="row" className="line-name">
            {t.uncategorized}
          </th>
          <td role="gridcell" className="end budgeted" />
          <td role="gridcell" className="end spent">
            <ActivityLink categoryId={0} period={period} amount={uncategorized}>
              <Money amount={uncategorized} currency={props.currency} hasCurrency={false} />
            </ActivityLink>
          </td>
          <td role="gridcell" className="left" />
          <td role="gridcell" className="recurring" />
        </tr>
      )}
      <TotalLine {...props} />
    </tbody>
  );
}

function TotalLine({ totals, kind, currency }: SectionProps): ReactElement {
  const isIncome = kind === 'income';
  const labels = {
    budgeted: t.columns.budgeted,
    spent: isIncome ? t.columns.received : t.columns.spent,
    left: isIncome ? t.columns.missing : t.columns.left,
    recurring: t.columns.recurring,
  };
  const amounts = {
    budgeted: totals.budgeted,
    spent: totals.activity,
    left: totals.left,
    recurring: totals.expected,
  };
  return (
    <tr role="row" className="budget-line total">
      <th role="rowheader" scope="row" className="line-name">
        {t.total}
      </th>
      {(['budgeted', 'spent', 'left', 'recurring'] as const).map((key) => (
        <td key={key} role="gridcell" className={`end ${key}`} data-label={labels[key]}>
          <Money amount={amounts[key]} currency={currency} hasCurrency={key === 'left'} />
        </td>
      ))}
    </tr>
  );
}
