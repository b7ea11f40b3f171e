import { useState, type ReactElement } from 'react';
import { useParams, useLocation } from 'wouter';
import { useCategories, useTags } from '../../api/hooks.ts';
import { keys } from '../../api/keys.ts';
import { transactionsHref } from '../../books/filter/filter.ts';
import type { Category, Tag } from '../../books/types.ts';
import { Button } from '../../parts/button.tsx';
import { OpenButton } from '../../parts/overlays/dialog.tsx';
import { Menu } from '../../parts/overlays/menu.tsx';
import { PageHeader, SectionLinks } from '../../parts/page.tsx';
import { EmptyState } from '../../parts/states.tsx';
import { categoriesTexts as t } from '../../texts/en/categories.ts';
import { Loaded } from '../flow/loaded.tsx';
import { useOwnChanges, useUndoKey } from '../flow/own-changes.ts';
import { StarterSets } from '../flow/starter-sets.tsx';
import { CategoryForm, CategorySheets, Refused, TagChip, TagForm } from './category-dialogs.tsx';
import { tagWrites, useWrites, type OpenSheet } from './category-dialogs.tsx';
import { CategoryTree } from './category-tree.tsx';
import { removeTag, type Dependents } from './data.ts';

const usualLines = 12;

/** Groups and categories as a tree, and what changes them. */
function CategoryList(): ReactElement {
  const categories = useCategories();
  const form = (isGroup: boolean) => (close: () => void) => (
    <CategoryForm isGroup={isGroup} all={categories.data ?? []} onClose={close} />
  );
  return (
    <section className="categories" aria-label={t.parts.categories}>
      <div className="section-head">
        {categories.data?.length !== 0 && <p className="hint">{t.dragHint}</p>}
        <div className="actions">
          <OpenButton dialog={form(true)}>{t.addGroup}</OpenButton>
          <OpenButton look="main" icon="plus" dialog={form(false)}>
            {t.addCategory}
          </OpenButton>
        </div>
      </div>
      <Loaded query={categories} lines={usualLines}>
        {(all) => (all.length === 0 ? <StarterSets /> : <Shown all={all} />)}
      </Loaded>
    </section>
  );
}

function Shown({ all }: { readonly all: readonly Category[] }): ReactElement {
  const [hasArchived, setHasArchived] = useState(false);
  const [sheet, setSheet] = useState<OpenSheet | null>(null);
  const archived = all.filter((each) => each.archived);
  return (
    <>
      <CategoryTree
        all={all}
        shown={hasArchived ? all : all.filter((each) => !each.archived)}
        onOpen={setSheet}
      />
      {archived.length > 0 && !hasArchived && (
        <Button look="quiet" icon="chevron-down" onClick={() => setHasArchived(true)}>
          {t.showArchived(archived.length)}
        </Button>
      )}
      {sheet !== null && <CategorySheets sheet={sheet} all={all} onChange={setSheet} />}
    </>
  );
}

const links = [
  { href: '/categories', label: t.parts.categories },
  { href: '/categories/tags', label: t.parts.tags },
];

/** Categories and tags, each with a URL of its own. */
export function CategoriesScreen(): ReactElement {
  const { part } = useParams<{ part?: string }>();
  const { undo } = useOwnChanges(keys.categories);
  useUndoKey(undo);
  const isTags = part === 'tags';
  return (
    <>
      <PageHeader title={t.title} />
      <SectionLinks label={t.title} links={links} current={links[isTags ? 1 : 0]!.href} />
      {isTags ? <TagList /> : <CategoryList />}
    </>
  );
}

/** All tags with their colours. */
function TagList(): ReactElement {
  const tags = useTags();
  return (
    <section className="categories" aria-label={t.parts.tags}>
      <div className="section-head">
        <p className="hint">{t.noTagsHint}</p>
        <OpenButton look="main" icon="plus" dialog={(close) => <TagForm onClose={close} />}>
          {t.addTag}
        </OpenButton>
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
    </section>
  );
}

function TagLine({ tag }: { readonly tag: Tag }): ReactElement {
  const { id, name, description, archived } = tag;
  const [, go] = useLocation();
  const [isEditing, setIsEditing] = useState(false);
  const [dependents, setDependents] = useState<Dependents | null>(null);
  const { change } = useOwnChanges(keys.tags, keys.transactions);
  const actions = useWrites(tag, tagWrites, setDependents);
  const show = (): void => go(transactionsHref({ tagIds: [id] }));
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
          ...actions,
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
