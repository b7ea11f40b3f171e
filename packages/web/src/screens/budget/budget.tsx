import { useState } from 'react';
import type { ReactElement } from 'react';
import { useParams } from 'wouter';
import { useCategories, useSession } from '../../api/hooks.ts';
import { dateAt } from '../../books/formats/dates.ts';
import { periodAt } from '../../books/budget/budget-periods.ts';
import { budgetTexts as t } from '../../texts/en/budget.ts';
import { WaitingScreen } from '../flow/loaded.tsx';
import { useBudgetSettings, useBudgetSummary } from './sheet/data.ts';
import { PeriodView } from './period-view.tsx';

/** The budget of one period, which the URL names. */
export function Budget(): ReactElement {
  const settings = useBudgetSettings();
  if (settings.data !== undefined) return <NamedPeriod settings={settings.data} />;
  return <WaitingScreen title={t.title} {...settings} />;
}

type Settings = NonNullable<ReturnType<typeof useBudgetSettings>['data']>;

function NamedPeriod({ settings }: { readonly settings: Settings }): ReactElement {
  const { period: named = '' } = useParams();
  const [today] = useState(() => dateAt(Date.now()));
  const period = periodAt(settings, named, today);
  const { data: session } = useSession();
  const categories = useCategories();
  const summary = useBudgetSummary(period);
  const currency = session?.book?.primary_currency ?? '';
  if (categories.data === undefined || summary.data === undefined) {
    const refetch = () => Promise.all([categories.refetch(), summary.refetch()]);
    return (
      <WaitingScreen title={t.title} error={categories.error ?? summary.error} refetch={refetch} />
    );
  }
  const { isPlaceholderData: isStale } = summary;
  const book = { settings, period, today, currency, isStale };
  return <PeriodView {...book} categories={categories.data} summary={summary.data} />;
}
