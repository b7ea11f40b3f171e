import type { ReactElement } from 'react';
import { CategoryPicker } from '../../parts/fields/category-picker.tsx';
import { DateField } from '../../parts/fields/date-field.tsx';
import { TextField } from '../../parts/fields/text-field.tsx';
import { itemTexts as t } from '../../texts/en/recurring.ts';
import type { DraftProps } from './props.ts';

/** What linked transactions show, and for how long the item applies. */
export function ShownFields({ draft, names, change }: DraftProps): ReactElement {
  return (
    <>
      <div className="field">
        <span className="label" aria-hidden="true">
          {t.category}
        </span>
        <CategoryPicker
          label={t.category}
          categories={names.categories}
          categoryId={draft.categoryId}
          placeholder={t.keepCategory}
          onChoose={(categoryId) => change({ categoryId })}
        />
      </div>
      <details className="more-fields">
        <summary>{t.more}</summary>
        <div className="stack">
          <TextField
            label={t.description}
            value={draft.description}
            onChange={({ currentTarget: { value } }) => change({ description: value })}
          />
          <TextField
            label={t.shownPayee}
            value={draft.shownPayee}
            onChange={({ currentTarget: { value } }) => change({ shownPayee: value })}
          />
          <TextField
            label={t.shownNotes}
            value={draft.shownNotes}
            onChange={({ currentTarget: { value } }) => change({ shownNotes: value })}
          />
          <div className="field-row">
            <DateField
              label={`${t.start} (${t.optional})`}
              date={draft.start}
              onDate={(start) => change({ start })}
            />
            <DateField
              label={`${t.end} (${t.optional})`}
              date={draft.end}
              onDate={(end) => change({ end })}
            />
          </div>
        </div>
      </details>
    </>
  );
}
