import type { Period } from '@coffer/core/budget-periods';
import { useState, type ReactElement } from 'react';
import { DateField } from '../../parts/fields/date-field.tsx';
import { reportTexts as t } from '../../texts/en/reports.ts';
import { useParameters } from './report.tsx';

/** The first and the last day of a report, in the address. */
export function DayFields({ start, end }: Period): ReactElement {
  const change = useParameters();
  return (
    <>
      <DayField label={t.from} date={start} onDay={(from) => change({ from })} />
      <DayField label={t.to} date={end} onDay={(to) => change({ to })} />
    </>
  );
}

type DayFieldProps = Readonly<{ label: string; date: string; onDay: (date: string) => void }>;

/** A field for an end of the period. It changes the report with a whole date. */
function DayField({ label, date, onDay }: DayFieldProps): ReactElement {
  const [shown, setShown] = useState(date);
  return (
    <DateField
      label={label}
      value={shown}
      onChange={(next) => {
        setShown(next);
        if (next !== '' && next !== date) onDay(next);
      }}
    />
  );
}
