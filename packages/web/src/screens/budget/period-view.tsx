import { useState } from 'react';
import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { amountOf, isUsed, rowsOf } from '../../books/budget/budget.ts';
import { formatPeriod } from '../../books/budget/budget-periods.ts';
import { Button } from '../../parts/button.tsx';
import { EmptyState } from '../../parts/states/empty-state.tsx';
import { PageHeader } from '../../parts/page/page-header.tsx';
import { usePreferences } from '../../parts/preferences.ts';
import { budgetTexts as t } from '../../texts/en/budget.ts';
import { useUndoKey } from '../flow/own-changes.ts';
import type { BudgetSummary } from './sheet/data.ts';
import { Figures } from './sheet/figures.tsx';
import { FreshPeriod } from './fresh-period.tsx';
import { PeriodBar, useTurn } from './sheet/period-bar.tsx';
import { PeriodMenu } from './period-menu.tsx';
import type { PeriodViewProps } from './sheet/props.ts';
import { SettingsDialog } from './settings-dialog.tsx';
import { Sheet } from './sheet/sheet.tsx';
import { useSheetActions } from './sheet/sheet-actions.ts';

/** A period: its sums, and the sheet with a line for each category. */
export function PeriodView(props: PeriodViewProps): ReactElement {
  const { settings, period, currency, categories, summary, isStale } = props;
  const preferences = usePreferences();
  const turn = useTurn(settings, period);
  const rows = rowsOf(categories, summary.categories);
  const hidden = settings.budget_hide_no_activity ? rows.filter((row) => !isUsed(row)) : [];
  const [showsUnused, setShowsUnused] = useState(false);
  const [hasSettings, setHasSettings] = useState(false);
  const shown = showsUnused ? rows : rows.filter((row) => !hidden.includes(row));
  const actions = useSheetActions({ period, currency, rows: shown });
  useUndoKey(actions.undo);
  const rule = t.rule(settings.budget_period_quantity, settings.budget_period_granularity);
  const label = formatPeriod(period, preferences);
  const isFresh = !rows.some(({ own }) => own !== null);
  return (
    <div className={isStale ? 'budget stale' : 'budget'}>
      <PageHeader title={`${t.title}: ${label}`} summary={rule}>
        <PeriodBar {...props} turn={turn} />
        <PeriodMenu rows={shown} actions={actions} onSettings={() => setHasSettings(true)} />
      </PageHeader>
      {rows.length === 0 ? (
        <NoCategories />
      ) : (
        <>
          <Figures {...props} rows={rows} />
          {isFresh && !isStale && <FreshPeriod label={label} rows={shown} actions={actions} />}
          <Sheet
            {...{ period, currency, actions, turn, rows: shown }}
            uncategorized={uncategorizedOf(summary)}
          />
          {hidden.length > 0 && (
            <Button look="quiet" onClick={() => setShowsUnused(!showsUnused)}>
              {showsUnused ? t.hideUnused : t.showUnused(hidden.length)}
            </Button>
          )}
        </>
      )}
      {hasSettings && <SettingsDialog settings={settings} onClose={() => setHasSettings(false)} />}
    </div>
  );
}

/** What was spent without a category. */
function uncategorizedOf({ totals }: BudgetSummary): string {
  const { uncategorized = 0, uncategorized_recurring: recurring = 0 } = totals?.outflow ?? {};
  return amountOf(uncategorized + recurring);
}

function NoCategories(): ReactElement {
  return (
    <EmptyState icon="budget" title={t.empty} hint={t.emptyHint}>
      <Link href="/categories" className="button main">
        {t.toCategories}
      </Link>
      <Link href="/import" className="button">
        {t.toImport}
      </Link>
    </EmptyState>
  );
}
