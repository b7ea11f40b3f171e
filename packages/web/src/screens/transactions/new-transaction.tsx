import type { ReactElement } from 'react';
import { useAccounts, useConnection, useCurrency } from '../../api/hooks.ts';
import { keys } from '../../api/keys.ts';
import { request } from '../../api/request.ts';
import { unsent } from '../../api/unsent.ts';
import { emptyRow, insertOf, likeLast, nextRow, transferOf } from '../../books/rows/new-row.ts';
import type { NewRow } from '../../books/rows/new-row.ts';
import type { ManualAccount, PlaidAccount } from '../../books/types.ts';
import { showToast } from '../../parts/overlays/toasts.tsx';
import { useToday } from '../../parts/preferences.ts';
import { newRowTexts as t, transactionTexts as list } from '../../texts/en/transactions.ts';
import { unsentTexts } from '../../texts/en/unsent.ts';
import { FormDialog } from '../flow/form-dialog.tsx';
import type { Draft, Row } from '../flow/form.tsx';
import { useNames, type Names } from '../flow/names.ts';
import { useOwnChanges } from '../flow/own-changes.ts';
import { PayeeField } from '../flow/payee-field.tsx';
import { TagsField } from '../flow/tags-field.tsx';

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
  const add = async (row: NewRow): Promise<void> => {
    const body = insertOf(row, currencyOf(row.account));
    const stored = await unsent.insert({ kind: 'new', id: newKey(), payee: row.payee, body });
    if (stored === null) showToast({ text: unsentTexts.kept, topic: 'unsent' });
    else await change(() => Promise.resolve(stored), t.added(row.payee));
  };
  const save = async (row: NewRow): Promise<void> => {
    if (row.direction === 'transfer') {
      const body = transferOf(row, isConverted(row, currencyOf));
      await change(() => request('POST /coffer/transfers/rows', { body }), t.moved);
    } else await add(row);
    lastAccount = row.account;
  };
  return (
    <FormDialog
      title={t.title}
      look="sheet"
      label={t.save}
      schema="TransactionInsert"
      begun={() => emptyRow(today, accountFrom(choices))}
      canSubmit={(row) => isWhole(row, currencyOf)}
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

type CurrencyOf = (account: string) => string;

/** Whether a typed transfer is between two currencies. */
function isConverted({ direction, account, to }: NewRow, currencyOf: CurrencyOf): boolean {
  return direction === 'transfer' && to !== '' && currencyOf(account) !== currencyOf(to);
}

function isWhole(row: NewRow, currencyOf: CurrencyOf): boolean {
  const { amount, date, direction, account, to, received } = row;
  if (amount === null || date === '') return false;
  if (direction !== 'transfer') return true;
  const hasEnds = account !== '' && to !== '' && account !== to;
  return hasEnds && (!isConverted(row, currencyOf) || received !== null);
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

const noAccount = { value: '', label: t.choose };
const hasId = ({ value }: Choice): boolean => value !== '';

/** What the fields choose from. */
interface Among {
  readonly names: Names;
  readonly choices: readonly Choice[];
  readonly currencyOf: (account: string) => string;
}

function fieldsOf(form: Draft<NewRow>, { names, choices, currencyOf }: Among): Row<NewRow>[] {
  const currency = currencyOf(form.draft.account);
  const isTransfer = form.draft.direction === 'transfer';
  const received = currencyOf(form.draft.to);
  return [
    {
      name: 'amount',
      label: `${list.columns.amount} (${currency.toUpperCase()})`,
      hint: t.amountHint,
      kind: 'amount',
      currency,
    },
    { name: 'direction', label: t.direction, kind: 'segments', options: t.directions },
    !isTransfer && (
      <PayeeField
        key="payee"
        {...form}
        label={list.columns.payee}
        onLatest={(latest) => form.change(likeLast(latest))}
        onKnown={({ category_id }) => form.change({ category_id })}
      />
    ),
    !isTransfer && {
      name: 'category_id',
      label: list.columns.category,
      kind: 'category',
      categories: names.categories,
      placeholder: list.noCategory,
    },
    isTransfer && [
      { name: 'account', label: t.from, kind: 'choice', options: choices },
      { name: 'to', label: t.to, kind: 'choice', options: [noAccount, ...choices.filter(hasId)] },
    ],
    isConverted(form.draft, currencyOf) && {
      name: 'received',
      label: t.received(received.toUpperCase()),
      kind: 'amount',
      currency: received,
      at: 'received_amount',
    },
    isTransfer
      ? { name: 'date', label: list.columns.date, kind: 'date' }
      : [
          { name: 'account', label: list.columns.account, kind: 'choice', options: choices },
          { name: 'date', label: list.columns.date, kind: 'date' },
        ],
    {
      more: t.more,
      rows: [
        { name: 'notes', label: list.columns.notes },
        !isTransfer && <TagsField key="tags" {...form} label={list.columns.tags} names={names} />,
      ],
    },
  ];
}
