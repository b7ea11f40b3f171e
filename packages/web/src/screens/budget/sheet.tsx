import { useRef, useEffect, useState } from 'react';
import type { KeyboardEvent, ReactElement, RefObject } from 'react';
import { useLooks } from '../../api/hooks.ts';
import { isSome, totalsOf, type BudgetRow } from '../../books/budget/budget.ts';
import { commandOf, stepFrom } from '../../books/budget/sheet.ts';
import type { CellPlace, SheetCommand } from '../../books/budget/sheet.ts';
import { Money } from '../../parts/money.tsx';
import { usePreferences } from '../../parts/preferences.ts';
import { budgetTexts as t } from '../../texts/en/budget.ts';
import { ActivityLink, Line, RecurringCell } from './line.tsx';
import type { SheetFocus, SectionProps, SheetProps } from './line.tsx';
import type { SheetActions } from './sheet-actions.ts';

/** The columns that can have the focus: the budget, and the activity. */
const focusColumns = 2;

/** A sheet with a line for each category: spending first, then income. On phones its lines are cards. */
export function Sheet(props: SheetProps): ReactElement {
  const { rows, actions, uncategorized } = props;
  const { hasLetterKeys } = usePreferences();
  const spending = rows.filter(({ isIncome }) => !isIncome);
  const income = rows.filter(({ isIncome }) => isIncome);
  const table = useRef<HTMLTableElement>(null);
  const hasRecurring =
    rows.some(({ expected }) => isSome(expected)) || isSome(uncategorized?.expected ?? '');
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

/** A part of the sheet with its head, its lines, and their sum. */
function Section(props: SectionProps): ReactElement {
  const { kind, rows, uncategorized: rest, period, currency } = props;
  const isIncome = kind === 'income';
  const looks = useLooks();
  return (
    <tbody role="rowgroup" className={kind}>
      <tr role="row" className="head">
        <th role="columnheader" scope="col">
          {t.sections[kind]}
        </th>
        {columnsOf(kind).map(([name, title]) => (
          <th key={name} role="columnheader" scope="col" className={`end ${name}`}>
            {title}
          </th>
        ))}
      </tr>
      {rows.map((row: BudgetRow) => (
        <Line key={row.id} row={row} look={looks.get(row.id)} {...props} />
      ))}
      {!isIncome && rest !== undefined && (isSome(rest.activity) || isSome(rest.expected)) && (
        <tr role="row" className="budget-line">
          <th role="rowheader" scope="row" className="line-name">
            {t.uncategorized}
          </th>
          <td role="gridcell" className="end budgeted" />
          <td role="gridcell" className="end spent">
            <ActivityLink categoryId={0} period={period} amount={rest.activity}>
              <Money amount={rest.activity} currency={currency} hasCurrency={false} />
            </ActivityLink>
          </td>
          <td role="gridcell" className="left" />
          <RecurringCell {...rest} currency={currency} />
        </tr>
      )}
      <TotalLine {...props} />
    </tbody>
  );
}

/** The columns behind the name of a line, with their titles. */
function columnsOf(kind: SectionProps['kind']) {
  const isIncome = kind === 'income';
  return [
    ['budgeted', t.columns.budgeted],
    ['spent', isIncome ? t.columns.received : t.columns.spent],
    ['left', isIncome ? t.columns.missing : t.columns.left],
    ['recurring', t.columns.recurring],
  ] as const;
}

function TotalLine({ totals, kind, currency }: SectionProps): ReactElement {
  const { budgeted, activity: spent, left, expected: recurring } = totals;
  const amounts = { budgeted, spent, left, recurring };
  return (
    <tr role="row" className="budget-line total">
      <th role="rowheader" scope="row" className="line-name">
        {t.total}
      </th>
      {columnsOf(kind).map(([key, label]) => (
        <td key={key} role="gridcell" className={`end ${key}`} data-label={label}>
          <Money amount={amounts[key]} currency={currency} hasCurrency={key === 'left'} />
        </td>
      ))}
    </tr>
  );
}

interface KeyedSheet extends SheetProps {
  readonly table: RefObject<HTMLTableElement | null>;
  readonly hasLetterKeys: boolean;
}

/** The focus of a sheet and its keys. */
function useSheetKeys(sheet: KeyedSheet): SheetFocus {
  const { rows, actions, table } = sheet;
  const [column, setColumn] = useState(0);
  const found = rows.findIndex(({ id }) => id === actions.activeId);
  const place = { row: Math.max(found, 0), column };
  const size = { rows: rows.length, columns: focusColumns };
  const focusOn = (to: CellPlace): void => {
    const row = rows[to.row];
    if (row === undefined) return;
    actions.activate(row.id);
    setColumn(to.column);
    cellOf(table.current, row.id, to.column)?.focus();
  };
  const press = (event: KeyboardEvent): void => {
    const row = rows[place.row];
    if (actions.edited !== null || row === undefined) return;
    const command = commandOf(event, place, size);
    if (command === null) {
      if (!sheet.hasLetterKeys || !pressLetter(event, sheet, place)) return;
    } else if (command.kind === 'move') focusOn(command.to);
    else if (isForLink(command, event, place)) return;
    else run(command, sheet, place);
    event.preventDefault();
  };
  return {
    place,
    press,
    isAt: (id, at) => rows[place.row]?.id === id && at === column,
    at: (id, to) => {
      actions.activate(id);
      setColumn(to);
    },
    moveFrom: (id, count) => {
      const from = { row: rows.findIndex((row) => row.id === id), column: 0 };
      actions.edit(null);
      focusOn(stepFrom(from, [count, 0], size));
    },
    restore: () => {
      if (document.activeElement === document.body) focusOn(place);
    },
  };
}

/** Enter on a link follows it. */
function isForLink(command: SheetCommand, event: KeyboardEvent, { column }: CellPlace): boolean {
  return command.kind === 'edit' && event.key === 'Enter' && column !== 0;
}

function run(command: SheetCommand, { rows, actions, turn }: KeyedSheet, { row: at }: CellPlace) {
  const row = rows[at];
  if (row === undefined) return;
  if (command.kind === 'turn') turn(command.step);
  else if (row.canBudget && command.kind === 'clear') actions.save(row, null);
  else if (row.canBudget && command.kind === 'edit') actions.edit(row.id, command.text);
}

function pressLetter(event: KeyboardEvent, sheet: KeyedSheet, { row: at }: CellPlace): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  const { rows, actions } = sheet;
  const row = rows[at];
  if (row === undefined) return false;
  if (event.key === 'p') actions.copy(row, 'previous');
  else if (event.key === 'a') actions.copy(row, 'average');
  else return false;
  return true;
}

function cellOf(table: HTMLElement | null, rowId: number, column: number): HTMLElement | null {
  return table?.querySelector<HTMLElement>(`[data-cell="${rowId}:${column}"]`) ?? null;
}
