import { useId } from 'react';
import type { ReactElement } from 'react';

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
