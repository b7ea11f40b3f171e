import { useRef, useState, type ReactElement, type ReactNode } from 'react';
import { useTransaction, useRead } from '../../api/hooks.ts';
import { keys } from '../../api/keys.ts';
import { request } from '../../api/request.ts';
import { formatDate, formatTime } from '../../books/formats/dates.ts';
import type { Transaction, TransactionChange } from '../../books/types.ts';
import { Button } from '../../parts/button.tsx';
import { Money } from '../../parts/money.tsx';
import { LetterMark } from '../../parts/category-mark.tsx';
import { usePageKey } from '../../parts/keys.ts';
import { usePreferences } from '../../parts/preferences.ts';
import { entryTexts as t, transactionTexts as list } from '../../texts/en/transactions.ts';
import type { Names } from '../flow/names.ts';
import { CellEditor, type CellEditorProps } from './cell-editor.tsx';
import { EntryButtons, useRowEntries } from './row-entries.tsx';
import { otherAccount, useTransfers } from './transfers.ts';
import { useEditing } from './use-editing.ts';

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
  const { data } = useTransaction(id, true);
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
        <h2 className="entry-payee">
          <LetterMark name={row.payee} />
          <EditedFact field="payee" {...{ row, names }} value={row.payee} />
        </h2>
        <p className="entry-amount">
          <EditedFact field="amount" {...{ row, names }} value={row.amount}>
            <Money amount={row.amount} currency={row.currency} sign="debit" />
          </EditedFact>
        </p>
      </header>
      <Facts row={row} names={names} />
      <Actions {...props} />
      <Members row={row} names={names} />
      <Files row={row} isShown={row.id === props.id} />
      <EntryHistory id={row.id} names={names} />
    </>
  );
}

/** The values of a transaction; a click on one edits it in its place. */
function Facts({ row, names }: Pick<DetailsProps, 'row' | 'names'>): ReactElement {
  const format = usePreferences();
  const { columns } = list;
  const original = row.original_name === row.payee ? null : row.original_name;
  const status = row.status === 'reviewed' ? list.reviewed : list.unreviewed;
  const transfer = useTransfers([row]).get(row.id);
  const facts: readonly (readonly [field: EditedField, value: string | null])[] = [
    ['date', formatDate(row.date, 'medium', format)],
    ['category', names.categoryOf(row)],
    ['account', names.accountOf(row)],
    ['tags', names.tagsOf(row).join(', ')],
    ['notes', row.notes],
  ];
  return (
    <dl className="facts">
      {facts.map(([field, value]) => (
        <Fact key={field} name={columns[field]}>
          <EditedFact {...{ field, row, names, value }} />
        </Fact>
      ))}
      {transfer !== undefined && (
        <Fact name={t.transfer}>{otherAccount(transfer, row.id, names)}</Fact>
      )}
      {original !== null && <Fact name={t.original}>{original}</Fact>}
      <Fact name={list.status}>{status}</Fact>
      <Fact name={t.source}>{row.source}</Fact>
      <Fact name={t.created}>{formatTime(row.created_at, format)}</Fact>
    </dl>
  );
}

type EditedField = CellEditorProps['field'];

/** What a part of a split has from the whole, and a group from its members. */
const ofPart: readonly EditedField[] = ['date', 'account'];
const ofGroup: readonly EditedField[] = ['amount', 'account'];

/** A value, which a click edits in its place. */
function EditedFact(props: {
  readonly field: EditedField;
  readonly row: Transaction;
  readonly names: Names;
  readonly value: string | null;
  /** The value as it is shown; the text itself by default. */
  readonly children?: ReactNode;
}): ReactElement {
  const { field, row, names } = props;
  const value = props.value ?? '';
  const shown = props.children ?? <bdi>{value === '' ? list.none[field] : value}</bdi>;
  const { save } = useEditing();
  const [isEdited, setIsEdited] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const close = (): void => {
    setIsEdited(false);
    // The button comes back in the next step.
    setTimeout(() => button.current?.focus());
  };
  const isOfOthers =
    (row.split_parent_id !== null && ofPart.includes(field)) ||
    (row.is_group_parent && ofGroup.includes(field));
  if (isOfOthers) return <>{shown}</>;
  if (isEdited)
    return (
      <CellEditor
        {...{ field, row, names }}
        onCancel={() => setIsEdited(false)}
        onSave={(valuesOf) => {
          close();
          void save([row], valuesOf);
        }}
      />
    );
  return (
    <button
      ref={button}
      type="button"
      className={value === '' ? 'edited-fact none' : 'edited-fact'}
      title={t.edit(list.columns[field])}
      onClick={() => setIsEdited(true)}
    >
      {shown}
    </button>
  );
}

function Actions({ row, onSplit, onClose }: DetailsProps): ReactElement {
  return (
    <div className="actions">
      <EntryButtons entries={useRowEntries(row, onSplit, onClose)} />
    </div>
  );
}

function Fact(props: { readonly name: string; readonly children: ReactNode }): ReactElement {
  return (
    <div>
      <dt>{props.name}</dt>
      <dd>
        <bdi>{props.children}</bdi>
      </dd>
    </div>
  );
}

/** The parts of the split that a transaction belongs to, or the members of a group. */
function Members({ row, names }: Pick<DetailsProps, 'row' | 'names'>): ReactElement | null {
  const parentId = row.split_parent_id;
  const { data: parent } = useTransaction(parentId);
  const children = (parentId === null ? row : parent)?.children ?? [];
  if (children.length === 0) return null;
  return (
    <section>
      <h3>{row.is_group_parent ? t.members : t.parts}</h3>
      <ul className="members">
        {children.map((child) => (
          <li key={child.id} aria-current={child.id === row.id ? 'true' : undefined}>
            <bdi>{names.categoryOf(child) ?? child.payee}</bdi>
            <Money amount={child.amount} currency={child.currency} sign="debit" />
            {child.notes !== null && <small>{child.notes}</small>}
            {names.categoryOf(child) === null && <small>{list.noCategory}</small>}
          </li>
        ))}
      </ul>
    </section>
  );
}

const deletion = 'DELETE /v2/transactions/attachments/{file_id}';

/** The files of a transaction: attach, download, delete. */
function Files(props: {
  readonly row: Transaction;
  /** False while another transaction has been chosen and is read. */
  readonly isShown: boolean;
}): ReactElement {
  const { row, isShown } = props;
  const { attempt } = useEditing();
  const input = useRef<HTMLInputElement>(null);
  const choose = (): void => input.current?.click();
  usePageKey('f', isShown ? choose : null);
  const attach = async (files: readonly File[]): Promise<void> => {
    for (const file of files) {
      const body = new FormData();
      body.append('file', file);
      const path = { transaction_id: row.id };
      await attempt(
        () => request('POST /v2/transactions/{transaction_id}/attachments', { path, body }),
        t.attached,
      );
    }
  };
  const open = async (id: number): Promise<void> => {
    const { url } = await request('GET /v2/transactions/attachments/{file_id}', {
      path: { file_id: id },
    });
    // The link names the address that the server knows; the browser may have reached it by another name.
    const { pathname, search } = new URL(url);
    location.assign(pathname + search);
  };
  return (
    <section
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        event.stopPropagation();
        void attach([...event.dataTransfer.files]);
      }}
    >
      <h3>{t.files}</h3>
      <ul className="files">
        {(row.files ?? []).map(({ id, name }) => (
          <li key={id}>
            <Button look="quiet" icon="download" onClick={() => void attempt(() => open(id))}>
              <bdi>{name}</bdi>
            </Button>
            <Button
              look="quiet"
              icon="trash"
              aria-label={t.removeFile(name)}
              onClick={() => void attempt(() => request(deletion, { path: { file_id: id } }))}
            />
          </li>
        ))}
      </ul>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        onChange={({ currentTarget }) => {
          void attach([...(currentTarget.files ?? [])]);
        }}
      />
      <Button look="quiet" icon="clip" onClick={choose}>
        {t.attach}
      </Button>
    </section>
  );
}

/** What happened to a transaction, the newest first, each with its undo. */
function EntryHistory({ id, names }: { readonly id: number; readonly names: Names }): ReactElement {
  const format = usePreferences();
  const { undoVersion } = useEditing();
  const { data } = useRead(keys.transactions, 'GET /coffer/transactions/{id}/history', {
    path: { id },
  });
  return (
    <section>
      <h3>{t.history}</h3>
      <ol className="changes">
        {(data?.history ?? []).map((change) => (
          <li key={change.version} className={change.undone_by === null ? '' : 'undone'}>
            <span>
              <strong>{t.kinds[change.kind]}</strong> {changesOf(change, names)}
            </span>
            <small>{formatTime(change.at, format)}</small>
            {change.undone_by === null && change.kind !== 'made' && (
              <Button
                look="quiet"
                icon="undo"
                aria-label={t.undoThis}
                onClick={() => void undoVersion(change.version)}
              />
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}

const labels: Readonly<Record<string, string>> = {
  ...list.columns,
  category_id: list.columns.category,
  status: list.status,
};

/** The values that a change gave, in words. */
function changesOf({ kind, before, after }: TransactionChange, names: Names): string {
  if (kind !== 'changed') return '';
  const shown = (column: string, value: unknown): string => {
    if (column === 'category_id')
      return names.categoryOf({ category_id: value as number | null }) ?? list.noCategory;
    return typeof value === 'string' || typeof value === 'number' ? String(value) : '–';
  };
  return Object.keys(after ?? {})
    .filter((column) => column in labels)
    .map(
      (column) =>
        `${labels[column]}: ${shown(column, before?.[column])} → ${shown(column, after?.[column])}`,
    )
    .join('; ');
}
