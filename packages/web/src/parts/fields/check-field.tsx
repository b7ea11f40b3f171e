import { useId } from 'react';
import type { ReactElement, ReactNode } from 'react';

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
