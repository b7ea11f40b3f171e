import type { QueryKey } from '@tanstack/react-query';
import { Suspense, useState, type ReactElement } from 'react';
import { useLooks } from '../../api/hooks.ts';
import { keys } from '../../api/keys.ts';
import { request } from '../../api/request.ts';
import { fullColour, readableOn } from '../../books/colours.ts';
import type { Look } from '../../books/looks.ts';
import type { Category, Tag } from '../../books/types.ts';
import { SelectField, CheckField } from '../../parts/fields/fields.tsx';
import type { MenuAction } from '../../parts/overlays/menu.tsx';
import { categoriesTexts as t } from '../../texts/en/categories.ts';
import { Loaded } from '../flow/loaded.tsx';
import { FormDialog } from '../flow/form-dialog.tsx';
import { useOwnChanges, showFailure } from '../flow/own-changes.ts';
import { Confirmed } from '../flow/submitting.tsx';
import { removeCategory, useUses, updateCategory } from './data.ts';
import { dependentsOf, removeTag, updateTag, type Dependents } from './data.ts';
import { late } from '../../parts/states.tsx';

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

/** A category among all. */
interface CategoryProps {
  readonly category: Category;
  readonly all: readonly Category[];
}

/** Merges a category or a group into another one, after saying what moves. */
function MergeCategory(props: CategoryProps & { readonly onClose: () => void }): ReactElement {
  const { category, all, onClose } = props;
  const { change } = useOwnChanges(keys.categories, keys.transactions);
  const [value, setValue] = useState('');
  const others = all.filter(
    ({ id, is_group: isGroup }) => id !== category.id && isGroup === category.is_group,
  );
  const into = others.find(({ id }) => String(id) === value);
  const merge = async (): Promise<void> => {
    if (into === undefined) throw new Error(t.merging.choose);
    const sent = { path: { id: category.id }, body: { into_id: into.id } };
    const write = () => request('POST /coffer/categories/{id}/merge', sent);
    await change(write, t.merging.done(category.name, into.name));
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

function Effects({ category, all }: CategoryProps): ReactElement {
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

const noLook: Look = { icon: null, colour: null };
/** Most dialogs about a category do without it. */
const LookPicker = late(() => import('./look-picker.tsx'), 'LookPicker');

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
  const looks = useLooks();
  // As it was when the dialog opened: what is read later is not a change.
  const [look] = useState<Look>(() => looks.get(category?.id ?? 0) ?? noLook);
  const groups = isGroup ? [] : all.filter((each) => each.is_group);
  const create = isGroup ? t.addGroup : t.addCategory;
  return (
    <FormDialog
      title={category === undefined ? create : t.edit}
      schema="CategoryInsert"
      begun={{
        name: category?.name ?? '',
        description: category?.description ?? null,
        group_id: category?.group_id ?? null,
        is_income: category?.is_income ?? false,
        exclude_from_budget: category?.exclude_from_budget ?? false,
        exclude_from_totals: category?.exclude_from_totals ?? false,
        ...{ icon: look.icon, colour: look.colour },
      }}
      canSubmit={({ name }) => name.trim() !== ''}
      fields={({ draft, change: edit }) => {
        const group = groups.find(({ id }) => id === draft.group_id);
        return [
          { name: 'name', label: t.form.name },
          groups.length > 0 && {
            name: 'group_id',
            label: t.form.group,
            kind: 'choice',
            options: [
              { value: null, label: t.form.noGroup },
              ...groups.map(({ id, name }) => ({ value: id, label: name })),
            ],
          },
          { name: 'description', label: t.form.description },
          [
            ...flags.map(([name, label]) => ({
              ...{ name, label, kind: 'check' as const, fixed: group?.[name] },
            })),
            group !== undefined && <p className="hint">{t.form.inherited}</p>,
          ],
          {
            more: t.look.title,
            rows: [
              <Suspense key="look">
                <LookPicker name={draft.name} look={draft} onChange={edit} />
              </Suspense>,
            ],
          },
        ];
      }}
      save={({ is_income, exclude_from_budget, exclude_from_totals, ...values }) => {
        const { name, description, group_id } = values;
        const own = { is_income, exclude_from_budget, exclude_from_totals };
        // Members have the flags of their group, and groups are in none.
        const body = {
          ...{ name, description },
          ...(!isGroup && { group_id }),
          ...(group_id === null && own),
        };
        const isNew = category === undefined;
        const isChanged =
          isNew || Object.entries(body).some(([key, value]) => value !== category[key as 'name']);
        const hasLook = values.icon !== look.icon || values.colour !== look.colour;
        const write = async (): Promise<void> => {
          const created = { ...body, is_group: isGroup };
          const { id } = category ?? (await request('POST /v2/categories', { body: created }));
          if (!isNew && isChanged) await updateCategory(id, body);
          const { icon, colour } = values;
          const sent = { path: { id }, body: { icon, colour } };
          if (hasLook) await request('PUT /coffer/category_settings/{id}', sent);
        };
        const done = isNew ? t.created(name) : t.changed(name);
        return change(write, done, Number(isChanged) + Number(hasLook));
      }}
      onClose={onClose}
    />
  );
}

/** What changes categories, or tags, by id. */
interface Writes {
  readonly area: QueryKey;
  readonly update: (id: number, values: { readonly archived: boolean }) => Promise<unknown>;
  readonly remove: (id: number, force: boolean) => Promise<unknown>;
}

/** What changes categories. */
export const categoryWrites: Writes = {
  area: keys.categories,
  update: updateCategory,
  remove: removeCategory,
};
/** What changes tags. */
export const tagWrites: Writes = { area: keys.tags, update: updateTag, remove: removeTag };

/** The actions that archive a category or a tag and delete it, unless records depend on it. */
export function useWrites(
  { id, name, archived }: Pick<Category, 'id' | 'name' | 'archived'>,
  { area, update, remove }: Writes,
  onRefused: (dependents: Dependents) => void,
): MenuAction[] {
  const { change } = useOwnChanges(area, keys.transactions);
  const archive = (): void => {
    const write = () => update(id, { archived: !archived });
    change(write, archived ? t.restored(name) : t.archived(name)).catch(showFailure);
  };
  const leave = (): void => {
    change(() => remove(id, false), t.removed(name)).catch((error: unknown) => {
      const dependents = dependentsOf(error);
      if (dependents === null) showFailure(error);
      else onRefused(dependents);
    });
  };
  return [
    { key: 'archive', label: archived ? t.restore : t.archive, icon: 'eye-off', run: archive },
    { key: 'remove', label: t.remove, icon: 'trash', look: 'danger', run: leave },
  ];
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
  return (
    <Confirmed
      title={t.refused.title(name)}
      confirmLabel={t.refused.confirm}
      work={onRemove}
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
  return (
    <FormDialog
      title={tag === undefined ? t.addTag : t.edit}
      schema="TagInsert"
      begun={{
        name: tag?.name ?? '',
        description: tag?.description ?? null,
        background_color: fullColour(tag?.background_color ?? null),
      }}
      canSubmit={({ name }) => name.trim() !== ''}
      fields={({ draft: { name, background_color: background }, change: edit }) => [
        { name: 'name', label: t.form.name },
        { name: 'description', label: t.form.description },
        <CheckField
          key="colours"
          label={t.form.hasColours}
          value={background !== null}
          onChange={(isOn) => edit({ background_color: isOn ? usualBackground : null })}
        />,
        background !== null && {
          name: 'background_color',
          label: t.form.background,
          kind: 'color',
          className: 'colour',
        },
        <p key="preview">
          <span className="label">{t.form.preview}</span>{' '}
          <TagChip name={name.trim() === '' ? '…' : name} text={null} background={background} />
        </p>,
      ]}
      save={({ background_color: colour, ...values }) => {
        const body = { ...values, background_color: colour?.slice(1).toUpperCase() ?? null };
        return tag === undefined
          ? change(() => request('POST /v2/tags', { body }), t.created(values.name))
          : change(() => updateTag(tag.id, body), t.changed(values.name));
      }}
      onClose={onClose}
    />
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
