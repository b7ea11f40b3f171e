import { useRef, useState, type ReactElement } from 'react';
import {
  dayByArrow,
  readTypedDate,
  typedPattern,
  writeTypedDate,
} from '../../books/formats/typed-date.ts';
import { partTexts as t } from '../../texts/en/parts.ts';
import { Button } from '../button.tsx';
import { usePreferences } from '../preferences.ts';
import { TextField, type TextFieldProps } from './fields.tsx';

/** A field for a date. */
interface DateFieldProps extends Omit<TextFieldProps, 'value' | 'onChange' | 'type' | 'after'> {
  /** `2026-11-23`; empty for none. */
  readonly value: string;
  /** Called with a whole date, or with an empty text when there is none. */
  readonly onChange: (date: string) => void;
}

/**
 * A field for a date, typed in the format of the settings; the date field of the platform would write it as the browser
 * does. The arrow keys move by days, and a button opens the calendar of the platform.
 */
export function DateField({ value: date, onChange, ...rest }: DateFieldProps): ReactElement {
  const format = usePreferences();
  const [typed, setTyped] = useState({ text: '', date: '', isWhole: false });
  const pattern = typedPattern(format, t.dateLetters);
  // A date from elsewhere replaces what was typed.
  const text = typed.date === date && typed.text !== '' ? typed.text : writeTypedDate(date, format);
  const isInvalid = text.trim() !== '' && date === '';
  const problem = isInvalid ? t.notDate(pattern) : '';
  const type = (next: string, isWhole: boolean): void => {
    const read = readTypedDate(next, format, isWhole) ?? '';
    setTyped({ text: isWhole && read !== '' ? '' : next, date: read, isWhole });
    if (read !== date) onChange(read);
  };
  return (
    <TextField
      autoComplete="off"
      inputMode="numeric"
      placeholder={pattern}
      {...rest}
      ref={(element) => element?.setCustomValidity(problem)}
      value={text}
      problem={isInvalid && typed.isWhole ? problem : (rest.problem ?? null)}
      onChange={(next) => type(next, false)}
      onBlur={() => type(text, true)}
      onKeyDown={(event) => {
        const next = dayByArrow(event.key, date);
        if (next === null) return;
        event.preventDefault();
        onChange(next);
      }}
      after={<Calendar label={rest.label} value={date} onChange={onChange} />}
    />
  );
}

/** A button that opens the calendar of the platform, whose own field is not shown. */
function Calendar(props: Pick<DateFieldProps, 'label' | 'value' | 'onChange'>): ReactElement {
  const { label, value, onChange } = props;
  const picker = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={picker}
        type="date"
        className="date-picker"
        tabIndex={-1}
        aria-hidden="true"
        value={value}
        min="1900-01-01"
        max="2999-12-31"
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      />
      <Button
        look="quiet"
        icon="calendar"
        aria-label={t.calendar(label)}
        onClick={() => picker.current?.showPicker()}
      />
    </>
  );
}
