import { useState } from 'react';
import type { ReactElement } from 'react';
import type { BudgetRow } from '../../books/budget/budget.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/overlays/dialog.tsx';
import { budgetTexts as t } from '../../texts/en/budget.ts';
import type { SheetActions } from './sheet/sheet-actions.ts';

interface MenuAction {
  readonly key: string;
  readonly label: string;
  readonly shortcut?: string;
  readonly run: () => void;
}

/** The actions of a period, and those of the row that has the focus. */
export function PeriodMenu(props: {
  readonly rows: readonly BudgetRow[];
  readonly actions: SheetActions;
  readonly onSettings: () => void;
}): ReactElement {
  const { rows, actions, onSettings } = props;
  const [isOpen, setIsOpen] = useState(false);
  const row = rows.find(({ id }) => id === actions.activeId);
  const ofRow: readonly MenuAction[] = row?.canBudget === true ? rowActions(row, actions) : [];
  const all: readonly MenuAction[] = [
    ...ofRow,
    { key: 'fill', label: t.fillPrevious, run: () => void actions.fill('previous') },
    { key: 'averages', label: t.fillAverage, run: () => void actions.fill('average') },
    { key: 'undo', label: t.undo, shortcut: 'U', run: () => void actions.undo() },
    { key: 'settings', label: t.settings, run: onSettings },
  ];
  return (
    <>
      <Button look="quiet" icon="more" aria-label={t.actions} onClick={() => setIsOpen(true)} />
      {isOpen && (
        <Dialog title={t.actions} look="sheet" onClose={() => setIsOpen(false)}>
          <ul className="copies">
            {all.map(({ key, label, shortcut, run }) => (
              <li key={key}>
                <button
                  type="button"
                  onClick={() => {
                    setIsOpen(false);
                    run();
                  }}
                >
                  {label}
                  {shortcut !== undefined && <kbd aria-hidden="true">{shortcut}</kbd>}
                </button>
              </li>
            ))}
          </ul>
        </Dialog>
      )}
    </>
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
