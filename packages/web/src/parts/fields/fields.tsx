import {
  useId,
  useState,
  type ComponentPropsWithRef,
  type ReactElement,
  type ReactNode,
} from 'react';
import { formatMoney, parseTypedAmount } from '../../books/formats/money.ts';
import { partTexts as t } from '../../texts/en/parts.ts';
import { usePreferences } from '../preferences.ts';

/** What a form edits, and the properties of the field of each value. */
export interface Draft<T> {
  readonly draft: T;
  readonly change: (part: Partial<T>) => void;
  readonly field: <Name extends keyof T>(
    name: Name,
  ) => { readonly value: T[Name]; readonly onChange: (value: T[Name]) => void };
}

/** Keeps what is filled in. */
export function useDraft<T extends object>(begun: T | (() => T)): Draft<T> {
  const [draft, setDraft] = useState(begun);
  const change = (part: Partial<T>): void => setDraft((now) => ({ ...now, ...part }));
  const field: Draft<T>['field'] = (name) => ({
    value: draft[name],
    onChange: (value) => change({ [name]: value } as unknown as Partial<T>),
  });
  return { draft, change, field };
}

/** What fields of one line have in common. */
interface LineProps {
  readonly label: string;
  /** The label is for screen readers only. */
  readonly isLabelHidden?: boolean | undefined;
}

/** A label, a field, and what there is to say about it. */
function Line(
  props: LineProps & {
    readonly id: string;
    readonly hint?: ReactNode;
    readonly problem?: string | null;
    readonly className?: string;
    readonly children: ReactNode;
  },
): ReactElement {
  const { label, isLabelHidden = false, hint, id, problem = null, className = '' } = props;
  return (
    <div className={`field ${className}`}>
      <label className={isLabelHidden ? 'hidden' : 'label'} htmlFor={id}>
        {label}
      </label>
      {props.children}
      {hint !== undefined && (
        <p className="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {problem !== null && (
        <p className="problem" id={`${id}-problem`}>
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
  readonly hint?: ReactNode;
  /** A sentence; null when nothing is wrong. */
  readonly problem?: string | null;
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

/** Returns the number of a field for numbers; NaN for an empty one. */
export function numberOf(text: string): number {
  return text === '' ? Number.NaN : Number(text);
}

/** An option of a select field. */
export interface SelectOption {
  readonly value: string;
  readonly label: string;
}

/** Returns options from their texts by value. */
export function optionsOf(texts: Readonly<Record<string, string>>): SelectOption[] {
  return Object.entries(texts).map(([value, label]) => ({ value, label }));
}

/** The select field of the platform with its label: it chooses one of some options. */
export function SelectField<Value extends string>(
  props: LineProps & {
    readonly value: Value;
    readonly options: readonly SelectOption[];
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
        value={value}
        onChange={({ currentTarget }) => onChange(currentTarget.value as Value)}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
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
interface AmountFieldProps extends Omit<TextFieldProps, 'value' | 'onChange' | 'problem'> {
  /** A decimal such as `12.5000`; empty for none. Later values do not replace what was typed. */
  readonly value: string;
  /** Called with a decimal of four places each time that the text is an amount, and with null otherwise. */
  readonly onChange: (amount: string | null) => void;
  readonly currency: string;
}

/** A field for an amount, typed as the locale writes numbers. */
export function AmountField({
  value,
  onChange,
  currency,
  ...rest
}: AmountFieldProps): ReactElement {
  const { locale } = usePreferences();
  const format = { locale, currency, hasCurrency: false };
  const [text, setText] = useState(value === '' ? '' : formatMoney(value, format));
  const isInvalid = text.trim() !== '' && parseTypedAmount(text, locale) === null;
  return (
    <TextField
      inputMode="decimal"
      autoComplete="off"
      {...rest}
      value={text}
      problem={isInvalid ? t.notAmount(text) : null}
      onChange={(next) => {
        setText(next);
        onChange(parseTypedAmount(next, locale));
      }}
    />
  );
}
