import { useMemo } from 'react';
import type { ReactElement } from 'react';
import { Combobox } from './combobox.tsx';

/** A category as the picker needs it. */
export interface PickedCategory {
  readonly id: number;
  readonly name: string;
  readonly is_group: boolean;
  readonly group_id: number | null;
  readonly archived: boolean;
}

/** A field that chooses a category. */
export interface CategoryPickerProps {
  readonly label: string;
  readonly categories: readonly PickedCategory[];
  /** The id of the present category; null for none. */
  readonly categoryId: number | null;
  readonly placeholder?: string;
  /** Called with the id of the chosen category; with null for none. */
  readonly onChoose: (categoryId: number | null) => void;
  readonly onCancel?: () => void;
  readonly hasFocus?: boolean;
}

/** Chooses a category by two or three letters and Enter. Groups and archived categories cannot be chosen. */
export function CategoryPicker(props: CategoryPickerProps): ReactElement {
  const { categories, categoryId, onChoose, ...rest } = props;
  const options = useMemo(() => optionsOf(categories), [categories]);
  const text = categories.find(({ id }) => id === categoryId)?.name ?? '';
  return (
    <Combobox
      {...rest}
      options={options}
      text={text}
      onChoose={(option) => onChoose(option === null ? null : option.id)}
    />
  );
}

function optionsOf(categories: readonly PickedCategory[]) {
  const names = new Map(categories.map(({ id, name }) => [id, name]));
  return categories
    .filter((category) => !category.is_group && !category.archived)
    .map(({ id, name, group_id: groupId }) => {
      const context = names.get(groupId ?? -1) ?? '';
      const content = (
        <>
          {name}
          {context !== '' && <span className="context">{context}</span>}
        </>
      );
      return { id, name, context, content };
    });
}
