import type { ReactElement } from 'react';
import { TextField } from './text-field.tsx';
import type { TextFieldProps } from './text-field.tsx';

/** A field for a date. */
export interface DateFieldProps extends Omit<TextFieldProps, 'value' | 'onChange' | 'type'> {
  /** `2026-11-23`; empty for none. */
  readonly date: string;
  /** Called with a whole date, or with an empty text when there is none. */
  readonly onDate: (date: string) => void;
}

/** The date field of the platform: it writes dates as the system does, and phones show their own calendar. */
export function DateField({ date, onDate, ...rest }: DateFieldProps): ReactElement {
  return (
    <TextField
      {...rest}
      type="date"
      min="1900-01-01"
      max="2999-12-31"
      value={date}
      onChange={({ currentTarget: { value } }) => onDate(value)}
    />
  );
}
