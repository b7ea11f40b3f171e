import type { ReactElement } from 'react';
import type { ItemDraft } from '../../books/recurring/recurring-draft.ts';
import { DateField } from '../../parts/fields/date-field.tsx';
import { SelectField } from '../../parts/fields/select-field.tsx';
import { TextField } from '../../parts/fields/text-field.tsx';
import { itemTexts as t } from '../../texts/en/recurring.ts';
import type { DraftProps } from './props.ts';

/** When transactions are expected. */
export function RhythmFields({ draft, change }: DraftProps): ReactElement {
  const units = Object.entries(t.units).map(([value, label]) => ({ value, label }));
  return (
    <div className="field-row">
      <TextField
        label={t.every}
        type="number"
        min={1}
        required
        value={Number.isNaN(draft.quantity) ? '' : draft.quantity}
        onChange={({ currentTarget: { valueAsNumber } }) => change({ quantity: valueAsNumber })}
      />
      <SelectField
        label={t.unit}
        value={draft.granularity}
        options={units}
        onChange={(unit) => change({ granularity: unit as ItemDraft['granularity'] })}
      />
      <DateField
        label={t.anchor}
        required
        date={draft.anchor}
        onDate={(anchor) => change({ anchor })}
      />
    </div>
  );
}
