import { useState } from 'react';
import type { ReactElement } from 'react';
import { keys } from '../../api/keys.ts';
import type { Holding } from '../../books/accounts/holdings.ts';
import { CheckField } from '../../parts/fields/check-field.tsx';
import { accountsTexts } from '../../texts/en/accounts.ts';
import { Loaded } from '../flow/loaded.tsx';
import { useOwnChanges } from '../flow/own-changes.ts';
import { Confirmed } from '../flow/submitting.tsx';
import { removeAccount, useTransactionCount } from './data.ts';

const t = accountsTexts.removing;

/** Says what the deletion of an account does, and does it. */
export function RemoveAccount(props: {
  readonly holding: Holding;
  readonly onClose: () => void;
}): ReactElement {
  const { holding, onClose } = props;
  const count = useTransactionCount(holding.id);
  const { change } = useOwnChanges(keys.accounts, keys.transactions);
  const [hasItems, setHasItems] = useState(false);
  const [hasBalances, setHasBalances] = useState(false);
  const remove = (): Promise<unknown> => {
    const write = () => removeAccount(holding.id, { hasItems, hasBalances });
    return change(write, accountsTexts.removed(holding.name));
  };
  return (
    <Confirmed
      title={t.title(holding.name)}
      confirmLabel={t.confirm}
      canConfirm={count.data !== undefined}
      work={remove}
      onClose={onClose}
    >
      <Loaded query={count} lines={1}>
        {(total) => <p>{total === 0 ? t.none : t.some(total)}</p>}
      </Loaded>
      <CheckField label={t.items} isChecked={hasItems} onChange={setHasItems} />
      <CheckField
        label={t.balances}
        hint={t.balancesHint}
        isChecked={hasBalances}
        onChange={setHasBalances}
      />
      <p className="hint">{t.close}</p>
    </Confirmed>
  );
}
