import { lazy, Suspense, useMemo } from 'react';
import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { useAccounts } from '../../api/hooks.ts';
import { seriesOf, useBalances } from '../../api/reports.ts';
import { formatDate } from '../../books/formats/dates.ts';
import { netWorth } from '../../books/accounts/net-worth.ts';
import { monthsIn, periodOf } from '../../books/reports/periods.ts';
import { Sum } from '../../parts/money.tsx';
import { usePreferences } from '../../parts/preferences.ts';
import { overviewTexts as t } from '../../texts/en/overview.ts';
import { Card, ChartOutline } from './card.tsx';
import type { Scene } from './data.ts';

const Sparkline = lazy(async () => ({
  default: (await import('../../parts/charts/sparkline.tsx')).Sparkline,
}));
const sparklineHeight = 4.5;

/** What the book is worth now, how it has changed in this month, and the last year. */
export function NetWorthCard({ today, currency }: Scene): ReactElement {
  const preferences = usePreferences();
  const history = useBalances();
  const accounts = useAccounts();
  const worth = useMemo(() => {
    if (history.data === undefined || accounts.data === undefined) return null;
    const months = monthsIn(periodOf({ months: 12 }, today.slice(0, 7)));
    return netWorth(seriesOf(history.data, accounts.data), months);
  }, [history.data, accounts.data, today]);
  const [before, now] = worth?.slice(-2) ?? [];
  return (
    <Card name="net-worth" title={t.netWorth} query={history}>
      {worth === null || before === undefined ? null : (
        <>
          <p className="figure">
            <Link href="/reports/net-worth" data-figure="net-worth">
              <Sum units={now?.net ?? 0n} currency={currency} />
            </Link>
          </p>
          <Change
            units={(now?.net ?? 0n) - before.net}
            currency={currency}
            since={t.sinceMonth(formatDate(before.month, 'month', preferences))}
          />
          <Change
            units={(now?.net ?? 0n) - (worth[0]?.net ?? 0n)}
            currency={currency}
            since={t.sinceMonth(formatDate(worth[0]?.month ?? '', 'month', preferences))}
          />
          <Suspense fallback={<ChartOutline height={sparklineHeight} />}>
            <Sparkline label={t.netWorthTrend} units={worth.map(({ net }) => net)} />
          </Suspense>
        </>
      )}
    </Card>
  );
}

function Change(props: {
  readonly units: bigint;
  readonly currency: string;
  readonly since: string;
}): ReactElement {
  const { units, currency, since } = props;
  if (units === 0n) return <p className="summary">{t.unchanged(since)}</p>;
  return (
    <p className="summary">
      <Sum units={units} currency={currency} sign="change" /> {since}
    </p>
  );
}
