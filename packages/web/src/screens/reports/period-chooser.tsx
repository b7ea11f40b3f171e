import type { ReactElement } from 'react';
import { useLocation } from 'wouter';
import { lengths, writePeriodChoice } from '../../books/reports/periods.ts';
import type { PeriodChoice } from '../../books/reports/periods.ts';
import { reportTexts as t } from '../../texts/en/reports.ts';

/** Chooses the period of a report, which is in the address. */
export function PeriodChooser(props: {
  readonly choice: PeriodChoice;
  readonly years: readonly string[];
}): ReactElement {
  const [path, go] = useLocation();
  const { choice, years } = props;
  const choices = [...lengths.map((months) => ({ months })), ...years.map((year) => ({ year }))];
  return (
    <label className="period-chooser">
      <span className="label">{t.period}</span>
      <select
        className="input"
        value={writePeriodChoice(choice)}
        onChange={({ currentTarget: { value } }) => go(`${path}?${value}`, { replace: true })}
      >
        {choices.map((each) => (
          <option key={writePeriodChoice(each)} value={writePeriodChoice(each)}>
            {'year' in each ? each.year : t.months(each.months)}
          </option>
        ))}
      </select>
    </label>
  );
}
