import type { ReactElement } from 'react';
import type { BudgetRow } from '../../books/budget.ts';
import { Menu } from '../../parts/menu.tsx';
import type { MenuAction } from '../../parts/menu.tsx';
import { budgetTexts as t } from '../../texts/en/budget.ts';
import type { SheetActions } from './sheet-actions.ts';

/** The actions of a period, and those of the row that has the focus. */
export function PeriodMenu(props: {
  readonly rows: readonly BudgetRow[];
  readonly actions: SheetActions;
  readonly onSettings: () => void;
}): ReactElement {
  const { rows, actions, onSettings } = props;
  const row = rows.find(({ id }) => id === actions.activeId);
  const ofRow: readonly MenuAction[] = row?.canBudget === true ? rowActions(row, actions) : [];
  return (
    <Menu
      label={t.actions}
      actions={[
        ...ofRow,
        { key: 'fill', label: t.fillPrevious, run: () => void actions.fill('previous') },
        { key: 'averages', label: t.fillAverage, run: () => void actions.fill('average') },
        { key: 'undo', label: t.undo, icon: 'undo', shortcut: 'U', run: () => void actions.undo() },
        { key: 'settings', label: t.settings, icon: 'settings', run: onSettings },
      ]}
    />
  );
}

function rowActions(row: BudgetRow, actions: SheetActions): readonly MenuAction[] {
  const named = (text: string): string => `${row.name}: ${text}`;
  const copy = (source: 'previous' | 'average') => () => actions.copy(row, source);
  return [
    { key: 'row-copy', label: named(t.copyPrevious), shortcut: 'P', run: copy('previous') },
    { key: 'row-average', label: named(t.copyAverage), shortcut: 'A', run: copy('average') },
    {
      key: 'row-clear',
      label: named(t.clear),
      shortcut: 'Del',
      run: () => actions.save(row, null),
    },
  ];
}
