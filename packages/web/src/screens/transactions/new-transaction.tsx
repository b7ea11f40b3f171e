import { useState, type ReactElement } from 'react';
import { latestOf, useAccounts, useConnection, useCurrency, usePayees } from '../../api/hooks.ts';
import { keys } from '../../api/keys.ts';
import { unsent } from '../../api/unsent.ts';
import { emptyRow, insertOf, likeLast, nextRow, type NewRow } from '../../books/rows/new-row.ts';
import type { ManualAccount, PlaidAccount } from '../../books/types.ts';
import { Combobox } from '../../parts/fields/combobox.tsx';
import { Line } from '../../parts/fields/fields.tsx';
import { Icon } from '../../parts/icon.tsx';
import { showToast } from '../../parts/overlays/toasts.tsx';
import { useToday } from '../../parts/preferences.ts';
import { newRowTexts as t, transactionTexts as list } from '../../texts/en/transactions.ts';
import { unsentTexts } from '../../texts/en/unsent.ts';
import { useCreating } from '../flow/create.ts';
import { FormDialog } from '../flow/form-dialog.tsx';
import type { Draft, Row } from '../flow/form.tsx';
import { useNames, type Names } from '../flow/names.ts';
import { useOwnChanges } from '../flow/own-changes.ts';

/** The account that was used last, with which the next form begins. */
let lastAccount: string | null = null;

/** An account that a new transaction can be in. */
interface Choice {
  readonly value: string;
  readonly label: string;
  readonly currency: string;
}

/** Adds a transaction by hand, or several. */
export function NewTransaction({ onClose }: { readonly onClose: () => void }): ReactElement | null {
  const today = useToday();
  const names = useNames();
  const { data: accounts } = useAccounts();
  const primary = useCurrency();
  const { change } = useOwnChanges(keys.transactions, keys.accounts, keys.payees, keys.budgets);
  const { isOffline } = useConnection();
  if (accounts === undefined && !isOffline) return null;
  const none = { value: '', label: list.noAccount, currency: primary };
  const { manual = [], plaid = [] } = accounts ?? {};
  const choices = [...manual.flatMap(ofManual), ...plaid.flatMap(ofPlaid), none];
  const currencyOf = (account: string): string =>
    choices.find(({ value }) => value === account)?.currency ?? primary;
  const save = async (row: NewRow): Promise<void> => {
    const body = insertOf(row, currencyOf(row.account));
    const stored = await unsent.insert({ kind: 'new', id: newKey(), payee: row.payee, body });
    lastAccount = row.account;
    if (stored === null) showToast({ text: unsentTexts.kept, topic: 'unsent' });
    else await change(() => Promise.resolve(stored), t.added(row.payee));
  };
  return (
    <FormDialog
      title={t.title}
      look="sheet"
      label={t.save}
      schema="TransactionInsert"
      begun={() => emptyRow(today, accountFrom(choices))}
      canSubmit={({ amount, date }) => amount !== null && date !== ''}
      fields={(form) => fieldsOf(form, { names, choices, currencyOf })}
      save={save}
      another={{ label: t.another, next: nextRow }}
      onClose={onClose}
    />
  );
}

/** Random, also where the page has no secure context. */
function newKey(): string {
  return [...crypto.getRandomValues(new Uint32Array(4))].map((part) => part.toString(36)).join('-');
}

function accountFrom(choices: readonly Choice[]): string {
  const isThere = choices.some(({ value }) => value === lastAccount);
  return isThere ? lastAccount! : (choices[0]?.value ?? '');
}

function ofManual({ id, name, display_name, currency, status }: ManualAccount): Choice[] {
  if (status === 'closed') return [];
  return [{ value: `manual:${id}`, label: display_name ?? name, currency }];
}

function ofPlaid(account: PlaidAccount): Choice[] {
  const { id, name, display_name, currency, allow_transaction_modifications: can } = account;
  return can ? [{ value: `plaid:${id}`, label: display_name ?? name, currency }] : [];
}

/** What the fields choose from. */
interface Among {
  readonly names: Names;
  readonly choices: readonly Choice[];
  readonly currencyOf: (account: string) => string;
}

function fieldsOf(form: Draft<NewRow>, { names, choices, currencyOf }: Among): Row<NewRow>[] {
  const currency = currencyOf(form.draft.account);
  return [
    {
      name: 'amount',
      label: `${list.columns.amount} (${currency.toUpperCase()})`,
      hint: t.amountHint,
      kind: 'amount',
      currency,
    },
    { name: 'direction', label: t.direction, kind: 'segments', options: t.directions },
    <PayeeField key="payee" {...form} />,
    {
      name: 'category_id',
      label: list.columns.category,
      kind: 'category',
      categories: names.categories,
      placeholder: list.noCategory,
    },
    [
      { name: 'account', label: list.columns.account, kind: 'choice', options: choices },
      { name: 'date', label: list.columns.date, kind: 'date' },
    ],
    {
      more: t.more,
      rows: [
        { name: 'notes', label: list.columns.notes },
        <TagsField key="tags" {...form} names={names} />,
      ],
    },
  ];
}

/** The payee, whose last transaction fills in category, account and direction. */
function PayeeField({ draft, change }: Draft<NewRow>): ReactElement {
  const [typed, setTyped] = useState('');
  const { data: payees = [] } = usePayees(typed, typed !== '');
  const set = (text: string): void => change({ payee: text.trim() || null });
  const fill = async (payee: string): Promise<void> => {
    set(payee);
    const last = payee === '' ? null : await latestOf(payee).catch(() => null);
    if (last !== null) change(likeLast(last));
  };
  return (
    <Line id={null} label={list.columns.payee}>
      <Combobox
        label={list.columns.payee}
        text={draft.payee ?? ''}
        options={payees.map(({ payee }) => ({ id: payee, name: payee }))}
        onType={(text) => {
          setTyped(text);
          set(text);
        }}
        onChoose={(option) => void fill(option?.name ?? '')}
        onCreate={set}
      />
    </Line>
  );
}

/** The tags, each with a way to remove it. */
function TagsField(props: Draft<NewRow> & { readonly names: Names }): ReactElement {
  const { draft, change, names } = props;
  const creating = useCreating();
  const chosen = names.tags.filter(({ id }) => draft.tag_ids.includes(id));
  const add = (id: number): void => change({ tag_ids: [...new Set([...draft.tag_ids, id])] });
  const without = (id: number): void =>
    change({ tag_ids: draft.tag_ids.filter((each) => each !== id) });
  return (
    <Line id={null} label={list.columns.tags}>
      {chosen.length > 0 && (
        <ul className="chips">
          {chosen.map(({ id, name }) => (
            <li key={id}>
              <button type="button" className="chip" onClick={() => without(id)}>
                <bdi>{name}</bdi>
                <Icon name="close" />
                <span className="hidden">{list.clear}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
      <Combobox
        key={chosen.length}
        label={list.columns.tags}
        options={names.tags.filter(({ id, archived }) => !archived && !draft.tag_ids.includes(id))}
        onChoose={(tag) => tag !== null && add(tag.id)}
        onCreate={(name) => creating.tag(name, add)}
      />
    </Line>
  );
}
