import { lazy, Suspense, useId } from 'react';
import type { ComponentType, KeyboardEvent, MouseEvent, ReactElement } from 'react';
import type { Transaction, TransactionUpdate } from '../../../api/types.ts';
import { folded, lineOf } from '../../../books/rows/page-window.ts';
import { transactionTexts as t } from '../../../texts/en/transactions.ts';
import type { CellEditorProps } from './cell-editor.tsx';
import { Row } from './row.tsx';
import type { EditedCell, Field } from './row.tsx';
import type { Names } from './use-names.ts';
import type { Rows } from './use-rows.ts';
import type { Unfolding } from './use-unfolding.ts';
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
  readonly editing: EditedCell | null;
  readonly onActivate: (place: number, isOpened: boolean) => void;
  readonly onToggle: (place: number) => void;
  readonly onEdit: (cell: EditedCell | null) => void;
  readonly onReview: (place: number) => void;
  readonly onSave: (valuesOf: (row: Transaction) => TransactionUpdate) => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
  /** The row that shows its members; absent where a list does not show them. */
  readonly unfolding?: Unfolding;
  readonly onMember?: (id: number) => void;
}

const editable: readonly string[] = ['date', 'payee', 'category', 'tags', 'notes', 'amount'];

/**
 * The list: only the rows around the visible part are in the page. The focus stays on the grid, which names the active
 * row for screen readers.
 */
export function Grid(props: GridProps): ReactElement {
  const { rowCount, rows, names, list, active, selected, editing, unfolding } = props;
  const { frame, onKeyDown, onSave, onEdit } = props;
  const unfolded = unfolding?.unfolded ?? folded;
  const id = useId();
  const { first, end } = list.range;
  const places = Array.from({ length: end - first }, (_each, at) => first + at);
  const isShown = active >= first && active < end;
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
      aria-rowcount={rowCount + unfolded.count}
      aria-multiselectable="true"
      aria-activedescendant={isShown ? `${id}-${active}` : undefined}
      tabIndex={0}
      onKeyDown={onKeyDown}
      onClick={(event) => click(event, props)}
      onDoubleClick={(event) => {
        const { field, place } = partOf(event);
        if (field !== null && place !== null) onEdit({ field });
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
              line={lineOf(place, unfolded)}
              top={list.topOf(place)}
              row={row}
              names={names}
              isActive={place === active}
              isSelected={row !== undefined && selected.has(row.id)}
              isUnfolded={unfolding === undefined ? null : unfolding.isOpen(place)}
              editing={own?.field ?? null}
              editor={
                own === null || row === undefined ? null : (
                  <Suspense>
                    <late.CellEditor
                      field={own.field}
                      row={{ ...row, ...(own.values as Partial<Transaction>) }}
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
        {unfolding !== undefined && places.includes(unfolded.row) && (
          <Members {...{ unfolding, names, list, id }} />
        )}
      </div>
    </div>
  );
}

/** The lines below the row that is unfolded. */
function Members(
  props: Pick<GridProps, 'names' | 'list'> & {
    readonly unfolding: Unfolding;
    readonly id: string;
  },
): ReactElement {
  const { unfolding, names, list, id } = props;
  const { members, unfolded } = unfolding;
  return (
    <>
      {members.map((member, at) => (
        <Row
          key={member?.id ?? at}
          id={`${id}-member-${at}`}
          line={unfolded.row + at + 1}
          top={list.topOf(unfolded.row) + (at + 1) * list.rowHeight}
          row={member}
          names={names}
        />
      ))}
    </>
  );
}

/** The row and the cell of an event. */
function partOf({ target }: MouseEvent): {
  readonly place: number | null;
  readonly field: Field | null;
  readonly isStatus: boolean;
  readonly isMark: boolean;
  readonly memberId: number | null;
} {
  const element = target instanceof Element ? target : null;
  const place = element?.closest<HTMLElement>('[data-place]')?.dataset['place'];
  const name = element?.closest<HTMLElement>('[data-field]')?.dataset['field'] ?? '';
  const isEditor = element?.closest('input, [popover]') !== null;
  return {
    place: place === undefined ? null : Number(place),
    field: editable.includes(name) && !isEditor ? (name as Field) : null,
    isStatus: name === 'status',
    isMark: element?.closest('button.mark') !== null,
    memberId: Number(element?.closest<HTMLElement>('[data-member]')?.dataset['member']) || null,
  };
}

/** A click activates a row; one on the tick marks it, one on the category edits it, and Ctrl or Shift selects. */
function click(event: MouseEvent, props: GridProps): void {
  const { place, field, isStatus, isMark, memberId } = partOf(event);
  if (memberId !== null) props.onMember?.(memberId);
  if (place === null || event.target instanceof HTMLInputElement) return;
  if (event.ctrlKey || event.metaKey || event.shiftKey) {
    props.onToggle(place);
    return;
  }
  const isEdited = field === 'category' && !props.list.isCards;
  props.onActivate(place, !isEdited && !isStatus && !isMark);
  const row = props.rows(place);
  if (isMark && row !== undefined) props.unfolding?.toggle(place, row);
  if (isStatus) props.onReview(place);
  else if (isEdited) props.onEdit({ field: 'category' });
}
