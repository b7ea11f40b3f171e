import { useState, type KeyboardEvent, type ReactElement } from 'react';
import { formatMoney, parseTypedAmount } from '../../books/formats/money.ts';
import type { Preferences } from '../../books/formats/preferences.ts';
import { dayByArrow, readTypedDate, writeTypedDate } from '../../books/formats/typed-date.ts';
import { accountIdIn, toggled } from '../../books/rows/rows.ts';
import type { Transaction, TransactionUpdate } from '../../books/types.ts';
import { CategoryPicker, Combobox } from '../../parts/fields/combobox.tsx';
import { usePreferences } from '../../parts/preferences.ts';
import { transactionTexts as t } from '../../texts/en/transactions.ts';
import { useCreating } from '../flow/create.ts';
import type { Names } from '../flow/names.ts';
import { usePayeeOptions } from '../flow/payee-field.tsx';
import type { Field } from './grid-keys.ts';

/** An editor in a cell of a row. */
export interface CellEditorProps {
  readonly field: Field;
  readonly row: Transaction;
  readonly names: Names;
  /** Returns the new values of each transaction that is edited. */
  readonly onSave: (valuesOf: (row: Transaction) => TransactionUpdate) => void;
  readonly onCancel: () => void;
}

/** Edits one value of a transaction: Enter saves, Esc and leaving the field do not. */
export function CellEditor(props: CellEditorProps): ReactElement {
  const { field, row, names, onSave, onCancel } = props;
  const creating = useCreating();
  if (field === 'category')
    return (
      <CategoryPicker
        hasFocus
        label={t.columns.category}
        categories={names.categories}
        categoryId={row.category_id}
        onChoose={(id) => onSave(() => ({ category_id: id }))}
        onCreate={(name) => creating.category(name, (id) => onSave(() => ({ category_id: id })))}
        onCancel={onCancel}
      />
    );
  if (field === 'tags')
    return (
      <Combobox
        hasFocus
        label={t.columns.tags}
        options={names.tags.filter(({ archived }) => !archived)}
        onChoose={(tag) => {
          if (tag === null) onCancel();
          else onSave((each) => ({ tag_ids: toggled(each.tag_ids, tag.id) }));
        }}
        onCreate={(name) =>
          creating.tag(name, (id) => onSave((each) => ({ tag_ids: [...each.tag_ids, id] })))
        }
        onCancel={onCancel}
      />
    );
  if (field === 'account')
    return (
      <Combobox
        hasFocus
        label={t.columns.account}
        text={names.accountOf(row) ?? ''}
        options={[...names.accounts].map(([id, name]) => ({ id, name }))}
        onChoose={(account) => onSave(() => accountValues(account?.id ?? ''))}
        onCreate={(name) =>
          creating.account(name, row.currency, (id) => onSave(() => accountValues(`manual:${id}`)))
        }
        onCancel={onCancel}
      />
    );
  if (field === 'payee') return <PayeeEditor {...props} />;
  return <TextEditor {...props} />;
}

/** The account with a key such as `manual:1`; none for an empty one. */
function accountValues(key: string): TransactionUpdate {
  return { manual_account_id: null, plaid_account_id: null, ...accountIdIn(key) };
}

/** Suggests payees of the book; one without a category gets the one that was last used for the payee. */
function PayeeEditor({ row, onSave, onCancel }: CellEditorProps): ReactElement {
  // Enter without typing keeps the payee: it is the first option.
  const [text, setText] = useState(row.payee);
  const known = usePayeeOptions(text, true);
  const typed = text.trim();
  const isKnown = known.some(({ name }) => name === typed);
  const options =
    typed === '' || isKnown ? known : [{ id: typed, name: typed, payee: null }, ...known];
  return (
    <Combobox
      hasFocus
      label={t.columns.payee}
      text={row.payee}
      options={options}
      onType={setText}
      onOther={(payee) => onSave(() => ({ payee }))}
      onChoose={(option) => {
        if (option === null) onCancel();
        else onSave((each) => payeeValues(each, option.name, option.payee?.category_id ?? null));
      }}
      onCancel={onCancel}
    />
  );
}

function payeeValues(row: Transaction, payee: string, category: number | null): TransactionUpdate {
  const isFilled = row.category_id !== null || category === null;
  return isFilled ? { payee } : { payee, category_id: category };
}

/** Notes, a date or an amount. The arrow keys move a date by days. */
function TextEditor({ field, row, onSave, onCancel }: CellEditorProps): ReactElement {
  const format = usePreferences();
  const [text, setText] = useState(() => startOf(field, row, format));
  const values = valuesOf(field, text, format);
  const press = (event: KeyboardEvent): void => {
    const next = dayByArrow(event.key, values?.date ?? '');
    if (next !== null) setText(writeTypedDate(next, format));
    else if (event.key !== 'Enter' && event.key !== 'Escape') return;
    event.preventDefault();
    event.stopPropagation();
    if (event.key === 'Escape') onCancel();
    else if (event.key === 'Enter' && values !== null) onSave(() => values);
  };
  return (
    <input
      className="input"
      inputMode={field === 'amount' ? 'decimal' : 'text'}
      aria-label={t.columns[field]}
      aria-invalid={values === null ? true : undefined}
      autoComplete="off"
      autoFocus
      onFocus={({ currentTarget }) => currentTarget.select()}
      value={text}
      onChange={({ currentTarget: { value } }) => setText(value)}
      onKeyDown={press}
      onBlur={onCancel}
    />
  );
}

function startOf(field: Field, row: Transaction, format: Preferences): string {
  if (field === 'date') return writeTypedDate(row.date, format);
  if (field === 'notes') return row.notes ?? '';
  const { locale } = format;
  return formatMoney(row.amount, { locale, currency: row.currency, hasCurrency: false });
}

/** The values that a text means; null when it is no date, or no amount. */
function valuesOf(field: Field, text: string, format: Preferences): TransactionUpdate | null {
  if (field === 'notes') return { notes: text.trim() === '' ? null : text.trim() };
  if (field === 'amount') {
    const amount = parseTypedAmount(text, format.locale);
    return amount === null ? null : { amount };
  }
  const date = readTypedDate(text, format, true);
  return date === null ? null : { date };
}
