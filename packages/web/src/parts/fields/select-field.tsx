import { useId } from 'react';
import type { ReactElement, ReactNode } from 'react';

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
