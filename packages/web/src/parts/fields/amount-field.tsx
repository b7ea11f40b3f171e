import { useState } from 'react';
import type { ReactElement } from 'react';
import { formatMoney, parseTypedAmount } from '../../books/formats/money.ts';
import { usePreferences } from '../preferences.ts';
import { partTexts as t } from '../../texts/en/parts.ts';
import { TextField } from './text-field.tsx';
import type { TextFieldProps } from './text-field.tsx';

/** A field for an amount. */
export interface AmountFieldProps extends Omit<
  TextFieldProps,
  'value' | 'onChange' | 'problem' | 'defaultValue'
> {
  /** A decimal such as `12.5000`; empty for none. */
  readonly amount: string;
  /** Called with a decimal of four places each time that the text is an amount, and with null otherwise. */
  readonly onAmount: (amount: string | null) => void;
  readonly currency: string;
}

/** A field for an amount, typed as the locale writes numbers. */
export function AmountField(props: AmountFieldProps): ReactElement {
  const { amount, onAmount, currency, ...rest } = props;
  const { locale } = usePreferences();
  const format = { locale, currency, hasCurrency: false };
  const [text, setText] = useState(amount === '' ? '' : formatMoney(amount, format));
  const isInvalid = text.trim() !== '' && parseTypedAmount(text, locale) === null;
  return (
    <TextField
      inputMode="decimal"
      autoComplete="off"
      {...rest}
      value={text}
      problem={isInvalid ? t.notAmount(text) : null}
      onChange={({ currentTarget: { value } }) => {
        setText(value);
        onAmount(parseTypedAmount(value, locale));
      }}
    />
  );
}
