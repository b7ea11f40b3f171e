import { useState } from 'react';
import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { keys } from '../../api/keys.ts';
import { useSession } from '../../api/hooks.ts';
import { groupHoldings, isDebt, netWorthOf } from '../../books/accounts/holdings.ts';
import type { Holding } from '../../books/accounts/holdings.ts';
import { Button } from '../../parts/button.tsx';
import { EmptyState } from '../../parts/states/empty-state.tsx';
import { Money } from '../../parts/money.tsx';
import { PageHeader } from '../../parts/page/page-header.tsx';
import { accountsTexts as t } from '../../texts/en/accounts.ts';
import { Loaded } from '../flow/loaded.tsx';
import { useOwnChanges, useUndoKey } from '../flow/own-changes.ts';
import { AccountForm } from './account-form.tsx';
import { AccountGroup } from './account-group.tsx';
import { useHoldings } from './data.ts';
import type { AllAccounts } from './data.ts';

/** All accounts by type with their balances, and the net worth. */
export function AccountsScreen(): ReactElement {
  const accounts = useHoldings();
  const [isAdding, setIsAdding] = useState(false);
  const { undo } = useOwnChanges(keys.accounts);
  useUndoKey(undo);
  return (
    <>
      <PageHeader title={t.title}>
        <Button look="main" icon="plus" onClick={() => setIsAdding(true)}>
          {t.add}
        </Button>
      </PageHeader>
      <Loaded query={accounts} lines={10}>
        {(all) =>
          all.holdings.length === 0 ? (
            <EmptyState icon="accounts" title={t.none} hint={t.noneHint}>
              <Link href="/import" className="button">
                {t.toImport}
              </Link>
            </EmptyState>
          ) : (
            <Groups all={all} />
          )
        }
      </Loaded>
      {isAdding && <AccountForm onClose={() => setIsAdding(false)} />}
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
  const { data } = useSession();
  const currency = data?.book?.primary_currency ?? 'usd';
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
