import { memo } from 'react';
import type { ReactElement, ReactNode } from 'react';
import type { Transaction } from '../../../api/types.ts';
import { formatDate } from '../../../books/formats/dates.ts';
import { Icon } from '../../../parts/icon.tsx';
import { Money } from '../../../parts/money.tsx';
import { usePreferences } from '../../../parts/preferences.ts';
import { transactionTexts as t } from '../../../texts/en/transactions.ts';
import type { Names } from './use-names.ts';

/** The columns whose cells can be edited. */
export type Field = 'date' | 'payee' | 'category' | 'tags' | 'notes' | 'amount';

/** A row of the list. */
export interface RowProps {
  readonly id: string;
  readonly place: number;
  /** Pixels from the top of the list. */
  readonly top: number;
  readonly row: Transaction | undefined;
  readonly names: Names;
  readonly isActive: boolean;
  readonly isSelected: boolean;
  /** The cell that is edited in this row, and its editor. */
  readonly editing: Field | null;
  readonly editor: ReactNode;
}

/** A row; rendered again only when something of it changes. */
export const Row = memo(function Row(props: RowProps): ReactElement {
  const { id, place, top, row, isActive, isSelected } = props;
  const look = [
    'row',
    ...(isActive ? ['active'] : []),
    ...(isSelected ? ['selected'] : []),
    ...(row?.is_pending === true ? ['pending'] : []),
  ];
  return (
    <div
      id={id}
      role="row"
      aria-rowindex={place + 1}
      aria-selected={isSelected}
      className={look.join(' ')}
      style={{ transform: `translateY(${top}px)` }}
      data-place={place}
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

function Cells(props: RowProps & { readonly row: Transaction }): ReactElement {
  const { row, names, editing, editor } = props;
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
          {row.is_group_parent && <Mark icon="group" label={t.group} />}
          {row.is_pending && <Mark icon="history" label={t.pending} />}
          {row.split_parent_id !== null && <Mark icon="split" label={t.split} />}
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

function NoCategory(props: { readonly row: Transaction; readonly names: Names }): ReactElement {
  const suggestion = props.names.suggestionOf?.(props.row) ?? null;
  if (suggestion === null) return <span className="none">{t.noCategory}</span>;
  return (
    <span className="suggestion">
      <span className="hidden">{t.suggested}</span>
      <bdi>{suggestion}</bdi>?
    </span>
  );
}

function Mark(props: {
  readonly icon: 'group' | 'history' | 'split';
  readonly label: string;
}): ReactElement {
  return (
    <span className="mark" title={props.label}>
      <Icon name={props.icon} />
      <span className="hidden">{props.label}</span>
    </span>
  );
}
