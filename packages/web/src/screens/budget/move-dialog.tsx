import type { Period } from '@coffer/core/budget-periods';
import type { ReactElement } from 'react';
import { keys } from '../../api/keys.ts';
import type { BudgetRow } from '../../books/budget/budget.ts';
import { formatMoney } from '../../books/formats/money.ts';
import { usePreferences } from '../../parts/preferences.ts';
import { moveTexts as t } from '../../texts/en/budget.ts';
import { FormDialog } from '../flow/form-dialog.tsx';
import { useOwnChanges } from '../flow/own-changes.ts';
import { moveBudget } from './data.ts';

interface Move {
  readonly from_category_id: number;
  readonly to_category_id: number;
  readonly amount: string | null;
}

/** Moves money from the budget of a row to another one; to a row that is overspent, from the one that has most left. */
export function MoveDialog(props: {
  /** All lines of the budget. */
  readonly rows: readonly BudgetRow[];
  readonly from: BudgetRow;
  readonly period: Period;
  readonly currency: string;
  readonly onClose: () => void;
}): ReactElement {
  const { rows, from, period, currency, onClose } = props;
  const { locale, isPrivate } = usePreferences();
  const { change } = useOwnChanges(keys.budgets);
  const movable = rows.filter(({ isIncome, canBudget }) => !isIncome && canBudget);
  const options = movable.map(({ id, name, left }) => ({
    value: id,
    label:
      left === null || isPrivate ? name : t.left(name, formatMoney(left, { locale, currency })),
  }));
  const nameOf = (id: number): string => movable.find((row) => row.id === id)?.name ?? '';
  return (
    <FormDialog<Move>
      title={t.title}
      schema="BudgetMove"
      label={t.submit}
      begun={begunWith(from, movable)}
      fields={() => [
        { name: 'from_category_id', label: t.from, kind: 'choice', options },
        { name: 'to_category_id', label: t.to, kind: 'choice', options },
        { name: 'amount', label: t.amount, kind: 'amount', currency },
      ]}
      canSubmit={({ from_category_id: one, to_category_id: other, amount }) =>
        one !== other && amount !== null
      }
      save={({ amount, ...ids }) =>
        change(
          () => moveBudget({ ...ids, amount: amount ?? '0', start_date: period.start }),
          t.moved(nameOf(ids.from_category_id), nameOf(ids.to_category_id)),
        )
      }
      onClose={onClose}
    />
  );
}

function begunWith(row: BudgetRow, movable: readonly BudgetRow[]): Move {
  const others = movable.filter(({ id, isGroup }) => id !== row.id && !isGroup);
  const other = others.toSorted((a, b) => Number(b.left ?? 0) - Number(a.left ?? 0))[0] ?? row;
  if (row.left?.startsWith('-') === true)
    return { from_category_id: other.id, to_category_id: row.id, amount: row.left.slice(1) };
  return { from_category_id: row.id, to_category_id: other.id, amount: null };
}
