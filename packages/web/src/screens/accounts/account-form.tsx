import { useState } from 'react';
import type { ReactElement } from 'react';
import { useSession } from '../../api/hooks.ts';
import { keys } from '../../api/keys.ts';
import type { ManualAccount } from '../../api/types.ts';
import { isDebt } from '../../books/accounts/holdings.ts';
import { formatQuantity, parseQuantity } from '../../books/formats/quantity.ts';
import { CheckField } from '../../parts/fields/check-field.tsx';
import { Dialog } from '../../parts/overlays/dialog.tsx';
import { usePreferences } from '../../parts/preferences.ts';
import { SelectField } from '../../parts/fields/select-field.tsx';
import { TextField } from '../../parts/fields/text-field.tsx';
import { accountsTexts } from '../../texts/en/accounts.ts';
import { ownChangesTexts } from '../../texts/en/own-changes.ts';
import { useOwnChanges } from '../flow/own-changes.ts';
import { SubmitForm } from '../flow/submitting.tsx';
import { createAccount, updateAccount } from './data.ts';
import type { AccountInsert, AccountType } from './data.ts';

const t = accountsTexts.form;
const types: readonly AccountType[] = [
  ...(['cash', 'credit', 'investment', 'loan', 'real estate', 'vehicle'] as const),
  ...(['cryptocurrency', 'employee compensation', 'other asset', 'other liability'] as const),
];

interface Draft {
  readonly name: string;
  readonly institution: string;
  readonly type: AccountType;
  readonly currency: string;
  /** As it was typed. */
  readonly balance: string;
  readonly isHidden: boolean;
}

/** A dialog that creates or changes a manual account. */
export function AccountForm(props: {
  readonly account?: ManualAccount;
  readonly onClose: () => void;
}): ReactElement {
  const { account, onClose } = props;
  const { locale } = usePreferences();
  const { data } = useSession();
  const { change } = useOwnChanges(keys.accounts);
  const [draft, setDraft] = useState(() =>
    draftOf(account, locale, data?.book?.primary_currency ?? 'usd'),
  );
  const save = async (): Promise<void> => {
    const balance = parseQuantity(draft.balance, locale, 4);
    if (balance === null) throw new Error(accountsTexts.notAnAmount);
    const values = valuesOf(draft, balance);
    if (account === undefined)
      await change(() => createAccount(values), accountsTexts.created(values.name));
    else
      await change(
        () => updateAccount(account.id, changesOf(account, values)),
        accountsTexts.changed(values.name),
      );
    onClose();
  };
  return (
    <Dialog
      title={account === undefined ? accountsTexts.add : accountsTexts.edit}
      closeLabel={ownChangesTexts.close}
      onClose={onClose}
    >
      <SubmitForm work={save}>
        <Fields draft={draft} onChange={(part) => setDraft({ ...draft, ...part })} />
      </SubmitForm>
    </Dialog>
  );
}

function Fields(props: {
  readonly draft: Draft;
  readonly onChange: (part: Partial<Draft>) => void;
}): ReactElement {
  const { draft, onChange } = props;
  return (
    <>
      <TextField
        label={t.name}
        required
        autoFocus
        maxLength={45}
        value={draft.name}
        onChange={({ currentTarget: { value } }) => onChange({ name: value })}
      />
      <TextField
        label={t.institution}
        maxLength={50}
        value={draft.institution}
        onChange={({ currentTarget: { value } }) => onChange({ institution: value })}
      />
      <SelectField
        label={t.type}
        value={draft.type}
        options={types.map((value) => ({ value, label: accountsTexts.types[value] ?? value }))}
        onChange={(value) => onChange({ type: value as AccountType })}
      />
      <div className="field-pair">
        <TextField
          label={isDebt(draft.type) ? t.owed : t.balance}
          inputMode="decimal"
          autoComplete="off"
          required
          value={draft.balance}
          onChange={({ currentTarget: { value } }) => onChange({ balance: value })}
        />
        <SelectField
          label={t.currency}
          value={draft.currency}
          options={currenciesWith(draft.currency)}
          onChange={(currency) => onChange({ currency })}
        />
      </div>
      <CheckField
        label={t.hide}
        isChecked={draft.isHidden}
        onChange={(isHidden) => onChange({ isHidden })}
      />
    </>
  );
}

function currenciesWith(present: string): { value: string; label: string }[] {
  const codes = Intl.supportedValuesOf('currency').map((code) => code.toLowerCase());
  const names = new Intl.DisplayNames(['en'], { type: 'currency' });
  const all = codes.includes(present) ? codes : [present, ...codes];
  return all.map((value) => {
    const code = value.toUpperCase();
    return { value, label: `${code} · ${names.of(code) ?? ''}` };
  });
}

function draftOf(account: ManualAccount | undefined, locale: string, currency: string): Draft {
  if (account === undefined)
    return { name: '', institution: '', type: 'cash', currency, balance: '0', isHidden: false };
  return {
    name: account.display_name ?? account.name,
    institution: account.institution_name ?? '',
    type: account.type,
    currency: account.currency,
    balance: formatQuantity(account.balance, locale),
    isHidden: account.exclude_from_transactions,
  };
}

function valuesOf(draft: Draft, balance: string): AccountInsert & { readonly name: string } {
  const institution = draft.institution.trim();
  return {
    name: draft.name.trim(),
    institution_name: institution === '' ? null : institution,
    type: draft.type,
    currency: draft.currency as NonNullable<AccountInsert['currency']>,
    balance,
    exclude_from_transactions: draft.isHidden,
  };
}

/** What differs: a balance that is sent counts as read now. The name that is shown is the one that changes. */
function changesOf(account: ManualAccount, { balance, name, ...values }: AccountInsert): object {
  const isSame = Number(balance) === Number(account.balance);
  const shown = account.display_name === null ? { name } : { display_name: name };
  return { ...values, ...shown, ...(!isSame && { balance }) };
}
