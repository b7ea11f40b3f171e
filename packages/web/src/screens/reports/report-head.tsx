import { Suspense, type ReactElement, type ReactNode } from 'react';
import { Link, useSearch } from 'wouter';
import { lengths, writePeriodChoice, type PeriodChoice } from '../../books/reports/periods.ts';
import { Sum } from '../../parts/money.tsx';
import { Menu } from '../../parts/overlays/menu.tsx';
import { usePreferences } from '../../parts/preferences.ts';
import { reportTexts as t } from '../../texts/en/reports.ts';
import { showFailure } from '../flow/own-changes.ts';
import { periodChange, useParameters } from './report.tsx';
import { late } from '../../parts/states.tsx';

const DayFields = late(() => import('./day-fields.tsx'), 'DayFields');

/** A sum at the head of a report. */
interface Figure {
  readonly key: string;
  readonly name: string;
  readonly units: bigint;
  /** The address of the transactions that it sums. */
  readonly href?: string;
  /** The one that the report is about. */
  readonly isMain?: boolean;
  readonly sign?: 'change';
}

/** What the head of a report shows. */
interface ReportHeadProps {
  readonly figures: readonly Figure[];
  readonly currency: string;
  readonly choice: PeriodChoice;
  /** The days of the choice. */
  readonly period: { readonly start: string; readonly end: string };
  readonly years: readonly string[];
  /** The name of a file without its ending, and the lines that are shown as a table. */
  readonly file: { readonly name: string; readonly table: () => string[][] };
  /** Other choices, before that of the period and after it. */
  readonly children?: ReactNode;
  readonly after?: ReactNode;
}

/** The sums of a report, the choice of its period, and what is shown as a file. */
export function ReportHead(props: ReportHeadProps): ReactElement {
  const { figures, currency, children, after } = props;
  return (
    <div className="report-head">
      <dl className="figures">
        {figures.map(({ key, name, units, href, isMain = false, sign }) => {
          const sum = <Sum units={units} currency={currency} {...(sign && { sign })} />;
          return (
            <div key={key}>
              <dt>{name}</dt>
              <dd className={isMain ? 'figure' : 'figure soft'} data-figure={key}>
                {href === undefined ? sum : <Link href={href}>{sum}</Link>}
              </dd>
            </div>
          );
        })}
      </dl>
      <div className="report-choices">
        {children}
        <PeriodChooser {...props} />
        {after}
        <FileMenu {...props} />
      </div>
    </div>
  );
}

/** Chooses the period of a report, which is in the address. */
function PeriodChooser(props: ReportHeadProps): ReactElement {
  const { choice, years, period } = props;
  const change = useParameters();
  const choices: readonly (readonly [PeriodChoice, string])[] = [
    ...lengths.map((months) => [{ months }, t.months(months)] as const),
    [{ isAll: true }, t.allTime],
    ...years.map((year) => [{ year }, year] as const),
    ['start' in choice ? choice : period, t.otherDates],
  ];
  return (
    <>
      <Chooser
        label={t.period}
        value={writePeriodChoice(choice)}
        options={choices.map(([each, label]) => [writePeriodChoice(each), label])}
        onChange={(value) => change(periodChange(value))}
      />
      {'start' in choice && (
        <Suspense>
          <DayFields {...choice} />
        </Suspense>
      )}
    </>
  );
}

function Chooser(props: {
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly [value: string, label: string])[];
  readonly onChange: (value: string) => void;
}): ReactElement {
  const { label, value: chosen, options, onChange } = props;
  return (
    <label className="period-chooser">
      <span className="label">{label}</span>
      <select
        className="input"
        value={chosen}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      >
        {options.map(([value, text]) => (
          <option key={text} value={value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Saves what is shown: as a table, which shows amounts that privacy mode hides, or as a picture. */
function FileMenu({ file }: ReportHeadProps): ReactElement {
  const { isPrivate } = usePreferences();
  const save = async (kind: 'table' | 'picture'): Promise<void> => {
    const { saveTable, savePicture } = await import('./save-report.ts');
    if (kind === 'table') saveTable(file.name, file.table());
    else await savePicture(file.name);
  };
  const run = (kind: 'table' | 'picture') => (): void => void save(kind).catch(showFailure);
  const actions = [
    ...(isPrivate ? [] : [{ key: 'csv', label: t.saveTable, run: run('table') }]),
    { key: 'picture', label: t.savePicture, run: run('picture') },
  ];
  return <Menu label={t.save} actions={actions.map((each) => ({ ...each, icon: 'download' }))} />;
}

/** Chooses what the lines of a report are, in the address. */
export function LineChooser({ by }: { readonly by: string }): ReactElement {
  const change = useParameters();
  const options = Object.entries(t.by);
  return (
    <Chooser label={t.lines} value={by} {...{ options }} onChange={(to) => change({ by: to })} />
  );
}

/** Chooses whether the year before is compared, in the address. */
export function CompareChoice({ isOn }: { readonly isOn: boolean }): ReactElement {
  const change = useParameters();
  return (
    <label className="check compare">
      <input
        type="checkbox"
        checked={isOn}
        onChange={({ currentTarget }) => change({ compare: currentTarget.checked ? 'year' : '' })}
      />
      <span>{t.compare}</span>
    </label>
  );
}

/** Returns the address of another report with the same choices. */
export function useReportHref(): (kind: string) => string {
  const search = useSearch();
  return (kind) => `/reports/${kind}${search === '' ? '' : `?${search}`}`;
}
