import type { ReactElement } from 'react';
import { useSession } from '../../api/hooks.ts';
import type { HoldingGroup } from '../../books/accounts/holdings.ts';
import { Money } from '../../parts/money.tsx';
import { accountsTexts as t } from '../../texts/en/accounts.ts';
import { AccountRow } from './account-row.tsx';
import type { AllAccounts } from './data.ts';

/** The accounts of a type with their value. */
export function AccountGroup(props: {
  readonly group: HoldingGroup;
  readonly all: AllAccounts;
}): ReactElement {
  const { group, all } = props;
  const { data } = useSession();
  const id = `type-${group.type.replaceAll(' ', '-')}`;
  return (
    <section className="card account-group" aria-labelledby={id}>
      <header>
        <h2 id={id}>{t.types[group.type] ?? group.type}</h2>
        <Money amount={group.total} currency={data?.book?.primary_currency ?? 'usd'} />
      </header>
      <ul>
        {group.holdings.map((holding) => (
          <AccountRow key={holding.key} holding={holding} all={all} />
        ))}
      </ul>
    </section>
  );
}
