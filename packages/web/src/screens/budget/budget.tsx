import { useState } from 'react';
import type { ReactElement } from 'react';
import { useParams } from 'wouter';
import { describeError } from '../../api/errors.ts';
import { useCategories, useSession } from '../../api/hooks.ts';
import { dateAt } from '../../books/formats/dates.ts';
import { periodAt } from '../../books/budget/budget-periods.ts';
import { LoadFailure } from '../../parts/states/load-failure.tsx';
import { PageHeader } from '../../parts/page/page-header.tsx';
import { Loading } from '../../parts/states/progress.tsx';
import { budgetTexts as t } from '../../texts/en/budget.ts';
import { useBudgetSettings, useBudgetSummary } from './data.ts';
import { PeriodView } from './period-view.tsx';

/** The budget of one period, which the URL names. */
export function Budget(): ReactElement {
  const settings = useBudgetSettings();
  if (settings.data !== undefined) return <NamedPeriod settings={settings.data} />;
  return <Waiting failed={settings.error} retry={() => void settings.refetch()} />;
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
    const retry = (): void => {
      void categories.refetch();
      void summary.refetch();
    };
    return <Waiting failed={categories.error ?? summary.error} retry={retry} />;
  }
  const { isPlaceholderData: isStale } = summary;
  const book = { settings, period, today, currency, isStale };
  return <PeriodView {...book} categories={categories.data} summary={summary.data} />;
}

function Waiting(props: { readonly failed: Error | null; readonly retry: () => void }) {
  const { failed, retry } = props;
  return (
    <>
      <PageHeader title={t.title} />
      {failed === null ? (
        <Loading label={t.loading} />
      ) : (
        <LoadFailure
          title={t.failed}
          reason={describeError(failed)}
          retryLabel={t.retry}
          onRetry={retry}
        />
      )}
    </>
  );
}
