import { useState, type ReactElement } from 'react';
import { DateField } from '../../parts/fields/date-field.tsx';
import { CheckField, SelectField, TextField } from '../../parts/fields/fields.tsx';
import type { SelectOption } from '../../parts/fields/fields.tsx';
import { Dialog } from '../../parts/overlays/dialog.tsx';
import { budgetSettingsTexts as t } from '../../texts/en/budget.ts';
import { useOwnChanges } from '../flow/own-changes.ts';
import { SubmitForm } from '../flow/submitting.tsx';
import { budgetsKey, saveSettings, type BudgetSettings } from './data.ts';

type Granularity = BudgetSettings['budget_period_granularity'];
type Income = BudgetSettings['budget_income_option'];
type Change = (part: Partial<BudgetSettings>) => void;
interface PartProps {
  readonly draft: BudgetSettings;
  readonly change: Change;
}

/** How long periods are, and which income counts. */
export function SettingsDialog(props: {
  readonly settings: BudgetSettings;
  readonly onClose: () => void;
}): ReactElement {
  const { settings, onClose } = props;
  const [draft, setDraft] = useState(settings);
  const { change: write } = useOwnChanges(budgetsKey);
  const change: Change = (part) => setDraft({ ...draft, ...part });
  const save = async (): Promise<void> => {
    await write(() => saveSettings(draft), t.saved);
    onClose();
  };
  return (
    <Dialog title={t.title} onClose={onClose} look="sheet">
      <SubmitForm work={save}>
        <Periods draft={draft} change={change} />
        <IncomeFields draft={draft} change={change} />
      </SubmitForm>
    </Dialog>
  );
}

function Periods({ draft, change }: PartProps): ReactElement {
  const granularity = draft.budget_period_granularity;
  return (
    <>
      <div className="field-row">
        <TextField
          label={t.every}
          type="number"
          min={1}
          max={366}
          required
          value={draft.budget_period_quantity}
          onChange={({ currentTarget: { valueAsNumber } }) =>
            change({ budget_period_quantity: valueAsNumber })
          }
        />
        <SelectField
          label={t.unit}
          value={granularity}
          options={optionsOf(t.units)}
          onChange={(unit) => change({ budget_period_granularity: unit as Granularity })}
        />
      </div>
      <DateField
        label={t.anchor}
        hint={t.anchorHint}
        required
        date={draft.budget_period_anchor_date}
        onDate={(date) => change({ budget_period_anchor_date: date })}
      />
      {granularity === 'month' && (
        <CheckField
          label={t.lastDay}
          isChecked={draft.budget_use_last_day_of_month}
          onChange={(isChecked) => change({ budget_use_last_day_of_month: isChecked })}
        />
      )}
      <p className="hint">{t.kept}</p>
    </>
  );
}

function IncomeFields({ draft, change }: PartProps): ReactElement {
  return (
    <>
      <SelectField
        label={t.income}
        value={draft.budget_income_option}
        options={optionsOf(t.incomes)}
        onChange={(option) => change({ budget_income_option: option as Income })}
      />
      <div>
        <CheckField
          label={t.rollover}
          isChecked={draft.budget_rollover_left_to_budget}
          onChange={(isChecked) => change({ budget_rollover_left_to_budget: isChecked })}
        />
        <CheckField
          label={t.hide}
          isChecked={draft.budget_hide_no_activity}
          onChange={(isChecked) => change({ budget_hide_no_activity: isChecked })}
        />
      </div>
    </>
  );
}

/** Options of texts by value. */
function optionsOf(texts: Readonly<Record<string, string>>): SelectOption[] {
  return Object.entries(texts).map(([value, label]) => ({ value, label }));
}
