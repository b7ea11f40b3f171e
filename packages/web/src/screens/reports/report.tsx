import type { Period } from '@coffer/core/budget-periods';
import { useMemo, type ReactElement } from 'react';
import { useSearch, useLocation } from 'wouter';
import { useAccounts, useCategories, useSession, useMonths, useTags } from '../../api/hooks.ts';
import { otherPayees, useBalances, usePastWorth, useSums } from '../../api/reports.ts';
import type { Division } from '../../api/reports.ts';
import { seriesOf } from '../../books/accounts/balance-series.ts';
import type { BalanceSeries } from '../../books/accounts/net-worth.ts';
import { formatDate } from '../../books/formats/dates.ts';
import { categoryReport, reportOf } from '../../books/reports/category-report.ts';
import type { LineSubject, Report, ReportRow } from '../../books/reports/category-report.ts';
import type { Side } from '../../books/reports/flow.ts';
import {
  choiceParameters,
  columnsOf,
  periodOf,
  readPeriodChoice,
  shownMonth,
  yearBefore,
  type Column,
  type PeriodChoice,
} from '../../books/reports/periods.ts';
import type { LinePoint } from '../../parts/charts/line-chart.tsx';
import { LinkButton } from '../../parts/button.tsx';
import { useToday, usePreferences } from '../../parts/preferences.ts';
import { EmptyState } from '../../parts/states.tsx';
import { reportTexts as t } from '../../texts/en/reports.ts';
import { useNames } from '../flow/names.ts';
import { Loaded, type LoadedProps, type Reading } from '../flow/loaded.tsx';

/** What a report is about, as the address says. */
export interface Scope {
  readonly choice: PeriodChoice;
  readonly period: Period;
  readonly columns: readonly Column[];
  readonly by: Division;
  /** The same days of the year before; null if they are not compared. */
  readonly before: Period | null;
  /** The years that have transactions, newest first; none in a book without transactions. */
  readonly years: readonly string[];
  readonly currency: string;
}

const divisions = Object.keys(t.by) as Division[];

/** Reads what the report in the address is about. */
export function useScope(): Reading<Scope> {
  const search = useSearch();
  const all = useMonths();
  const session = useSession();
  const today = useToday();
  const currency = session.data?.book?.primary_currency;
  const scope = useMemo((): Scope | undefined => {
    if (all.data === undefined || currency === undefined) return undefined;
    const known = all.data.months.map(({ month }) => month);
    const choice = readPeriodChoice(search);
    const period = periodOf(choice, shownMonth(today, known), known.at(-1));
    const given = new URLSearchParams(search);
    const by = divisions.find((each) => each === given.get('by')) ?? 'category';
    return {
      choice,
      period,
      columns: columnsOf(period),
      by,
      before: given.get('compare') === 'year' ? yearBefore(period) : null,
      years: [...new Set(known.map((month) => month.slice(0, 4)))],
      currency,
    };
  }, [all.data, currency, search, today]);
  return { ...all, data: scope };
}

/** Reads one side of a report, by the lines that the scope says. */
export function useReport(scope: Scope, side: Side): Reading<Report> {
  const { period, columns, by, before } = scope;
  const sums = useSums({ period, side, by });
  const earlier = useSums(before && { period: before, side, by });
  // A transaction counts in each of its tags.
  const whole = useSums(by === 'tag' ? { period, side, by: null } : null);
  const wholeEarlier = useSums(by === 'tag' && before ? { period: before, side, by: null } : null);
  const categories = useCategories();
  const tags = useTags();
  const accounts = useAccounts();
  const names = useNames();
  const queries = [sums, categories, tags, accounts, ...(before === null ? [] : [earlier])];
  const needed = by === 'tag' ? [...queries, whole, ...(before ? [wholeEarlier] : [])] : queries;
  const isReady = needed.every(({ data }) => data !== undefined);
  const report = useMemo(() => {
    if (!isReady) return undefined;
    const compared = before === null ? null : earlier.data!;
    const shared = { columns, sums: sums.data!, before: compared };
    if (by === 'category') return categoryReport(shared, categories.data!);
    const wholeBefore = before === null ? null : wholeEarlier.data!;
    return reportOf({
      ...shared,
      ...(by === 'tag' && { whole: { sums: whole.data!, before: wholeBefore } }),
      subjectOf: (key) => subjectOf(by, key, names),
    });
  }, [
    isReady,
    before,
    columns,
    by,
    names,
    sums.data,
    earlier.data,
    whole.data,
    wholeEarlier.data,
    categories.data,
  ]);
  const failed = needed.find(({ isError, data }) => isError && data === undefined);
  return {
    data: report,
    error: failed?.error ?? null,
    refetch: () => Promise.all(needed.map(({ refetch }) => refetch())),
  };
}

function subjectOf(by: Division, key: string, names: ReturnType<typeof useNames>): LineSubject {
  if (by === 'tag') {
    const name = names.tags.find(({ id }) => id === Number(key))?.name ?? null;
    return { name, filter: { tagIds: [Number(key)] } };
  }
  if (by === 'account') return { name: names.accounts.get(key) ?? null, filter: filterOf(key) };
  const name = key === otherPayees ? '' : key.slice(1);
  return { name: name === '' ? null : name, filter: name === '' ? null : { payee: name } };
}

/** The filter of an account by its key, such as `manual:1`; of no account for an empty key. */
function filterOf(key: string) {
  const [kind = '', id] = key.split(':');
  if (kind === '') return { manualAccountIds: [0], plaidAccountIds: [0] };
  return { [kind === 'manual' ? 'manualAccountIds' : 'plaidAccountIds']: [Number(id)] };
}

/** Returns the name of a line, also of one without a category, tag, account or payee. */
export function nameOfRow({ name, key }: Pick<ReportRow, 'name' | 'key'>, by: Division): string {
  return name ?? (key === otherPayees ? t.otherPayees : t.none[by]);
}

/** Returns a function that changes parameters of the address; an empty text removes one. */
export function useParameters(): (changes: Readonly<Record<string, string>>) => void {
  const [path, go] = useLocation();
  const search = useSearch();
  return (changes) => {
    const given = new URLSearchParams(search);
    for (const [name, value] of Object.entries(changes))
      if (value === '') given.delete(name);
      else given.set(name, value);
    go(`${path}?${given}`, { replace: true });
  };
}

/** Returns the changes of the address that make it say another period. `written` is from `writePeriodChoice`. */
export function periodChange(written: string): Record<string, string> {
  const none = Object.fromEntries(choiceParameters.map((name) => [name, '']));
  return { ...none, ...Object.fromEntries(new URLSearchParams(written)) };
}

/** The balances of all accounts by month. */
export function useWealth(): Reading<{
  readonly series: readonly BalanceSeries[];
  readonly currency: string;
}> {
  const history = useBalances();
  const accounts = useAccounts();
  const session = useSession();
  const past = usePastWorth();
  const series = useMemo(
    () =>
      history.data && accounts.data && past.data
        ? seriesOf({ ...accounts.data, history: history.data, past: past.data })
        : null,
    [history.data, accounts.data, past.data],
  );
  const failed = [history, accounts, past].find(({ isError, data }) => isError && !data);
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

/** Returns the places of months or years on the axis of a chart; with the year at the first and at each January. */
export function usePlaces(keys: readonly string[]): readonly LinePoint[] {
  const preferences = usePreferences();
  return keys.map((key, place) => {
    if (key.length === 4) return { key, label: key, title: key };
    return {
      key,
      label: formatDate(key, 'monthShort', preferences),
      ...((place === 0 || key.endsWith('-01')) && { more: key.slice(0, 4) }),
      title: formatDate(key, 'month', preferences),
    };
  });
}
