import { lazy, Suspense, useState } from 'react';
import type { ReactElement } from 'react';
import { useCategories } from '../../api/hooks.ts';
import type { Category } from '../../api/types.ts';
import { Button } from '../../parts/button.tsx';
import { EmptyState } from '../../parts/states/empty-state.tsx';
import { Skeleton } from '../../parts/states/skeleton.tsx';
import { categoriesTexts as t } from '../../texts/en/categories.ts';
import { ownChangesTexts } from '../../texts/en/own-changes.ts';
import { Loaded } from '../flow/loaded.tsx';
import { CategoryForm } from './category-form.tsx';
import { CategorySheets } from './category-sheets.tsx';
import type { OpenSheet } from './category-sheets.tsx';

/** The tree is larger than any screen: what surrounds it does not wait for it. */
const CategoryTree = lazy(async () => ({
  default: (await import('./category-tree.tsx')).CategoryTree,
}));
const usualLines = 12;

/** Groups and categories as a tree, and what changes them. */
export function CategoryList(): ReactElement {
  const categories = useCategories();
  const [adding, setAdding] = useState<'category' | 'group' | null>(null);
  return (
    <section className="categories" aria-label={t.parts.categories}>
      <div className="section-head">
        <p className="hint">{t.dragHint}</p>
        <div className="actions">
          <Button onClick={() => setAdding('group')}>{t.addGroup}</Button>
          <Button look="main" icon="plus" onClick={() => setAdding('category')}>
            {t.addCategory}
          </Button>
        </div>
      </div>
      <Loaded query={categories} lines={usualLines}>
        {(all) =>
          all.length === 0 ? (
            <EmptyState icon="categories" title={t.none} hint={t.noneHint} />
          ) : (
            <Shown all={all} />
          )
        }
      </Loaded>
      {adding !== null && (
        <CategoryForm
          isGroup={adding === 'group'}
          all={categories.data ?? []}
          onClose={() => setAdding(null)}
        />
      )}
    </section>
  );
}

function Shown({ all }: { readonly all: readonly Category[] }): ReactElement {
  const [hasArchived, setHasArchived] = useState(false);
  const [sheet, setSheet] = useState<OpenSheet | null>(null);
  const archived = all.filter((each) => each.archived);
  return (
    <>
      <Suspense fallback={<Skeleton label={ownChangesTexts.loading} lines={usualLines} />}>
        <CategoryTree
          all={all}
          shown={hasArchived ? all : all.filter((each) => !each.archived)}
          onOpen={setSheet}
        />
      </Suspense>
      {archived.length > 0 && !hasArchived && (
        <Button look="quiet" icon="chevron-down" onClick={() => setHasArchived(true)}>
          {t.showArchived(archived.length)}
        </Button>
      )}
      {sheet !== null && <CategorySheets sheet={sheet} all={all} onChange={setSheet} />}
    </>
  );
}
