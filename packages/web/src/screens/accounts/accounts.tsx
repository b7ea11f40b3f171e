import { useState, type ReactElement, type KeyboardEvent } from 'react';
import { Link, useLocation, useParams } from 'wouter';
import { useCurrency } from '../../api/hooks.ts';
import { keys } from '../../api/keys.ts';
import { request } from '../../api/request.ts';
import { groupHoldings, isDebt, netWorthOf, countedAs } from '../../books/accounts/holdings.ts';
import type { Holding, HoldingGroup } from '../../books/accounts/holdings.ts';
import { transactionsHref } from '../../books/filter/filter.ts';
import { formatDate } from '../../books/formats/dates.ts';
import { Button, LinkButton } from '../../parts/button.tsx';
import { LetterMark } from '../../parts/category-mark.tsx';
import { AmountField } from '../../parts/fields/fields.tsx';
import { Money } from '../../parts/money.tsx';
import { OpenButton } from '../../parts/overlays/dialog.tsx';
import { Menu, type MenuAction } from '../../parts/overlays/menu.tsx';
import { PageHeader } from '../../parts/page.tsx';
import { usePreferences } from '../../parts/preferences.ts';
import { EmptyState } from '../../parts/states.tsx';
import { accountsTexts as t } from '../../texts/en/accounts.ts';
import { Loaded } from '../flow/loaded.tsx';
import { useOwnChanges, useUndoKey, showFailure } from '../flow/own-changes.ts';
import { useSubmitting } from '../flow/submitting.tsx';
import { AccountPage } from './account-page.tsx';
import { AccountForm, BalanceHistory, MergeAccount, RemoveAccount } from './account-dialogs.tsx';
import type { HoldingDialogProps } from './account-dialogs.tsx';
import { useHoldings, type AllAccounts } from './data.ts';

/** All accounts by type with their balances, and the net worth; or one of them. */
export function AccountsScreen(): ReactElement {
  const { key } = useParams();
  const accounts = useHoldings();
  if (key === undefined) return <AllOfThem accounts={accounts} />;
  return (
    <Loaded query={accounts} lines={10}>
      {({ holdings }) => {
        const holding = holdings.find((each) => each.key === key && hasRegister(each));
        return holding === undefined ? (
          <EmptyState icon="accounts" title={t.gone} hint={t.goneHint}>
            <LinkButton href="/accounts" label={t.toAll} />
          </EmptyState>
        ) : (
          <AccountPage key={key} holding={holding} />
        );
      }}
    </Loaded>
  );
}

function hasRegister({ kind }: Holding): boolean {
  return kind === 'manual' || kind === 'plaid';
}

function AllOfThem({ accounts }: { readonly accounts: ReturnType<typeof useHoldings> }) {
  const { undo } = useOwnChanges(keys.accounts);
  useUndoKey(undo);
  return (
    <>
      <PageHeader title={t.title}>
        <OpenButton look="main" icon="plus" dialog={(close) => <AccountForm onClose={close} />}>
          {t.add}
        </OpenButton>
      </PageHeader>
      <Loaded query={accounts} lines={10}>
        {(all) =>
          all.holdings.length === 0 ? (
            <EmptyState icon="accounts" title={t.none} hint={t.noneHint}>
              <LinkButton href="/import" label={t.toImport} />
            </EmptyState>
          ) : (
            <Groups all={all} />
          )
        }
      </Loaded>
    </>
  );
}

function Groups({ all }: { readonly all: AllAccounts }): ReactElement {
  const [hasClosed, setHasClosed] = useState(false);
  const closed = all.holdings.filter(({ isClosed }) => isClosed);
  const shown = hasClosed ? all.holdings : all.holdings.filter(({ isClosed }) => !isClosed);
  return (
    <div className="accounts">
      <NetWorth holdings={all.holdings} />
      {groupHoldings(shown).map((group) => (
        <AccountGroup key={group.type} group={group} all={all} />
      ))}
      {closed.length > 0 && !hasClosed && (
        <Button look="quiet" icon="chevron-down" onClick={() => setHasClosed(true)}>
          {t.showClosed(closed.length)}
        </Button>
      )}
    </div>
  );
}

function NetWorth({ holdings }: { readonly holdings: readonly Holding[] }): ReactElement {
  const currency = useCurrency();
  const sums = [
    [t.owned, holdings.filter(({ type }) => !isDebt(type))],
    [t.owed, holdings.filter(({ type }) => isDebt(type))],
  ] as const;
  return (
    <dl className="net-worth card">
      <div className="whole">
        <dt className="label">{t.netWorth}</dt>
        <dd>
          <Money amount={netWorthOf(holdings)} currency={currency} />
        </dd>
      </div>
      {sums.map(([label, own]) => (
        <div key={label}>
          <dt className="label">{label}</dt>
          <dd>
            <Money amount={netWorthOf(own)} currency={currency} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

type AccountGroupProps = Readonly<{ group: HoldingGroup; all: AllAccounts }>;

/** The accounts of a type with their value. */
function AccountGroup({ group, all }: AccountGroupProps): ReactElement {
  const currency = useCurrency();
  const id = `type-${group.type.replaceAll(' ', '-')}`;
  return (
    <section className="card account-group" aria-labelledby={id}>
      <header>
        <h2 id={id}>{t.types[group.type] ?? group.type}</h2>
        <Money amount={group.total} currency={currency} />
      </header>
      <ul>
        {group.holdings.map((holding) => (
          <AccountRow key={holding.key} holding={holding} all={all} />
        ))}
      </ul>
    </section>
  );
}

type Sheet = 'edit' | 'history' | 'merge' | 'remove';

interface AccountRowProps {
  readonly holding: Holding;
  readonly all: AllAccounts;
}

/** An account with its balance, which is edited in place, and what can be done with it. */
function AccountRow({ holding, all }: AccountRowProps): ReactElement {
  const [sheet, setSheet] = useState<Sheet | null>(null);
  const base = useCurrency();
  const { name, type, currency, isClosed, trouble, kind } = holding;
  return (
    <li className="account">
      <LetterMark name={name} />
      <div className="account-name">
        <p>
          {hasRegister(holding) ? <Link href={`/accounts/${holding.key}`}>{name}</Link> : name}
          {isClosed && <span className="badge">{t.closed}</span>}
          {(kind === 'plaid' || kind === 'crypto_synced') && (
            <span className="badge">{t.synced}</span>
          )}
          {trouble !== null && <span className="badge warn">{trouble}</span>}
        </p>
        <Origin holding={holding} />
      </div>
      <div className="account-balance">
        <AccountBalance holding={holding} />
        {currency.toLowerCase() !== base.toLowerCase() && (
          <p className="hint">
            {holding.base === null ? (
              t.noRate
            ) : (
              <Money amount={countedAs(type, holding.base)} currency={base} />
            )}
          </p>
        )}
      </div>
      <Menu label={t.more(name)} actions={useActions(holding, setSheet)} />
      <Sheets holding={holding} all={all} sheet={sheet} onClose={() => setSheet(null)} />
    </li>
  );
}

function Origin({ holding }: { readonly holding: Holding }): ReactElement {
  const preferences = usePreferences();
  const { institution, asOf } = holding;
  const date = asOf === null ? '' : t.asOf(formatDate(asOf.slice(0, 10), 'medium', preferences));
  return <p className="hint">{[institution, date].filter((each) => each !== '').join(' · ')}</p>;
}

function useActions(holding: Holding, open: (sheet: Sheet) => void): MenuAction[] {
  const { kind, id, name, isClosed } = holding;
  const [, go] = useLocation();
  const { change } = useOwnChanges(keys.accounts);
  const list = kind === 'manual' ? 'manualAccountIds' : 'plaidAccountIds';
  const show = (): void => go(transactionsHref({ [list]: [id] }));
  const toggle = (): void => {
    const body = { status: isClosed ? 'active' : 'closed' } as const;
    const write = () => request('PUT /v2/manual_accounts/{id}', { path: { id }, body });
    change(write, isClosed ? t.reopened(name) : t.closedNow(name)).catch(showFailure);
  };
  const toAll: MenuAction[] = [
    { key: 'transactions', label: t.transactions, icon: 'transactions', run: show },
    { key: 'history', label: t.history, icon: 'reports', run: () => open('history') },
  ];
  if (kind === 'plaid') return toAll;
  if (kind !== 'manual') return toAll.slice(1);
  return [
    ...toAll,
    { key: 'edit', label: t.edit, icon: 'edit', run: () => open('edit') },
    { key: 'merge', label: t.merge, icon: 'group', run: () => open('merge') },
    { key: 'close', label: isClosed ? t.reopen : t.close, icon: 'check', run: toggle },
    { key: 'remove', label: t.remove, icon: 'trash', look: 'danger', run: () => open('remove') },
  ];
}

type SheetsProps = AccountRowProps & HoldingDialogProps & { readonly sheet: Sheet | null };

function Sheets({ holding, all, sheet, onClose }: SheetsProps): ReactElement | null {
  const account = all.manual.find(({ id }) => holding.kind === 'manual' && id === holding.id);
  if (sheet === 'history') return <BalanceHistory holding={holding} onClose={onClose} />;
  if (sheet === 'edit' && account !== undefined)
    return <AccountForm account={account} onClose={onClose} />;
  if (sheet === 'merge') return <MergeAccount holding={holding} all={all} onClose={onClose} />;
  if (sheet === 'remove') return <RemoveAccount holding={holding} onClose={onClose} />;
  return null;
}

/** The balance of an account. One that is kept by hand becomes a field when it is pressed. */
function AccountBalance({ holding }: { readonly holding: Holding }): ReactElement {
  const [isEditing, setIsEditing] = useState(false);
  const { kind, name, type, balance, currency } = holding;
  const shown = <Money amount={countedAs(type, balance)} currency={currency} />;
  if (kind === 'plaid' || kind === 'crypto_synced') return shown;
  if (isEditing) return <BalanceField holding={holding} onClose={() => setIsEditing(false)} />;
  return (
    <button
      type="button"
      className="balance-button"
      title={t.editBalance(name)}
      onClick={() => setIsEditing(true)}
    >
      {shown}
      <span className="hidden">{t.editBalance(name)}</span>
    </button>
  );
}

function BalanceField({ holding, onClose }: HoldingDialogProps): ReactElement {
  const isCrypto = holding.kind === 'crypto_manual';
  const route = isCrypto ? 'PUT /v2/crypto/manual/{id}' : 'PUT /v2/manual_accounts/{id}';
  const { change } = useOwnChanges(keys.accounts);
  const { problem, isBusy, submit } = useSubmitting();
  const [balance, setBalance] = useState<string | null>(holding.balance);
  const press = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') onClose();
    if (event.key !== 'Enter' || isBusy || balance === null) return;
    void submit(async () => {
      const sent = { path: { id: holding.id }, body: { balance } };
      await change(() => request(route, sent), t.balanceChanged(holding.name));
      onClose();
    });
  };
  const label = isDebt(holding.type) ? t.form.owed : t.balanceOf(holding.name);
  return (
    <AmountField
      label={label}
      isLabelHidden={!isDebt(holding.type)}
      className="balance-field"
      autoFocus
      value={balance}
      currency={holding.currency}
      places={isCrypto ? 18 : 4}
      problem={problem}
      onFocus={({ currentTarget }) => currentTarget.select()}
      onKeyDown={press}
      onChange={setBalance}
    />
  );
}
