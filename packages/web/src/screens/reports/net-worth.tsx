import { useMemo, type ReactElement } from 'react';
import { useSearch } from 'wouter';
import { netWorth, wealthKinds } from '../../books/accounts/net-worth.ts';
import type { BalanceSeries, MonthWorth } from '../../books/accounts/net-worth.ts';
import { formatDate } from '../../books/formats/dates.ts';
import { decimalOf } from '../../books/reports/csv.ts';
import { monthsIn, periodOf, readPeriodChoice } from '../../books/reports/periods.ts';
import { LinkButton } from '../../parts/button.tsx';
import { Legend } from '../../parts/charts/legend.tsx';
import { LineChart } from '../../parts/charts/line-chart.tsx';
import { Table } from '../../parts/lists/table.tsx';
import { Sum } from '../../parts/money.tsx';
import { usePreferences, useToday } from '../../parts/preferences.ts';
import { EmptyState } from '../../parts/states.tsx';
import { reportTexts as t } from '../../texts/en/reports.ts';
import { ReportHead } from './report-head.tsx';
import { useWealth, Read, usePlaces } from './report.tsx';

/** Net worth over time, by kind of account. */
export function NetWorthReport(): ReactElement {
  const reading = useWealth();
  return <Read query={reading}>{(data) => <NetWorth {...data} />}</Read>;
}

type NetWorthProps = Readonly<{ series: readonly BalanceSeries[]; currency: string }>;

function NetWorth({ series, currency }: NetWorthProps): ReactElement {
  const search = useSearch();
  const choice = readPeriodChoice(search);
  const thisMonth = useToday().slice(0, 7);
  const known = useMemo(
    () => series.flatMap(({ balances }) => balances.map(({ month }) => month)).toSorted(),
    [series],
  );
  const worth = useMemo(() => {
    const { start, end } = periodOf(readPeriodChoice(search), thisMonth, known[0]);
    // Balances are not known before the first month, nor after this one.
    const begin = [start, known[0] ?? start].toSorted()[1]!;
    return netWorth(series, monthsIn({ start: begin, end: end > thisMonth ? thisMonth : end }));
  }, [series, known, thisMonth, search]);
  if (known.length === 0)
    return (
      <EmptyState icon="accounts" title={t.emptyBalances} hint={t.emptyBalancesHint}>
        <LinkButton href="/accounts" look="main" label={t.toAccounts} />
      </EmptyState>
    );
  const last = worth.at(-1)?.net ?? 0n;
  const years = yearsBetween(known[0]!.slice(0, 4), thisMonth.slice(0, 4));
  return (
    <div className="stack">
      <ReportHead
        figures={[
          { key: 'net', name: t.net, units: last, isMain: true },
          { key: 'change', name: t.change, units: last - (worth[0]?.net ?? 0n), sign: 'change' },
        ]}
        {...{ currency, choice, years }}
        period={periodOf(choice, thisMonth, known[0])}
        file={{ name: `net-worth-${thisMonth}`, table: () => tableOfWorth(worth, currency) }}
      />
      <WorthChart worth={worth} currency={currency} />
      <WorthTable worth={worth} currency={currency} />
      <p className="hint">{t.carried}</p>
    </div>
  );
}

function yearsBetween(first: string, last: string): string[] {
  const count = Math.max(0, Number(last) - Number(first)) + 1;
  return Array.from({ length: count }, (_, place) => String(Number(last) - place).padStart(4, '0'));
}

interface WorthProps {
  readonly worth: readonly MonthWorth[];
  readonly currency: string;
}

function kindsIn(worth: readonly MonthWorth[]) {
  return wealthKinds.filter((kind) => worth.some(({ byKind }) => byKind[kind] !== 0n));
}

function WorthChart({ worth, currency }: WorthProps): ReactElement {
  const lines = [
    {
      key: 'net',
      name: t.net,
      colour: 1,
      units: worth.map(({ net }) => net),
      look: 'area' as const,
    },
    ...kindsIn(worth).map((kind) => ({
      key: kind,
      name: t.kinds[kind],
      colour: 2 + wealthKinds.indexOf(kind),
      units: worth.map(({ byKind }) => (kind === 'debts' ? -byKind[kind] : byKind[kind])),
    })),
  ];
  const points = usePlaces(worth.map(({ month }) => month));
  return (
    <figure className="card stack">
      <Legend items={lines} />
      <LineChart label={t.netChart} points={points} lines={lines} currency={currency} height={20} />
    </figure>
  );
}

function WorthTable({ worth, currency }: WorthProps): ReactElement {
  const preferences = usePreferences();
  const money = (units: bigint): ReactElement => <Sum units={units} currency={currency} />;
  return (
    <section className="card report-table">
      <Table
        label={t.netTable}
        rows={worth.toReversed()}
        rowKey={({ month }) => month}
        columns={[
          {
            title: t.month,
            isHeading: true,
            cell: ({ month }) => formatDate(month, 'month', preferences),
          },
          { title: t.net, align: 'end', cell: ({ net }) => money(net) },
          ...kindsIn(worth).map((kind) => ({
            title: t.kinds[kind],
            align: 'end' as const,
            cell: ({ byKind }: MonthWorth) =>
              money(kind === 'debts' ? -byKind[kind] : byKind[kind]),
          })),
        ]}
      />
    </section>
  );
}

function tableOfWorth(worth: readonly MonthWorth[], currency: string): string[][] {
  const kinds = kindsIn(worth);
  return [
    [t.month, t.net, ...kinds.map((kind) => t.kinds[kind])],
    ...worth
      .toReversed()
      .map(({ month, net, byKind }) => [
        month,
        ...[net, ...kinds.map((kind) => (kind === 'debts' ? -byKind[kind] : byKind[kind]))].map(
          (units) => decimalOf(units, currency),
        ),
      ]),
  ];
}
