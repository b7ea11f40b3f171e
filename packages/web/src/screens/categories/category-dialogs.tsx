import { useState, type ReactElement } from 'react';
import { keys } from '../../api/keys.ts';
import { fullColour, readableOn } from '../../books/categories.ts';
import type { Category, Tag } from '../../books/types.ts';
import { SelectField, CheckField, TextField, useDraft } from '../../parts/fields/fields.tsx';
import { categoriesTexts as t } from '../../texts/en/categories.ts';
import { Loaded } from '../flow/loaded.tsx';
import { useOwnChanges } from '../flow/own-changes.ts';
import { Confirmed, FormDialog } from '../flow/submitting.tsx';
import {
  mergeCategory,
  removeCategory,
  useUses,
  createCategory,
  updateCategory,
  createTag,
  updateTag,
} from './data.ts';
import type { Dependents } from './data.ts';

/** A dialog about a category. */
export type OpenSheet =
  | { readonly kind: 'edit' | 'merge'; readonly category: Category }
  | { readonly kind: 'refused'; readonly category: Category; readonly dependents: Dependents };

/** The dialog that is open. */
export function CategorySheets(props: {
  readonly sheet: OpenSheet;
  readonly all: readonly Category[];
  readonly onChange: (sheet: OpenSheet | null) => void;
}): ReactElement {
  const { sheet, all, onChange } = props;
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

const flags = [
  ['is_income', t.form.income],
  ['exclude_from_budget', t.form.budget],
  ['exclude_from_totals', t.form.totals],
] as const;

/** A dialog that creates or changes a category or a group. */
export function CategoryForm(props: {
  readonly category?: Category;
  readonly isGroup: boolean;
  readonly all: readonly Category[];
  readonly onClose: () => void;
}): ReactElement {
  const { category, isGroup, all, onClose } = props;
  const { change } = useOwnChanges(keys.categories);
  const { draft, change: edit, field } = useDraft(() => draftOf(category));
  const groups = isGroup ? [] : all.filter((each) => each.is_group);
  const group = groups.find(({ id }) => id === draft.group_id);
  const save = async (): Promise<void> => {
    const values = valuesOf(draft, isGroup);
    const write = () =>
      category === undefined
        ? createCategory({ ...values, is_group: isGroup })
        : updateCategory(category.id, values);
    await change(write, (category === undefined ? t.created : t.changed)(values.name));
    onClose();
  };
  const create = isGroup ? t.addGroup : t.addCategory;
  return (
    <FormDialog
      title={category === undefined ? create : t.edit}
      canSubmit={draft.name.trim() !== ''}
      work={save}
      onClose={onClose}
    >
      <TextField label={t.form.name} required autoFocus maxLength={100} {...field('name')} />
      {groups.length > 0 && (
        <SelectField
          label={t.form.group}
          value={String(draft.group_id ?? '')}
          options={[
            { value: '', label: t.form.noGroup },
            ...groups.map(({ id, name }) => ({ value: String(id), label: name })),
          ]}
          onChange={(value) => edit({ group_id: value === '' ? null : Number(value) })}
        />
      )}
      <TextField label={t.form.description} maxLength={200} {...field('description')} />
      <div>
        {flags.map(([flag, label]) => (
          <CheckField
            key={flag}
            label={label}
            {...field(flag)}
            value={(group ?? draft)[flag]}
            disabled={group !== undefined}
          />
        ))}
        {group !== undefined && <p className="hint">{t.form.inherited}</p>}
      </div>
    </FormDialog>
  );
}

function draftOf(category: Category | undefined) {
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
function valuesOf(draft: ReturnType<typeof draftOf>, isGroup: boolean) {
  const { is_income, exclude_from_budget, exclude_from_totals } = draft;
  return {
    name: draft.name.trim(),
    description: draft.description.trim() || null,
    ...(!isGroup && { group_id: draft.group_id }),
    ...(draft.group_id === null && { is_income, exclude_from_budget, exclude_from_totals }),
  };
}

/** Says what depends on a record whose deletion the server has refused, and deletes it nevertheless. */
export function Refused(props: {
  readonly name: string;
  readonly dependents: Dependents;
  /** What happens to the records of each kind. */
  readonly texts: Readonly<Record<string, (count: number) => string>>;
  readonly onRemove: () => Promise<unknown>;
  readonly onClose: () => void;
}): ReactElement {
  const { name, dependents, texts, onRemove, onClose } = props;
  const remove = async (): Promise<void> => {
    await onRemove();
    onClose();
  };
  return (
    <Confirmed
      title={t.refused.title(name)}
      confirmLabel={t.refused.confirm}
      work={remove}
      onClose={onClose}
    >
      <p>{t.refused.intro}</p>
      <ul className="effects">
        {Object.entries(dependents)
          .filter(([, count]) => count > 0)
          .map(([kind, count]) => (
            <li key={kind}>{texts[kind]?.(count) ?? `${kind}: ${count}`}</li>
          ))}
      </ul>
    </Confirmed>
  );
}

const usualBackground = '#cff4f3';

/** A dialog that creates or changes a tag. */
export function TagForm(props: { readonly tag?: Tag; readonly onClose: () => void }): ReactElement {
  const { tag, onClose } = props;
  const { change } = useOwnChanges(keys.tags);
  const {
    draft,
    change: edit,
    field,
  } = useDraft(() => ({
    name: tag?.name ?? '',
    description: tag?.description ?? '',
    background: fullColour(tag?.background_color ?? null),
  }));
  const { background } = draft;
  const name = draft.name.trim();
  const save = async (): Promise<void> => {
    const colour = background === null ? null : background.slice(1).toUpperCase();
    const description = draft.description.trim() || null;
    const values = { name, description, background_color: colour };
    const write = () => (tag === undefined ? createTag(values) : updateTag(tag.id, values));
    await change(write, (tag === undefined ? t.created : t.changed)(name));
    onClose();
  };
  return (
    <FormDialog
      title={tag === undefined ? t.addTag : t.edit}
      canSubmit={name !== ''}
      work={save}
      onClose={onClose}
    >
      <TextField label={t.form.name} required autoFocus maxLength={100} {...field('name')} />
      <TextField label={t.form.description} maxLength={200} {...field('description')} />
      <CheckField
        label={t.form.hasColours}
        value={background !== null}
        onChange={(isOn) => edit({ background: isOn ? usualBackground : null })}
      />
      {background !== null && (
        <TextField
          type="color"
          className="colour"
          label={t.form.background}
          value={background}
          onChange={(value) => edit({ background: value })}
        />
      )}
      <p>
        <span className="label">{t.form.preview}</span>{' '}
        <TagChip name={name === '' ? '…' : draft.name} text={null} background={background} />
      </p>
    </FormDialog>
  );
}

/** A tag in its colours. Its text is black or white, so that it can be read on any background. */
export function TagChip(props: {
  readonly name: string;
  readonly text: string | null;
  readonly background: string | null;
}): ReactElement {
  const background = fullColour(props.background);
  const colours =
    background === null
      ? {}
      : { backgroundColor: background, color: readableOn(background), borderColor: 'transparent' };
  return (
    <span className="tag-chip" style={colours}>
      {props.name}
    </span>
  );
}
