import { useState } from 'react';
import type { KeyboardEvent, RefObject } from 'react';
import { commandOf, stepFrom } from '../../../books/budget/sheet.ts';
import type { CellPlace, SheetCommand } from '../../../books/budget/sheet.ts';
import { focusColumns } from './props.ts';
import type { SheetFocus, SheetProps } from './props.ts';

interface KeyedSheet extends SheetProps {
  readonly table: RefObject<HTMLTableElement | null>;
  readonly hasLetterKeys: boolean;
}

/** The focus of a sheet and its keys. */
export function useSheetKeys(sheet: KeyedSheet): SheetFocus {
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
    ...{ place, press },
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
