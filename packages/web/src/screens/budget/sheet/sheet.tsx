import { useEffect, useRef } from 'react';
import type { KeyboardEvent, ReactElement } from 'react';
import { isSome, totalsOf } from '../../../books/budget/budget.ts';
import { usePreferences } from '../../../parts/preferences.ts';
import { budgetTexts as t } from '../../../texts/en/budget.ts';
import type { SheetFocus, SheetProps } from './props.ts';
import { Section } from './section.tsx';
import type { SheetActions } from './sheet-actions.ts';
import { useSheetKeys } from './sheet-keys.ts';

/** A sheet with a line for each category: spending first, then income. On phones its lines are cards. */
export function Sheet(props: SheetProps): ReactElement {
  const { rows, actions, uncategorized } = props;
  const { hasLetterKeys } = usePreferences();
  const spending = rows.filter(({ isIncome }) => !isIncome);
  const income = rows.filter(({ isIncome }) => isIncome);
  const table = useRef<HTMLTableElement>(null);
  const hasRecurring = rows.some(({ expected }) => isSome(expected));
  const ordered = [...spending, ...income];
  const focus = useSheetKeys({ ...props, rows: ordered, table, hasLetterKeys });
  useFocusAfterEdit(focus, actions.edited);
  const shared = { ...props, focus };
  return (
    <div className="sheet-frame">
      <table
        ref={table}
        role="grid"
        aria-label={t.sheet}
        className={hasRecurring ? 'budget-sheet' : 'budget-sheet no-recurring'}
        onKeyDown={(event: KeyboardEvent) => focus.press(event)}
      >
        {spending.length > 0 && (
          <Section
            {...shared}
            kind="spending"
            rows={spending}
            totals={totalsOf(spending, uncategorized)}
          />
        )}
        {income.length > 0 && (
          <Section {...shared} kind="income" rows={income} totals={totalsOf(income)} />
        )}
      </table>
      <p className="hint sheet-hint">{t.keys}</p>
    </div>
  );
}

/** When an editor closes, the focus goes to its cell, unless it has gone elsewhere meanwhile. */
function useFocusAfterEdit(focus: SheetFocus, edited: SheetActions['edited']): void {
  const wasEdited = useRef(false);
  useEffect(() => {
    if (wasEdited.current && edited === null) focus.restore();
    wasEdited.current = edited !== null;
  });
}
