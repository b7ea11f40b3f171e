import { useId, useState } from 'react';
import type { ComponentPropsWithRef, ReactElement, ReactNode } from 'react';
import { formatMoney, parseTypedAmount } from '../../books/formats/money.ts';
import { partTexts as t } from '../../texts/en/parts.ts';
import { usePreferences } from '../preferences.ts';

/** An input of the platform with its label, a hint, and what is wrong with its text. */
export interface TextFieldProps extends ComponentPropsWithRef<'input'> {
  readonly label: string;
  /** The label is for screen readers only. */
  readonly isLabelHidden?: boolean;
  readonly hint?: ReactNode;
  /** A sentence; null when nothing is wrong. */
  readonly problem?: string | null;
  /** A button at the end of the field. */
  readonly after?: ReactNode;
}

/** A line of text with its label. */
export function TextField(props: TextFieldProps): ReactElement {
  const { label, isLabelHidden = false, hint, problem = null, className = '', ...others } = props;
  const { after, ...rest } = others;
  const id = useId();
  const hintId = hint === undefined ? undefined : `${id}-hint`;
  const problemId = problem === null ? undefined : `${id}-problem`;
  const described = [hintId, problemId].filter((each) => each !== undefined).join(' ');
  return (
    <div className={`field ${className}`}>
      <label className={isLabelHidden ? 'hidden' : 'label'} htmlFor={id}>
        {label}
      </label>
      <div className="input-line">
        <input
          className="input"
          {...rest}
          id={id}
          aria-invalid={problem === null ? undefined : true}
          aria-describedby={described === '' ? undefined : described}
        />
        {after}
      </div>
      {hint !== undefined && (
        <p className="hint" id={hintId}>
          {hint}
        </p>
      )}
      {problem !== null && (
        <p className="problem" id={problemId}>
          {problem}
        </p>
      )}
    </div>
  );
}

/** An option of a select field. */
export interface SelectOption {
  readonly value: string;
  readonly label: string;
}

/** A field that chooses one of some options. */
export interface SelectFieldProps {
  readonly label: string;
  /** The label is for screen readers only. */
  readonly isLabelHidden?: boolean;
  readonly value: string;
  readonly options: readonly SelectOption[];
  readonly onChange: (value: string) => void;
  readonly hint?: ReactNode;
  readonly disabled?: boolean;
}

/** The select field of the platform with its label. */
export function SelectField(props: SelectFieldProps): ReactElement {
  const { label, isLabelHidden = false, value, options, onChange, hint, disabled } = props;
  const id = useId();
  return (
    <div className="field">
      <label className={isLabelHidden ? 'hidden' : 'label'} htmlFor={id}>
        {label}
      </label>
      <select
        id={id}
        className="input"
        value={value}
        disabled={disabled}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
      {hint !== undefined && (
        <p className="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}

/** Something that is on or off. */
export interface CheckFieldProps {
  readonly label: string;
  readonly isChecked: boolean;
  readonly onChange: (isChecked: boolean) => void;
  readonly hint?: ReactNode;
  readonly disabled?: boolean;
}

/** A checkbox of the platform with its label and a hint. */
export function CheckField(props: CheckFieldProps): ReactElement {
  const { label, isChecked, onChange, hint, disabled } = props;
  const id = useId();
  return (
    <div className="check-field">
      <label className="check">
        <input
          type="checkbox"
          checked={isChecked}
          disabled={disabled}
          aria-describedby={hint === undefined ? undefined : id}
          onChange={({ currentTarget }) => onChange(currentTarget.checked)}
        />
        <span>{label}</span>
      </label>
      {hint !== undefined && (
        <p className="hint" id={id}>
          {hint}
        </p>
      )}
    </div>
  );
}

/** Some options of which one is chosen, side by side. */
export interface SegmentsProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  /** The texts of the options, in their order. */
  readonly options: Readonly<Record<Value, string>>;
  readonly onChange: (value: Value) => void;
}

/** Radio buttons side by side. */
export function Segments<Value extends string>(props: SegmentsProps<Value>): ReactElement {
  const { label, value, options, onChange } = props;
  const name = useId();
  return (
    <fieldset className="segments">
      <legend className="label">{label}</legend>
      {(Object.entries(options) as [Value, string][]).map(([each, text]) => (
        <label key={each}>
          <input
            type="radio"
            name={name}
            checked={value === each}
            onChange={() => onChange(each)}
          />
          <span>{text}</span>
        </label>
      ))}
    </fieldset>
  );
}

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
