import { useState, type ReactElement } from 'react';
import { latestOf, usePayees } from '../../api/hooks.ts';
import type { Payee, Transaction } from '../../books/types.ts';
import { Combobox } from '../../parts/fields/combobox.tsx';
import { Line } from '../../parts/fields/fields.tsx';

/** The payee of a draft: one of the book, whose latest transaction may fill in the rest, or another one. */
export function PayeeField(props: {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly draft: { readonly payee: string | null };
  readonly change: (part: { readonly payee: string | null }) => void;
  readonly hasFocus?: boolean;
  /** Called with the latest transaction of a payee that was chosen; null to fill in nothing. */
  readonly onLatest: ((latest: Transaction) => void) | null;
  /** Called instead while that cannot be read. */
  readonly onKnown?: (payee: Payee) => void;
}): ReactElement {
  const { label, hint, draft, change, hasFocus = false, onLatest, onKnown } = props;
  const [typed, setTyped] = useState('');
  const { data: payees = [] } = usePayees(typed, typed !== '');
  const set = (text: string): void => change({ payee: text.trim() || null });
  const choose = async (payee: string): Promise<void> => {
    set(payee);
    if (payee === '' || onLatest === null) return;
    const latest = await latestOf(payee).catch(() => null);
    const known = payees.find((each) => each.payee === payee);
    if (latest !== null) onLatest(latest);
    else if (known !== undefined) onKnown?.(known);
  };
  return (
    <Line id={null} label={label} hint={hint}>
      <Combobox
        label={label}
        text={draft.payee ?? ''}
        options={payees.map(({ payee }) => ({ id: payee, name: payee }))}
        hasFocus={hasFocus}
        onType={(text) => {
          setTyped(text);
          set(text);
        }}
        onChoose={(option) => void choose(option?.name ?? '')}
        onCreate={set}
      />
    </Line>
  );
}
