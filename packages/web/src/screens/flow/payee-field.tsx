import { useState, type ReactElement } from 'react';
import { latestOf, useCategories, usePayees } from '../../api/hooks.ts';
import type { Payee, Transaction } from '../../books/types.ts';
import { Combobox, type Option } from '../../parts/fields/combobox.tsx';
import { Line } from '../../parts/fields/fields.tsx';

/** A payee that is suggested. */
interface PayeeOption extends Option {
  readonly payee: Payee;
}

/** The payees that a text finds, each with the category that was last used for it. */
export function usePayeeOptions(text: string, isOn: boolean): readonly PayeeOption[] {
  const { data: payees = [] } = usePayees(text, isOn);
  const { data: categories = [] } = useCategories();
  return payees.map((payee) => {
    const category = categories.find(({ id }) => id === payee.category_id);
    const content = (
      <>
        {payee.payee}
        {category !== undefined && <span className="context">{category.name}</span>}
      </>
    );
    return { id: payee.payee, name: payee.payee, payee, content };
  });
}

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
  const options = usePayeeOptions(typed, typed !== '');
  const set = (text: string): void => change({ payee: text.trim() || null });
  const choose = async (option: PayeeOption | null): Promise<void> => {
    set(option?.name ?? '');
    if (option === null || onLatest === null) return;
    const latest = await latestOf(option.name).catch(() => null);
    if (latest !== null) onLatest(latest);
    else onKnown?.(option.payee);
  };
  return (
    <Line id={null} label={label} hint={hint}>
      <Combobox
        label={label}
        text={draft.payee ?? ''}
        options={options}
        hasFocus={hasFocus}
        onType={(text) => {
          setTyped(text);
          set(text);
        }}
        onChoose={(option) => void choose(option)}
        onCreate={set}
      />
    </Line>
  );
}
