import { useState } from 'react';
import type { ReactElement } from 'react';
import { draftFrom } from '../../books/recurring/recurring-draft.ts';
import { AmountField } from '../../parts/fields/amount-field.tsx';
import { Combobox } from '../../parts/fields/combobox.tsx';
import { Segments } from '../../parts/fields/segments.tsx';
import { SelectField } from '../../parts/fields/select-field.tsx';
import { itemTexts as t } from '../../texts/en/recurring.ts';
import { latestOf, usePayees } from './data.ts';
import type { DraftProps } from './props.ts';

/** Which transactions an item looks for. */
export function MatchFields(props: DraftProps & { readonly isNew: boolean }): ReactElement {
  const { draft, names, change, isNew } = props;
  // A field keeps the text that is typed, so a prefilled amount needs a new field.
  const [fills, setFills] = useState(0);
  const fill = async (payee: string): Promise<void> => {
    change({ payee });
    const latest = isNew ? await latestOf(payee).catch(() => null) : null;
    if (latest === null) return;
    change(draftFrom(latest));
    setFills((count) => count + 1);
  };
  const accounts = names.accounts.map(([value, label]) => ({ value, label }));
  return (
    <>
      <PayeeField {...props} onPayee={(payee) => void fill(payee)} />
      <div className="field-row" key={fills}>
        <AmountField
          label={`${t.amount} (${draft.currency.toUpperCase()})`}
          amount={draft.amount}
          currency={draft.currency}
          required
          onAmount={(amount) => change({ amount: (amount ?? '').replace('-', '') })}
        />
        <AmountField
          label={t.tolerance}
          amount={draft.tolerance}
          currency={draft.currency}
          onAmount={(tolerance) => change({ tolerance: (tolerance ?? '').replace('-', '') })}
        />
      </div>
      <Segments
        label={t.direction}
        value={draft.direction}
        options={t.directions}
        onChange={(direction) => change({ direction })}
      />
      <SelectField
        label={t.account}
        value={draft.account}
        options={[{ value: '', label: t.anyAccount }, ...accounts]}
        onChange={(account) => change({ account })}
      />
    </>
  );
}

function PayeeField(
  props: DraftProps & { readonly isNew: boolean; readonly onPayee: (payee: string) => void },
): ReactElement {
  const { draft, change, isNew, onPayee } = props;
  const [typed, setTyped] = useState('');
  const { data: payees = [] } = usePayees(typed);
  return (
    <div className="field">
      <span className="label" aria-hidden="true">
        {t.payee}
      </span>
      <Combobox
        label={t.payee}
        text={draft.payee}
        options={payees.map(({ payee }) => ({ id: payee, name: payee }))}
        hasFocus={isNew}
        onType={(text) => {
          setTyped(text);
          change({ payee: text });
        }}
        onChoose={(option) => onPayee(option?.name ?? '')}
        onOther={(text) => change({ payee: text })}
      />
      {isNew && <p className="hint">{t.payeeHint}</p>}
    </div>
  );
}
