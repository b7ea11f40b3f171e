import { useState, type ReactElement } from 'react';
import { Button as Control } from 'react-aria-components/Button';
import { Collection } from 'react-aria-components/Collection';
import { Tree, TreeItem, TreeItemContent } from 'react-aria-components/Tree';
import { useDragAndDrop, type DragAndDropHooks } from 'react-aria-components/useDragAndDrop';
import { useLocation } from 'wouter';
import { useLooks } from '../../api/hooks.ts';
import { keys } from '../../api/keys.ts';
import { moveOfDrop, siblingsIn, updatesOf, moveBy, type Move } from '../../books/categories.ts';
import { noFilter, writeFilter } from '../../books/filter/filter.ts';
import type { Look } from '../../books/looks.ts';
import type { Category } from '../../books/types.ts';
import { CategoryMark } from '../../parts/category-mark.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Menu, type MenuAction } from '../../parts/overlays/menu.tsx';
import { categoriesTexts as t } from '../../texts/en/categories.ts';
import { useOwnChanges, showFailure } from '../flow/own-changes.ts';
import { categoryWrites, useWrites, type OpenSheet } from './category-dialogs.tsx';
import { placeCategories } from './data.ts';

/** The tree of groups and categories, which are moved by drag and drop, by the keyboard too. */
export function CategoryTree(props: {
  readonly all: readonly Category[];
  readonly shown: readonly Category[];
  readonly onOpen: (sheet: OpenSheet) => void;
}): ReactElement {
  const { all, shown, onOpen } = props;
  const looks = useLooks();
  const move = useMove(all);
  const hooks = useDrops(all, move);
  const groups = all.filter((each) => each.is_group);
  const [folded, setFolded] = useState<ReadonlySet<number>>(
    () => new Set(groups.filter(({ collapsed }) => collapsed).map(({ id }) => id)),
  );
  const open = groups.map(({ id }) => id).filter((id) => !folded.has(id));
  return (
    <Tree
      className="category-tree card"
      aria-label={t.tree}
      items={siblingsIn(shown, null)}
      // A row is kept as it is while its own category is the same, but it has members, which may change.
      dependencies={[shown, all, looks]}
      expandedKeys={open}
      onExpandedChange={(next) =>
        setFolded(new Set(groups.map(({ id }) => id).filter((id) => !next.has(id))))
      }
      dragAndDropHooks={hooks}
    >
      {function row(category): ReactElement {
        return (
          <TreeItem id={category.id} textValue={category.name} className="category-row">
            <TreeItemContent>
              <RowContent
                category={category}
                look={looks.get(category.id)}
                all={all}
                onMove={move}
                onOpen={onOpen}
              />
            </TreeItemContent>
            <Collection items={siblingsIn(shown, category.id)} dependencies={[shown, all, looks]}>
              {row}
            </Collection>
          </TreeItem>
        );
      }}
    </Tree>
  );
}

function RowContent(props: {
  readonly category: Category;
  readonly look: Look | undefined;
  readonly all: readonly Category[];
  readonly onMove: (move: Move | null) => void;
  readonly onOpen: (sheet: OpenSheet) => void;
}): ReactElement {
  const { category, look, all, onMove, onOpen } = props;
  const { name, is_group: isGroup, group_id: groupId } = category;
  return (
    <div className={`category ${isGroup ? 'group' : ''} ${groupId === null ? '' : 'member'}`}>
      <Control slot="drag" className="button quiet bare" aria-label={t.drag(name)}>
        <Icon name="grip" />
      </Control>
      {isGroup && (
        <Control slot="chevron" className="button quiet bare fold" aria-label={t.expand(name)}>
          <Icon name="chevron-right" />
        </Control>
      )}
      <CategoryMark name={name} look={look} />
      <div className="category-name">
        <span>{name}</span>
        <CategoryBadges category={category} />
      </div>
      <CategoryMenu category={category} all={all} onMove={onMove} onOpen={onOpen} />
    </div>
  );
}

function useMove(all: readonly Category[]): (move: Move | null) => void {
  const { change } = useOwnChanges(keys.categories);
  return (move) => {
    const updates = move === null ? [] : updatesOf(all, move);
    const name = all.find(({ id }) => id === move?.id)?.name ?? '';
    if (updates.length === 0) return;
    change(() => placeCategories(updates), t.moved(name), updates.length).catch(showFailure);
  };
}

/** Drops between categories, and on groups. */
function useDrops(
  all: readonly Category[],
  move: (move: Move | null) => void,
): DragAndDropHooks<Category> {
  const isGroup = (key: unknown): boolean => all.find(({ id }) => id === key)?.is_group === true;
  const { dragAndDropHooks } = useDragAndDrop<Category>({
    getItems: (dragged) =>
      [...dragged].map((key) => ({
        'text/plain': all.find(({ id }) => id === key)?.name ?? '',
      })),
    getDropOperation: (target) =>
      target.type === 'item' && target.dropPosition === 'on' && !isGroup(target.key)
        ? 'cancel'
        : 'move',
    onMove: ({ keys: [key], target }) =>
      move(moveOfDrop(all, Number(key), { id: Number(target.key), position: target.dropPosition })),
  });
  return dragAndDropHooks;
}

/** What is special about a category, in words. */
function CategoryBadges({ category }: { readonly category: Category }): ReactElement {
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

/** What can be done with a category, moving without a drag included. */
function CategoryMenu(props: {
  readonly category: Category;
  readonly all: readonly Category[];
  readonly onMove: (move: Move | null) => void;
  readonly onOpen: (sheet: OpenSheet) => void;
}): ReactElement {
  const { category, all, onMove, onOpen } = props;
  const { id, name } = category;
  const [, go] = useLocation();
  const writes = useWrites(category, categoryWrites, (dependents) =>
    onOpen({ kind: 'refused', category, dependents }),
  );
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
    ...writes,
  ];
  return <Menu label={t.more(name)} actions={actions} />;
}
