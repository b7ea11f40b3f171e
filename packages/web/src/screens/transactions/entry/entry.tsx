import { useQuery, keepPreviousData } from '@tanstack/react-query';
import type { ReactElement, ReactNode } from 'react';
import { keys } from '../../../api/keys.ts';
import { request } from '../../../api/request.ts';
import type { Transaction } from '../../../api/types.ts';
import { formatDate, formatTime } from '../../../books/formats/dates.ts';
import { Button } from '../../../parts/button.tsx';
import { Money } from '../../../parts/money.tsx';
import { usePreferences } from '../../../parts/preferences.ts';
import { entryTexts as t, transactionTexts as list } from '../../../texts/en/transactions.ts';
import { useEditing } from '../list/use-editing.ts';
import type { Names } from '../list/use-names.ts';
import { EntryHistory } from './entry-history.tsx';
import { Files } from './files.tsx';
import { Members } from './members.tsx';

/** One transaction. */
export interface EntryProps {
  /** Null when none is selected. */
  readonly id: number | null;
  readonly names: Names;
  /** On a phone it fills the screen, because the URL names it. */
  readonly isPage: boolean;
  readonly onClose: () => void;
  readonly onSplit: (row: Transaction) => void;
}

/** The selected entry: all fields, parts or members, files, and its history. */
export function Entry(props: EntryProps): ReactElement {
  const { id, onClose } = props;
  const { data } = useQuery({
    queryKey: keys.transaction(id ?? 0),
    queryFn: ({ signal }) => request<Transaction>('GET', `/v2/transactions/${id}`, { signal }),
    enabled: id !== null,
    placeholderData: keepPreviousData,
  });
  return (
    <aside className="entry" aria-label={t.title}>
      <Button className="entry-back" look="quiet" icon="chevron-left" onClick={onClose}>
        {list.back}
      </Button>
      {data === undefined ? <p className="hint">{t.choose}</p> : <Details {...props} row={data} />}
    </aside>
  );
}

type DetailsProps = EntryProps & { readonly row: Transaction };

function Details(props: DetailsProps): ReactElement {
  const { row, names } = props;
  return (
    <>
      <header>
        <h2>
          <bdi>{row.payee === '' ? list.noPayee : row.payee}</bdi>
        </h2>
        <p className="entry-amount">
          <Money amount={row.amount} currency={row.currency} sign="debit" />
        </p>
      </header>
      <Facts row={row} names={names} />
      <Actions {...props} />
      <Members row={row} names={names} />
      <Files row={row} />
      <EntryHistory id={row.id} names={names} />
    </>
  );
}

function Facts({ row, names }: Pick<DetailsProps, 'row' | 'names'>): ReactElement {
  const format = usePreferences();
  const { columns } = list;
  const facts: readonly (readonly [name: string, value: string | null])[] = [
    [columns.date, formatDate(row.date, 'medium', format)],
    [columns.category, names.categoryOf(row) ?? list.noCategory],
    [columns.account, names.accountOf(row) ?? list.noAccount],
    [columns.tags, row.tag_ids.length > 0 ? names.tagsOf(row).join(', ') : null],
    [columns.notes, row.notes],
    [t.original, row.original_name === row.payee ? null : row.original_name],
    [list.status, row.status === 'reviewed' ? list.reviewed : list.unreviewed],
    [t.source, row.source],
    [t.created, formatTime(row.created_at, format)],
  ];
  return (
    <dl className="facts">
      {facts.map(
        ([name, value]) =>
          value !== null && (
            <Fact key={name} name={name}>
              {value}
            </Fact>
          ),
      )}
    </dl>
  );
}

function Actions({ row, onSplit, onClose }: DetailsProps): ReactElement {
  const { remove, attempt, save } = useEditing();
  const isPart = row.split_parent_id !== null || row.is_split_parent;
  const isGroup = row.is_group_parent;
  const dissolve = (): void => {
    const id = row.split_parent_id ?? row.id;
    const path = `/v2/transactions/${isGroup ? 'group' : 'split'}/${id}`;
    void attempt(() => request('DELETE', path), list.undone);
  };
  return (
    <div className="actions">
      {row.status !== 'reviewed' && (
        <Button icon="check" onClick={() => void save([row], () => ({ status: 'reviewed' }))}>
          {list.markReviewed}
        </Button>
      )}
      {isPart || isGroup ? (
        <Button icon="undo" onClick={dissolve}>
          {isGroup ? t.ungroup : t.unsplit}
        </Button>
      ) : (
        <>
          <Button icon="split" onClick={() => onSplit(row)}>
            {t.splitAction}
          </Button>
          <Button
            icon="trash"
            look="danger"
            onClick={() => {
              onClose();
              void remove([row.id]);
            }}
          >
            {t.remove}
          </Button>
        </>
      )}
    </div>
  );
}

function Fact({
  name,
  children,
}: {
  readonly name: string;
  readonly children: ReactNode;
}): ReactElement {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <bdi>{children}</bdi>
      </dd>
    </div>
  );
}
