import type { ReactElement } from 'react';
import { useLocation } from 'wouter';
import { describeError } from '../../api/errors.ts';
import { keys } from '../../api/keys.ts';
import type { Category } from '../../api/types.ts';
import { moveBy } from '../../books/categories/category-order.ts';
import type { Move } from '../../books/categories/category-order.ts';
import { noFilter, writeFilter } from '../../books/filter/filter.ts';
import { Menu } from '../../parts/overlays/menu.tsx';
import type { MenuAction } from '../../parts/overlays/menu.tsx';
import { showToast } from '../../parts/overlays/toasts.ts';
import { categoriesTexts as t } from '../../texts/en/categories.ts';
import { useOwnChanges } from '../flow/own-changes.ts';
import type { OpenSheet } from './category-sheets.tsx';
import { dependentsOf, removeCategory, updateCategory } from './data.ts';

/** What is special about a category, in words. */
export function CategoryBadges({ category }: { readonly category: Category }): ReactElement {
  const { archived, is_income, exclude_from_budget, exclude_from_totals, group_id } = category;
  const isOwn = group_id === null;
  return (
    <>
      {isOwn && is_income && <span className="badge good">{t.badges.income}</span>}
      {isOwn && exclude_from_budget && <span className="badge">{t.badges.budget}</span>}
      {isOwn && exclude_from_totals && <span className="badge">{t.badges.totals}</span>}
      {archived && <span className="badge warn">{t.badges.archived}</span>}
    </>
  );
}

interface CategoryMenuProps {
  readonly category: Category;
  readonly all: readonly Category[];
  readonly onMove: (move: Move | null) => void;
  readonly onOpen: (sheet: OpenSheet) => void;
}

/** What can be done with a category, moving without a drag included. */
export function CategoryMenu({ category, all, onMove, onOpen }: CategoryMenuProps): ReactElement {
  const { id, name, archived } = category;
  const [, go] = useLocation();
  const { archive, remove } = useWrites(category, onOpen);
  const up = moveBy(all, id, -1);
  const down = moveBy(all, id, 1);
  const edit = (): void => onOpen({ kind: 'edit', category });
  const merge = (): void => onOpen({ kind: 'merge', category });
  const show = (): void => go(`/transactions?${writeFilter({ ...noFilter, categoryIds: [id] })}`);
  const actions: MenuAction[] = [
    { key: 'edit', label: t.edit, icon: 'edit', run: edit },
    { key: 'show', label: t.transactions, icon: 'transactions', run: show },
    ...(up === null ? [] : [{ key: 'up', label: t.up, run: () => onMove(up) }]),
    ...(down === null ? [] : [{ key: 'down', label: t.down, run: () => onMove(down) }]),
    { key: 'merge', label: t.merge, icon: 'group', run: merge },
    { key: 'archive', label: archived ? t.restore : t.archive, icon: 'eye-off', run: archive },
    { key: 'remove', label: t.remove, icon: 'trash', look: 'danger', run: remove },
  ];
  return <Menu label={t.more(name)} actions={actions} />;
}

function useWrites(
  category: Category,
  onOpen: (sheet: OpenSheet) => void,
): { readonly archive: () => void; readonly remove: () => void } {
  const { id, name, archived } = category;
  const { change } = useOwnChanges(keys.categories);
  const fail = (error: unknown): void => showToast({ text: describeError(error), look: 'problem' });
  const archive = (): void => {
    const write = () => updateCategory(id, { archived: !archived });
    change(write, archived ? t.restored(name) : t.archived(name)).catch(fail);
  };
  const remove = (): void => {
    change(() => removeCategory(id, false), t.removed(name)).catch((error: unknown) => {
      const dependents = dependentsOf(error);
      if (dependents === null) fail(error);
      else onOpen({ kind: 'refused', category, dependents });
    });
  };
  return { archive, remove };
}
