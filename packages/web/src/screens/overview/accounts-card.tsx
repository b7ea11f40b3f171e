import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { useAccounts } from '../../api/hooks.ts';
import { useBalances } from '../../api/reports.ts';
import { balanceRows } from '../../books/accounts/balance-rows.ts';
import type { BalanceRow } from '../../books/accounts/balance-rows.ts';
import { transactionsHref } from '../../books/filter/links.ts';
import { Sum } from '../../parts/money.tsx';
import { overviewTexts as t } from '../../texts/en/overview.ts';
import { Card } from './card.tsx';
import type { Scene } from './data.ts';

/** The accounts in use with their balances; what is owed is negative. */
export function AccountsCard({ currency }: Scene): ReactElement {
  const accounts = useAccounts();
  const history = useBalances();
  const rows =
    accounts.data === undefined
      ? null
      : balanceRows(accounts.data.manual, accounts.data.plaid, history.data ?? [], currency);
  return (
    <Card
      name="accounts"
      title={t.accounts}
      query={accounts}
      more={{ href: '/accounts', label: t.allAccounts }}
    >
      {rows === null ? null : rows.length === 0 ? (
        <p className="hint">{t.noAccounts}</p>
      ) : (
        <ul className="overview-list">
          {rows.map((row) => (
            <li key={row.key}>
              <AccountRow row={row} />
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

function AccountRow({ row }: { readonly row: BalanceRow }): ReactElement {
  const { name, institution, units, currency, filter } = row;
  const content = (
    <>
      <span className="name">
        <bdi>{name}</bdi>
        {institution !== null && <small>{institution}</small>}
      </span>
      <Sum units={units} currency={currency} />
    </>
  );
  if (filter === null) return <span className="overview-row">{content}</span>;
  return (
    <Link href={transactionsHref(filter)} className="overview-row">
      {content}
    </Link>
  );
}
