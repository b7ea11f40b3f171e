import { memo } from 'react';
import type { ReactElement, ReactNode } from 'react';
import type { Transaction, TransactionUpdate } from '../../../api/types.ts';
import { formatDate } from '../../../books/formats/dates.ts';
import { Icon } from '../../../parts/icon.tsx';
import { Money } from '../../../parts/money.tsx';
import { usePreferences } from '../../../parts/preferences.ts';
import { transactionTexts as t } from '../../../texts/en/transactions.ts';
import type { Names } from './use-names.ts';
import type { Member } from './use-unfolding.ts';

/** The columns whose cells can be edited. */
export type Field = 'date' | 'payee' | 'category' | 'tags' | 'notes' | 'amount';

/** A cell of the active row that is edited. */
export interface EditedCell {
  readonly field: Field;
  /** The values to begin with in place of those of the row: what was refused before. */
  readonly values?: TransactionUpdate;
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
export const Row = memo(function Row(props: RowProps): ReactElement {
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
        category === null ? <NoCategory row={row} names={names} /> : <bdi>{category}</bdi>,
      )}
      {cell(
        'tags',
        names.tagsOf(row).map((name) => (
          <bdi key={name} className="tag">
            {name}
          </bdi>
        )),
      )}
      <div role="gridcell" className="cell account">
        <bdi>{account ?? t.noAccount}</bdi>
      </div>
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
      <span className="hidden">{t.suggested}</span>
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
