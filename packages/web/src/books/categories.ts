import type { Category } from './types.ts';

/** A category or a group as its place depends on it. */
export type Placed = Pick<Category, 'id' | 'is_group' | 'group_id' | 'order'>;

/** Where a category goes: into a group, or to the top with null, before another one, or to the end with null. */
export interface Move {
  readonly id: number;
  readonly groupId: number | null;
  readonly beforeId: number | null;
}

/** New values of a category. */
export interface PlaceUpdate {
  readonly id: number;
  readonly values: { readonly order: number; readonly group_id?: number | null };
}

/** How far places are apart, so that the next moves change one category only. */
const step = 1000;

/** Returns the members of a group, or what is at the top, in the order of the list. */
export function siblingsIn<Item extends Placed>(
  all: readonly Item[],
  groupId: number | null,
): Item[] {
  return all.filter((each) => each.group_id === groupId);
}

/** A place in a list where a category can be dropped. */
export interface Drop {
  readonly id: number;
  readonly position: 'before' | 'after' | 'on';
}

/** Returns the rows of the list: a folded group shows no members. */
export function rowsOf<Item extends Placed>(
  shown: readonly Item[],
  folded: ReadonlySet<number>,
): Item[] {
  return siblingsIn(shown, null).flatMap((each) =>
    folded.has(each.id) ? [each] : [each, ...siblingsIn(shown, each.id)],
  );
}

/** Returns where a category can go among the rows of the list, from top to bottom, without the place that it has. */
export function dropsOf(all: readonly Placed[], rows: readonly Placed[], id: number): Drop[] {
  const last = siblingsIn(rows, null).at(-1);
  const own = rows.find((row) => row.id === id)?.group_id;
  const drops = rows.flatMap((row, at): Drop[] => [
    { id: row.id, position: 'before' },
    ...(row.is_group && row.id !== own ? [{ id: row.id, position: 'on' } as const] : []),
    ...(row.group_id !== null && rows[at + 1]?.group_id !== row.group_id
      ? [{ id: row.id, position: 'after' } as const]
      : []),
  ]);
  if (last !== undefined) drops.push({ id: last.id, position: 'after' });
  return drops.filter((drop) => {
    const move = moveOfDrop(all, id, drop);
    return move !== null && !isWhereItIs(all, move);
  });
}

function isWhereItIs(all: readonly Placed[], { id, groupId, beforeId }: Move): boolean {
  const siblings = siblingsIn(all, groupId);
  const place = siblings.findIndex((each) => each.id === id);
  return place !== -1 && (siblings[place + 1]?.id ?? null) === beforeId;
}

/**
 * Returns the move of a drop `before`, `after` or `on` another category; null when nothing would move.
 *
 * `all` is in the order of the list. On a group means to its end. A group is never moved into a group.
 */
export function moveOfDrop(all: readonly Placed[], id: number, target: Drop): Move | null {
  const [moved, other] = [id, target.id].map((each) => all.find((item) => item.id === each));
  if (moved === undefined || other === undefined || moved === other) return null;
  if (target.position === 'on')
    return other.is_group && !moved.is_group ? { id, groupId: other.id, beforeId: null } : null;
  const groupId = other.group_id;
  if (groupId !== null && moved.is_group) return null;
  if (target.position === 'before') return { id, groupId, beforeId: other.id };
  const siblings = siblingsIn(all, groupId).filter((each) => each.id !== id);
  return { id, groupId, beforeId: siblings[siblings.indexOf(other) + 1]?.id ?? null };
}

/** Returns the move by some places among its siblings; null at the ends. */
export function moveBy(all: readonly Placed[], id: number, places: 1 | -1): Move | null {
  const moved = all.find((each) => each.id === id);
  if (moved === undefined) return null;
  const siblings = siblingsIn(all, moved.group_id);
  const place = siblings.indexOf(moved) + places;
  if (place < 0 || place >= siblings.length) return null;
  const before = siblings[places === 1 ? place + 1 : place];
  return { id, groupId: moved.group_id, beforeId: before?.id ?? null };
}

/** Returns the updates that a move needs: one where there is room between the neighbours, else of all siblings. */
export function updatesOf(all: readonly Placed[], move: Move): PlaceUpdate[] {
  const moved = all.find(({ id }) => id === move.id);
  if (moved === undefined) return [];
  const siblings = siblingsIn(all, move.groupId).filter(({ id }) => id !== move.id);
  const found = siblings.findIndex(({ id }) => id === move.beforeId);
  const place = found === -1 ? siblings.length : found;
  const group = moved.group_id === move.groupId ? {} : { group_id: move.groupId };
  const order = orderBetween(siblings[place - 1], siblings[place]);
  if (order !== null) return [{ id: move.id, values: { order, ...group } }];
  return siblings
    .toSpliced(place, 0, moved)
    .map((each, index) => ({ each, order: (index + 1) * step }))
    .filter(({ each, order: next }) => each === moved || each.order !== next)
    .map(({ each, order: next }) => ({
      id: each.id,
      values: { order: next, ...(each === moved && group) },
    }));
}

/** An order between two neighbours; null where there is no room, or a neighbour has none. */
function orderBetween(above: Placed | undefined, below: Placed | undefined): number | null {
  if (above?.order === null || below?.order === null) return null;
  if (above === undefined) return below === undefined ? step : below.order - step;
  if (below === undefined) return above.order + step;
  const middle = Math.floor((above.order + below.order) / 2);
  return middle > above.order && middle < below.order ? middle : null;
}
