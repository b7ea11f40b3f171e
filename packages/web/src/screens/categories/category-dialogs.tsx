import { useState, type ReactElement } from 'react';
import { keys } from '../../api/keys.ts';
import type { Category, Tag } from '../../api/types.ts';
import { fullColour, readableOn } from '../../books/categories.ts';
import { SelectField, CheckField, TextField } from '../../parts/fields/fields.tsx';
import { Dialog } from '../../parts/overlays/dialog.tsx';
import { categoriesTexts as t } from '../../texts/en/categories.ts';
import { ownChangesTexts } from '../../texts/en/parts.ts';
import { Loaded } from '../flow/loaded.tsx';
import { useOwnChanges } from '../flow/own-changes.ts';
import { Confirmed, SubmitForm } from '../flow/submitting.tsx';
import {
  mergeCategory,
  removeCategory,
  useUses,
  createCategory,
  updateCategory,
  createTag,
  updateTag,
} from './data.ts';
import type { Dependents, CategoryInsert } from './data.ts';

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

const flags = [
  ['is_income', t.form.income],
  ['exclude_from_budget', t.form.budget],
  ['exclude_from_totals', t.form.totals],
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
      await change(() => createCategory({ ...values, is_group: isGroup }), t.created(values.name));
    else await change(() => updateCategory(category.id, values), t.changed(values.name));
    onClose();
  };
  const create = isGroup ? t.addGroup : t.addCategory;
  return (
    <Dialog
      title={category === undefined ? create : t.edit}
      closeLabel={ownChangesTexts.close}
      onClose={onClose}
    >
      <SubmitForm canSubmit={draft.name.trim() !== ''} work={save}>
        <TextField
          label={t.form.name}
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
          label={t.form.group}
          value={String(draft.group_id ?? '')}
          options={[
            { value: '', label: t.form.noGroup },
            ...groups.map(({ id, name }) => ({ value: String(id), label: name })),
          ]}
          onChange={(value) => onChange({ group_id: value === '' ? null : Number(value) })}
        />
      )}
      <TextField
        label={t.form.description}
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
        {group !== undefined && <p className="hint">{t.form.inherited}</p>}
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
  const [name, setName] = useState(tag?.name ?? '');
  const [description, setDescription] = useState(tag?.description ?? '');
  const [background, setBackground] = useState(() => fullColour(tag?.background_color ?? null));
  const save = async (): Promise<void> => {
    const note = description.trim() === '' ? null : description.trim();
    const colour = background === null ? null : background.slice(1).toUpperCase();
    const values = { name: name.trim(), description: note, background_color: colour };
    if (tag === undefined) await change(() => createTag(values), t.created(values.name));
    else await change(() => updateTag(tag.id, values), t.changed(values.name));
    onClose();
  };
  return (
    <Dialog
      title={tag === undefined ? t.addTag : t.edit}
      closeLabel={ownChangesTexts.close}
      onClose={onClose}
    >
      <SubmitForm canSubmit={name.trim() !== ''} work={save}>
        <TextField
          label={t.form.name}
          required
          autoFocus
          maxLength={100}
          value={name}
          onChange={({ currentTarget: { value } }) => setName(value)}
        />
        <TextField
          label={t.form.description}
          maxLength={200}
          value={description}
          onChange={({ currentTarget: { value } }) => setDescription(value)}
        />
        <Colour background={background} onChange={setBackground} />
        <p>
          <span className="label">{t.form.preview}</span>{' '}
          <TagChip name={name.trim() === '' ? '…' : name} text={null} background={background} />
        </p>
      </SubmitForm>
    </Dialog>
  );
}

function Colour(props: {
  readonly background: string | null;
  readonly onChange: (background: string | null) => void;
}): ReactElement {
  const { background, onChange } = props;
  return (
    <>
      <CheckField
        label={t.form.hasColours}
        isChecked={background !== null}
        onChange={(isOn) => onChange(isOn ? usualBackground : null)}
      />
      {background !== null && (
        <TextField
          type="color"
          className="colour"
          label={t.form.background}
          value={background}
          onChange={({ currentTarget: { value } }) => onChange(value)}
        />
      )}
    </>
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
