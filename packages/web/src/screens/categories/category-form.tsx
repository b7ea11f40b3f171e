import { useState } from 'react';
import type { ReactElement } from 'react';
import { keys } from '../../api/keys.ts';
import type { Category } from '../../api/types.ts';
import { CheckField } from '../../parts/fields/check-field.tsx';
import { Dialog } from '../../parts/overlays/dialog.tsx';
import { SelectField } from '../../parts/fields/select-field.tsx';
import { TextField } from '../../parts/fields/text-field.tsx';
import { categoriesTexts } from '../../texts/en/categories.ts';
import { ownChangesTexts } from '../../texts/en/own-changes.ts';
import { useOwnChanges } from '../flow/own-changes.ts';
import { SubmitForm } from '../flow/submitting.tsx';
import { createCategory, updateCategory } from './data.ts';
import type { CategoryInsert } from './data.ts';

const t = categoriesTexts.form;
const flags = [
  ['is_income', t.income],
  ['exclude_from_budget', t.budget],
  ['exclude_from_totals', t.totals],
] as const;

type Draft = Required<
  Pick<CategoryInsert, 'name' | (typeof flags)[number][0]> & { description: string }
> & { readonly group_id: number | null };

/** A dialog that creates or changes a category or a group. */
export function CategoryForm(props: {
  readonly category?: Category;
  readonly isGroup: boolean;
  readonly all: readonly Category[];
  readonly onClose: () => void;
}): ReactElement {
  const { category, isGroup, all, onClose } = props;
  const { change } = useOwnChanges(keys.categories);
  const [draft, setDraft] = useState(() => draftOf(category));
  const save = async (): Promise<void> => {
    const values = valuesOf(draft, isGroup);
    if (category === undefined)
      await change(
        () => createCategory({ ...values, is_group: isGroup }),
        categoriesTexts.created(values.name),
      );
    else
      await change(() => updateCategory(category.id, values), categoriesTexts.changed(values.name));
    onClose();
  };
  const create = isGroup ? categoriesTexts.addGroup : categoriesTexts.addCategory;
  return (
    <Dialog
      title={category === undefined ? create : categoriesTexts.edit}
      closeLabel={ownChangesTexts.close}
      onClose={onClose}
    >
      <SubmitForm canSubmit={draft.name.trim() !== ''} work={save}>
        <TextField
          label={t.name}
          required
          autoFocus
          maxLength={100}
          value={draft.name}
          onChange={({ currentTarget: { value } }) => setDraft({ ...draft, name: value })}
        />
        <Details
          draft={draft}
          groups={isGroup ? [] : all.filter((each) => each.is_group)}
          onChange={(part) => setDraft({ ...draft, ...part })}
        />
      </SubmitForm>
    </Dialog>
  );
}

function Details(props: {
  readonly draft: Draft;
  readonly groups: readonly Category[];
  readonly onChange: (part: Partial<Draft>) => void;
}): ReactElement {
  const { draft, groups, onChange } = props;
  const group = groups.find(({ id }) => id === draft.group_id);
  return (
    <>
      {groups.length > 0 && (
        <SelectField
          label={t.group}
          value={String(draft.group_id ?? '')}
          options={[
            { value: '', label: t.noGroup },
            ...groups.map(({ id, name }) => ({ value: String(id), label: name })),
          ]}
          onChange={(value) => onChange({ group_id: value === '' ? null : Number(value) })}
        />
      )}
      <TextField
        label={t.description}
        maxLength={200}
        value={draft.description}
        onChange={({ currentTarget: { value } }) => onChange({ description: value })}
      />
      <div>
        {flags.map(([flag, label]) => (
          <CheckField
            key={flag}
            label={label}
            isChecked={(group ?? draft)[flag]}
            disabled={group !== undefined}
            onChange={(isOn) => onChange({ [flag]: isOn })}
          />
        ))}
        {group !== undefined && <p className="hint">{t.inherited}</p>}
      </div>
    </>
  );
}

function draftOf(category: Category | undefined): Draft {
  return {
    name: category?.name ?? '',
    description: category?.description ?? '',
    group_id: category?.group_id ?? null,
    is_income: category?.is_income ?? false,
    exclude_from_budget: category?.exclude_from_budget ?? false,
    exclude_from_totals: category?.exclude_from_totals ?? false,
  };
}

/** What is sent: members have the flags of their group, and groups are in none. */
function valuesOf(draft: Draft, isGroup: boolean): CategoryInsert & { readonly name: string } {
  const { is_income, exclude_from_budget, exclude_from_totals } = draft;
  const description = draft.description.trim();
  return {
    name: draft.name.trim(),
    description: description === '' ? null : description,
    ...(!isGroup && { group_id: draft.group_id }),
    ...(draft.group_id === null && { is_income, exclude_from_budget, exclude_from_totals }),
  };
}
