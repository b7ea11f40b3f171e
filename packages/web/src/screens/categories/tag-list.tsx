import { useState } from 'react';
import type { ReactElement } from 'react';
import { useLocation } from 'wouter';
import { describeError } from '../../api/errors.ts';
import { useTags } from '../../api/hooks.ts';
import { keys } from '../../api/keys.ts';
import type { Tag } from '../../api/types.ts';
import { noFilter, writeFilter } from '../../books/filter/filter.ts';
import { Button } from '../../parts/button.tsx';
import { EmptyState } from '../../parts/states/empty-state.tsx';
import { Menu } from '../../parts/overlays/menu.tsx';
import { showToast } from '../../parts/overlays/toasts.ts';
import { categoriesTexts as t } from '../../texts/en/categories.ts';
import { Loaded } from '../flow/loaded.tsx';
import { useOwnChanges } from '../flow/own-changes.ts';
import { dependentsOf, removeTag, updateTag } from './data.ts';
import type { Dependents } from './data.ts';
import { Refused } from './refused.tsx';
import { TagChip } from './tag-chip.tsx';
import { TagForm } from './tag-form.tsx';

/** All tags with their colours. */
export function TagList(): ReactElement {
  const tags = useTags();
  const [isAdding, setIsAdding] = useState(false);
  return (
    <section className="categories" aria-label={t.parts.tags}>
      <div className="section-head">
        <p className="hint">{t.noTagsHint}</p>
        <Button look="main" icon="plus" onClick={() => setIsAdding(true)}>
          {t.addTag}
        </Button>
      </div>
      <Loaded query={tags} lines={6}>
        {(all) =>
          all.length === 0 ? (
            <EmptyState icon="tag" title={t.noTags} hint={t.noTagsHint} />
          ) : (
            <ul className="tags card">
              {all.map((tag) => (
                <TagLine key={tag.id} tag={tag} />
              ))}
            </ul>
          )
        }
      </Loaded>
      {isAdding && <TagForm onClose={() => setIsAdding(false)} />}
    </section>
  );
}

function TagLine({ tag }: { readonly tag: Tag }): ReactElement {
  const { id, name, description, archived } = tag;
  const [, go] = useLocation();
  const [isEditing, setIsEditing] = useState(false);
  const [dependents, setDependents] = useState<Dependents | null>(null);
  const { change } = useOwnChanges(keys.tags, keys.transactions);
  const fail = (error: unknown): void => showToast({ text: describeError(error), look: 'problem' });
  const archive = (): void => {
    const write = () => updateTag(id, { archived: !archived });
    change(write, archived ? t.restored(name) : t.archived(name)).catch(fail);
  };
  const remove = (): void => {
    change(() => removeTag(id, false), t.removed(name)).catch((error: unknown) => {
      const found = dependentsOf(error);
      if (found === null) fail(error);
      else setDependents(found);
    });
  };
  const show = (): void => go(`/transactions?${writeFilter({ ...noFilter, tagIds: [id] })}`);
  const edit = (): void => setIsEditing(true);
  return (
    <li>
      <div className="category-name">
        <TagChip name={name} text={tag.text_color} background={tag.background_color} />
        {archived && <span className="badge warn">{t.badges.archived}</span>}
        {description !== null && <span className="hint">{description}</span>}
      </div>
      <Menu
        label={t.more(name)}
        actions={[
          { key: 'edit', label: t.edit, icon: 'edit', run: edit },
          { key: 'show', label: t.transactions, icon: 'transactions', run: show },
          {
            key: 'archive',
            label: archived ? t.restore : t.archive,
            icon: 'eye-off',
            run: archive,
          },
          { key: 'remove', label: t.remove, icon: 'trash', look: 'danger', run: remove },
        ]}
      />
      {isEditing && <TagForm tag={tag} onClose={() => setIsEditing(false)} />}
      {dependents !== null && (
        <Refused
          name={name}
          dependents={dependents}
          texts={t.refused.tagDependents}
          onRemove={() => change(() => removeTag(id, true), t.removed(name))}
          onClose={() => setDependents(null)}
        />
      )}
    </li>
  );
}
