import {
  useId,
  useState,
  type ComponentPropsWithRef,
  type ReactElement,
  type ReactNode,
} from 'react';
import { formatMoney, parseTypedAmount } from '../../books/formats/money.ts';
import { formatQuantity, parseQuantity } from '../../books/formats/quantity.ts';
import { partTexts as t } from '../../texts/en/parts.ts';
import { usePreferences } from '../preferences.ts';

/** What fields of one line have in common. */
interface LineProps {
  readonly label: string;
  /** The label is for screen readers only. */
  readonly isLabelHidden?: boolean | undefined;
  readonly hint?: ReactNode;
  /** What is wrong, as a sentence; null when nothing is. */
  readonly problem?: string | null;
}

/** A label, a field, and what there is to say about it. */
export function Line(
  props: LineProps & {
    /** The id of the field; null for one that has its label as a name. */
    readonly id: string | null;
    readonly className?: string;
    readonly children: ReactNode;
  },
): ReactElement {
  const { label, isLabelHidden = false, hint, id, problem = null, className = '' } = props;
  return (
    <div className={`field ${className}`}>
      {id === null ? (
        <span className="label" aria-hidden="true">
          {label}
        </span>
      ) : (
        <label className={isLabelHidden ? 'hidden' : 'label'} htmlFor={id}>
          {label}
        </label>
      )}
      {props.children}
      {hint !== undefined && (
        <p className="hint" id={id === null ? undefined : `${id}-hint`}>
          {hint}
        </p>
      )}
      {problem !== null && (
        <p className="problem" id={id === null ? undefined : `${id}-problem`}>
          {problem}
        </p>
      )}
    </div>
  );
}

/** An input of the platform with its label, a hint, and what is wrong with its text. */
export interface TextFieldProps
  extends LineProps, Omit<ComponentPropsWithRef<'input'>, 'onChange'> {
  readonly onChange?: (text: string) => void;
  /** A button at the end of the field. */
  readonly after?: ReactNode;
}

/** A line of text with its label. */
export function TextField(props: TextFieldProps): ReactElement {
  const { label, isLabelHidden, hint, problem = null, className = '', after, ...others } = props;
  const { onChange, ...rest } = others;
  const id = useId();
  const described = [
    ...(hint === undefined ? [] : [`${id}-hint`]),
    ...(problem === null ? [] : [`${id}-problem`]),
  ];
  return (
    <Line {...{ label, isLabelHidden, hint, id, problem, className }}>
      <div className="input-line">
        <input
          className="input"
          {...rest}
          onChange={onChange && (({ currentTarget }) => onChange(currentTarget.value))}
          id={id}
          aria-invalid={problem === null ? undefined : true}
          aria-describedby={described.join(' ') || undefined}
        />
        {after}
      </div>
    </Line>
  );
}

/** An option of a select field. */
export interface SelectOption<Value = string> {
  readonly value: Value;
  readonly label: string;
}

/** Returns options from their texts by value. */
export function optionsOf<Value extends string>(
  texts: Readonly<Record<Value, string>>,
): SelectOption<Value>[] {
  const entries = Object.entries(texts) as [Value, string][];
  return entries.map(([value, label]) => ({ value, label }));
}

/** The select field of the platform with its label: it chooses one of some options. */
export function SelectField<Value extends string | number | null>(
  props: LineProps & {
    readonly value: Value;
    readonly options: readonly SelectOption<Value>[];
    readonly onChange: (value: Value) => void;
  },
): ReactElement {
  const { value, options, onChange, ...line } = props;
  const id = useId();
  return (
    <Line {...line} id={id}>
      <select
        id={id}
        className="input"
        value={String(value ?? '')}
        onChange={({ currentTarget }) => onChange(options[currentTarget.selectedIndex]!.value)}
      >
        {options.map((option) => (
          <option key={option.value} value={String(option.value ?? '')}>
            {option.label}
          </option>
        ))}
      </select>
    </Line>
  );
}

/** A checkbox of the platform with its label and a hint. */
export function CheckField(props: {
  readonly label: string;
  readonly value: boolean;
  readonly onChange: (value: boolean) => void;
  readonly hint?: ReactNode;
  readonly disabled?: boolean;
}): ReactElement {
  const { label, value, onChange, hint, disabled } = props;
  const id = useId();
  return (
    <div className="check-field">
      <label className="check">
        <input
          type="checkbox"
          checked={value}
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

/** Radio buttons side by side: one of some options, whose texts are in their order. */
export function Segments<Value extends string>(props: {
  readonly label: string;
  readonly value: Value;
  readonly options: Readonly<Record<Value, string>>;
  readonly onChange: (value: Value) => void;
}): ReactElement {
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
interface AmountFieldProps extends Omit<TextFieldProps, 'value' | 'onChange'> {
  /** A decimal such as `12.5000`; null for none. */
  readonly value: string | null;
  /** Called with a decimal each time that the text is an amount, and with null otherwise. */
  readonly onChange: (amount: string | null) => void;
  readonly currency: string;
  /** For a quantity: at most so many decimals, without zeros at the end. */
  readonly places?: number | undefined;
}

/** A field for an amount, typed as the locale writes numbers. */
export function AmountField(props: AmountFieldProps): ReactElement {
  const { value, onChange, currency, places, ...rest } = props;
  const { locale } = usePreferences();
  const written = (amount: string): string =>
    places === undefined
      ? formatMoney(amount, { locale, currency, hasCurrency: false })
      : formatQuantity(amount, locale);
  const [typed, setTyped] = useState({ text: '', amount: null as string | null });
  // An amount from elsewhere replaces what was typed.
  const text = typed.amount === value ? typed.text : value === null ? '' : written(value);
  const isInvalid = text.trim() !== '' && value === null;
  const problem = isInvalid ? t.notAmount(text) : (rest.problem ?? null);
  return (
    <TextField
      inputMode="decimal"
      autoComplete="off"
      {...rest}
      ref={(element) => element?.setCustomValidity(isInvalid ? t.notAmount(text) : '')}
      value={text}
      problem={problem}
      onChange={(next) => {
        const amount =
          places === undefined
            ? parseTypedAmount(next, locale)
            : parseQuantity(next, locale, places);
        setTyped({ text: next, amount });
        onChange(amount);
      }}
    />
  );
}
