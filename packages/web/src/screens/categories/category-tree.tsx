import { useRef, useState } from 'react';
import type { KeyboardEvent, MouseEvent, PointerEvent, ReactElement, RefObject } from 'react';
import { useLocation } from 'wouter';
import { useLooks } from '../../api/hooks.ts';
import { keys } from '../../api/keys.ts';
import { dropsOf, moveBy, moveOfDrop, rowsOf, updatesOf } from '../../books/categories.ts';
import type { Drop, Move, Placed } from '../../books/categories.ts';
import { transactionsHref } from '../../books/filter/filter.ts';
import type { Category } from '../../books/types.ts';
import { Button } from '../../parts/button.tsx';
import { CategoryMark } from '../../parts/category-mark.tsx';
import { Menu, type MenuAction } from '../../parts/overlays/menu.tsx';
import { categoriesTexts as t } from '../../texts/en/categories.ts';
import { useOwnChanges, showFailure } from '../flow/own-changes.ts';
import { categoryWrites, useWrites, type OpenSheet } from './category-dialogs.tsx';
import { updateCategory } from './data.ts';

/**
 * The tree of groups and categories, which are moved by drag and drop, by the keyboard too.
 *
 * Arrows go up and down the rows, and into a row and back. Tab stops at the row that had the focus, and at its buttons.
 */
export function CategoryTree(props: {
  readonly all: readonly Category[];
  readonly shown: readonly Category[];
  readonly onOpen: (sheet: OpenSheet) => void;
}): ReactElement {
  const { all, shown, onOpen } = props;
  const looks = useLooks();
  const onMove = useMove(all);
  const tree = useRef<HTMLDivElement>(null);
  const [folded, setFolded] = useState<ReadonlySet<number>>(
    () => new Set(all.filter(({ collapsed }) => collapsed).map(({ id }) => id)),
  );
  const [focused, setFocused] = useState<number>();
  const rows = rowsOf(shown, folded);
  const drag = useDrag({ all, rows, tree, onMove });
  const active = rows.find(({ id }) => id === focused) ?? rows[0];
  const fold = (id: number): void =>
    setFolded(
      (now) => new Set(now.has(id) ? [...now].filter((each) => each !== id) : [...now, id]),
    );
  return (
    <>
      <p className="hidden" role="status">
        {drag.id !== null && sayPlace(all, drag.id, drag.drop)}
      </p>
      <div ref={tree} role="treegrid" className="category-tree card" aria-label={t.tree}>
        {rows.map((category) => (
          <div
            key={category.id}
            role="row"
            className={`category-row ${classOf(category, rows, drag)}`}
            aria-label={category.name}
            aria-level={category.group_id === null ? 1 : 2}
            aria-expanded={category.is_group ? !folded.has(category.id) : undefined}
            tabIndex={category === active ? 0 : -1}
            onFocus={() => setFocused(category.id)}
            onKeyDown={(event) => drag.press(event) || pressRow(event, category, tree, fold)}
          >
            <div role="gridcell" className={`category ${category.is_group ? 'group' : ''}`}>
              <Button
                look="quiet"
                icon="grip"
                aria-label={t.drag(category.name)}
                tabIndex={category === active ? 0 : -1}
                {...drag.handle(category.id)}
              />
              {category.is_group && (
                <Button
                  look="quiet"
                  icon="chevron-right"
                  className="fold"
                  aria-label={t.expand(category.name)}
                  tabIndex={category === active ? 0 : -1}
                  onClick={() => fold(category.id)}
                />
              )}
              <CategoryMark name={category.name} look={looks.get(category.id)} />
              <div className="category-name">
                <span>{category.name}</span>
                <CategoryBadges category={category} />
              </div>
              <CategoryMenu {...{ category, all, onMove, onOpen }} isActive={category === active} />
            </div>
          </div>
        ))}
      </div>
    </>
  );
}

/** How a row looks while a category is dragged. */
function classOf(row: Category, rows: readonly Category[], { id, drop }: Drag): string {
  const level = row.group_id === null ? '' : 'member';
  if (row.id === id) return `${level} dragged`;
  if (drop === null) return level;
  const target = rows.find((each) => each.id === drop.id);
  const isEnd = drop.position === 'after' && target?.group_id === null;
  if (row !== (isEnd ? rows.at(-1) : target)) return level;
  return `${level} drop-${drop.position} ${isEnd ? 'end' : ''}`;
}

function sayPlace(all: readonly Category[], id: number, drop: Drop | null): string {
  const nameOf = (one: number): string => all.find((each) => each.id === one)?.name ?? '';
  return drop === null ? t.lifted(nameOf(id)) : t.place[drop.position](nameOf(drop.id));
}

/** The keys of a row, as in the ARIA pattern of a tree grid. */
function pressRow(
  event: KeyboardEvent<HTMLElement>,
  { id, is_group: isGroup, group_id: groupId }: Category,
  tree: RefObject<HTMLElement | null>,
  onFold: (id: number) => void,
): void {
  const { key, currentTarget: row, target } = event;
  if (event.defaultPrevented) return;
  const rows = [...(tree.current?.querySelectorAll<HTMLElement>('[role="row"]') ?? [])];
  const at = rows.indexOf(row);
  const stops = [row, ...row.querySelectorAll('button')];
  const stop = stops.findIndex((each) => each === target);
  const isOpen = row.ariaExpanded === 'true';
  const folds = stop === 0 && isGroup && isOpen === (key === 'ArrowLeft');
  if (folds && ['ArrowLeft', 'ArrowRight'].includes(key)) onFold(id);
  else if (key === 'ArrowDown') rows[at + 1]?.focus();
  else if (key === 'ArrowUp') rows[at - 1]?.focus();
  else if (key === 'Home') rows[0]?.focus();
  else if (key === 'End') rows.at(-1)?.focus();
  else if (key === 'ArrowRight') stops[stop + 1]?.focus();
  else if (key === 'ArrowLeft' && stop > 0) stops[stop - 1]?.focus();
  else if (key === 'ArrowLeft' && groupId !== null) groupRow(rows, at)?.focus();
  else return;
  event.preventDefault();
}

function groupRow(rows: readonly HTMLElement[], at: number): HTMLElement | undefined {
  return rows.slice(0, at).findLast((each) => each.ariaLevel === '1');
}

function useMove(all: readonly Category[]): (move: Move | null) => void {
  const { change } = useOwnChanges(keys.categories);
  return (move) => {
    const updates = move === null ? [] : updatesOf(all, move);
    const name = all.find(({ id }) => id === move?.id)?.name ?? '';
    if (updates.length === 0) return;
    const write = async (): Promise<void> => {
      for (const { id, values } of updates) await updateCategory(id, values);
    };
    change(write, t.moved(name), updates.length).catch(showFailure);
  };
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
  readonly isActive: boolean;
}): ReactElement {
  const { category, all, onMove, onOpen, isActive } = props;
  const { id, name } = category;
  const [, go] = useLocation();
  const writes = useWrites(category, categoryWrites, (dependents) =>
    onOpen({ kind: 'refused', category, dependents }),
  );
  const up = moveBy(all, id, -1);
  const down = moveBy(all, id, 1);
  const edit = (): void => onOpen({ kind: 'edit', category });
  const merge = (): void => onOpen({ kind: 'merge', category });
  const show = (): void => go(transactionsHref({ categoryIds: [id] }));
  const actions: MenuAction[] = [
    { key: 'edit', label: t.edit, icon: 'edit', run: edit },
    { key: 'show', label: t.transactions, icon: 'transactions', run: show },
    ...(up === null ? [] : [{ key: 'up', label: t.up, run: () => onMove(up) }]),
    ...(down === null ? [] : [{ key: 'down', label: t.down, run: () => onMove(down) }]),
    { key: 'merge', label: t.merge, icon: 'group', run: merge },
    ...writes,
  ];
  return <Menu label={t.more(name)} actions={actions} tabIndex={isActive ? 0 : -1} />;
}

/** A category that is dragged, and where it would be dropped. */
interface Drag {
  readonly id: number | null;
  readonly drop: Drop | null;
}

type HandleEvents = Readonly<
  Record<'onPointerDown' | 'onPointerMove' | 'onPointerUp' | 'onPointerCancel', PointerAction>
> & { readonly onClick: (event: MouseEvent) => void };
type PointerAction = (event: PointerEvent<HTMLElement>) => void;

const nobody: Drag = { id: null, drop: null };
/** How far above its lower edge the last member of a group takes a drop: below that it leaves the group. */
const memberEnd = 10;

/**
 * Drags a row of a list by its handle: with a mouse, a finger or a pen to the nearest place; with the keyboard Enter
 * picks it up, arrows choose the place, Enter drops it, and Escape leaves it where it was.
 */
function useDrag(list: {
  readonly all: readonly Placed[];
  readonly rows: readonly Placed[];
  readonly tree: RefObject<HTMLElement | null>;
  readonly onMove: (move: Move | null) => void;
}): Drag & {
  readonly handle: (id: number) => HandleEvents;
  /** Takes a key while something is picked up. */
  readonly press: (event: KeyboardEvent) => boolean;
} {
  const { all, rows, tree, onMove } = list;
  const [drag, setDrag] = useState(nobody);
  const rowOf = (id: number): Element | undefined =>
    tree.current?.querySelectorAll('[role="row"]')[rows.findIndex((each) => each.id === id)];
  const aim = (id: number, drop: Drop | null): void => {
    setDrag({ id, drop });
    if (drop !== null) rowOf(drop.id)?.scrollIntoView({ block: 'nearest' });
  };
  const finish = ({ id, drop }: Drag): void => {
    setDrag(nobody);
    if (id !== null && drop !== null) onMove(moveOfDrop(all, id, drop));
  };
  const heightOf = ({ id, position }: Drop): number => {
    const isTop = rows.find((each) => each.id === id)?.group_id === null;
    const row = position === 'after' && isTop ? rows.at(-1)!.id : id;
    const { top, bottom } = rowOf(row)!.getBoundingClientRect();
    if (position === 'after') return isTop ? bottom : bottom - memberEnd;
    return position === 'on' ? (top + bottom) / 2 : top;
  };
  const press = (event: KeyboardEvent): boolean => {
    if (drag.id === null) return false;
    event.preventDefault();
    if (event.key === 'Enter') finish(drag);
    else if (event.key === 'Escape' || event.key === 'Tab') setDrag(nobody);
    else aim(drag.id, nextDrop(dropsOf(all, rows, drag.id), rows, drag, event.key));
    return true;
  };
  const handle = (id: number): HandleEvents => ({
    onPointerDown: ({ currentTarget, pointerId, button }) => {
      if (button !== 0) return;
      currentTarget.setPointerCapture(pointerId);
      setDrag({ id, drop: null });
    },
    onPointerMove: ({ clientY, currentTarget, pointerId }) => {
      if (drag.id !== id || !currentTarget.hasPointerCapture(pointerId)) return;
      const away = (drop: Drop): number => Math.abs(heightOf(drop) - clientY);
      const stays = away({ id, position: 'on' });
      const nearest = dropsOf(all, rows, id).toSorted((a, b) => away(a) - away(b))[0];
      aim(id, nearest !== undefined && away(nearest) < stays ? nearest : null);
    },
    onPointerUp: () => finish(drag),
    onPointerCancel: () => setDrag(nobody),
    // A key or a screen reader, not a pointer.
    onClick: ({ detail }) => detail === 0 && setDrag({ id, drop: null }),
  });
  return { ...drag, handle, press };
}

/** The place that an arrow leads to; from where the row is, the first one above or below it. */
function nextDrop(
  drops: readonly Drop[],
  rows: readonly Placed[],
  { id, drop }: Drag,
  key: string,
): Drop | null {
  const step = { ArrowDown: 1, ArrowUp: -1 }[key];
  if (step === undefined) return drop;
  const placeOf = (one: number | null): number => rows.findIndex((each) => each.id === one);
  const at =
    drop === null
      ? drops.filter((each) => placeOf(each.id) <= placeOf(id)).length - (step === 1 ? 1 : 0)
      : drops.findIndex((each) => each.id === drop.id && each.position === drop.position);
  return drops[at + step] ?? drop;
}
