import { lazy, Suspense, useId } from 'react';
import type { ComponentType, KeyboardEvent, MouseEvent, ReactElement } from 'react';
import type { Transaction, TransactionUpdate } from '../../../api/types.ts';
import { transactionTexts as t } from '../../../texts/en/transactions.ts';
import type { CellEditorProps } from './cell-editor.tsx';
import { Row } from './row.tsx';
import type { Field } from './row.tsx';
import type { Names } from './use-names.ts';
import type { Rows } from './use-rows.ts';
import type { Frame, ListWindow } from './use-window.ts';

type Editor = ComponentType<CellEditorProps>;
/** Loaded at the same time as the list, which does not wait for it: the first key finds it there. */
const editor = (async () => (await import('./cell-editor.tsx')).CellEditor)();
const late = { CellEditor: lazy(async () => ({ default: await editor })) as Editor };
// Once it is there it is rendered in the same step as the key, so that the next letters are typed into it.
void editor.then((loaded) => Object.assign(late, { CellEditor: loaded }));

/** A list of transactions of any length. */
export interface GridProps {
  readonly rowCount: number;
  readonly rows: Rows;
  readonly names: Names;
  readonly list: ListWindow;
  readonly frame: Frame;
  /** The place of the row that keys act on. */
  readonly active: number;
  readonly selected: ReadonlyMap<number, Transaction>;
  /** The cell of the active row that is edited. */
  readonly editing: Field | null;
  readonly onActivate: (place: number, isOpened: boolean) => void;
  readonly onToggle: (place: number) => void;
  readonly onEdit: (field: Field | null) => void;
  readonly onReview: (place: number) => void;
  readonly onSave: (valuesOf: (row: Transaction) => TransactionUpdate) => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
}

const editable: readonly string[] = ['date', 'payee', 'category', 'tags', 'notes', 'amount'];

/**
 * The list: only the rows around the visible part are in the page. The focus stays on the grid, which names the active
 * row for screen readers.
 */
export function Grid(props: GridProps): ReactElement {
  const { rowCount, rows, names, list, active, selected, editing, onSave, onEdit } = props;
  const { frame, onKeyDown } = props;
  const id = useId();
  const places = Array.from(
    { length: list.range.end - list.range.first },
    (_each, at) => list.range.first + at,
  );
  const isShown = active >= list.range.first && active < list.range.end;
  const close = (): void => {
    onEdit(null);
    list.focus();
  };
  return (
    <div
      ref={frame}
      className={list.isCards ? 'grid cards' : 'grid'}
      role="grid"
      aria-label={t.grid}
      aria-rowcount={rowCount}
      aria-multiselectable="true"
      aria-activedescendant={isShown ? `${id}-${active}` : undefined}
      tabIndex={0}
      onKeyDown={onKeyDown}
      onClick={(event) => click(event, props)}
      onDoubleClick={(event) => {
        const { field } = partOf(event);
        if (field !== null) onEdit(field);
      }}
    >
      <div role="rowgroup" className="rows" style={{ height: list.scrollHeight }}>
        {places.map((place) => {
          const row = rows(place);
          const own = place === active && row !== undefined ? editing : null;
          return (
            <Row
              key={place}
              id={`${id}-${place}`}
              place={place}
              top={list.topOf(place)}
              row={row}
              names={names}
              isActive={place === active}
              isSelected={row !== undefined && selected.has(row.id)}
              editing={own}
              editor={
                own === null || row === undefined ? null : (
                  <Suspense>
                    <late.CellEditor
                      field={own}
                      row={row}
                      names={names}
                      onSave={onSave}
                      onCancel={close}
                    />
                  </Suspense>
                )
              }
            />
          );
        })}
      </div>
    </div>
  );
}

/** The row and the cell of an event. */
function partOf({ target }: MouseEvent): {
  readonly place: number | null;
  readonly field: Field | null;
  readonly isStatus: boolean;
} {
  const element = target instanceof Element ? target : null;
  const place = element?.closest<HTMLElement>('[data-place]')?.dataset['place'];
  const name = element?.closest<HTMLElement>('[data-field]')?.dataset['field'] ?? '';
  const isEditor = element?.closest('input, [popover]') !== null;
  return {
    place: place === undefined ? null : Number(place),
    field: editable.includes(name) && !isEditor ? (name as Field) : null,
    isStatus: name === 'status',
  };
}

/** A click activates a row; one on the tick marks it, one on the category edits it, and Ctrl or Shift selects. */
function click(event: MouseEvent, props: GridProps): void {
  const { place, field, isStatus } = partOf(event);
  if (place === null || event.target instanceof HTMLInputElement) return;
  if (event.ctrlKey || event.metaKey || event.shiftKey) {
    props.onToggle(place);
    return;
  }
  const isEdited = field === 'category' && !props.list.isCards;
  props.onActivate(place, !isEdited && !isStatus);
  if (isStatus) props.onReview(place);
  else if (isEdited) props.onEdit('category');
}
