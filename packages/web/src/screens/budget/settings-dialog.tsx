import type { ReactElement } from 'react';
import { keys } from '../../api/keys.ts';
import { DateField } from '../../parts/fields/date-field.tsx';
import {
  CheckField,
  SelectField,
  TextField,
  useDraft,
  numberOf,
  optionsOf,
} from '../../parts/fields/fields.tsx';
import { budgetSettingsTexts as t } from '../../texts/en/budget.ts';
import { useOwnChanges } from '../flow/own-changes.ts';
import { FormDialog } from '../flow/submitting.tsx';
import { saveSettings, type BudgetSettings } from './data.ts';

/** How long periods are, and which income counts. */
export function SettingsDialog(props: {
  readonly settings: BudgetSettings;
  readonly onClose: () => void;
}): ReactElement {
  const { settings, onClose } = props;
  const { draft, change, field } = useDraft(settings);
  const { change: write } = useOwnChanges(keys.budgets);
  const save = async (): Promise<void> => {
    await write(() => saveSettings(draft), t.saved);
    onClose();
  };
  return (
    <FormDialog title={t.title} look="sheet" work={save} onClose={onClose}>
      <div className="field-row">
        <TextField
          label={t.every}
          type="number"
          min={1}
          max={366}
          required
          value={draft.budget_period_quantity}
          onChange={(text) => change({ budget_period_quantity: numberOf(text) })}
        />
        <SelectField
          label={t.unit}
          options={optionsOf(t.units)}
          {...field('budget_period_granularity')}
        />
      </div>
      <DateField
        label={t.anchor}
        hint={t.anchorHint}
        required
        {...field('budget_period_anchor_date')}
      />
      {draft.budget_period_granularity === 'month' && (
        <CheckField label={t.lastDay} {...field('budget_use_last_day_of_month')} />
      )}
      <p className="hint">{t.kept}</p>
      <SelectField
        label={t.income}
        options={optionsOf(t.incomes)}
        {...field('budget_income_option')}
      />
      <div>
        <CheckField label={t.rollover} {...field('budget_rollover_left_to_budget')} />
        <CheckField label={t.hide} {...field('budget_hide_no_activity')} />
      </div>
    </FormDialog>
  );
}
