import { useState } from 'react';
import type { ReactElement } from 'react';
import { useLocation } from 'wouter';
import { useSession } from '../../api/hooks.ts';
import { describeError } from '../../api/errors.ts';
import { keys } from '../../api/keys.ts';
import { formatDate } from '../../books/formats/dates.ts';
import { noFilter, writeFilter } from '../../books/filter/filter.ts';
import { countedAs } from '../../books/accounts/holdings.ts';
import type { Holding } from '../../books/accounts/holdings.ts';
import { Menu } from '../../parts/overlays/menu.tsx';
import type { MenuAction } from '../../parts/overlays/menu.tsx';
import { Money } from '../../parts/money.tsx';
import { usePreferences } from '../../parts/preferences.ts';
import { showToast } from '../../parts/overlays/toasts.ts';
import { accountsTexts as t } from '../../texts/en/accounts.ts';
import { useOwnChanges } from '../flow/own-changes.ts';
import { AccountBalance } from './account-balance.tsx';
import { AccountForm } from './account-form.tsx';
import { BalanceHistory } from './balance-history.tsx';
import { updateAccount } from './data.ts';
import type { AllAccounts } from './data.ts';
import { MergeAccount } from './merge-account.tsx';
import { RemoveAccount } from './remove-account.tsx';

type Sheet = 'edit' | 'history' | 'merge' | 'remove';

interface AccountRowProps {
  readonly holding: Holding;
  readonly all: AllAccounts;
}

/** An account with its balance, which is edited in place, and what can be done with it. */
export function AccountRow({ holding, all }: AccountRowProps): ReactElement {
  const [sheet, setSheet] = useState<Sheet | null>(null);
  const { data } = useSession();
  const base = data?.book?.primary_currency ?? 'usd';
  const { name, type, currency, isClosed, trouble, kind } = holding;
  return (
    <li className="account">
      <div className="account-name">
        <p>
          {name}
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
  const show = (): void => go(`/transactions?${writeFilter({ ...noFilter, [list]: [id] })}`);
  const toggle = (): void => {
    const write = () => updateAccount(id, { status: isClosed ? 'active' : 'closed' });
    change(write, isClosed ? t.reopened(name) : t.closedNow(name)).catch((error: unknown) =>
      showToast({ text: describeError(error), look: 'problem' }),
    );
  };
  const toTransactions: MenuAction = {
    ...{ key: 'transactions', label: t.transactions, icon: 'transactions', run: show },
  };
  const toHistory: MenuAction = {
    ...{ key: 'history', label: t.history, icon: 'reports', run: () => open('history') },
  };
  if (kind === 'plaid') return [toTransactions, toHistory];
  if (kind !== 'manual') return [toHistory];
  return [
    toTransactions,
    toHistory,
    { key: 'edit', label: t.edit, icon: 'edit', run: () => open('edit') },
    { key: 'merge', label: t.merge, icon: 'group', run: () => open('merge') },
    { key: 'close', label: isClosed ? t.reopen : t.close, icon: 'check', run: toggle },
    { key: 'remove', label: t.remove, icon: 'trash', look: 'danger', run: () => open('remove') },
  ];
}

interface SheetsProps extends AccountRowProps {
  readonly sheet: Sheet | null;
  readonly onClose: () => void;
}

function Sheets({ holding, all, sheet, onClose }: SheetsProps): ReactElement | null {
  const account = all.manual.find(({ id }) => holding.kind === 'manual' && id === holding.id);
  if (sheet === 'history') return <BalanceHistory holding={holding} onClose={onClose} />;
  if (sheet === 'edit' && account !== undefined)
    return <AccountForm account={account} onClose={onClose} />;
  if (sheet === 'merge') return <MergeAccount holding={holding} all={all} onClose={onClose} />;
  if (sheet === 'remove') return <RemoveAccount holding={holding} onClose={onClose} />;
  return null;
}
