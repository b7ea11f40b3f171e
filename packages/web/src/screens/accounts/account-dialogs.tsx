import { useState, type ReactElement } from 'react';
import { useCurrency } from '../../api/hooks.ts';
import { keys } from '../../api/keys.ts';
import { request } from '../../api/request.ts';
import { layBalances } from '../../books/accounts/balances.ts';
import { isDebt, countedAs, type Holding } from '../../books/accounts/holdings.ts';
import { formatDate } from '../../books/formats/dates.ts';
import type { ManualAccount } from '../../books/types.ts';
import { CheckField, SelectField } from '../../parts/fields/fields.tsx';
import { Table } from '../../parts/lists/table.tsx';
import { Money } from '../../parts/money.tsx';
import { Dialog } from '../../parts/overlays/dialog.tsx';
import { usePreferences } from '../../parts/preferences.ts';
import { accountsTexts as t } from '../../texts/en/accounts.ts';
import { currenciesWith } from '../flow/currencies.ts';
import { Loaded } from '../flow/loaded.tsx';
import { useOwnChanges } from '../flow/own-changes.ts';
import { FormDialog } from '../flow/form-dialog.tsx';
import { Confirmed } from '../flow/submitting.tsx';
import { useMonthBalances, useTransactionCount } from './data.ts';
import type { AccountInsert, AllAccounts } from './data.ts';

const types = [
  ...['cash', 'credit', 'investment', 'loan', 'real estate', 'vehicle'],
  ...['cryptocurrency', 'employee compensation', 'other asset', 'other liability'],
].map((value) => ({ value, label: t.types[value] ?? value }));

type AccountFormProps = Readonly<{ account?: ManualAccount; onClose: () => void }>;

/** A dialog that creates or changes a manual account. */
export function AccountForm({ account, onClose }: AccountFormProps): ReactElement {
  const currency = useCurrency();
  const { change } = useOwnChanges(keys.accounts);
  return (
    <FormDialog
      title={account === undefined ? t.add : t.edit}
      schema="ManualAccountInsert"
      begun={() => begun(account, currency)}
      fields={({ draft }) => [
        { name: 'name', label: t.form.name },
        { name: 'institution_name', label: t.form.institution },
        { name: 'type', label: t.form.type, kind: 'choice', options: types },
        [
          {
            name: 'balance',
            label: isDebt(draft.type) ? t.form.owed : t.form.balance,
            kind: 'amount',
            ...{ currency: draft.currency, places: 4 },
          },
          {
            name: 'currency',
            label: t.form.currency,
            kind: 'choice',
            options: currenciesWith(draft.currency),
          },
        ],
        { name: 'exclude_from_transactions', label: t.form.hide, kind: 'check' },
      ]}
      save={(values) => {
        if (account === undefined) {
          const create = () => request('POST /v2/manual_accounts', { body: values });
          return change(create, t.created(values.name));
        }
        const [path, body] = [{ id: account.id }, changesOf(account, values)];
        const write = () => request('PUT /v2/manual_accounts/{id}', { path, body });
        return change(write, t.changed(values.name));
      }}
      onClose={onClose}
    />
  );
}

function begun(account: ManualAccount | undefined, currency: string) {
  return {
    name: account?.display_name ?? account?.name ?? '',
    institution_name: account?.institution_name ?? null,
    type: account?.type ?? 'cash',
    currency: (account?.currency ?? currency) as NonNullable<AccountInsert['currency']>,
    balance: account?.balance ?? '0',
    exclude_from_transactions: account?.exclude_from_transactions ?? false,
  };
}

/** What differs: a balance that is sent counts as read now. The name that is shown is the one that changes. */
function changesOf(account: ManualAccount, { balance, name, ...values }: AccountInsert): object {
  const isSame = Number(balance) === Number(account.balance);
  const shown = account.display_name === null ? { name } : { display_name: name };
  return { ...values, ...shown, ...(!isSame && { balance }) };
}

interface MonthValue {
  readonly month: string;
  readonly amount: string;
  readonly currency: string;
}

/** A dialog about an account. */
export interface HoldingDialogProps {
  readonly holding: Holding;
  readonly onClose: () => void;
}

/** The balances of an account by month as a line, and as a table. */
export function BalanceHistory({ holding, onClose }: HoldingDialogProps): ReactElement {
  const balances = useMonthBalances(holding);
  return (
    <Dialog title={`${t.history}: ${holding.name}`} look="wide" onClose={onClose}>
      <Loaded query={balances}>
        {(all) =>
          all.length === 0 ? (
            <p className="nothing">{t.balances.none}</p>
          ) : (
            <Months
              label={t.balances.label(holding.name)}
              months={all.map(({ month, balance, currency }) => ({
                month,
                currency,
                amount: countedAs(holding.type, balance),
              }))}
            />
          )
        }
      </Loaded>
    </Dialog>
  );
}

interface MonthsProps {
  readonly label: string;
  readonly months: readonly MonthValue[];
}

function Months({ label, months }: MonthsProps): ReactElement {
  const preferences = usePreferences();
  const first = months[0]!;
  const last = months.at(-1)!;
  return (
    <>
      {months.length > 1 && <Line months={months} label={label} />}
      <p className="line-ends">
        {[...new Set([first, last])].map(({ month, amount, currency }) => (
          <span key={month}>
            <span className="label">{formatDate(month, 'month', preferences)}</span>
            <Money amount={amount} currency={currency} />
          </span>
        ))}
      </p>
      <details>
        <summary>{t.balances.table}</summary>
        <Table
          label={label}
          rows={months.toReversed()}
          rowKey={({ month }) => month}
          columns={[
            {
              title: t.balances.month,
              isHeading: true,
              cell: ({ month }) => formatDate(month, 'month', preferences),
            },
            {
              title: t.balances.balance,
              align: 'end',
              cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
            },
          ]}
        />
      </details>
    </>
  );
}

/** The line has no numbers, so that it shows nothing in privacy mode but its form, which is hidden then. */
function Line({ label, months }: MonthsProps): ReactElement | null {
  const { isPrivate } = usePreferences();
  if (isPrivate) return null;
  const { points, zero } = layBalances(months.map(({ amount }) => Number(amount)));
  const path = points.map(({ x, y }) => `${x},${y}`).join(' ');
  return (
    <svg
      className="balance-line"
      viewBox="0 0 100 100"
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      {zero !== null && <line className="zero" x1="0" x2="100" y1={zero} y2={zero} />}
      <polygon points={`0,100 ${path} 100,100`} />
      <polyline points={path} />
    </svg>
  );
}

/** Merges a manual account into another account, after saying what moves. */
export function MergeAccount(
  props: HoldingDialogProps & { readonly all: AllAccounts },
): ReactElement {
  const { holding, all, onClose } = props;
  const count = useTransactionCount(holding.id);
  const { change } = useOwnChanges(keys.accounts, keys.transactions);
  const [key, setKey] = useState('');
  const [addsBalance, setAddsBalance] = useState(false);
  const others = all.holdings.filter(
    (each) => each.key !== holding.key && (each.kind === 'manual' || each.kind === 'plaid'),
  );
  const into = others.find((each) => each.key === key);
  const merge = async (force: boolean): Promise<void> => {
    if (into === undefined) throw new Error(t.merging.choose);
    const isManual = into.kind === 'manual';
    const body = isManual
      ? { into_id: into.id, add_balance: addsBalance }
      : { into_plaid_id: into.id, add_balance: false };
    const sent = { path: { id: holding.id }, query: { force }, body };
    const send = () => request('POST /coffer/manual_accounts/{id}/merge', sent);
    await change(send, t.merging.done(count.data ?? 0));
  };
  return (
    <Confirmed
      title={t.merging.title(holding.name)}
      confirmLabel={t.merging.confirm}
      canConfirm={into !== undefined}
      look="main"
      work={merge}
      onClose={onClose}
    >
      <SelectField
        label={t.merging.into}
        value={key}
        options={[
          { value: '', label: t.merging.choose },
          ...others.map((each) => ({ value: each.key, label: each.name })),
        ]}
        onChange={setKey}
      />
      <Loaded query={count} lines={1}>
        {(total) => <p>{t.merging.effect(total, holding.name)}</p>}
      </Loaded>
      {into?.kind === 'manual' && (
        <CheckField label={t.merging.balance} value={addsBalance} onChange={setAddsBalance} />
      )}
    </Confirmed>
  );
}

/** Says what the deletion of an account does, and does it. */
export function RemoveAccount({ holding, onClose }: HoldingDialogProps): ReactElement {
  const count = useTransactionCount(holding.id);
  const { change } = useOwnChanges(keys.accounts, keys.transactions);
  const [hasItems, setHasItems] = useState(false);
  const [hasBalances, setHasBalances] = useState(false);
  const remove = (): Promise<unknown> => {
    const query = { delete_items: hasItems, delete_balance_history: hasBalances };
    const sent = { path: { id: holding.id }, query };
    const write = () => request('DELETE /v2/manual_accounts/{id}', sent);
    return change(write, t.removed(holding.name));
  };
  return (
    <Confirmed
      title={t.removing.title(holding.name)}
      confirmLabel={t.removing.confirm}
      canConfirm={count.data !== undefined}
      work={remove}
      onClose={onClose}
    >
      <Loaded query={count} lines={1}>
        {(total) => <p>{total === 0 ? t.removing.none : t.removing.some(total)}</p>}
      </Loaded>
      <CheckField label={t.removing.items} value={hasItems} onChange={setHasItems} />
      <CheckField
        label={t.removing.balances}
        hint={t.removing.balancesHint}
        value={hasBalances}
        onChange={setHasBalances}
      />
      <p className="hint">{t.removing.close}</p>
    </Confirmed>
  );
}
