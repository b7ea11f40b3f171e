import { useState } from 'react';
import type { ReactElement } from 'react';
import { keys } from '../../api/keys.ts';
import type { Category } from '../../api/types.ts';
import { SelectField } from '../../parts/fields/select-field.tsx';
import { categoriesTexts as t } from '../../texts/en/categories.ts';
import { Loaded } from '../flow/loaded.tsx';
import { useOwnChanges } from '../flow/own-changes.ts';
import { Confirmed } from '../flow/submitting.tsx';
import { CategoryForm } from './category-form.tsx';
import { mergeCategory, removeCategory, useUses } from './data.ts';
import type { Dependents } from './data.ts';
import { Refused } from './refused.tsx';

/** A dialog about a category. */
export type OpenSheet =
  | { readonly kind: 'edit' | 'merge'; readonly category: Category }
  | { readonly kind: 'refused'; readonly category: Category; readonly dependents: Dependents };

interface CategorySheetsProps {
  readonly sheet: OpenSheet;
  readonly all: readonly Category[];
  readonly onChange: (sheet: OpenSheet | null) => void;
}

/** The dialog that is open. */
export function CategorySheets({ sheet, all, onChange }: CategorySheetsProps): ReactElement {
  const { category } = sheet;
  const { change } = useOwnChanges(keys.categories, keys.transactions);
  const close = (): void => onChange(null);
  if (sheet.kind === 'refused')
    return (
      <Refused
        name={category.name}
        dependents={sheet.dependents}
        texts={t.refused.dependents}
        onRemove={() => change(() => removeCategory(category.id, true), t.removed(category.name))}
        onClose={close}
      />
    );
  if (sheet.kind === 'merge')
    return <MergeCategory category={category} all={all} onClose={close} />;
  return <CategoryForm category={category} isGroup={category.is_group} all={all} onClose={close} />;
}

/** Merges a category or a group into another one, after saying what moves. */
function MergeCategory(props: {
  readonly category: Category;
  readonly all: readonly Category[];
  readonly onClose: () => void;
}): ReactElement {
  const { category, all, onClose } = props;
  const { change } = useOwnChanges(keys.categories, keys.transactions);
  const [value, setValue] = useState('');
  const others = all.filter(
    ({ id, is_group: isGroup }) => id !== category.id && isGroup === category.is_group,
  );
  const into = others.find(({ id }) => String(id) === value);
  const merge = async (): Promise<void> => {
    if (into === undefined) throw new Error(t.merging.choose);
    const done = t.merging.done(category.name, into.name);
    await change(() => mergeCategory(category.id, into.id), done);
    onClose();
  };
  return (
    <Confirmed
      title={t.merging.title(category.name)}
      confirmLabel={t.merging.confirm}
      look="main"
      canConfirm={into !== undefined}
      work={merge}
      onClose={onClose}
    >
      <SelectField
        label={t.merging.into}
        value={value}
        options={[
          { value: '', label: t.merging.choose },
          ...others.map(({ id, name }) => ({ value: String(id), label: name })),
        ]}
        onChange={setValue}
      />
      <Effects category={category} all={all} />
    </Confirmed>
  );
}

function Effects(props: {
  readonly category: Category;
  readonly all: readonly Category[];
}): ReactElement {
  const { category, all } = props;
  const uses = useUses(category);
  const members = all.filter((each) => each.group_id === category.id).length;
  return (
    <div>
      <p>{t.merging.effect}</p>
      <Loaded query={uses} lines={3}>
        {({ transactions, rules, recurring }) => (
          <ul className="effects">
            {category.is_group ? (
              <li>{t.merging.members(members)}</li>
            ) : (
              <li>{t.merging.transactions(transactions)}</li>
            )}
            {rules > 0 && <li>{t.merging.rules(rules)}</li>}
            {recurring > 0 && <li>{t.merging.recurring(recurring)}</li>}
            <li>{t.merging.others}</li>
            <li>{t.merging.gone(category.name)}</li>
          </ul>
        )}
      </Loaded>
    </div>
  );
}
