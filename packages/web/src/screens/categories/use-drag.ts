import { useState } from 'react';
import type { KeyboardEvent, MouseEvent, PointerEvent, RefObject } from 'react';
import { dropsOf, moveOfDrop, type Drop, type Move, type Placed } from '../../books/categories.ts';

/** A category that is dragged, and where it would be dropped. */
export interface Drag {
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
export function useDrag(list: {
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
