import type { ReactElement } from 'react';
import { isSome, usedShare } from '../../../books/budget/budget.ts';
import { Money } from '../../../parts/money.tsx';
import { budgetTexts as t } from '../../../texts/en/budget.ts';
import { ActivityLink } from './activity-link.tsx';
import { BudgetCell } from './budget-cell.tsx';
import type { LineProps } from './props.ts';

/** A category or group: what is budgeted, spent, left and expected. */
export function Line(props: LineProps): ReactElement {
  const { row, currency, focus, period, kind } = props;
  const { id, name, activity } = row;
  const look = row.isGroup ? 'is-group' : row.isMember ? 'is-member' : 'is-single';
  const spent = kind === 'income' ? t.columns.received : t.columns.spent;
  return (
    <tr role="row" className={`budget-line ${look}`}>
      <th role="rowheader" scope="row" className="line-name">
        {name}
      </th>
      <BudgetCell {...props} />
      <td role="gridcell" className="end spent" data-label={spent}>
        <ActivityLink
          categoryId={id}
          amount={activity}
          period={period}
          cell={`${id}:1`}
          isReached={focus.isAt(id, 1)}
          onFocus={() => focus.at(id, 1)}
        >
          <Money amount={activity} currency={currency} hasCurrency={false} />
        </ActivityLink>
      </td>
      <Left {...props} />
      <Recurring {...props} />
    </tr>
  );
}

function Left({ row, currency, kind }: LineProps): ReactElement {
  const label = kind === 'income' ? t.columns.missing : t.columns.left;
  const share = usedShare(row);
  if (row.left === null || share === null)
    return <td role="gridcell" className="end left is-none" data-label={label} />;
  const isOver = kind === 'spending' && row.left.startsWith('-');
  const percent = Math.round(share * 100);
  return (
    <td role="gridcell" className={isOver ? 'end left over' : 'end left'} data-label={label}>
      <span className="left-line">
        <span>
          {isOver && <span className="over-mark">{t.over} </span>}
          <Money
            amount={isOver ? row.left.slice(1) : row.left}
            currency={currency}
            hasCurrency={false}
          />
        </span>
        <span className="used-bar" aria-hidden="true">
          <span style={{ inlineSize: `${Math.min(percent, 100)}%` }} />
        </span>
      </span>
      <span className="hidden">{t.used(percent)}</span>
    </td>
  );
}

function Recurring({ row, currency }: LineProps): ReactElement {
  const { expected, remaining } = row;
  const hasRest = isSome(remaining) && remaining !== expected;
  return (
    <td role="gridcell" className="end recurring" data-label={t.columns.recurring}>
      {isSome(expected) && <Money amount={expected} currency={currency} hasCurrency={false} />}
      {hasRest && (
        <span className="hint">
          <Money amount={remaining} currency={currency} hasCurrency={false} /> {t.toCome}
        </span>
      )}
    </td>
  );
}
