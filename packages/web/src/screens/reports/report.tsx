import { useMemo, type ReactElement } from 'react';
import { useSearch, useLocation } from 'wouter';
import { useAccounts, useCategories, useSession, useMonths } from '../../api/hooks.ts';
import { seriesOf, sidesOf, useBalances, usePeriodSums } from '../../api/reports.ts';
import type { BalanceSeries } from '../../books/accounts/net-worth.ts';
import { formatDate } from '../../books/formats/dates.ts';
import {
  monthsIn,
  periodOf,
  readPeriodChoice,
  shownMonth,
  lengths,
  writePeriodChoice,
} from '../../books/reports/periods.ts';
import type { Period, PeriodChoice } from '../../books/reports/periods.ts';
import type { SidedCategory, SidedSum } from '../../books/reports/sides.ts';
import { LinkButton } from '../../parts/button.tsx';
import type { LinePoint } from '../../parts/charts/line-chart.tsx';
import { Sum } from '../../parts/money.tsx';
import { useToday, usePreferences } from '../../parts/preferences.ts';
import { EmptyState } from '../../parts/states.tsx';
import { reportTexts as t } from '../../texts/en/reports.ts';
import { Loaded, type LoadedProps, type Reading } from '../flow/loaded.tsx';

/** What the reports of categories show. */
export interface SumsOfPeriod {
  readonly choice: PeriodChoice;
  readonly period: Period;
  readonly months: readonly string[];
  readonly sums: readonly SidedSum[];
  readonly categories: readonly SidedCategory[];
  /** The years that have transactions, newest first. */
  readonly years: readonly string[];
  readonly currency: string;
}

/** The sums of the period in the address; `years` is empty for a book without transactions. */
export function useSumsOfPeriod(): Reading<SumsOfPeriod> {
  const search = useSearch();
  const all = useMonths();
  const categories = useCategories();
  const session = useSession();
  const today = useToday();
  const choice = readPeriodChoice(search);
  const known = all.data?.months.map(({ month }) => month);
  const newest = known === undefined ? null : shownMonth(today, known);
  const period = newest === null ? null : periodOf(choice, newest);
  const sums = usePeriodSums(period);
  const sided = useMemo(
    () => (sums.data && categories.data ? sidesOf(sums.data, categories.data) : null),
    [sums.data, categories.data],
  );
  const failed = [all, categories, sums].find(({ isError, data }) => isError && !data);
  if (failed !== undefined) return { ...failed, data: undefined };
  if (!known || period === null || sided === null || !categories.data || !session.data?.book)
    return loading;
  const years = [...new Set(known.map((month) => month.slice(0, 4)))];
  return {
    ...loading,
    data: {
      choice,
      period,
      months: monthsIn(period),
      sums: sided,
      categories: categories.data,
      years,
      currency: session.data.book.primary_currency,
    },
  };
}

/** The balances of all accounts by month. */
export function useWealth(): Reading<{
  readonly series: readonly BalanceSeries[];
  readonly currency: string;
}> {
  const history = useBalances();
  const accounts = useAccounts();
  const session = useSession();
  const series = useMemo(
    () => (history.data && accounts.data ? seriesOf(history.data, accounts.data) : null),
    [history.data, accounts.data],
  );
  const failed = [history, accounts].find(({ isError, data }) => isError && !data);
  if (failed !== undefined) return { ...failed, data: undefined };
  if (series === null || !session.data?.book) return loading;
  return { ...loading, data: { series, currency: session.data.book.primary_currency } };
}

const loading = { data: undefined, error: null, refetch: () => undefined };

/** Shows what was read; before that its outline, or why it could not be read. */
export function Read<T>(props: Omit<LoadedProps<T>, 'outline'>): ReactElement {
  return <Loaded {...props} outline={<Outline />} />;
}

/** The places of what is coming, so that nothing moves when it is there. */
function Outline(): ReactElement {
  return (
    <div className="stack" aria-busy="true">
      <div className="report-outline short" />
      <div className="report-outline tall" />
      <div className="report-outline tall" />
    </div>
  );
}

/** What a report says in a book without transactions. */
export function NoTransactions(): ReactElement {
  return (
    <EmptyState icon="reports" title={t.emptyTitle} hint={t.emptyHint}>
      <LinkButton href="/import" look="main" label={t.toImport} />
    </EmptyState>
  );
}

/** Chooses the period of a report, which is in the address. */
function PeriodChooser(props: {
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

/** A sum at the head of a report. */
interface Figure {
  readonly key: string;
  readonly name: string;
  readonly units: bigint;
  /** The one that the report is about. */
  readonly isMain?: boolean;
  readonly sign?: 'change';
}

/** The sums of a report, and the choice of its period. */
export function ReportHead(props: {
  readonly figures: readonly Figure[];
  readonly currency: string;
  readonly choice: PeriodChoice;
  readonly years: readonly string[];
}): ReactElement {
  const { figures, currency, choice, years } = props;
  return (
    <div className="report-head">
      <dl className="figures">
        {figures.map(({ key, name, units, isMain = false, sign }) => (
          <div key={key}>
            <dt>{name}</dt>
            <dd className={isMain ? 'figure' : 'figure soft'} data-figure={key}>
              <Sum units={units} currency={currency} {...(sign !== undefined && { sign })} />
            </dd>
          </div>
        ))}
      </dl>
      <PeriodChooser choice={choice} years={years} />
    </div>
  );
}

/** Returns the places of months on the axis of a chart, with the year at the first and at each January. */
export function usePlaces(months: readonly string[]): readonly LinePoint[] {
  const preferences = usePreferences();
  return months.map((month, place) => ({
    key: month,
    label: formatDate(month, 'monthShort', preferences),
    ...((place === 0 || month.endsWith('-01')) && { more: month.slice(0, 4) }),
    title: formatDate(month, 'month', preferences),
  }));
}
