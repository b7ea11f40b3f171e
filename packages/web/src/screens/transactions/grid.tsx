import { lazy, Suspense, useId, useLayoutEffect, useRef, memo } from 'react';
import type { ComponentType, KeyboardEvent, MouseEvent, ReactElement, ReactNode } from 'react';
import { formatDate } from '../../books/formats/dates.ts';
import { sumOf } from '../../books/formats/money.ts';
import { folded, lineOf } from '../../books/rows/rows.ts';
import type { Transaction, TransactionUpdate } from '../../books/types.ts';
import { CategoryMark } from '../../parts/category-mark.tsx';
import { Icon } from '../../parts/icon.tsx';
import type { Frame, ListWindow } from '../../parts/lists/use-window.ts';
import { Money } from '../../parts/money.tsx';
import { useLongPress } from '../../parts/lists/use-long-press.ts';
import { usePreferences } from '../../parts/preferences.ts';
import { transactionTexts as t } from '../../texts/en/transactions.ts';
import type { Names } from '../flow/names.ts';
import type { CellEditorProps } from './cell-editor.tsx';
import type { Rows, Whole } from './data.ts';
import type { EditedCell, Field } from './grid-keys.ts';
import type { Unfolding, Member } from './use-unfolding.ts';
import { useCurrency } from '../../api/hooks.ts';

type Editor = ComponentType<CellEditorProps>;
/** Loaded at the same time as the list, which does not wait for it: the first key finds it there. */
const editor = (async () => (await import('./cell-editor.tsx')).CellEditor)();
const late = {
  CellEditor: lazy(async () => ({ default: await editor })) as Editor,
  isLoaded: false,
};
// Once it is there it is rendered in the same step as the key, so that the next letters are typed into it.
void editor.then((loaded) => Object.assign(late, { CellEditor: loaded, isLoaded: true }));

/** A list of transactions of any length. */
export interface GridProps {
  readonly rowCount: number;
  readonly rows: Rows;
  readonly names: Names;
  readonly list: ListWindow;
  readonly frame: Frame;
  /** The place of the row that keys act on. */
  readonly active: number;
  readonly isSelected: (place: number, row: Transaction) => boolean;
  /** The cell of the active row that is edited. */
  readonly editing: EditedCell | null;
  readonly onActivate: (place: number, isOpened: boolean) => void;
  readonly onToggle: (place: number) => void;
  /** Selects all rows up to one. */
  readonly onSelectTo: (place: number) => void;
  readonly onEdit: (cell: EditedCell | null) => void;
  readonly onReview: (place: number) => void;
  readonly onSave: (valuesOf: (row: Transaction) => TransactionUpdate) => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
  /** Opens the menu of a row at a place of the window; absent where rows have none. */
  readonly onMenu?: (place: number, anchor: DOMRect) => void;
  /** The row that shows its members; absent where a list does not show them. */
  readonly unfolding?: Unfolding;
  readonly onMember?: (id: number) => void;
}

/** The sizes of its rows. */
export const gridSizes = { table: 2.25, cards: 4, cardsBelow: 38 };

const editable: readonly string[] = [
  ...['date', 'payee', 'category', 'tags', 'account', 'notes', 'amount'],
];

/** Keeps the active row in view when the list becomes lower, because a message or a bar appears below it. */
function useKeptInView(active: number, list: ListWindow, frame: Frame): void {
  const { height, rowHeight } = list;
  const last = useRef(height);
  // Not after the next key, which may have moved to another row.
  useLayoutEffect(() => {
    const below = list.topOf(active) - (frame.current?.scrollTop ?? 0);
    if (below > -rowHeight && below < last.current) list.show(active);
    last.current = height;
    // Only when the height changes: nobody is held at the active row.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [height]);
}

/**
 * The list: only the rows around the visible part are in the page. The focus stays on the grid, which names the active
 * row for screen readers.
 */
export function Grid(props: GridProps): ReactElement {
  const { rowCount, rows, names, list, active, isSelected, editing, unfolding } = props;
  const { frame, onKeyDown, onSave, onEdit } = props;
  const unfolded = unfolding?.unfolded ?? folded;
  const id = useId();
  const { first, end } = list.range;
  const places = Array.from({ length: end - first }, (_each, at) => first + at);
  const isShown = active >= first && active < end;
  useKeptInView(active, list, frame);
  const close = (): void => {
    onEdit(null);
    list.focus();
  };
  const press = (event: KeyboardEvent): void => {
    // What is typed for an editor that is not there yet must not act on rows, nor open anything.
    if (editing !== null && !late.isLoaded) event.preventDefault();
    else onKeyDown(event);
  };
  useLongPress(
    () => frame.current,
    (event) => {
      const { place } = partOf(event);
      if (place !== null) props.onToggle(place);
    },
  );
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
      onKeyDown={press}
      onClick={(event) => click(event, props)}
      onContextMenu={(event) => openMenu(event, props, `${id}-${active}`)}
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
              isSelected={row !== undefined && isSelected(place, row)}
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
function partOf({ target }: { readonly target: EventTarget | null }) {
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

/** A click activates a row and edits its cell; one on the tick marks it; Ctrl selects it, Shift all up to it. */
function click(event: MouseEvent, props: GridProps): void {
  const { place, field, isStatus, isMark, memberId } = partOf(event);
  if (memberId !== null) props.onMember?.(memberId);
  if (place === null || event.target instanceof HTMLInputElement) return;
  if (event.shiftKey || event.ctrlKey || event.metaKey) {
    if (event.shiftKey) props.onSelectTo(place);
    else props.onToggle(place);
    return;
  }
  const isEdited = field !== null && !props.list.isCards && !isMark;
  props.onActivate(place, !isEdited && !isStatus && !isMark);
  const row = props.rows(place);
  if (isMark && row !== undefined) props.unfolding?.toggle(place, row);
  if (isStatus) props.onReview(place);
  else if (isEdited) props.onEdit({ field });
}

/**
 * Opens the menu of the row under the pointer, or by a key below the active row: then the event is of the grid, which
 * has the focus. A long press of a finger selects instead.
 */
function openMenu(event: MouseEvent, props: GridProps, activeId: string): void {
  const { onMenu, list, active } = props;
  const { place } = partOf(event);
  const isByKey = event.target === event.currentTarget && event.button !== 2;
  const isInEditor = (event.target as Element).closest('input, [popover]') !== null;
  if (event.defaultPrevented || onMenu === undefined || list.isCards || isInEditor) return;
  if (place === null && !isByKey) return;
  event.preventDefault();
  if (place !== null) onMenu(place, new DOMRect(event.clientX, event.clientY));
  else onMenu(active, document.getElementById(activeId)!.getBoundingClientRect());
}

/** A row of the list. */
export interface RowProps {
  readonly id: string;
  /** Its place in the list; a member below its row has none. */
  readonly place?: number;
  /** Its place among all lines. */
  readonly line: number;
  /** Pixels from the top of the list. */
  readonly top: number;
  readonly row: Transaction | Member | undefined;
  readonly names: Names;
  readonly isActive?: boolean;
  readonly isSelected?: boolean;
  /** Whether its members are shown; null where a list does not show them. */
  readonly isUnfolded?: boolean | null;
  /** The cell that is edited in this row, and its editor. */
  readonly editing?: Field | null;
  readonly editor?: ReactNode;
}

/** A row; rendered again only when something of it changes. */
const Row = memo(function Row(props: RowProps): ReactElement {
  const { id, place, line, top, row, isActive = false, isSelected = false } = props;
  const isMember = place === undefined;
  const look = [
    'row',
    ...(isActive ? ['active'] : []),
    ...(isSelected ? ['selected'] : []),
    ...(isMember ? ['member'] : []),
    ...(row?.is_pending === true ? ['pending'] : []),
  ];
  return (
    <div
      id={id}
      role="row"
      aria-rowindex={line + 1}
      aria-selected={isMember ? undefined : isSelected}
      className={look.join(' ')}
      style={{ transform: `translateY(${top}px)` }}
      data-place={place}
      data-member={isMember ? row?.id : undefined}
    >
      {row === undefined ? (
        <div role="gridcell" className="skeleton">
          <span className="hidden">{t.loading}</span>
        </div>
      ) : (
        <Cells {...props} row={row} />
      )}
    </div>
  );
});

function Cells(props: RowProps & { readonly row: Transaction | Member }): ReactElement {
  const { row, names, editing = null, editor, isUnfolded = null } = props;
  const { locale, dates } = usePreferences();
  const category = names.categoryOf(row);
  const account = names.accountOf(row);
  const transfer = names.transferOf?.(row) ?? null;
  const isReviewed = row.status === 'reviewed';
  const cell = (field: Field, content: ReactNode): ReactElement => (
    <div role="gridcell" className={`cell ${field}`} data-field={field}>
      {editing === field ? editor : content}
    </div>
  );
  return (
    <>
      <div
        role="gridcell"
        className={`cell status ${isReviewed ? 'reviewed' : ''}`}
        data-field="status"
      >
        {isReviewed && <Icon name="check" />}
        <span className="hidden">{isReviewed ? t.reviewed : t.unreviewed}</span>
      </div>
      {cell('date', formatDate(row.date, 'medium', { locale, dates }))}
      {cell(
        'payee',
        <>
          {row.is_group_parent && <Mark icon="group" label={t.group} isOpen={isUnfolded} />}
          {row.is_pending && <Mark icon="history" label={t.pending} isOpen={null} />}
          {row.split_parent_id !== null && (
            <Mark icon="split" label={t.split} isOpen={isUnfolded} />
          )}
          <bdi className="name">{row.payee === '' ? t.noPayee : row.payee}</bdi>
          {editing !== 'notes' && row.notes !== null && <bdi className="note">{row.notes}</bdi>}
        </>,
      )}
      {editing === 'notes' && (
        <div role="gridcell" className="cell notes">
          {editor}
        </div>
      )}
      {cell(
        'category',
        category !== null ? (
          <>
            <CategoryMark name={category} look={names.lookOf(row)} />
            <bdi>{category}</bdi>
          </>
        ) : transfer !== null ? (
          <bdi className="none">{transfer}</bdi>
        ) : (
          <NoCategory row={row} names={names} />
        ),
      )}
      {cell(
        'tags',
        names.tagsOf(row).map((name) => (
          <bdi key={name} className="tag">
            {name}
          </bdi>
        )),
      )}
      {cell(
        'account',
        <>
          <bdi>{account ?? t.noAccount}</bdi>{' '}
          {transfer !== null && <bdi className="transfer">{transfer}</bdi>}
        </>,
      )}
      {cell('amount', <Money amount={row.amount} currency={row.currency} sign="debit" />)}
    </>
  );
}

function NoCategory(
  props: Pick<RowProps, 'names'> & { readonly row: Transaction | Member },
): ReactElement {
  const suggestion = props.names.suggestionOf?.(props.row) ?? null;
  if (suggestion === null) return <span className="none">{t.noCategory}</span>;
  return (
    <span className="suggestion">
      <span className="hidden">{t.suggestedCategory}</span>
      <bdi>{suggestion}</bdi>?
    </span>
  );
}

/** Says that a row is a group, a part of a split or pending; a button where the list shows the others. */
function Mark(props: {
  readonly icon: 'group' | 'history' | 'split';
  readonly label: string;
  readonly isOpen: boolean | null;
}): ReactElement {
  const { icon, label, isOpen } = props;
  const content = (
    <>
      <Icon name={icon} />
      <span className="hidden">{label}</span>
    </>
  );
  if (isOpen === null)
    return (
      <span className="mark" title={label}>
        {content}
      </span>
    );
  // The arrow keys do the same; the focus stays on the list.
  return (
    <button type="button" className="mark" title={label} tabIndex={-1} aria-expanded={isOpen}>
      {content}
    </button>
  );
}

type SelectedSumProps = Readonly<{ rows: readonly Transaction[]; whole: Whole | null }>;

/** How many transactions are selected, and their sum if they have one currency, or if it is known. */
export function SelectedSum({ rows, whole }: SelectedSumProps): ReactElement {
  const primary = useCurrency();
  const [currency = primary, ...others] = new Set(rows.map((row) => row.currency));
  const own = others.length === 0 ? sumOf(rows.map(({ amount }) => amount)) : null;
  const sum = whole === null ? own : whole.total;
  return (
    <>
      <strong>{t.selected(whole?.count ?? rows.length)}</strong>{' '}
      {sum !== null && (
        <Money amount={sum} isRounded={whole !== null} currency={currency} sign="debit" />
      )}
    </>
  );
}
