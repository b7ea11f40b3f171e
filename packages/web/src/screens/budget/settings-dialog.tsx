import type { ReactElement } from 'react';
import { keys } from '../../api/keys.ts';
import { optionsOf } from '../../parts/fields/fields.tsx';
import { budgetSettingsTexts as t } from '../../texts/en/budget.ts';
import { FormDialog } from '../flow/form-dialog.tsx';
import { useOwnChanges } from '../flow/own-changes.ts';
import { saveSettings, type BudgetSettings } from './data.ts';

/** How long periods are, and which income counts. */
export function SettingsDialog(props: {
  readonly settings: BudgetSettings;
  readonly onClose: () => void;
}): ReactElement {
  const { settings, onClose } = props;
  const { change } = useOwnChanges(keys.budgets);
  return (
    <FormDialog
      title={t.title}
      look="sheet"
      schema="BudgetSettings"
      begun={settings}
      fields={({ draft }) => [
        [
          { name: 'budget_period_quantity', label: t.every, kind: 'number' },
          {
            name: 'budget_period_granularity',
            label: t.unit,
            kind: 'choice',
            options: optionsOf(t.units),
          },
        ],
        { name: 'budget_period_anchor_date', label: t.anchor, hint: t.anchorHint, kind: 'date' },
        draft.budget_period_granularity === 'month' && {
          name: 'budget_use_last_day_of_month',
          label: t.lastDay,
          kind: 'check',
        },
        <p key="kept" className="hint">
          {t.kept}
        </p>,
        {
          name: 'budget_income_option',
          label: t.income,
          kind: 'choice',
          options: optionsOf(t.incomes),
        },
        [
          { name: 'budget_rollover_left_to_budget', label: t.rollover, kind: 'check' },
          { name: 'budget_hide_no_activity', label: t.hide, kind: 'check' },
        ],
      ]}
      save={(values) => change(() => saveSettings(values), t.saved)}
      onClose={onClose}
    />
  );
}
