import type { ReactElement } from 'react';
import { isSome } from '../../../books/budget/budget.ts';
import { Icon } from '../../../parts/icon.tsx';
import { Money } from '../../../parts/money.tsx';
import { budgetTexts as t } from '../../../texts/en/budget.ts';
import { BudgetEditor } from './budget-editor.tsx';
import type { LineProps } from './props.ts';

/** The cell of a budget: a button that shows it, or the field that edits it. */
export function BudgetCell(props: LineProps): ReactElement {
  const { row, actions, focus } = props;
  const { id, name, canBudget } = row;
  const isReached = focus.isAt(id, 0);
  const refused = actions.refused.get(id);
  const isEdited = actions.edited?.id === id;
  return (
    <td role="gridcell" className="end budgeted" data-label={t.columns.budgeted}>
      {isEdited && <BudgetEditor {...props} />}
      {!isEdited && !canBudget && (
        <span className="budget-cell" data-cell={`${id}:0`} tabIndex={isReached ? 0 : -1}>
          <span aria-hidden="true">–</span>
          <span className="hidden">{t.notBudgeted}</span>
        </span>
      )}
      {!isEdited && canBudget && (
        <button
          type="button"
          className={`budget-cell ${actions.saving.has(id) ? 'saving' : ''} ${refused === undefined ? '' : 'refused'}`}
          data-cell={`${id}:0`}
          tabIndex={isReached ? 0 : -1}
          title={refused}
          onFocus={() => focus.at(id, 0)}
          onClick={() => actions.edit(id)}
        >
          <span className="hidden">{t.edit(name)}: </span>
          {refused !== undefined && <Icon name="warning" />}
          <Shown {...props} />
          {actions.saving.has(id) && <span className="hidden"> {t.saving}</span>}
        </button>
      )}
    </td>
  );
}

/** The budget that counts; what comes from members is lighter, and another currency is named. */
function Shown({ row, currency }: LineProps): ReactElement {
  const { own, budgeted } = row;
  if (budgeted === null && own === null)
    return (
      <>
        <span aria-hidden="true" className="unset">
          +
        </span>
        <span className="hidden">{t.none}</span>
      </>
    );
  const isForeign = own !== null && own.currency !== currency;
  const isSum = own === null || (row.isGroup && isSome(budgeted ?? '') && own.amount !== budgeted);
  return (
    <>
      <span className={isSum && !isForeign ? 'sum' : undefined}>
        <Money amount={budgeted ?? '0.0000'} currency={currency} hasCurrency={false} />
      </span>
      {isSum && !isForeign && <span className="hidden"> {t.fromMembers}</span>}
      {isForeign && (
        <span className="hint">
          <Money amount={own.amount} currency={own.currency} />
        </span>
      )}
    </>
  );
}
