import { useState } from 'react';
import type { KeyboardEvent, ReactElement } from 'react';
import { keys } from '../../api/keys.ts';
import { countedAs, isDebt } from '../../books/accounts/holdings.ts';
import type { Holding } from '../../books/accounts/holdings.ts';
import { formatQuantity, parseQuantity } from '../../books/formats/quantity.ts';
import { Money } from '../../parts/money.tsx';
import { usePreferences } from '../../parts/preferences.ts';
import { TextField } from '../../parts/fields/text-field.tsx';
import { accountsTexts as t } from '../../texts/en/accounts.ts';
import { useOwnChanges } from '../flow/own-changes.ts';
import { useSubmitting } from '../flow/submitting.tsx';
import { setBalance } from './data.ts';

/** The balance of an account. One that is kept by hand becomes a field when it is pressed. */
export function AccountBalance({ holding }: { readonly holding: Holding }): ReactElement {
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

function BalanceField(props: {
  readonly holding: Holding;
  readonly onClose: () => void;
}): ReactElement {
  const { holding, onClose } = props;
  const { locale } = usePreferences();
  const { change } = useOwnChanges(keys.accounts);
  const { problem, isBusy, submit } = useSubmitting();
  const [text, setText] = useState(() => formatQuantity(holding.balance, locale));
  const balance = parseQuantity(text, locale, holding.kind === 'crypto_manual' ? 18 : 4);
  const save = (): void =>
    void submit(async () => {
      if (balance === null) throw new Error(t.notAnAmount);
      await change(() => setBalance(holding, balance), t.balanceChanged(holding.name));
      onClose();
    });
  const press = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') onClose();
    else if (event.key === 'Enter' && !isBusy) save();
  };
  const label = isDebt(holding.type) ? t.form.owed : t.balanceOf(holding.name);
  return (
    <TextField
      label={label}
      isLabelHidden={!isDebt(holding.type)}
      className="balance-field"
      inputMode="decimal"
      autoComplete="off"
      autoFocus
      value={text}
      problem={problem}
      onFocus={({ currentTarget }) => currentTarget.select()}
      onKeyDown={press}
      onChange={({ currentTarget }) => setText(currentTarget.value)}
    />
  );
}
