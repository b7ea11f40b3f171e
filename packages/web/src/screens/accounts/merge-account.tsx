import { useState } from 'react';
import type { ReactElement } from 'react';
import { keys } from '../../api/keys.ts';
import type { Holding } from '../../books/accounts/holdings.ts';
import { CheckField } from '../../parts/fields/check-field.tsx';
import { SelectField } from '../../parts/fields/select-field.tsx';
import { accountsTexts } from '../../texts/en/accounts.ts';
import { Loaded } from '../flow/loaded.tsx';
import { useOwnChanges } from '../flow/own-changes.ts';
import { Confirmed } from '../flow/submitting.tsx';
import { mergeAccount, useTransactionCount } from './data.ts';
import type { AllAccounts } from './data.ts';

const t = accountsTexts.merging;

/** Merges a manual account into another account, after saying what moves. */
export function MergeAccount(props: {
  readonly holding: Holding;
  readonly all: AllAccounts;
  readonly onClose: () => void;
}): ReactElement {
  const { holding, all, onClose } = props;
  const count = useTransactionCount(holding.id);
  const { change } = useOwnChanges(keys.accounts, keys.transactions);
  const [key, setKey] = useState('');
  const [addsBalance, setAddsBalance] = useState(false);
  const others = all.holdings.filter(
    (each) => each.key !== holding.key && (each.kind === 'manual' || each.kind === 'plaid'),
  );
  const into = others.find((each) => each.key === key);
  const merge = async (): Promise<void> => {
    if (into === undefined) throw new Error(t.choose);
    const isManual = into.kind === 'manual';
    const body = isManual
      ? { into_id: into.id, add_balance: addsBalance }
      : { into_plaid_id: into.id, add_balance: false };
    await change(() => mergeAccount(holding.id, body), t.done(count.data ?? 0));
  };
  return (
    <Confirmed
      title={t.title(holding.name)}
      confirmLabel={t.confirm}
      canConfirm={into !== undefined}
      look="main"
      work={merge}
      onClose={onClose}
    >
      <SelectField
        label={t.into}
        value={key}
        options={[
          { value: '', label: t.choose },
          ...others.map((each) => ({ value: each.key, label: each.name })),
        ]}
        onChange={setKey}
      />
      <Loaded query={count} lines={1}>
        {(total) => <p>{t.effect(total, holding.name)}</p>}
      </Loaded>
      {into?.kind === 'manual' && (
        <CheckField label={t.balance} isChecked={addsBalance} onChange={setAddsBalance} />
      )}
    </Confirmed>
  );
}
